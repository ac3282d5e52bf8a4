"""What needs a process of its own: a stuck engine at closing, Qt's reference counts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = ROOT / "tests" / "app" / "programs.py"
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    return subprocess.run(
        [sys.executable, str(program), *arguments],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("phase", "kept"),
    [
        ("reading", "False [('user', 'done', 'Why?')]"),
        ("writing", "False [('user', 'done', 'Why?'), ('assistant', 'interrupted', 'ans')]"),
    ],
)
def test_an_engine_that_ignores_stop_cannot_hold_the_app(phase: str, kept: str) -> None:
    started = time.monotonic()
    done = run("stuck", phase)
    assert (done.returncode, done.stdout.strip()) == (0, kept), done.stderr
    assert time.monotonic() - started < 20  # the program itself asserts the 3 s


def test_signals_lose_no_references() -> None:
    done = run("references", "")
    assert done.returncode == 0, f"PySide6 loses references: {done.stdout}{done.stderr}"
    assert done.stdout.startswith("emitted 5000")
