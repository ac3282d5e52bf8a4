"""Any order of use over several chats: every variant reachable, byte-equal, resumed when it can be.

``TINYLOOP_SEQUENCES=500`` runs as many sequences; the suite runs a few.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app_rig import Rig
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication
from scripted_engine import Script
from store_rig import plain

from app.domain.conversation import Conversation, Message, Role, Status
from app.domain.kept import HandleState
from app.viewmodels.deepening import outlook, twin
from app.viewmodels.library_rows import ChatRow

ANSWERS = {depth: f"an answer at {depth} loops, long enough" for depth in (8, 16, 32)}
HOURS = 3600.0  # until a deletion is final: a busy disk must not end the time for Undo
STATES = 6 << 20  # free bytes, a quarter of it holds so few states that some are evicted


class Marker(QObject):
    """Stands in the queue of the engine's thread: when it is reached, all before it is done."""

    asked = Signal()

    def __init__(self, rig: Rig) -> None:
        super().__init__()
        self.reached = False
        self.moveToThread(rig.service._thread)
        self.asked.connect(self._reach)

    @Slot()
    def _reach(self) -> None:
        self.reached = True

    def catch_up(self, rig: Rig) -> None:
        """Wait until the engine has done what it was told, and the app knows."""
        self.reached = False
        self.asked.emit()
        rig.until(lambda: self.reached)
        rig.live()


class AnyUse:
    """One user, one folder; ``texts`` is what was ever seen on screen, by chat and message."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.places = 0
        self.texts: dict[str, dict[str, str]] = {}
        self.hidden: dict[str, dict[str, str]] = {}  # what Undo would bring back
        self.script = Script()
        self.begin(self.place())

    def place(self) -> Path:
        self.places += 1
        return Path(self.folder.name) / str(self.places)

    def begin(self, folder: Path) -> None:
        self.here = folder
        self.script = Script(answers=dict(ANSWERS), free=4 * STATES, max_seq_len=4096)
        self.rig = Rig(self.script, folder, undo=HOURS)
        self.marker = Marker(self.rig)
        self.rig.library.start()
        self.rig.load()

    @property
    def chat(self) -> Conversation:
        return self.rig.scene.conversation

    @property
    def runs(self) -> bool:
        return self.rig.scene.active is not None

    def go(self, moment: str, click: Callable[[], Any]) -> None:
        """Click, and leave the run at a moment, or wait for its end."""
        if not self.runs and moment in ("reading", "writing"):
            (self.script.read_gate if moment == "reading" else self.script.write_gate).clear()
        click()
        if moment == "whole":
            self.settle()
        else:
            self.rig.live(5)
            self.look()

    def settle(self, *_: Any) -> None:
        """Let everything come to its end."""
        self.script.release()
        self.rig.until(lambda: not (self.runs or self.rig.scene.waiting or self.rig.service.busy))
        self.look()

    def send(self, number: int, moment: str) -> None:
        self.go(moment, lambda: self.rig.chat.send(f"question {number}?"))

    def harder(self, number: int, moment: str) -> None:
        self.deepen(16, number, moment)

    def really_hard(self, number: int, moment: str) -> None:
        self.deepen(32, number, moment)

    def deepen(self, depth: int, number: int, moment: str) -> None:
        """Deepen an answer: it is resumed exactly when a state holds the prompt."""
        answer = self.some(Role.ASSISTANT, number)
        if answer is None or self.runs or self.rig.scene.waiting:
            self.go(moment, lambda: self.rig.chat.deepen(depth))
            return
        self.marker.catch_up(self.rig)  # with the states of a deleted chat, which serve any other
        live = outlook(self.rig.scene, answer, depth).state is HandleState.LIVE
        held = self.deepest_state(answer, depth)
        exists = answer.depth >= depth or twin(self.chat, answer, depth) is not None
        calls = len(self.script.calls)
        self.go(moment, lambda: self.rig.chat.deepen(depth, answer.id))
        self.rig.until(lambda: exists or len(self.script.calls) > calls or not self.runs)
        made = self.script.calls[calls:]
        if exists:
            assert made == []
            return
        length = len(self.rig.scene.prompt_of(answer).tokens)
        assert live == (held is not None)
        assert made[0] == (("build", held, 0) if held else ("build", depth, length))
        if moment == "whole":
            resumed = [("extend", held, depth)] if held not in (None, depth) else []
            assert made[1:] == [*resumed, ("write", depth)]

    def deepest_state(self, answer: Message, target: int) -> int | None:
        """What the engine side really holds for a deepening of ``answer``."""
        prompt = list(self.rig.scene.prompt_of(answer).tokens)
        handles = [entry.handle for entry in self.rig.service._worker._shelf._entries]
        depths = [
            handle.loops_used() for handle in handles
            if handle.tokens()[: len(prompt)] == prompt and handle.loops_used() <= target
        ]  # fmt: skip
        return max(depths, default=None)

    def answer_again(self, number: int, moment: str) -> None:
        if answer := self.some(Role.ASSISTANT, number):
            self.go(moment, lambda: self.rig.chat.answer_again(answer.id))

    def edit(self, number: int, moment: str) -> None:
        if question := self.some(Role.USER, number):
            self.go(moment, lambda: self.rig.chat.edit(question.id, f"edited {number}?"))

    def go_on(self, number: int, _: str) -> None:
        """Continue what was cut short."""
        if answer := self.some(Role.ASSISTANT, number):
            self.go("whole", lambda: self.rig.chat.continue_answer(answer.id))

    def stop(self, *_: Any) -> None:
        self.rig.chat.stop()
        if self.rig.scene.run is not None:
            self.rig.until(lambda: self.rig.scene.run is None)
        self.look()

    def flip(self, number: int, _: str) -> None:
        if answer := self.some(Role.ASSISTANT, number):
            self.rig.chat.select_variant(answer.id)
            assert answer in self.chat.path()

    def switch_chat(self, number: int, _: str) -> None:
        rows = [row for row in self.rig.conversations.rows() if isinstance(row, ChatRow)]
        if number % 4 and rows:
            self.rig.library.open_chat(rows[number % len(rows)].chat_id)
            assert self.chat.id == rows[number % len(rows)].chat_id
        else:
            self.rig.library.new_chat()
        self.look()

    def delete(self, number: int, _: str) -> None:
        ids = sorted(self.texts)
        if ids:
            chat_id = ids[number % len(ids)]
            self.rig.library.delete_chat(chat_id)
            self.rig.until(
                lambda: not self.runs or self.rig.scene.active.conversation.id != chat_id
            )
            self.hidden = {chat_id: self.texts.pop(chat_id)}
            assert chat_id not in [getattr(r, "chat_id", "") for r in self.rig.conversations.rows()]

    def undo(self, *_: Any) -> None:
        if not self.hidden:
            return
        self.rig.library.undo_delete()
        (chat_id,) = self.hidden
        rows = self.rig.conversations.rows
        self.rig.until(lambda: chat_id in [getattr(row, "chat_id", "") for row in rows()])
        self.texts |= self.hidden
        self.hidden = {}

    def reload(self, *_: Any) -> None:
        """Close in the middle of whatever goes on, and start again."""
        assert self.rig.close()
        self.hidden = {}
        self.begin(self.here)
        assert all(state.message_id == "" for state in self.rig.scene.kept)
        self.check_all()

    def export_and_import(self, *_: Any) -> None:
        """Take everything to another folder and go on there."""
        self.settle()
        if not self.texts:
            return
        file = self.here.with_suffix(".jsonl")
        before = {i: plain(self.rig.saving.store.load(i)) for i in self.texts}
        self.rig.library.export_all(str(file))
        self.rig.until(lambda: file.exists() and self.rig.status.notice)
        assert self.rig.close()
        self.hidden = {}
        self.begin(self.place())
        self.rig.library.import_chats(str(file))
        self.rig.until(lambda: self.rig.status.notice)
        assert {i: plain(self.rig.saving.store.load(i)) for i in before} == before

    def some(self, role: Role, number: int) -> Message | None:
        found = [message for message in self.chat if message.role is role]
        return found[number % len(found)] if found else None

    def look(self) -> None:
        """Remember what stands in the chat on screen; nothing seen before may be gone."""
        seen = self.texts.get(self.chat.id, {})
        self.compare(self.chat, seen)
        if len(self.chat):
            self.texts[self.chat.id] = {message.id: message.text for message in self.chat}

    def compare(self, chat: Conversation, seen: dict[str, str]) -> None:
        for message_id, text in seen.items():
            assert chat[message_id].text.startswith(text), "a text was overwritten"
        for message in chat:
            if message.role is Role.ASSISTANT:
                assert ANSWERS[message.depth].startswith(message.text)
                whole = message.text == ANSWERS[message.depth]
                assert whole or message.status is not Status.DONE

    def what_is_shown_is_the_path(self) -> None:
        shown = self.rig.texts
        assert all(message.text in shown for message in self.rig.scene.path())
        assert self.rig.status.error is None, self.rig.status.error

    def check_all(self) -> None:
        """Every chat can be loaded, and every message of it brought on screen."""
        for chat_id, seen in self.texts.items():
            chat = self.rig.saving.store.load(chat_id)
            self.compare(chat, seen)
            for message in list(chat):
                chat.select(message.id)
                assert message in chat.path()

    def end(self) -> None:
        self.settle()
        self.rig.saved()
        self.check_all()
        assert self.rig.close()
        self.folder.cleanup()


SEQUENCES = int(os.environ.get("TINYLOOP_SEQUENCES", "25"))
OFTEN = (AnyUse.send, AnyUse.harder, AnyUse.really_hard, AnyUse.answer_again, AnyUse.switch_chat)
STEPS = (
    *OFTEN, *OFTEN, AnyUse.settle, AnyUse.edit, AnyUse.go_on, AnyUse.stop, AnyUse.flip,
    AnyUse.delete, AnyUse.undo, AnyUse.reload, AnyUse.export_and_import,
)  # fmt: skip
MOMENTS = ("whole", "whole", "whole", "reading", "writing")
ANY_STEP = st.tuples(st.sampled_from(STEPS), st.integers(0, 20), st.sampled_from(MOMENTS))


@settings(
    max_examples=SEQUENCES, deadline=None, suppress_health_check=list(HealthCheck),
    derandomize="TINYLOOP_SEQUENCES" not in os.environ,
)  # fmt: skip
@given(steps=st.lists(ANY_STEP, min_size=10, max_size=20))
def test_any_order_of_use(qapp: QApplication, steps: list[tuple[Any, int, str]]) -> None:
    use = AnyUse()
    try:
        use.send(0, "whole")
        for step, number, moment in steps:
            step(use, number, moment)
            use.what_is_shown_is_the_path()
    finally:
        use.end()
