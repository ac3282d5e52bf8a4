"""Python's garbage collector, on the GUI thread only: no other may take a widget apart."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 500


class Collector(QObject):
    """Collects when Python would, but never on the engine's thread or the store's.

    Left alone, Python collects on whichever thread allocates; a window or dialog that waits in
    a cycle would be destroyed there, which Qt does not survive.
    """

    def __init__(self) -> None:
        super().__init__()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(INTERVAL_MS)

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation that is due."""
        due = [n for n, count in enumerate(gc.get_count()) if count > gc.get_threshold()[n] > 0]
        if due:
            gc.collect(due[-1])
