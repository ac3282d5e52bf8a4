"""Notices that the computer slept: its clock went on while nothing ran here."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

CHECK_MS = 5000
SLEPT = 30.0  # seconds missing between two checks that count as a sleep


class WakeWatch(QObject):
    """``woke`` after a sleep: a GPU may have been reset meanwhile.

    A clock that was set forward looks the same; all it costs is one probe.
    """

    woke = Signal()

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._clock = clock
        self._last = clock()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.check)
        self._timer.start(CHECK_MS)

    @Slot()
    def check(self) -> None:
        """Compare the clock with what it should be since the last check."""
        now = self._clock()
        slept = now - self._last - CHECK_MS / 1000
        self._last = now
        if slept > SLEPT:
            self.woke.emit()
