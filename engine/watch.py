"""How a caller watches and stops a running call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from engine.errors import Stopped


class WatchArgs(TypedDict, total=False):
    """Keywords of every call that runs loops.

    ``on_progress(done_loops, total_loops)`` counts loops finished over the whole prompt,
    those kept from a handle included, so 8 -> 16 reports (8, 16) … (16, 16).
    ``should_stop()`` is polled at least every 50 ms of work.
    """

    on_progress: Callable[[int, int], None] | None
    should_stop: Callable[[], bool] | None


@dataclass(frozen=True, slots=True)
class Watch:
    """The two callbacks, either of which may be absent."""

    on_progress: Callable[[int, int], None] | None = None
    should_stop: Callable[[], bool] | None = None

    def progress(self, done_loops: int, total_loops: int) -> None:
        """Report loops finished; an exception of the callback ends the call."""
        if self.on_progress is not None:
            self.on_progress(done_loops, total_loops)

    def stopping(self) -> bool:
        """Return whether the caller wants the call to end."""
        return self.should_stop is not None and self.should_stop()

    def check(self) -> None:
        """Raise Stopped when the caller wants the call to end."""
        if self.stopping():
            raise Stopped("Stopped before the prompt was read.")
