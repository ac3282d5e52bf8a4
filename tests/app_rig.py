"""The app's logic over an engine, scripted or real, and short words for what tests look at."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.chat import Chat, Options
from app.domain.conversation import Message
from app.domain.store import Timing, open_database
from app.engine_link.service import EngineService
from app.library import Library
from app.saving import Saving
from app.stage import ViewModels
from app.viewmodels.composer import ComposerModel
from app.viewmodels.conversations import Conversations
from app.viewmodels.library_rows import ChatRow, SectionRow
from app.viewmodels.rows import AnswerRow, Card, LineRow, QuestionRow
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript

WAIT = 30.0  # seconds after which a test gives up
CARD = Card("A sum", 3, "What is 1 + 2 + 4 ?", "7")


class Rig:
    """A chat on view models without widgets; ``close`` ends its threads.

    Its chats are in ``folder``, without one they live in memory.
    """

    def __init__(self, script: Any, folder: Path | None = None, undo: float = 10.0) -> None:
        self.script = script  # or a real engine with the same two factories
        self.service = EngineService(script.model, script.tokenizer)
        self.transcript = Transcript([CARD])
        self.composer = ComposerModel()
        self.status = StatusModel()
        seeds = iter(range(1, 1000))
        options = Options(new_seed=lambda: next(seeds))
        timing = Timing(checkpoint=0.02, undo=undo, retry=0.05)
        self.saving = Saving(open_database(folder), timing)
        views = ViewModels(self.transcript, self.composer, self.status)
        self.chat = Chat(self.service, self.saving, views, options)
        self.conversations = Conversations()
        self.library = Library(self.chat, self.conversations)
        self.drafts: list[str] = []
        self.composer.draft_shown.connect(self.drafts.append)
        self.accepted: list[bool] = []
        self.refused: list[str] = []
        self.events: list[Any] = []
        self.composer.accepted.connect(lambda: self.accepted.append(True))
        self.composer.refused.connect(self.refused.append)
        self.service.happened.connect(self.events.append)

    def close(self) -> bool:
        self.chat.close()
        self.script.release()
        ended = self.service.shutdown()
        return self.saving.close(WAIT) and ended

    def until(self, condition: Callable[[], Any]) -> None:
        """Let events happen until ``condition`` holds."""
        end = time.monotonic() + WAIT
        while not condition():
            assert time.monotonic() < end, "what was waited for did not happen"
            self.live(1)

    def live(self, milliseconds: float = 0) -> None:
        """Let events happen; sleeping lets the engine's thread run, QTest.qWait would not."""
        end = time.monotonic() + milliseconds / 1000
        QCoreApplication.processEvents()
        while time.monotonic() < end:
            time.sleep(0.001)
            QCoreApplication.processEvents()

    def load(self, path: str = "some-model.tinyloop") -> None:
        self.chat.load(path)
        self.until(lambda: not self.scene.loading)

    def idle(self) -> None:
        self.until(lambda: self.scene.active is None and not self.service.busy)

    def ask(self, text: str = "Why?") -> Message:
        """Send and wait for the whole answer."""
        self.chat.send(text)
        self.idle()
        return self.newest

    def saved(self) -> None:
        """Wait until all that was handed to the store is written."""
        self.until(lambda: not self.saving.store.unsaved())

    @property
    def sidebar(self) -> list[str]:
        """Headings and titles of the sidebar; the shown chat is in brackets."""
        lines = []
        for row in self.conversations.rows():
            if isinstance(row, SectionRow):
                lines.append(row.text)
            else:
                lines.append(f"[{row.title}]" if row.shown else row.title)
        return lines

    def chat_row(self, chat_id: str) -> ChatRow:
        rows = [row for row in self.conversations.rows() if isinstance(row, ChatRow)]
        return next(row for row in rows if row.chat_id == chat_id)

    def deepen(self, depth: int) -> Message:
        self.chat.deepen(depth)
        self.idle()
        return self.newest

    def reading(self) -> None:
        """Wait until the engine holds in the middle of the prompt."""
        self.until(lambda: self.scene.run and self.scene.run.reading and self.script.calls)

    def writing(self) -> None:
        """Wait until the first words are on screen and the engine holds."""
        self.until(lambda: self.scene.run and not self.scene.run.reading)
        held = self.script.hold_after
        self.until(
            lambda: len(self.scene.conversation[self.scene.run.id.message].token_ids) >= held
        )

    @property
    def scene(self) -> Any:
        return self.chat.scene

    @property
    def newest(self) -> Message:
        answer = self.scene.newest_answer()
        assert answer is not None
        return answer

    @property
    def texts(self) -> list[str]:
        return [row.text for row in self.transcript.rows()]

    @property
    def lines(self) -> list[str]:
        return [row.text for row in self.transcript.rows() if isinstance(row, LineRow)]

    @property
    def answer_row(self) -> AnswerRow:
        return [row for row in self.transcript.rows() if isinstance(row, AnswerRow)][-1]

    @property
    def question_row(self) -> QuestionRow:
        return [row for row in self.transcript.rows() if isinstance(row, QuestionRow)][-1]

    @property
    def chips(self) -> list[str]:
        return [chip.text for chip in self.answer_row.chips]

    @property
    def calls(self) -> list[tuple[Any, ...]]:
        return self.script.calls

    def action(self, name: str) -> Any:
        """Return the newest answer's (or question line's) action by its text."""
        rows = [row for row in self.transcript.rows() if row.actions]
        found = [a for row in rows for a in row.actions if a.text == name]
        return found[-1] if found else None

    def at(self, phase: str) -> Rig:
        """Bring the app to a column of the Clicks table; in the loading one a chat is there."""
        self.load()
        if phase in ("idle", "deepening", "loading"):
            self.ask("First?")
        gate = {"reading": self.script.read_gate, "deepening": self.script.read_gate,
                "writing": self.script.write_gate, "loading": self.script.load_gate}  # fmt: skip
        if phase in gate:
            gate[phase].clear()
        if phase in ("reading", "writing"):
            self.chat.send("First?")
            (self.reading if phase == "reading" else self.writing)()
        if phase == "deepening":
            self.chat.deepen(16)
            self.until(lambda: ("extend", 8, 16) in self.calls)
        if phase == "loading":
            self.chat.load("some-model.tinyloop")
        return self

    def release(self) -> None:
        """Let the engine go and wait until everything has ended."""
        self.script.release()
        self.until(lambda: not self.scene.loading)
        self.idle()
