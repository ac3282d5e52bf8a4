"""Which depths can follow a variant: Try harder and Really hard, from the file's efforts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TRY_HARDER = "Try harder"
REALLY_HARD = "Really hard"


@dataclass(frozen=True, slots=True)
class Effort:
    """One step deeper: the button's title and the depth it goes to."""

    title: str
    depth: int


def next_efforts(depth: int, efforts: Sequence[int]) -> tuple[Effort, ...]:
    """Return the efforts above ``depth``; ``efforts`` are the model file's three depths.

    Below the middle one both, from it only the deepest, at the deepest none.
    """
    _, harder, hardest = efforts
    steps = (Effort(TRY_HARDER, harder), Effort(REALLY_HARD, hardest))
    return tuple(step for step in steps if step.depth > depth)
