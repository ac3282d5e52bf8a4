"""Puts words into questions that change nothing: training is to read past words it never met."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from serial.base import Draw
from serial.words import NAMES, made_up

# None of them is a word of a held-out phrasing.
ADVERBS = (
    "quickly", "slowly", "gladly", "happily", "quietly", "carefully", "calmly", "kindly",
    "proudly", "really", "certainly", "surely", "clearly", "simply", "actually", "indeed",
)  # fmt: skip
MADE_UP = 0.5  # of them
RATE = 0.3  # of the places where one could stand
# Behind who does something, mostly before a verb: never before a word that ties a name to another.
TIES = "and|or|but|to|with|for|from|of|at|the|an|another|in|on|by|as|than|plus|minus|who|you|there"
PLACE = re.compile(rf"\b([A-Z][a-z]+|he|she) (?=(?!(?:{TIES})\b)[a-z]{{2,}}\b)")
HEROES = {*NAMES["train"], "He", "he", "She", "she"}


def with_adverbs(rng: random.Random, draw: Draw) -> Draw:
    """Return ``draw`` with adverbs before some of its verbs; its marks stand where they stood."""
    text, done, moved = "", 0, []
    for place in PLACE.finditer(draw.question):
        if place[1] not in HEROES or rng.random() >= RATE:
            continue
        adverb = f"{made_up(rng)}ly" if rng.random() < MADE_UP else rng.choice(ADVERBS)
        text += f"{draw.question[done : place.end()]}{adverb} "
        done = place.end()
        moved.append((place.end(), len(adverb) + 1))
    marks = [mark._replace(end=mark.end + sum(by for at, by in moved if at <= mark.end))
             for mark in draw.marks]  # fmt: skip
    return replace(draw, question=text + draw.question[done:], marks=tuple(marks))
