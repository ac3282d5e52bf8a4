"""Figures a caller may ask for: what memory is used, what the last call really ran."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.backends.base import Work


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """Bytes on the device: the weights, K/V and states of live handles, and what is left."""

    weights: int
    kv: int
    states: int
    free: int
    total: int


@dataclass(frozen=True, slots=True)
class LastRun:
    """What the last call ran, as counted by the layer loop.

    ``prefilled`` tokens; ``cells`` = tokens x loops over all passes; ``first_loop`` and
    ``last_loop`` over the prompt (None when no loop ran over it); seconds by phase;
    ``finish_reason``: stop, length, cancelled, or "" for a call that writes nothing.
    """

    prefilled: int = 0
    cells: int = 0
    first_loop: int | None = None
    last_loop: int | None = None
    prefill_seconds: float = 0.0
    extend_seconds: float = 0.0
    decode_seconds: float = 0.0
    finish_reason: str = ""


@dataclass(slots=True)
class Stopwatch:
    """Seconds by phase of one call."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of the ``with`` block to phase ``name``, however it ends."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + spent

    def report(self, work: Work, finish_reason: str) -> LastRun:
        """Return the run's figures."""
        return LastRun(
            prefilled=work.prefilled,
            cells=work.cells,
            first_loop=min(work.loops, default=None),
            last_loop=max(work.loops, default=None),
            prefill_seconds=self.seconds.get("prefill", 0.0),
            extend_seconds=self.seconds.get("extend", 0.0),
            decode_seconds=self.seconds.get("decode", 0.0),
            finish_reason=finish_reason,
        )
