"""Makes questions of people compared one after the other, where one is asked who is first."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial import words
from serial.base import Draw, Split
from serial.narration import FACTS, Asking, Frames, Narration, Step

FIRST_RATE = 0.5
SCORES_RATE = 0.4
MOST_RATE = 0.7  # where it is asked last, as the marks then follow the most


class Scale(NamedTuple):
    """What people differ in: to be ``more`` or ``less`` of it, ``the_most`` or ``the_least``."""

    more: str
    less: str
    the_most: str
    the_least: str


SCALES = (
    Scale("taller", "shorter", "the tallest", "the shortest"),
    Scale("older", "younger", "the oldest", "the youngest"),
    Scale("faster", "slower", "the fastest", "the slowest"),
    Scale("stronger", "weaker", "the strongest", "the weakest"),
    Scale("heavier", "lighter", "the heaviest", "the lightest"),
    Scale("richer", "poorer", "the richest", "the poorest"),
)
# ``a`` is more than ``b``, said in two ways round.
RELATIVE = Frames(
    train=(
        ("{a} is {more} than {b}", "{b} is {less} than {a}"),
        ("{a} is {more} than {b}", "{b} is {less} than {a}"),
        ("{a} is a bit {more} than {b}", "{b} is much {less} than {a}"),
        ("{a} is even {more} than {b}", "{b} is a little {less} than {a}"),
        ("{a} is {more} than {b} is", "{b} is {less} than {a}"),
        ("we know that {a} is {more} than {b}", "{b} is {less} than {a} is"),
    ),
    heldout=(
        ("{a} is much {more} than {b}", "{b} is a bit {less} than {a}"),
        ("{a} is a little {more} than {b}", "{b} is even {less} than {a}"),
        ("{a} is a bit {more} than {b} is", "we know that {b} is {less} than {a}"),
    ),
)


class Score(NamedTuple):
    """What is counted of people: a statement of ``a`` and number ``x``, and its superlatives."""

    says: Frames[str]
    verb: str
    the_most: str
    the_least: str


POINTS = Frames(
    train=("{a} has {x} points", "{a} gets {x} points", "{a} wins {x} points", "{a} has {x}"),
    heldout=("{a} ends with {x} points", "{a} gets {x}"),
)
SCORED = Frames(
    train=("{a} scored {x}", "{a} scored {x} points", "{a} got {x}"),
    heldout=("{a} got {x} points", "{a} has scored {x}"),
)
YEARS = Frames(
    train=("{a} is {x} years old", "{a} is {x}"),
    heldout=("{a} is now {x}", "{a} is now {x} years old"),
)
KILOS = Frames(
    train=("{a} weighs {x} kilos", "{a} weighs {x}", "the weight of {a} is {x} kilos"),
    heldout=("{a} has a weight of {x} kilos", "the weight of {a} is {x}"),
)
THINGS = Frames(
    train=("{a} has {x} {t}", "{a} owns {x} {t}", "{a} has got {x} {t}"),
    heldout=("{a} now has {x} {t}", "{a} now owns {x} {t}"),
)
SCORES = (
    Score(POINTS, "has", "the most points", "the fewest points"),
    Score(SCORED, "scored", "the most", "the least"),
    Score(YEARS, "is", "the oldest", "the youngest"),
    Score(KILOS, "is", "the heaviest", "the lightest"),
    Score(THINGS, "has", "the most {t}", "the fewest {t}"),
    Score(THINGS, "has", "the most {t}", "the fewest {t}"),
)
LAST = Frames(
    train=(
        Asking("Who {verb} {w}?", "{v} {verb} {w}."),
        Asking("Who {verb} {w} of them all?", "{v} {verb} {w}."),
        Asking("Which of them {verb} {w}?", "It is {v}."),
        Asking("Who {verb} {w}? Just the name.", "{v}."),
        Asking("Can you tell me who {verb} {w}?", "{v} {verb} {w}."),
        Asking("Do you know which one {verb} {w}?", "It is {v}."),
        Asking("So of these people, who {verb} {w}?", "{v} {verb} {w}."),
    ),
    heldout=(
        Asking("So which of them {verb} {w}?", "It is {v}."),
        Asking("Can you tell me which one {verb} {w}?", "It is {v}."),
        Asking("Do you know who {verb} {w} of all?", "{v} {verb} {w}."),
    ),
)
FIRST = Frames(
    train=(
        Asking("Who {verb} {w} here?", "{v} {verb} {w}."),
        Asking("Find out who {verb} {w}.", "{v} {verb} {w}."),
        Asking("I want to know who {verb} {w}.", "{v} {verb} {w}."),
        Asking("Tell me which of these people {verb} {w}.", "It is {v}."),
    ),
    heldout=(
        Asking("Tell me who {verb} {w} here.", "{v} {verb} {w}."),
        Asking("I want to know which of these people {verb} {w}.", "It is {v}."),
    ),
)


class Comparison(NamedTuple):
    """People in the order they are told of, where one is asked for ``w``."""

    opening: str
    steps: list[Step]
    people: list[str]
    verb: str
    w: str
    winner: str


def _scores(rng: random.Random, steps: int, split: Split, asked_first: bool) -> Comparison:
    """Return people with a number each; the first is no step. Asked last, marks name the most."""
    score = rng.choice(SCORES)
    people = words.names(rng, split, steps + 1)
    numbers = rng.sample(range(2, 100), steps + 1)
    most = rng.random() < (0.5 if asked_first else MOST_RATE)
    thing = words.object_(rng, split).many
    forms = score.says.some(rng, split, 2)
    best = {True: 0, False: 0}
    told = []
    for i, (person, x) in enumerate(zip(people, numbers, strict=True)):
        if x > numbers[best[True]]:
            best[True] = i
        if x < numbers[best[False]]:
            best[False] = i
        clause = rng.choice(forms).format(a=person, x=x, t=thing)
        told.append(Step(clause, people[best[most or not asked_first]]))
    w = (score.the_most if most else score.the_least).format(t=thing)
    opening = f"{told[0].clause}."
    return Comparison(opening, told[1:], people, score.verb, w, people[best[most]])


def _relative(rng: random.Random, steps: int, split: Split, asked_first: bool) -> Comparison:
    """Return people compared with one another so that who is asked for is always certain.

    Each new person is beyond the first or the last so far; or, where it is known which of the two
    is asked for, short of anyone.
    """
    scale = rng.choice(SCALES)
    people = words.names(rng, split, steps + 1)
    most = rng.random() < (0.5 if asked_first else MOST_RATE)
    forms = RELATIVE.some(rng, split, 2)
    top = bottom = people[0]
    story = []
    for i, person in enumerate(people[1:], 1):
        above = rng.random() < 0.5
        other = top if above else bottom
        if asked_first and above != most:
            other = rng.choice(people[:i])
        pair = {"a": person, "b": other} if above else {"a": other, "b": person}
        top, bottom = (person, bottom) if above else (top, person)
        clause = rng.choice(rng.choice(forms)).format(**pair, more=scale.more, less=scale.less)
        story.append(Step(clause, top if most or not asked_first else bottom))
    w, winner = (scale.the_most, top) if most else (scale.the_least, bottom)
    return Comparison("", story, people, "is", w, winner)


def comparisons(rng: random.Random, steps: int, split: Split) -> Draw:
    """People compared by statements, or by a number each."""
    first = rng.random() < FIRST_RATE
    told = (_scores if rng.random() < SCORES_RATE else _relative)(rng, steps, split, first)
    asking = (FIRST if first else LAST).pick(rng, split)
    fields = {"verb": told.verb, "w": told.w}
    narration = Narration(rng, split, FACTS)
    narration.ask(asking.question.format(**fields), told.opening, told.steps, first=first)
    reply = asking.reply.format(v=told.winner, **fields)
    return narration.draw("comparisons", reply, told.people, told.winner)
