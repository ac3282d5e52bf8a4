"""What deeper costs: measured speeds, and the price line of an effort button."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from statistics import median

from app.domain.answer import RunReport

RUNS = 5  # speeds are the median of so many runs
LONG_ANSWER = 40  # tokens from which the writing is worth mentioning


@dataclass(slots=True)
class Speeds:
    """Cells (tokens × loops) a second while reading and while writing, over the last runs."""

    _read: deque[float] = field(default_factory=lambda: deque(maxlen=RUNS))
    _write: deque[float] = field(default_factory=lambda: deque(maxlen=RUNS))

    def add(self, report: RunReport) -> None:
        """Take in a run; parts that ran nothing measure nothing."""
        if report.cells > 0 and report.read_seconds > 0:
            self._read.append(report.cells / report.read_seconds)
        if (speed := report.tokens_per_second) is not None:
            self._write.append(speed * report.depth)

    @property
    def read(self) -> float | None:
        """Median reading speed in cells a second; None before any measurement."""
        return median(self._read) if self._read else None

    @property
    def write(self) -> float | None:
        """Median writing speed in cells a second; None before any measurement."""
        return median(self._write) if self._write else None


@dataclass(frozen=True, slots=True)
class Deepening:
    """A deepening before it runs: ``kept`` loops of ``prompt_tokens`` are there (0: none)."""

    prompt_tokens: int
    kept: int
    target: int
    old_answer_tokens: int = 0
    reason: str = ""

    def price(self, speeds: Speeds) -> str:
        """Return the button's second line: loops, then time to the first word once known."""
        if self.kept:
            parts = ["resumes", f"+{self.target - self.kept} loops"]
        else:
            parts = ["from scratch", f"{self.target} loops"]
        if speeds.read is not None:
            first = self.prompt_tokens * (self.target - self.kept) / speeds.read
            parts.append(f"first word in about {seconds(first)}")
            if self.kept:
                cold = self.prompt_tokens * self.target / speeds.read
                parts[-1] += f" (from scratch {seconds(cold)})"
        if speeds.write is not None and self.old_answer_tokens > LONG_ANSWER:
            writing = self.old_answer_tokens * self.target / speeds.write
            parts.append(f"writing about {seconds(writing)}")
        if self.reason:
            parts.append(self.reason)
        return " · ".join(parts)


def seconds(value: float) -> str:
    """Return a duration as people say it: 0.8 s, 12 s, 3 min."""
    if value < 9.95:
        return f"{max(value, 0.1):.1f} s"
    return f"{value:.0f} s" if value < 120 else f"{value / 60:.0f} min"
