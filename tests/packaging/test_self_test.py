"""``--self-test``, the start without streams, and kernels that a bundle brings along."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine import self_test
from engine.backends.cuda import compiler
from engine.backends.cuda.compiler import COMPILED, cubin_name, cubins, sources
from engine.backends.cuda.seeds import KINDS, missing_seeds, shapes_of, write_seeds
from engine.resources import bundled_model
from engine.self_test import NotApplicable, Report
from engine.weights import open_model_file

ROOT = Path(__file__).resolve().parents[2]


def start(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app", "--self-test", *words], cwd=ROOT, capture_output=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"}, text=True, timeout=200, check=False,
    )  # fmt: skip


def checks(text: str) -> dict[str, Any]:
    return {check["name"]: check for check in json.loads(text)["checks"]}


def test_the_engine_passes_and_says_what_has_no_meaning_here() -> None:
    run = start("--device", "cpu")
    assert run.returncode == 0, run.stdout + run.stderr
    found = {name: check["status"] for name, check in checks(run.stdout).items()}
    assert found == {
        "the bundle stands alone": "not applicable",
        "the model loads": "passed",
        "an answer at 8 loops": "passed",
        "the same prompt resumed to 16 loops": "passed",
        "resumed equals fresh, bit for bit": "passed",
        "kernels compiled for this GPU": "not applicable",
        "kernels brought along": "not applicable",
        "a kernel compiles for every GPU": "passed",
    }


def test_the_window_is_driven_to_a_deeper_answer(tmp_path: Path) -> None:
    report, picture = tmp_path / "report.json", tmp_path / "window.png"
    run = start("--window", "--report", str(report), "--picture", str(picture))
    assert run.returncode == 0, run.stdout + run.stderr
    assert report.read_text("utf-8") == run.stdout.rstrip("\n")
    found = checks(run.stdout)
    note = found["Try harder writes another"]["note"]
    assert "changed" in note or "same answer as at 8 loops" in note
    assert {check["status"] for check in found.values()} == {"passed"}
    assert picture.stat().st_size > 1000


def in_memory(chosen: Path) -> subprocess.CompletedProcess[str]:
    """Start with chats in memory only, then choose a folder for them."""
    nowhere = os.path.join(os.devnull, "nowhere")
    return start("--window", "--data-dir", nowhere, "--choose-folder", str(chosen))


def test_chats_kept_in_memory_move_into_a_chosen_folder(tmp_path: Path) -> None:
    run = in_memory(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    note = checks(run.stdout)["chats move into a chosen folder"]["note"]
    assert note == f"Chats are kept in {tmp_path} from now on."
    assert (tmp_path / "chats.db").exists()


def test_a_box_that_objects_ends_the_test_with_its_words(tmp_path: Path) -> None:
    run = in_memory(tmp_path / "missing")
    assert run.returncode == 1
    found = checks(run.stdout)
    assert "not found" in found["chats move into a chosen folder"]["note"]
    assert found["the app ends"]["note"] == "the window closed before the end"


def test_a_failed_check_is_said_and_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.self_test import main

    broken = tmp_path / "broken.tinyloop"
    broken.write_bytes(b"no model")
    monkeypatch.setattr(self_test, "bundled_model", lambda: broken)
    assert main(["--self-test"]) == 1
    found = checks(capsys.readouterr().out)
    assert found["the model loads"]["status"] == "failed"
    assert str(broken) in found["the model loads"]["note"]


def test_a_report_is_written_after_every_check(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    report = Report(file)
    report.run("one", lambda: "fine")

    def no_meaning() -> str:
        raise NotApplicable("no reason to")

    def wrong() -> str:
        assert list(checks(file.read_text("utf-8"))) == ["one", "two"]
        raise ValueError("7 instead of 8")

    report.run("two", no_meaning)
    assert not report.failed
    report.run("three", wrong)
    assert report.failed
    found = [(check.status, check.note) for check in report.checks]
    assert found == [("passed", "fine"), ("not applicable", "no reason to"),
                     ("failed", "ValueError: 7 instead of 8")]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="streams are closed by a shell")
def test_a_start_without_streams_prints_into_a_log(tmp_path: Path) -> None:
    program = (
        "from app import frozen; frozen.prepare(); print('数'); import sys; sys.stderr.write('x')"
    )
    command = ["/bin/sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, program]
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    for _ in range(2):
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    logs = list(tmp_path.rglob("output.txt"))
    assert [log.read_text("utf-8") for log in logs] == ["数\nx数\nx"]
    nowhere = environment | {"XDG_STATE_HOME": "/proc/nowhere", "HOME": "/proc/nowhere"}
    subprocess.run(command, cwd=ROOT, env=nowhere, check=True)


@pytest.mark.skipif(not hasattr(os, "setuid") or os.getuid() != 0, reason="needs another user")
def test_without_a_home_nothing_is_written_where_it_was_started(tmp_path: Path) -> None:
    """A user the system does not know: "~" would be a folder in the current one."""
    tmp_path.chmod(0o777)
    program = (
        "import os; from app import frozen, paths; os.setuid(54321); frozen.prepare(); "
        "print(paths.places(None).data.is_absolute())"
    )
    environment = {k: v for k, v in os.environ.items() if k != "HOME" and not k.startswith("XDG_")}
    environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert run.stdout.split() == [b"True"]
    assert list(tmp_path.iterdir()) == []


def test_kernels_in_the_bundle_are_read_and_nothing_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "compile_source", lambda source: (source.text().encode(), ""))
    monkeypatch.setattr("engine.backends.cuda.seeds.compile_source", compiler.compile_source)
    monkeypatch.setattr(compiler, "resource", lambda name: tmp_path / name)
    (tmp_path / "cubins").mkdir()
    shapes = shapes_of(open_model_file(bundled_model()))
    wanted = sources(shapes, 90, KINDS)
    written = write_seeds(90, tmp_path / "cubins")
    assert [file.name for file in written] == [cubin_name(source) for source in wanted]
    monkeypatch.setattr("engine.backends.cuda.seeds.resource", compiler.resource)
    assert missing_seeds(90) == []
    assert missing_seeds(80) == [cubin_name(source) for source in sources(shapes, 80, KINDS)]
    before = len(COMPILED)
    user = tmp_path / "user"
    assert cubins(wanted, None, user) == [file.read_bytes() for file in written]
    assert len(COMPILED) == before
    assert not user.exists()
    cubins(sources(shapes, 80, KINDS), None, user)  # another GPU: compiled, and kept for the user
    assert len(COMPILED) - before == len(list(user.iterdir())) == len(wanted)
