"""One line that says what a deeper answer changed, and whether a known answer was met."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

SHORT = 30  # characters up to which all that differs is shown


def compare(old: str, old_depth: int, new: str, old_finished: bool = True) -> str:
    """Return "same answer as at 8 loops" or what changed.

    An old answer that was stopped is compared as far as it went.
    """
    before, after = old.split(), new.split()
    if not old_finished:
        if after[: len(before)] == before:
            return f"begins like the answer at {old_depth} loops"
    elif before == after:
        return f"same answer as at {old_depth} loops"
    return _difference(before, after)


def known(answer: str, expected: str, choices: Sequence[str] = ()) -> str:
    """Return "known answer: 7 — right" or "— not yet".

    Right is a sentence that holds ``expected`` and none of the other ``choices``; where
    ``expected`` is a number, no other number.
    """
    if re.fullmatch(r"-?\d+", expected):
        words = r"-?\d+"
    else:
        longest_first = sorted({expected, *choices}, key=len, reverse=True)
        words = "|".join(map(re.escape, longest_first))  # "dark red" before "red"
    said = re.findall(rf"(?<!\w)(?:{words})(?!\w)", answer, re.IGNORECASE)
    verdict = "right" if {word.lower() for word in said} == {expected.lower()} else "not yet"
    return f"known answer: {expected} — {verdict}"


def _difference(before: list[str], after: list[str]) -> str:
    """Say what stands between the words in which both begin and end alike, or where it begins."""
    same = _alike(before, after)
    before, after = before[same:], after[same:]
    end = _alike(before[::-1], after[::-1])
    old, new = (" ".join(part[: len(part) - end]) for part in (before, after))
    if old.endswith(".") and new.endswith("."):
        old, new = old[:-1], new[:-1]
    if max(len(old), len(new)) <= SHORT:
        return f"changed: {old or '(nothing)'} → {new or '(nothing)'}"
    old, new = (part[0] if part else "(end)" for part in (before, after))
    return f"changed from word {same + 1}: {old} → {new}"


def _alike(before: list[str], after: list[str]) -> int:
    """Return in how many words both begin alike."""
    pairs = zip(before, after, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
