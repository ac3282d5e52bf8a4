"""Prints one measured figure beside its budget, with the machine and what else ran on it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.machine import in_words, this_machine


class OtherLoad:
    """How many cores other processes kept busy while the block ran; None outside Linux."""

    def __init__(self) -> None:
        self.cores: float | None = None

    def __enter__(self) -> Self:
        self._started, self._all, self._own = time.monotonic(), _busy(), _own()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._all is not None:
            others = (_busy() or 0.0) - self._all - (_own() - self._own)
            self.cores = max(0.0, others / (time.monotonic() - self._started))

    def __str__(self) -> str:
        return "other load unknown" if self.cores is None else f"other load {self.cores:.2f} cores"


def _busy() -> float | None:
    """Return the seconds all cores together have worked since the start of the system."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return None
    user, nice, system, _idle, _wait, irq, softirq = map(int, stat.read_text().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    """Return the seconds this process has worked."""
    times = os.times()
    return times.user + times.system


def heading(title: str) -> None:
    """Print what is measured and on what."""
    print(f"{title}\n{in_words(this_machine())}", flush=True)


def verdict(what: str, figure: str, met: bool, load: OtherLoad | None = None) -> bool:
    """Print one line and return ``met``."""
    beside = "" if load is None else f"   ({load})"
    print(f"{'pass' if met else 'MISS'}   {what:<52}{figure}{beside}", flush=True)
    return met
