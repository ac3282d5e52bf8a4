"""Figures of questions that were asked: shares of right answers, their intervals, as a table."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine.evaluate import Outcome

STEP_BUCKETS = {"1–8": range(1, 9), "9–16": range(9, 17), "17–24": range(17, 25),
                "25 and more": range(25, sys.maxsize)}  # fmt: skip
DOUBTS = (0.1, 0.5, 1.0)  # nats from which on a hint could say that an answer may be wrong
Z = 1.96  # standard deviations on either side that hold 95 % of a normal distribution

# What the kinds of questions that ship ask, in words for everybody.
KINDS = {
    "chain": "sums", "two_digit": "sums of two digits", "story": "how many?",
    "variables": "what is x?", "shuffled": "what is x?, shuffled", "program": "programs",
    "prices": "prices", "passing": "who has it?", "turning": "which way?", "cups": "which cup?",
    "pointers": "who stands behind whom?", "comparisons": "who is the oldest?",
    "calendar": "days, months, hours", "sorting": "the largest of a list",
    "switches": "on or off?",
}  # fmt: skip

Interval = list[float]


def accuracy(outcomes: Sequence[Outcome], depths: Sequence[int]) -> dict[str, Any]:
    """Return the shares of right answers, 0 to 1, as a document for JSON.

    ``accuracy`` holds them by depth and ``interval`` their 95 % intervals, ``by_kind`` and
    ``by_steps`` the same for a part each; ``gains`` says what going one depth on brings, paired
    question by question. A model file carries this document as its ``loops_eval``.
    """
    kinds = list(dict.fromkeys(outcome.question.kind for outcome in outcomes))
    by_kind = {kind: [o for o in outcomes if o.question.kind == kind] for kind in kinds}
    by_steps = {
        name: [o for o in outcomes if o.question.steps in steps]
        for name, steps in STEP_BUCKETS.items()
    }
    right = {depth: [o.right(depth) for o in outcomes] for depth in depths}
    return {
        **_shares(outcomes, depths),
        "by_kind": {name: _shares(part, depths) for name, part in by_kind.items()},
        "by_steps": {name: _shares(part, depths) for name, part in by_steps.items() if part},
        "gains": {f"{a} to {b}": paired(right[a], right[b]) for a, b in pairwise(depths)},
    }


def _shares(outcomes: Sequence[Outcome], depths: Sequence[int]) -> dict[str, Any]:
    """Return how many were asked, the share of right answers at each depth, and its interval."""
    right = {depth: sum(o.right(depth) for o in outcomes) for depth in depths}
    return {
        "questions": len(outcomes),
        "accuracy": {str(d): round(n / len(outcomes), 4) for d, n in right.items()},
        "interval": {str(d): wilson(n, len(outcomes)) for d, n in right.items()},
    }


def wilson(hits: int, count: int) -> Interval:
    """Return the 95 % interval of a share after ``hits`` of ``count`` (Wilson's score)."""
    share, spread = hits / count, Z**2 / count
    centre = (share + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return [round(max(0.0, centre - half), 4), round(min(1.0, centre + half), 4)]


def paired(before: Sequence[bool], after: Sequence[bool]) -> dict[str, Any]:
    """Return how much larger the share of ``after`` is, 0 to 1, with its 95 % interval.

    The two belong together question by question; the interval is that of the mean difference.
    """
    changes = [b - a for a, b in zip(before, after, strict=True)]
    mean = sum(changes) / len(changes)
    variance = sum((c - mean) ** 2 for c in changes) / max(1, len(changes) - 1)
    half = Z * math.sqrt(variance / len(changes))
    return {"mean": round(mean, 4), "interval": [round(mean - half, 4), round(mean + half, 4)]}


def compare(
    outcomes: Sequence[Outcome], others: Sequence[Outcome], depths: Sequence[int]
) -> dict[str, Any]:
    """Return by depth what ``outcomes`` gain over ``others``, another model's to the same."""
    return {
        str(d): paired([o.right(d) for o in others], [o.right(d) for o in outcomes]) for d in depths
    }


def doubts(found: Sequence[float], wrong: Sequence[bool]) -> dict[str, dict[str, float]]:
    """Return by threshold how often a hint would speak, and how well it would tell what is wrong.

    ``found`` are the doubts about answers in nats; a hint speaks from its threshold on.
    ``precision`` is the share of wrong answers where it speaks, ``recall`` the share of wrong
    answers at which it speaks.
    """
    rows = {}
    for threshold in DOUBTS:
        spoken = [bad for doubt, bad in zip(found, wrong, strict=True) if doubt >= threshold]
        rows[str(threshold)] = {
            "speaks": round(len(spoken) / len(found), 4),
            "precision": round(sum(spoken) / max(1, len(spoken)), 4),
            "recall": round(sum(spoken) / max(1, sum(wrong)), 4),
        }
    return rows


@dataclass(frozen=True, slots=True)
class Part:
    """What a document says of some of its questions, by loops.

    ``group`` is "all", "kind" or "steps". ``questions`` is None where it is not said, and a depth
    may have no interval.
    """

    group: str
    name: str
    questions: int | None
    shares: dict[int, float]
    intervals: dict[int, Interval]

    @property
    def in_words(self) -> str:
        """The name for everybody; a kind that does not ship keeps its own."""
        if self.group == "kind":
            return KINDS.get(self.name, self.name.replace("_", " "))
        return "all questions" if self.group == "all" else f"{self.name} steps"


def parts(document: dict[str, Any]) -> list[Part]:
    """Return what a model file's document holds: all questions, each kind, each range of steps.

    Depths and steps rise, though a file's JSON is sorted as text. A model file checks only
    ``accuracy``; parts of another form are left out.
    """
    depths = sorted(document["accuracy"], key=int)
    found = [_part("all", "all", document, depths)]
    for group in ("kind", "steps"):
        named = document.get(f"by_{group}")
        rows = sorted(named.items(), key=_first_step) if isinstance(named, dict) else ()
        found += [_part(group, name, part, depths) for name, part in rows]
    return [part for part in found if part is not None]


def _first_step(row: tuple[str, Any]) -> int:
    """Return where a range of steps begins; what is none stays in its place."""
    return STEP_BUCKETS.get(row[0], range(1)).start


def _part(group: str, name: str, part: Any, depths: Sequence[str]) -> Part | None:
    """Return a part, or None where a depth has no share."""
    if not isinstance(part, dict):
        return None
    shares = part.get("accuracy", part)  # or the shares stand in place of the part
    if not isinstance(shares, dict) or not all(_is_share(shares.get(depth)) for depth in depths):
        return None
    intervals = part.get("interval")
    known = intervals if isinstance(intervals, dict) else {}
    return Part(
        group=group,
        name=name,
        questions=part["questions"] if type(part.get("questions")) is int else None,
        shares={int(depth): shares[depth] for depth in depths},
        intervals={int(d): known[d] for d in depths if _is_interval(known.get(d))},
    )


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1


def _is_interval(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_share, value))


def accuracy_table(document: dict[str, Any]) -> str:
    """Return ``parts`` as lines of text, percent right; behind a share half of its interval."""
    depths = sorted(map(int, document["accuracy"]))
    head = f"{'% right':<18}" + "".join(f"{f'{depth} loops':>12}" for depth in depths)
    return "\n".join([head, *map(_row, parts(document))])


def _row(part: Part) -> str:
    name = f"{part.name} steps" if part.group == "steps" else part.name
    cells = [f"{100 * share:.1f}{_plus_minus(part, depth)}" for depth, share in part.shares.items()]
    return f"{name:<18}" + "".join(f"{cell:>12}" for cell in cells)


def _plus_minus(part: Part, depth: int) -> str:
    """Return half of the interval in points, or nothing where there is none."""
    if depth not in part.intervals:
        return ""
    low, high = part.intervals[depth]
    return f" ±{50 * (high - low):.1f}"
