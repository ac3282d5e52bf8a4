"""Starts a bundle's program in processes of their own and reads what they report."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from bundle_facts import NAME, ROOT

NOBODY = 65534
PATIENCE = 120.0  # seconds for a whole self-test
STAYS = 3.0  # seconds after which an ordinary start counts as up
POLL = 0.005


class Problem(RuntimeError):
    """What a scene found wrong."""


@dataclass(frozen=True, slots=True)
class Run:
    """A process, when it was started, and the file it reports to."""

    process: subprocess.Popen[bytes]
    started: float
    report: Path


def statuses(report: dict[str, Any]) -> dict[str, str]:
    """Return the status of each check."""
    return {check["name"]: check["status"] for check in report["checks"]}


def notes(report: dict[str, Any]) -> dict[str, str]:
    """Return the note of each check."""
    return {check["name"]: check["note"] for check in report["checks"]}


@contextmanager
def virtual_screen() -> Iterator[str]:
    """Yield the name of a display of its own that every user may open windows on."""
    read, write = os.pipe()
    # Without -noreset it starts anew when the last window closes, and the next may not connect.
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-ac", "-noreset"]
    process = subprocess.Popen(
        command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            yield f":{answer.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


class Rig:
    """One unpacked bundle on one virtual screen; its processes end with it."""

    def __init__(self, bundle: Path, screen: str) -> None:
        self.bundle = bundle
        self.flavour = bundle.name.rpartition("-")[2]
        self.folder = Path(tempfile.mkdtemp(prefix="tinyloop-smoke-files-"))
        self.folder.chmod(0o777)  # another user writes its report here
        self._screen = screen
        self._runs: list[Run] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end_all()
        shutil.rmtree(self.folder)

    @contextmanager
    def read_only(self) -> Iterator[int | None]:
        """Yield the user who may not write into the bundle: nobody, or this one without root."""
        if os.geteuid() == 0:
            yield NOBODY
            return
        _set_writable(self.bundle, on=False)
        try:
            yield None
        finally:
            _set_writable(self.bundle, on=True)

    def environment(self, *, home: bool = True, screen: bool = True) -> dict[str, str]:
        """Return all that a process is told: nothing of the build, a home of its own or none."""
        variables = {"PATH": "/usr/bin:/bin"}
        if home:
            variables["HOME"] = str(self.folder / "home")
        if screen:
            variables["DISPLAY"] = self._screen
        return variables

    def start(
        self, *words: str, screen: bool = True, home: bool = True, streams: bool = True,
        user: int | None = None,
    ) -> Run:  # fmt: skip
        """Start the window program; a self-test reports to a file of its own."""
        report = self.folder / f"report-{len(self._runs)}.json"
        command = [str(self.bundle / NAME), *words]
        if words:
            command += ["--report", str(report)]
        if not streams:
            command = ["/bin/sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', *command]
        output = (self.folder / f"output-{len(self._runs)}.txt").open("wb")
        started = time.monotonic()
        process = subprocess.Popen(
            command, env=self.environment(home=home, screen=screen), cwd="/", user=user,
            group=user, extra_groups=None if user is None else [], stdout=output,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        output.close()
        run = Run(process, started, report)
        self._runs.append(run)
        return run

    def terminal(self, *words: str) -> str:
        """Run the terminal program and return what it printed; Problem when it fails."""
        command = [self.bundle / "tinyloop", *words]
        run = subprocess.run(command, env=self.environment(screen=False), cwd="/", text=True,
                             capture_output=True, timeout=PATIENCE, check=False)  # fmt: skip
        if run.returncode:
            raise Problem(f"tinyloop {words[0]} ended with {run.returncode}: {run.stderr}")
        return run.stdout

    def start_without(self, library: str) -> str:
        """Start a copy whose ``library`` is broken; return what the desktop's box was to say."""
        copy = self.folder / f"without {library}"
        shutil.copytree(self.bundle, copy, symlinks=True, copy_function=os.link)
        (copy / "_internal" / library).unlink()
        (copy / "_internal" / library).write_bytes(b"broken")
        said = self.folder / "said.txt"
        box = self.folder / "programs" / "zenity"  # stands for the desktop's own
        box.parent.mkdir(exist_ok=True)
        box.write_text(f'#!/bin/sh\nprintf "%s" "$4" > "{said}"\n', encoding="utf-8")
        box.chmod(0o755)
        variables = self.environment()
        variables["PATH"] = f"{box.parent}:{variables['PATH']}"
        run = subprocess.run([copy / NAME], env=variables, capture_output=True, text=True,
                             timeout=PATIENCE, check=False)  # fmt: skip
        if run.returncode != 1 or run.stderr.count("\n") != 1:
            raise Problem(f"it ended with {run.returncode} and said {run.stderr!r}")
        return said.read_text("utf-8") if said.exists() else ""

    def wait_for(self, run: Run, check: str) -> float:
        """Wait until a check has passed; return the seconds since the start."""
        while check not in statuses(self.report(run)):
            if run.process.poll() is not None or time.monotonic() - run.started > PATIENCE:
                raise Problem(f"it ended or hung before {check!r}: {self._output(run)}")
            time.sleep(POLL)
        return time.monotonic() - run.started

    def wait_until_stored(self, folder: Path) -> None:
        """Wait until a message is on the disk: what is on screen before that may be lost."""
        started = time.monotonic()
        with closing(sqlite3.connect(f"{(folder / 'chats.db').as_uri()}?mode=ro", uri=True)) as db:
            while not db.execute("SELECT 1 FROM message").fetchall():
                if time.monotonic() - started > PATIENCE:
                    raise Problem("a question that was sent is not stored")
                time.sleep(POLL)

    def finish(self, run: Run) -> dict[str, Any]:
        """Wait for the end of a self-test and return its report; Problem when it did not pass."""
        code, report = self.end_of(run), self.report(run)
        bad = [c for c in report["checks"] if c["status"] == "failed"]
        if code or bad or not report["checks"]:
            raise Problem(f"it ended with {code}, failed {bad}: {self._output(run)}")
        return report

    def end_of(self, run: Run) -> int:
        """Wait until a process ends by itself and return its exit code."""
        try:
            return run.process.wait(PATIENCE)
        except subprocess.TimeoutExpired as error:
            run.process.send_signal(signal.SIGABRT)  # then it prints where its threads are
            run.process.wait()
            passed = ", ".join(statuses(self.report(run))) or "nothing"
            raise Problem(f"it hangs; done: {passed}; {self._output(run)}") from error

    def report(self, run: Run) -> dict[str, Any]:
        """Return what a self-test has reported so far."""
        if not run.report.exists():
            return {"checks": []}
        found: dict[str, Any] = json.loads(run.report.read_text("utf-8"))
        return found

    def check_that_it_stays(self, run: Run) -> None:
        """Check that an ordinary start is still up after some seconds."""
        time.sleep(STAYS)
        if run.process.poll() is not None:
            raise Problem(f"it ended with {run.process.poll()}: {self._output(run)}")

    def check_that_nothing_of_the_build_is_mapped(self, run: Run) -> None:
        """Check that no file of the checkout or of the build's Python is in the process."""
        maps = Path(f"/proc/{run.process.pid}/maps").read_text("utf-8")
        for place in (str(ROOT), sys.prefix, sys.base_prefix):
            if place != "/usr" and f" {place}/" in maps:
                raise Problem(f"a file below {place} is in use")

    def end_all(self) -> None:
        """End what still runs."""
        for run in self._runs:
            if run.process.poll() is None:
                run.process.kill()
                run.process.wait()

    def _output(self, run: Run) -> str:
        """Return the end of what a process printed."""
        file = self.folder / f"output-{self._runs.index(run)}.txt"
        return file.read_text("utf-8", "replace")[-2000:]


def _set_writable(folder: Path, *, on: bool) -> None:
    """Let nobody, or the owner, write into a folder."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | 0o200 if on else mode & ~0o222)
