"""The app in a process of its own, killed at any word, started twice: nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from app_rig import Rig
from living_app import ANSWER, PAUSE, QUESTION
from scripted_engine import Script

from app.domain.conversation import Status
from app.instance import wake

ROOT = Path(__file__).resolve().parents[2]
LOST = 1.0  # seconds of words that a kill may take away
LAST = len(ANSWER)


@contextmanager
def living(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(ROOT / "tests" / "living_app.py"), str(folder), *arguments]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def until(process: subprocess.Popen[str], word: str) -> None:
    """Read what the app says up to a word."""
    for line in process.stdout:
        if line.strip() == word:
            return
    raise AssertionError(f"the app ended before it said {word}: {process.stderr.read()}")


@pytest.mark.parametrize("token", [0, 1, LAST // 2, LAST])
def test_killed_and_opened_again(make_rig: Callable[..., Rig], tmp_path: Path, token: int) -> None:
    with living(tmp_path, *(["reading"] if token == 0 else [])) as process:
        until(process, str(token) if token else "started")
        if token == 0:
            wait_for_question(tmp_path)
    rig = make_rig(Script(answers={8: ANSWER}, max_seq_len=4096), folder=tmp_path)
    rig.library.start()
    rig.load()
    assert rig.status.error is None
    assert rig.texts[0] == QUESTION
    answer = rig.scene.newest_answer()
    given = "" if answer is None else answer.text
    assert ANSWER.startswith(given)
    assert len(given) >= token - LOST / PAUSE
    if answer is not None and answer.status is not Status.DONE:
        assert answer.status is Status.INTERRUPTED
        rig.chat.perform(rig.action("Continue"))
    elif answer is None:
        rig.chat.perform(rig.action("Answer"))
    rig.idle()
    assert rig.newest.text == ANSWER


def wait_for_question(folder: Path) -> None:
    end = time.monotonic() + 20
    while not any(QUESTION.encode() in f.read_bytes() for f in folder.glob("chats.db*")):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_second_start_raises_the_first_window(tmp_path: Path) -> None:
    assert not wake(tmp_path)  # nobody is there
    with living(tmp_path, "reading") as first:
        until(first, "started")
        with living(tmp_path) as second:
            assert second.wait(20) == 0
            assert second.stdout.read() == ""
        until(first, "rung")
        with living(tmp_path / "another") as third:
            until(third, "started")
    with living(tmp_path, "reading") as again:  # what the dead one left does not matter
        until(again, "started")
        assert wake(tmp_path)
