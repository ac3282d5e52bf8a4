"""Before the window: the command line, no screen, settings, the end of the process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app import paths, settings
from app.settings import Settings
from app.startup import parse, screen_problem

ROOT = Path(__file__).resolve().parents[2]


def start(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start the app in a process that has only the given display variables."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_SESSION_TYPE")
    environment = {k: v for k, v in os.environ.items() if k not in hidden} | variables
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_the_bundled_model_is_the_default() -> None:
    assert parse([]).model == paths.model_file()
    assert parse([]).device == "auto"
    options = parse(["--model", "other.tinyloop", "--device", "cpu"])
    assert (options.model, options.device) == (Path("other.tinyloop"), "cpu")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays have names on Linux")
def test_without_a_display_one_sentence_names_the_terminal_command() -> None:
    run = start()
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.count("\n") == 1
    assert "There is no display" in run.stderr
    assert "tinyloop ask" in run.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays have names on Linux")
@pytest.mark.parametrize("display", [":87", "nowhere", "127.0.0.1:9"])
def test_a_display_that_does_not_answer_is_named(display: str) -> None:
    run = start(DISPLAY=display)
    assert run.returncode == 1
    assert f"The display {display} does not answer" in run.stderr
    assert "tinyloop ask" in run.stderr
    assert run.stderr.count("\n") == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays have names on Linux")
def test_a_plugin_without_its_libraries_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "platforms"
    folder.mkdir()
    (folder / "libqxcb.so").write_bytes(b"no library")
    monkeypatch.setattr("app.startup.QLibraryInfo.path", lambda _: str(tmp_path))
    monkeypatch.setattr("app.startup._x_answers", lambda _: True)
    problem = screen_problem({"DISPLAY": ":0"})
    assert problem.startswith("Qt cannot open a window here: ")
    assert "tinyloop ask" in problem
    (folder / "libqxcb.so").unlink()
    assert "the plugin qxcb is missing" in screen_problem({"DISPLAY": ":0"})


def test_a_platform_the_user_named_is_not_questioned() -> None:
    assert screen_problem({"QT_QPA_PLATFORM": "offscreen"}) == ""


def test_a_wrong_option_is_a_usage_error() -> None:
    run = start("--colour", "red")
    assert run.returncode == 2
    assert "unrecognized arguments" in run.stderr


def close_in_a_process(folder: Path, *arguments: str) -> tuple[int, str, float]:
    """Run tests/closing_app.py; return exit code, output and seconds."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, str(ROOT / "tests" / "closing_app.py"), str(folder)]
    started = time.monotonic()
    run = subprocess.run([*command, *arguments], cwd=ROOT, env=environment, capture_output=True,
                         text=True, timeout=60, check=False)  # fmt: skip
    return run.returncode, run.stdout + run.stderr, time.monotonic() - started


@pytest.mark.parametrize("after_ms", ["0", "300"])
def test_the_window_opens_before_the_model_and_closes_while_it_loads(
    tmp_path: Path, after_ms: str
) -> None:
    code, output, seconds = close_in_a_process(tmp_path, "loading", after_ms)
    assert code == 0, output
    assert float(output) < 5  # 0.7 s on an idle machine; the budget is 1.5
    assert seconds < 15
    assert (tmp_path / "settings.ini").exists()


def test_an_engine_that_does_not_listen_cannot_keep_the_app_open(tmp_path: Path) -> None:
    code, output, _ = close_in_a_process(tmp_path, "stuck")
    assert code == 0, output
    assert float(output) < 3  # from the click on close to the last line of the process


def test_settings_come_back(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "settings.ini"
    kept = Settings(scheme="dark", zoom=130, depth=16, geometry="AAA=", chat="c1",
                    sidebar=False)  # fmt: skip
    assert settings.save(file, kept)
    assert settings.load(file) == kept


@pytest.mark.parametrize(
    "text",
    ["", "\0\0\0", "[General]\nzoom=nan\nscheme=pink\ndepth=deep\n", "[General]\nzoom=100000\n",
     "zoom", "[General]\nzoom=-5\nscheme=@Variant(x)\n"],
)  # fmt: skip
def test_garbage_in_the_settings_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.ini"
    file.write_text(text)
    assert settings.load(file) == Settings()


def test_settings_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert not settings.save(blocked / "settings.ini", Settings())
