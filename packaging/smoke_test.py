"""Unpacks a bundle's archive as a user would and proves that it starts and answers.

``python packaging/smoke_test.py dist/*.tar.gz``: with nothing of the build in reach, each start
is a process of its own; windows open on a virtual screen (Xvfb).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bundle_facts import NAME
from smoke_rig import Problem, Rig, notes, statuses, virtual_screen

FOLDER = "数 é and spaces"
MOST_SECONDS = 2.0  # from the start of the process to the window


def the_engine_passes_its_self_test(rig: Rig) -> str:
    """The engine answers, resumes and equals a fresh run; the compiler is there, or said not."""
    report = rig.finish(rig.start("--self-test", screen=False))
    for check in ("kernels brought along", "a kernel compiles for every GPU"):
        found = statuses(report)[check], notes(report)[check]
        if rig.flavour == "cuda" and found[0] != "passed":
            raise Problem(f"the cuda flavour: {check}: {found}")
        if rig.flavour == "cpu" and found != ("not applicable", "NVRTC not in this build"):
            raise Problem(f"the cpu flavour: {check}: {found}")
    return f"kernels brought along: {notes(report)['kernels brought along']}"


def the_terminal_answers(rig: Rig) -> str:
    """``tinyloop`` works in the bundle, too, and knows what is in it."""
    if "32 loops" not in rig.terminal("ask", "What is 5 + 9 - 1 ?", "--harder"):
        raise Problem("tinyloop ask does not answer at 32 loops")
    packages = next(line for line in rig.terminal("doctor").splitlines() if "packages" in line)
    missing = packages.count("not installed")
    if missing != (0 if rig.flavour == "cuda" else 2):  # cuda-core and cuda-bindings
        raise Problem(f"tinyloop doctor does not find its packages: {packages}")
    return "8, 16 and 32 loops"


def the_window_answers_and_tries_harder(rig: Rig) -> str:
    """The real window, from a folder with spaces and other scripts; no file of the build in use."""
    picture = rig.folder / "window.png"
    run = rig.start("--self-test", "--window", "--picture", str(picture))
    seconds = rig.wait_for(run, "the window is shown")
    rig.check_that_nothing_of_the_build_is_mapped(run)
    report = rig.finish(run)
    if not picture.exists():
        raise Problem("no picture was taken")
    for _ in range(2):  # a busy computer may be slow once
        if seconds > MOST_SECONDS:
            seconds = rig.wait_for(rig.start("--self-test", "--window"), "the window is shown")
    if seconds > MOST_SECONDS:
        raise Problem(f"the window took {seconds:.2f} s three times, more than {MOST_SECONDS}")
    return f"window after {seconds:.2f} s; {notes(report)['Try harder writes another']}"


def it_starts_without_any_stream(rig: Rig) -> str:
    """As a double click may start it: no stdin, stdout or stderr."""
    report = rig.finish(rig.start("--self-test", "--window", streams=False))
    return notes(report)["an answer is written"]


def it_starts_read_only_and_without_a_home(rig: Rig) -> str:
    """Nowhere to write: it says that chats are not kept, answers, takes a folder, and stays."""
    chosen = rig.folder / "chosen"
    chosen.mkdir()
    chosen.chmod(0o777)
    words = ("--self-test", "--window", "--data-dir", str(rig.bundle / "data"),
             "--choose-folder", str(chosen))  # fmt: skip
    with rig.read_only() as user:
        report = rig.finish(rig.start(*words, user=user, home=False))
        rig.check_that_it_stays(rig.start(user=user, home=False))
    said = notes(report)["the model loads"]
    if "memory" not in said:
        raise Problem(f"it does not say that chats are kept in memory only: {said}")
    if not (chosen / "chats.db").exists():
        raise Problem("the chats did not move into the folder that was chosen")
    return f"{said.split(' · ')[-1]}; {notes(report)['chats move into a chosen folder']}"


def two_at_once_do_not_disturb_each_other(rig: Rig) -> str:
    """Two self-tests pass side by side; a second ordinary start raises the first's window."""
    pair = [rig.start("--self-test", "--window") for _ in range(2)]
    for run in pair:
        rig.finish(run)
    rig.check_that_it_stays(rig.start())
    code = rig.end_of(rig.start())
    if code:
        raise Problem(f"a second start with the same chats ended with {code}")
    return "two answer side by side; a second start leaves to the first"


def killed_while_answering_it_starts_again(rig: Rig) -> str:
    """SIGKILL in the middle of an answer, then another start with the same files."""
    home = rig.folder / "killed"
    run = rig.start("--self-test", "--window", "--data-dir", str(home))
    rig.wait_for(run, "a question is sent")
    rig.wait_until_stored(home)
    run.process.kill()
    run.process.wait()
    seen = list(statuses(rig.report(run)))
    if "an answer is written" in seen:
        raise Problem("it was killed too late: the answer was whole")
    report = rig.finish(rig.start("--self-test", "--window", "--data-dir", str(home)))
    if "earlier chats: 1" not in notes(report)["the model loads"]:
        raise Problem("the chat of the killed app is not there")
    then = notes(report)["Try harder writes another"]
    return f"killed after {seen[-1]!r}, its chat is there; then {then}"


def a_missing_system_library_is_named(rig: Rig) -> str:
    """Where Qt or its plugin cannot be loaded, the desktop and stderr say why."""
    for library in ("libxcb-cursor.so.0", "libxkbcommon.so.0"):
        said = rig.start_without(library)
        if library not in said or said.count(".") < 2:
            raise Problem(f"the box does not name {library}: {said!r}")
    return f"{said[:80]} …"


SCENES: tuple[Callable[[Rig], str], ...] = (
    the_engine_passes_its_self_test,
    the_terminal_answers,
    the_window_answers_and_tries_harder,
    it_starts_without_any_stream,
    it_starts_read_only_and_without_a_home,
    two_at_once_do_not_disturb_each_other,
    killed_while_answering_it_starts_again,
    a_missing_system_library_is_named,
)


def main() -> int:
    """Test each archive; print a line a scene and how many passed; return 1 when one failed."""
    parser = argparse.ArgumentParser(description="Prove that a bundle starts and answers.")
    parser.add_argument("archives", type=Path, nargs="+")
    parser.add_argument("--pictures", type=Path, help="keep the windows' pictures in this folder")
    options = parser.parse_args()
    outcomes = [outcome for archive in options.archives
                for outcome in test_archive(archive, options.pictures)]  # fmt: skip
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return int(not all(outcomes))


def test_archive(archive: Path, pictures: Path | None) -> list[bool]:
    """Unpack one archive into an awkward folder and play every scene."""
    with tempfile.TemporaryDirectory(prefix="tinyloop-smoke-") as name, virtual_screen() as screen:
        folder = Path(name) / FOLDER
        folder.mkdir()
        subprocess.run(["tar", "-xzf", str(archive), "-C", str(folder)], check=True)
        bundle = folder / archive.name.removesuffix(".tar.gz")
        Path(name).chmod(0o755)  # another user tries it as well
        with Rig(bundle, screen) as rig:
            outcomes = [play(scene, rig) for scene in SCENES]
            if pictures is not None:
                pictures.mkdir(parents=True, exist_ok=True)
                shutil.copy(rig.folder / "window.png", pictures / f"{bundle.name}.png")
    return outcomes


def play(scene: Callable[[Rig], str], rig: Rig) -> bool:
    """Play a scene, print how it went, and return whether it passed."""
    started = time.monotonic()
    try:
        note, passed = scene(rig), True
    except Problem as problem:
        note, passed = str(problem), False
    rig.end_all()
    name = scene.__name__.replace("_", " ")
    word = "passed" if passed else "FAILED"
    print(f"{word} {rig.flavour:4} {name} ({time.monotonic() - started:.1f} s): {note}", flush=True)
    return passed


if __name__ == "__main__":
    if not shutil.which("Xvfb"):
        sys.exit(f"{NAME}: Xvfb is needed for the windows: apt-get install xvfb.")
    sys.exit(main())
