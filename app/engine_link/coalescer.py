"""Joins the tokens of about 33 ms into one event, so that the GUI paints 30 times a second."""

from __future__ import annotations

import time
from collections.abc import Callable

INTERVAL = 0.033  # seconds between two events while tokens come faster


class Coalescer:
    """Collects text and ids; the first token goes out at once."""

    def __init__(
        self,
        emit: Callable[[str, tuple[int, ...]], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._emit = emit
        self._clock = clock
        self._due = 0.0
        self._text: list[str] = []
        self._ids: list[int] = []

    def add(self, token: int, text: str) -> None:
        """Take one token and the text it completed (maybe none)."""
        self._ids.append(token)
        self._text.append(text)
        self.flush_due()

    def flush_due(self) -> None:
        """Hand on what has come if the last event is old enough."""
        if self._clock() >= self._due:
            self.flush()

    def flush(self, rest: str = "") -> None:
        """Hand on what has come, and ``rest`` with it."""
        if self._ids or rest:
            self._emit("".join(self._text) + rest, tuple(self._ids))
            self._text.clear()
            self._ids.clear()
            self._due = self._clock() + INTERVAL
