"""Names and nouns for the questions: every tenth of each list is kept for held-out questions."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

from serial.base import Split

HELD_OUT_EVERY = 10
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
THINGS = parts(read("things"))
PLACES = parts(read("places"))
COLOURS = parts(read("colours"))


def name(rng: random.Random, split: Split) -> str:
    """Return a first name."""
    return rng.choice(NAMES[split])


def names(rng: random.Random, split: Split, count: int) -> list[str]:
    """Return ``count`` different first names."""
    return rng.sample(NAMES[split], count)


def pronoun(person: str) -> str:
    """Return "she", "he", or "they" where the name is given to both."""
    return PRONOUNS[person]


def object_(rng: random.Random, split: Split) -> Thing:
    """Return a countable thing, such as apple and apples."""
    return rng.choice(OBJECTS[split])


def objects(rng: random.Random, split: Split, count: int) -> list[Thing]:
    """Return ``count`` different countable things."""
    return rng.sample(OBJECTS[split], count)


def things(rng: random.Random, split: Split, count: int) -> list[str]:
    """Return ``count`` different words to say with "the", such as key and map."""
    return rng.sample(THINGS[split], count)


def places(rng: random.Random, split: Split, count: int) -> list[str]:
    """Return ``count`` different words to say with "the", such as kitchen and garden."""
    return rng.sample(PLACES[split], count)


def colours(rng: random.Random, split: Split, count: int) -> list[str]:
    """Return ``count`` different colours; only 2 are held out."""
    return rng.sample(COLOURS[split], count)
