"""One line that says what a deeper answer changed, and whether a known answer was met."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    old_part, new_part = (_words(part) for part in _different(before, after))
    if max(len(old_part), len(new_part)) <= SHORT:
        return f"changed: {old_part} → {new_part}"
    return _first_difference(before, after)


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


def _different(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return what is left of both without the words in which they begin and end alike."""
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    return before, after


def _words(part: list[str]) -> str:
    return " ".join(part).rstrip(".") or "(nothing)"


def _first_difference(before: list[str], after: list[str]) -> str:
    same = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    if same is None:
        same = min(len(before), len(after))
    old = before[same] if same < len(before) else "(end)"
    new = after[same] if same < len(after) else "(end)"
    return f"changed from word {same + 1}: {old} → {new}"
