"""What every kind of serial question returns: a question of n steps, its answer, its way there."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Split = Literal["train", "heldout"]


class Mark(NamedTuple):
    """A value on the way to the answer, for the training-only head that must name it.

    ``end`` is the offset in the question just past the text that tells the value; one past the
    whole question is where the reply begins. ``step`` is the fewest loops after which the value
    can be known there, ``value`` the value as text. Of several marks at one ``end`` the first with
    the greatest ``step`` that the loops allow counts.
    """

    end: int
    step: int
    value: str


@dataclass(frozen=True, slots=True)
class Draw:
    """One question: ``reply`` is the short sentence to say, ``value`` what must be in it.

    ``choices`` are the words of which a right reply holds ``value`` alone; empty where the
    value is a number (then it is the only number in the reply). ``follow_ups`` are asked
    later, of what the question has told; only training has them.
    """

    kind: str
    steps: int
    question: str
    reply: str
    value: str
    choices: tuple[str, ...]
    marks: tuple[Mark, ...]
    follow_ups: tuple[Draw, ...] = ()


def capital(text: str) -> str:
    """Return ``text`` with its first character as a sentence begins."""
    return text[:1].upper() + text[1:]


# Draws a question of so many steps, 1 to 32, in the phrasings and names of one split.
Kind = Callable[[random.Random, int, Split], Draw]
