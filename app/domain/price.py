"""What deeper costs: measured speeds, and the price line of an effort button."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from app.domain.answer import RunReport

RUNS = 5  # speeds are of so many last runs
LONG_ANSWER = 40  # tokens from which the writing is worth mentioning


@dataclass(slots=True)
class Speeds:
    """What one loop took over the last runs, by the number of tokens it went over.

    A loop over a single token costs what it costs while writing: the weights are read once for
    however many tokens. Each further token of a prompt adds its share. Both are medians, that of
    the shares by the work they come from: a few words after a long prompt say little about one.
    ``pre`` is what the layers before the first loop cost, in loops.
    """

    pre: float = 0.0
    _reading: deque[tuple[int, float, float]] = field(default_factory=lambda: deque(maxlen=RUNS))
    _writing: deque[float] = field(default_factory=lambda: deque(maxlen=RUNS))

    def add(self, report: RunReport) -> None:
        """Take in a run; parts that ran nothing measure nothing."""
        first, end = report.loops
        if report.cells > 0 and report.read_seconds > 0 and end > first:
            a_loop = report.read_seconds / self.loops(first, end)
            self._reading.append((report.cells, report.cells / (end - first), a_loop))
        if (speed := report.tokens_per_second) is not None:
            self._writing.append(1 / (speed * self.loops(0, report.depth)))

    def loops(self, first: int, end: int) -> float:
        """Return what loops ``first`` … ``end`` − 1 cost, the layers before loop 0 with it."""
        return end - first + (0.0 if first else self.pre)

    def reading(self, tokens: int, first: int, end: int) -> float | None:
        """Return the seconds of loops over a prompt; None before any measurement."""
        if not self._reading:
            return None
        one = median(self._writing) if self._writing else 0.0
        shares = [(max(0.0, took - one) / max(1.0, n - 1), work) for work, n, took in self._reading]
        return self.loops(first, end) * (one + max(0, tokens - 1) * _weighted_median(shares))

    def writing(self, tokens: int, depth: int) -> float | None:
        """Return the seconds of writing at a depth; None before any measurement."""
        return tokens * self.loops(0, depth) * median(self._writing) if self._writing else None


@dataclass(frozen=True, slots=True)
class Deepening:
    """A deepening before it runs: ``kept`` loops of ``prompt_tokens`` are there (0: none)."""

    prompt_tokens: int
    kept: int
    target: int
    old_answer_tokens: int = 0
    reason: str = ""

    def first_word(self, speeds: Speeds) -> float | None:
        """Return the seconds to the first word, which the reading itself finds; None at first."""
        return speeds.reading(self.prompt_tokens, self.kept, self.target)

    def price(self, speeds: Speeds) -> str:
        """Return the button's second line: loops, then time to the first word once known."""
        if self.kept:
            parts = ["resumes", f"+{self.target - self.kept} loops"]
        else:
            parts = ["from scratch", f"{self.target} loops"]
        first, cold = self.first_word(speeds), replace(self, kept=0).first_word(speeds)
        if first is not None and cold is not None:
            parts.append(f"first word in about {seconds(first)}")
            if self.kept:
                parts[-1] += f" (from scratch {seconds(cold)})"
        writing = speeds.writing(self.old_answer_tokens, self.target)
        if writing is not None and self.old_answer_tokens > LONG_ANSWER:
            parts.append(f"writing about {seconds(writing)}")
        if self.reason:
            parts.append(self.reason)
        return " · ".join(parts)


def _weighted_median(weighted: Sequence[tuple[float, int]]) -> float:
    """Return the value at which half of the weight of (value, weight) pairs is reached."""
    half, reached = sum(weight for _, weight in weighted) / 2, 0
    for value, weight in sorted(weighted):
        reached += weight
        if reached >= half:
            return value
    raise ValueError("there is no median of nothing")


def seconds(value: float) -> str:
    """Return a duration as people say it: 0.8 s, 12 s, 3 min."""
    if value < 9.95:
        return f"{max(value, 0.1):.1f} s"
    return f"{value:.0f} s" if value < 120 else f"{value / 60:.0f} min"
