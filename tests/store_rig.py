"""Chats to store, stores with short waits, and what tests compare."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.domain.answer import AnswerSampling, ModelId, RunReport
from app.domain.conversation import Conversation, Message, Role, Status, new_id
from app.domain.store import ChatStore, Timing, open_database
from app.domain.store.records import chat_fields, message_fields

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "tests" / "app" / "store" / "programs.py"
WAIT = 10.0  # seconds after which a test gives up
QUICK = Timing(checkpoint=0.02, undo=0.05, retry=0.02)
# Also a NUL, marks of direction and half a surrogate pair.
ODD = "“7”\n\0 数 é \U0001f600 e\u0301 \u2028 \u200f\u05d0\u05d1\u200e \ud83d tail "
REPORT = RunReport(16, 41, 8, 0, 328, (8, 16), 0.25, 0.37, 3, 0.74, "stop")


class Kept(ChatStore):
    """A store whose events are kept."""

    def __init__(self, folder: Path | None, timing: Timing = QUICK, pages: int = 0) -> None:
        self.events: list[Any] = []
        opening = open_database(folder)
        if pages:  # the file may grow by so many pages, then the disk is full
            used = opening.connection.execute("PRAGMA page_count").fetchone()[0]
            opening.connection.execute(f"PRAGMA max_page_count = {used + pages}").fetchall()
        super().__init__(opening, self.events.append, timing)

    def put(self, conversation: Conversation) -> bool:
        """Save a conversation with all its messages and wait."""
        return self.save(conversation, *conversation).result(WAIT)


def until(condition: Callable[[], Any]) -> None:
    """Wait for what another thread does."""
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.005)


def question(conversation: Conversation, text: str, parent: str | None = None) -> Message:
    """Add a question, at the end of the page without ``parent``."""
    message = Message(new_id(), parent or conversation.head_id, Role.USER, text, (3, 4))
    conversation.add(message)
    return message


def answer(conversation: Conversation, question_id: str, text: str, depth: int = 8) -> Message:
    """Add a variant with everything an answer keeps."""
    message = Message(
        id=new_id(), parent_id=question_id, role=Role.ASSISTANT, text=text,
        token_ids=(0, 1, 32_000, 2**32 - 1), depth=depth, first_held=question_id,
        sampling=AnswerSampling(seed=2**63 + 1, temperature=0.7), again=depth == 8,
        model=ModelId("abc123", "cpu", "fp16"), deepened_from="another", error="It broke.",
        report=REPORT, system="Be brief.", error_code="device", status=Status.STOPPED,
    )  # fmt: skip
    conversation.add(message)
    return message


def tree(text: str = "What is 1 + 2 + 4 ?") -> Conversation:
    """Make a chat of two turns with variants, an edit and an odd text; it shows the 16 loops."""
    made = Conversation(draft="half a", depth=16, pinned=True)
    first = question(made, text)
    shallow = answer(made, first.id, "8")
    question(made, ODD, shallow.id)
    answer(made, first.id, f"7 {ODD}", 16)
    made.add(Message(new_id(), None, Role.USER, f"{text} Think."), show=False)
    return made


def plain(conversation: Conversation | None) -> Any:
    """Return all of a conversation as values that can be compared."""
    assert conversation is not None
    return chat_fields(conversation), [message_fields(message) for message in conversation]


def files_with(folder: Path, text: str) -> list[str]:
    """Return the files under a folder that contain a text's bytes."""
    return [str(p) for p in folder.rglob("*") if p.is_file() and text.encode() in p.read_bytes()]


@contextmanager
def running(name: str, folder: Path, user: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a program, as another user if told so, until the block ends; then kill it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), name, str(folder), str(user or "")],
        env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def line(process: subprocess.Popen[str]) -> str:
    """Return the next line a program says."""
    return process.stdout.readline().strip()
