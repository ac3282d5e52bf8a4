"""Makes questions of where one arrives among people who each point to another."""

from __future__ import annotations

import itertools
import random
from typing import NamedTuple

from serial import words
from serial.base import Draw, Split, capital
from serial.narration import Asking, Frames, Narration, counted

MOST_OTHERS = 3  # people who are not on the way


class Relation(NamedTuple):
    """Who points to whom: ``says`` of ``a`` and ``b``; one of ``first`` or ``last`` asks.

    In a ``row`` everyone has one behind and one before; else two may point to the same one.
    """

    says: str
    first: tuple[Asking, ...]
    last: tuple[Asking, ...]
    row: bool = False


POINTS = (
    Asking("Start at {a} and follow {steps}. Where are you?", "You are at {v}."),
    Asking("Start at {a} and follow {steps}. Where are you?", "You are at {v}."),
    Asking("Start at {a} and follow {steps}. Who do you reach?", "You reach {v}."),
    Asking("If I begin at {a} and take {steps}, where do I end up?", "You end up at {v}."),
    Asking("Beginning at {a}, who is {steps} further on?", "{v} is."),
    Asking("Go {steps} from {a}. Who is it? Just the name.", "{v}."),
)
POINTS_HELD = (
    Asking("Begin at {a} and take {steps}. Where are you?", "You are at {v}."),
    Asking("If I start at {a} and follow {steps}, who do I reach?", "You reach {v}."),
    Asking("Go {steps} from {a}. Where do you end up?", "You end up at {v}."),
)
POINTS_FIRST = (
    Asking("Start at {a} and follow {steps}: who do you reach?", "You reach {v}."),
    Asking("Where do I end up {steps} from {a}?", "You end up at {v}."),
)
POINTS_FIRST_HELD = (
    Asking("Begin at {a} and follow {steps}: where do you end up?", "You end up at {v}."),
)
LETTER = (
    Asking("{a} gets the letter first. Who has it after it is sent {times}?", "{v} has it."),
    Asking("{a} has the letter. It is sent on {times}. Who has it then?", "{v} has the letter."),
    Asking("If {a} has the letter now, where is it after {steps}?", "It is with {v}."),
)
LETTER_HELD = (
    Asking("{a} has the letter first. Where is it after it is sent on {times}?", "{v} has it."),
    Asking("If {a} gets the letter, who has it after {steps}?", "{v} has the letter."),
)

RELATIONS = Frames(
    train=(
        Relation("{a} points to {b}", POINTS_FIRST, POINTS),
        Relation("{a} points to {b}", POINTS_FIRST, POINTS),
        Relation("{a} points at {b}", POINTS_FIRST, POINTS),
        Relation("{a} looks at {b}", POINTS_FIRST, POINTS),
        Relation("from {a} you go to {b}", POINTS_FIRST, POINTS),
        Relation("after {a} comes {b}", POINTS_FIRST, POINTS, row=True),
        Relation("{a} sends the letter to {b}", LETTER[:1], LETTER),
        Relation("{a} gives the letter to {b}", LETTER[1:2], LETTER),
        Relation(
            "{a} calls {b}",
            (Asking("{a} makes the first call. Who gets call number {n}?", "{v} gets it."),),
            (
                Asking("{a} makes the first call. Who gets call number {n}?", "{v} gets it."),
                Asking("The news starts with {a}. Who hears it after {calls}?", "{v} hears it."),
                Asking("{a} has news. Who has it after {calls}?", "{v} has it."),
            ),
        ),
        Relation(
            "{a} likes {b}",
            (Asking("Begin with {a} and go along {likes}. Who is it?", "It is {v}."),),
            (
                Asking("Begin with {a} and go along {likes}. Who is it?", "It is {v}."),
                Asking("Start with {a} and follow {likes}. Who do you reach?", "You reach {v}."),
            ),
        ),
        Relation(
            "{a} sits in front of {b}",
            (Asking("Who sits {places} behind {a}?", "{v} does."),),
            (
                Asking("Who sits {places} behind {a}?", "{v} does."),
                Asking("Go back {places} from {a}. Who sits there?", "{v} sits there."),
            ),
            row=True,
        ),
        Relation(
            "{b} stands behind {a}",
            (Asking("Who stands {places} behind {a}?", "{v} does."),),
            (
                Asking("Who stands {places} behind {a}?", "{v} does."),
                Asking("Go back {places} from {a}. Who stands there?", "{v} stands there."),
            ),
            row=True,
        ),
    ),
    heldout=(
        Relation("{a} looks to {b}", POINTS_FIRST_HELD, POINTS_HELD),
        Relation("you go from {a} to {b}", POINTS_FIRST_HELD, POINTS_HELD),
        Relation("{a} sends the letter on to {b}", LETTER_HELD[1:], LETTER_HELD),
        Relation(
            "{a} calls up {b}",
            (Asking("The news starts with {a}. Who gets call number {n}?", "{v} gets it."),),
            (Asking("{a} makes the first call. Who has the news after {calls}?", "{v} has it."),),
        ),
        Relation(
            "{a} stands in front of {b}",
            (Asking("Start at {a} and go back {places}. Who is it?", "It is {v}."),),
            (Asking("Who do you reach {places} behind {a}?", "You reach {v}."),),
            row=True,
        ),
    ),
)
FIRST_RATE = 0.25
# What may stand between two statements.
JOINERS = Frames(
    train=((". ",), (". ",), (".\n",), ("; ",), (", ",)),
    heldout=((". ", ", and "), (". ", "; "), (". ", ", ")),
)
UNITS = {"steps": "step", "times": "time", "places": "place", "calls": "call", "likes": "like"}


def _pairs(rng: random.Random, people: list[str], steps: int, row: bool) -> list[tuple[str, str]]:
    """Return who points to whom, the way being the first ``steps`` + 1 people."""
    if row:
        pairs = list(itertools.pairwise(people))
    else:
        pairs = list(itertools.pairwise(people[: steps + 1]))
        for person in people[steps:]:
            pairs.append((person, rng.choice([other for other in people if other != person])))
    rng.shuffle(pairs)
    return pairs


def _statements(
    rng: random.Random, joiners: tuple[str, ...], says: str, pairs: list[tuple[str, str]]
) -> str:
    text = ""
    for a, b in pairs:
        joiner = rng.choice(joiners) if text else ""
        clause = says.format(a=a, b=b)
        text += joiner + (capital(clause) if joiner.startswith(".") else clause)
    return f"{capital(text)}."


def pointers(rng: random.Random, steps: int, split: Split) -> Draw:
    """A way of so many hops through statements in no order."""
    relation = RELATIONS.pick(rng, split)
    people = words.names(rng, split, steps + 1 + rng.randint(0, MOST_OTHERS))
    pairs = _pairs(rng, people, steps, relation.row)
    statements = _statements(rng, JOINERS.pick(rng, split), relation.says, pairs)
    asked_first = rng.random() < FIRST_RATE
    asking = rng.choice(relation.first if asked_first else relation.last)
    units = {field: counted(steps, unit) for field, unit in UNITS.items()}
    question = asking.question.format(a=people[0], n=steps, **units)
    told = Narration(rng, split)
    told.say(f"{question} {statements}" if asked_first else f"{statements} {question}")
    told.hops(people[1 : steps + 1])
    value = people[steps]
    return told.draw("pointers", asking.reply.format(v=value), people, value)
