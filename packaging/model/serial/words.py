"""Names and nouns for the questions: of each list but one every tenth is held out.

In training some are made up, so that a question can be read whatever its names and nouns are.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from serial.base import Split, capital

T = TypeVar("T")

HELD_OUT_EVERY = 10
MADE_UP_NAMES = 0.25  # of those in training
MADE_UP_NOUNS = 0.5
FOLDER = Path(__file__).with_name("words")


class Thing(NamedTuple):
    """What one counts: ``one`` apple, ``many`` apples."""

    one: str
    many: str

    def of(self, count: int) -> str:
        """Return the word that follows ``count``."""
        return self.one if count == 1 else self.many


def parts(lines: list[str]) -> dict[Split, list[str]]:
    """Return the two disjoint parts of a list."""
    held_out = lines[HELD_OUT_EVERY - 1 :: HELD_OUT_EVERY]
    kept = [line for i, line in enumerate(lines, 1) if i % HELD_OUT_EVERY]
    return {"train": kept, "heldout": held_out}


def read(name: str) -> list[str]:
    """Return the lines of a list, its comments left out."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


_PEOPLE = [line.split() for line in read("names")]
NAMES = parts([name for name, _ in _PEOPLE])
PRONOUNS = {name: {"f": "she", "m": "he"}.get(sex, "they") for name, sex in _PEOPLE}
OBJECTS = {split: [Thing(*line.split()) for line in part]
           for split, part in parts(read("objects")).items()}  # fmt: skip
OBJECTS["train"] += [Thing(*line.split()) for line in read("more_objects")]
THINGS = parts(read("things"))
COLOURS = parts(read("colours"))
# A made-up word must be none of the lists', held-out ones included.
KNOWN = {word.lower() for part in (*NAMES.values(), *THINGS.values()) for word in part}
KNOWN |= {word for part in OBJECTS.values() for thing in part for word in thing}
KNOWN |= {word for part in COLOURS.values() for word in part}
ONSETS, VOWELS, ENDS = (line.split() for line in read("syllables"))


def made_up(rng: random.Random) -> str:
    """Return a word that hardly exists, such as "drilond": of one syllable many would."""
    while True:
        word = "".join(rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(2)) + rng.choice(ENDS)
        if not {word, f"{word}s"} & KNOWN:
            return word


def _made_up_name(rng: random.Random) -> str:
    return capital(made_up(rng))


def _made_up_object(rng: random.Random) -> Thing:
    word = made_up(rng)
    return Thing(word, f"{word}s")


def _some(
    rng: random.Random, split: Split, lists: dict[Split, list[T]], count: int,
    make: Callable[[random.Random], T], rate: float,
) -> list[T]:  # fmt: skip
    """Return ``count`` different words of a split, in training about ``rate`` of them made up."""
    drawn = rng.sample(lists[split], count)
    if split == "heldout":
        return drawn
    for i in range(count):
        if rng.random() < rate:
            while (made := make(rng)) in drawn:
                pass
            drawn[i] = made
    return drawn


def name(rng: random.Random, split: Split) -> str:
    """Return a first name."""
    return names(rng, split, 1)[0]


def names(rng: random.Random, split: Split, count: int) -> list[str]:
    """Return ``count`` different first names."""
    return _some(rng, split, NAMES, count, _made_up_name, MADE_UP_NAMES)


def pronoun(person: str) -> str:
    """Return "she", "he", or "they" where the name is given to both or to nobody."""
    return PRONOUNS.get(person, "they")


def object_(rng: random.Random, split: Split) -> Thing:
    """Return a countable thing, such as apple and apples."""
    return objects(rng, split, 1)[0]


def objects(rng: random.Random, split: Split, count: int) -> list[Thing]:
    """Return ``count`` different countable things."""
    return _some(rng, split, OBJECTS, count, _made_up_object, MADE_UP_NOUNS)


def things(rng: random.Random, split: Split, count: int) -> list[str]:
    """Return ``count`` different words to say with "the", such as key and map."""
    return _some(rng, split, THINGS, count, made_up, MADE_UP_NOUNS)


def colours(rng: random.Random, split: Split, count: int) -> list[str]:
    """Return ``count`` different colours; only 2 are held out."""
    return rng.sample(COLOURS[split], count)
