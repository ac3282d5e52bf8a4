"""The GUI thread never stops for long while the engine works (one of two timed assertions)."""

from __future__ import annotations

import time
from collections.abc import Callable

from app_rig import Rig
from PySide6.QtCore import QObject, QTimer, Slot
from scripted_engine import Script

from app.domain.conversation import Message, Role, new_id

LONGEST_GAP = 0.1  # seconds, twice the budget
TRIES = 3  # another program may take the core once; a pause of ours comes in every try


class Heartbeat(QObject):
    """Beats every 10 ms and keeps the longest gap between two beats."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self.beats = 0
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.beat)
        self._timer.start(10)

    @Slot()
    def beat(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, now - self._last)
        self.beats += 1
        self._last = now


def long_chat(rig: Rig, turns: int) -> None:
    """Put finished turns into the conversation, as many as a year of use might."""
    conversation, model = rig.scene.conversation, rig.scene.facts.id
    for _ in range(turns):
        asked = Message(new_id(), conversation.head_id, Role.USER, "Why? " * 10)
        conversation.add(asked)
        said = Message(new_id(), asked.id, Role.ASSISTANT, "word " * 40, depth=8, model=model)
        conversation.add(said)


def test_the_gui_keeps_beating_inside_800_messages(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(Script(delay=0.002, hold_after=0, answers={8: "word " * 60, 16: "more " * 60}))
    rig.load()
    long_chat(rig, turns=400)
    gaps = []
    for turn in range(TRIES):
        heart = Heartbeat()
        rig.ask(f"And now, {turn}?")
        rig.deepen(16)
        rig.chat.step_variant(-1)
        gaps.append(heart.longest)
        assert heart.beats > 20
    assert rig.transcript.rowCount() > 800
    assert min(gaps) < LONGEST_GAP
