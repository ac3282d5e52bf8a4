"""The GUI thread never stops for long while the engine works (one of two timed assertions)."""

from __future__ import annotations

import time
from collections.abc import Callable

from app_rig import Rig
from PySide6.QtCore import QObject, QTimer, Slot
from scripted_engine import Script

LONGEST_GAP = 0.1  # seconds; the budget is half of it, the rest is for a busy test machine


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


def test_the_gui_keeps_beating(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(Script(delay=0.002, hold_after=0, answers={8: "word " * 60, 16: "more " * 60}))
    rig.load()
    for turn in range(3):
        rig.ask(f"Question {turn}?")
    heart = Heartbeat()
    rig.ask("And now?")
    rig.deepen(16)
    rig.chat.step_variant(-1)
    assert heart.beats > 20
    assert heart.longest < LONGEST_GAP
