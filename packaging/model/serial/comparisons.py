"""Makes questions of people compared one after the other, where one is asked who is first."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial import words
from serial.base import Draw, Split
from serial.forms import Forms
from serial.narration import FACTS, Asking, Narration, Step

FIRST_RATE = 0.5
SCORES_RATE = 0.4
MOST_RATE = 0.7  # where it is asked last, as the marks then follow the most


class Scale(NamedTuple):
    """What people differ in: to be ``much`` of it, ``more`` or ``less``, and the superlatives."""

    much: str
    more: str
    less: str
    the_most: str
    the_least: str


SCALES = (
    Scale("tall", "taller", "shorter", "the tallest", "the shortest"),
    Scale("old", "older", "younger", "the oldest", "the youngest"),
    Scale("fast", "faster", "slower", "the fastest", "the slowest"),
    Scale("strong", "stronger", "weaker", "the strongest", "the weakest"),
    Scale("heavy", "heavier", "lighter", "the heaviest", "the lightest"),
    Scale("rich", "richer", "poorer", "the richest", "the poorest"),
)
# Those that only training has.
MORE_SCALES = (
    Scale("big", "bigger", "smaller", "the biggest", "the smallest"),
    Scale("quick", "quicker", "slower", "the quickest", "the slowest"),
    Scale("loud", "louder", "quieter", "the loudest", "the quietest"),
    Scale("happy", "happier", "sadder", "the happiest", "the saddest"),
    Scale("bold", "bolder", "shyer", "the boldest", "the shyest"),
)
# ``a`` is more than ``b``, said in two ways round.
RELATIVE = Forms(
    train=(
        ("{a} is {more} than {b}", "{b} is {less} than {a}"),
        ("{a} is {more} than {b}", "{b} is {less} than {a}"),
        ("{a} is a bit {more} than {b}", "{b} is much {less} than {a}"),
        ("{a} is even {more} than {b}", "{b} is a little {less} than {a}"),
        ("{a} is {more} than {b} is", "{b} is {less} than {a}"),
        ("we know that {a} is {more} than {b}", "{b} is {less} than {a} is"),
        ("{a} is clearly {more} than {b}", "{b} is slightly {less} than {a}"),
        ("{a} is slightly {more} than {b}", "{b} is a lot {less} than {a}"),
        ("{a} is a lot {more} than {b}", "{b} is clearly {less} than {a}"),
        ("{a} is somewhat {more} than {b}", "{b} is quite a bit {less} than {a}"),
        ("{a} is far {more} than {b}", "{b} is somewhat {less} than {a}"),
        ("{a} is {more} than {b}", "{b} is not as {much} as {a}"),
        ("{a} is {more} when compared with {b}", "{b} is {less} when compared with {a}"),
        ("{a} is {more} compared to {b}", "{b} is {less} compared to {a}"),
        ("between {a} and {b} the {more} one is {a}", "between {a} and {b} the {less} one is {b}"),
        ("the {more} of {a} and {b} is {a}", "the {less} of {a} and {b} is {b}"),
        ("it is {a} who is {more} than {b}", "it is {b} who is {less} than {a}"),
        ("{a} happens to be {more} than {b}", "{b} happens to be {less} than {a}"),
        ("{a} turns out to be {more} than {b}", "{b} turns out to be {less} than {a}"),
        ("I know that {b} is {less} than {a}", "I can see that {a} is {more} than {b}"),
        ("it is known that {a} is {more} than {b}", "it is true that {b} is {less} than {a}"),
    ),
    heldout=(
        ("{a} is much {more} than {b}", "{b} is a bit {less} than {a}"),
        ("{a} is a little {more} than {b}", "{b} is even {less} than {a}"),
        ("{a} is a bit {more} than {b} is", "we know that {b} is {less} than {a}"),
    ),
)


class Score(NamedTuple):
    """What is counted of people: a statement of ``a`` and number ``x``, and its superlatives."""

    says: Forms[str]
    verb: str
    the_most: str
    the_least: str


POINTS = Forms(
    train=(
        "{a} has {x} points", "{a} gets {x} points", "{a} wins {x} points", "{a} has {x}",
        "{a} collects {x} points", "{a} earns {x} points", "{a} is on {x} points",
        "{a} makes {x} points", "{a} has a total of {x} points", "{x} points go to {a}",
        "there are {x} points for {a}", "the score of {a} is {x}", "{a}: {x}", "{a}: {x} points",
        "{a} brings in {x} points", "{a} comes away with {x} points",
    ),
    heldout=("{a} ends with {x} points", "{a} gets {x}"),
)  # fmt: skip
SCORED = Forms(
    train=(
        "{a} scored {x}", "{a} scored {x} points", "{a} got {x}", "{a} made {x} points",
        "{a} scored a total of {x}", "the score of {a} was {x}", "{a} reached {x} points",
        "{a} had a score of {x}", "{x} points were scored by {a}", "{a} managed to score {x}",
        "{x} was the score of {a}", "{a} earned {x} points", "{a} finished on {x}",
    ),
    heldout=("{a} got {x} points", "{a} has scored {x}"),
)  # fmt: skip
YEARS = Forms(
    train=(
        "{a} is {x} years old", "{a} is {x}", "{a} is aged {x}", "{a} is {x} years of age",
        "the age of {a} is {x}", "{a} has just turned {x}", "{x} is the age of {a}",
        "at the moment {a} is {x}", "{a} has lived for {x} years", "{x} years is the age of {a}",
    ),
    heldout=("{a} is now {x}", "{a} is now {x} years old"),
)  # fmt: skip
KILOS = Forms(
    train=(
        "{a} weighs {x} kilos", "{a} weighs {x}", "the weight of {a} is {x} kilos",
        "{x} kilos is the weight of {a}", "{a} weighs in at {x} kilos", "{a} weighs {x} kg",
        "the scales show {x} kilos for {a}", "{a} weighs exactly {x} kilos", "{a}: {x} kilos",
        "{x} kilos is what {a} weighs", "{a} comes to {x} kilos",
    ),
    heldout=("{a} has a weight of {x} kilos", "the weight of {a} is {x}"),
)  # fmt: skip
THINGS = Forms(
    train=(
        "{a} has {x} {t}", "{a} owns {x} {t}", "{a} has got {x} {t}", "{x} {t} belong to {a}",
        "{a} has {x} of the {t}", "{a} is the owner of {x} {t}", "{a} has a total of {x} {t}",
        "{a} keeps {x} {t}", "{x} of the {t} are owned by {a}", "{a} has collected {x} {t}",
        "there are {x} {t} that belong to {a}", "the number of {t} that {a} has is {x}",
    ),
    heldout=("{a} now has {x} {t}", "{a} now owns {x} {t}"),
)  # fmt: skip
LAPS = (
    "{a} ran {x} laps", "{x} laps were run by {a}", "{a} completed {x} laps",
    "{a} finished {x} laps", "{a} did {x} laps",
)  # fmt: skip
PAGES = (
    "{a} read {x} pages", "{x} pages were read by {a}", "{a} got through {x} pages",
    "{a} managed to read {x} pages", "{a} finished {x} pages",
)  # fmt: skip
DOLLARS = (
    "{a} earned {x} dollars", "{a} made {x} dollars", "{a} was paid {x} dollars",
    "{x} dollars were earned by {a}", "the pay of {a} was {x} dollars",
)  # fmt: skip
SCORES = (
    Score(POINTS, "has", "the most points", "the fewest points"),
    Score(SCORED, "scored", "the most", "the least"),
    Score(YEARS, "is", "the oldest", "the youngest"),
    Score(KILOS, "is", "the heaviest", "the lightest"),
    Score(THINGS, "has", "the most {t}", "the fewest {t}"),
    Score(THINGS, "has", "the most {t}", "the fewest {t}"),
)
# Those that only training has.
MORE_SCORES = (
    Score(POINTS, "has", "the highest score", "the lowest score"),
    Score(SCORED, "scored", "the most points", "the fewest points"),
    Score(THINGS, "has", "the largest number of {t}", "the smallest number of {t}"),
    Score(Forms(LAPS, ()), "ran", "the most laps", "the fewest laps"),
    Score(Forms(PAGES, ()), "read", "the most pages", "the fewest pages"),
    Score(Forms(DOLLARS, ()), "earned", "the most", "the least"),
)
LAST = Forms(
    train=(
        Asking("Who {verb} {w}?", "{v} {verb} {w}."),
        Asking("Who {verb} {w} of them all?", "{v} {verb} {w}."),
        Asking("Which of them {verb} {w}?", "It is {v}."),
        Asking("Who {verb} {w}? Just the name.", "{v}."),
        Asking("Can you tell me who {verb} {w}?", "{v} {verb} {w}."),
        Asking("Do you know which one {verb} {w}?", "It is {v}."),
        Asking("So of these people, who {verb} {w}?", "{v} {verb} {w}."),
        Asking("Which person {verb} {w}?", "{v} {verb} {w}."),
        Asking("Who is it that {verb} {w}?", "It is {v}."),
        Asking("Of all of them, who {verb} {w}?", "Of all of them, {v} {verb} {w}."),
        Asking("Out of all these people, which one {verb} {w}?", "{v} {verb} {w}."),
        Asking("Who among them {verb} {w}?", "Among them, {v} {verb} {w}."),
        Asking("And who {verb} {w}?", "{v} {verb} {w}."),
        Asking("What is the name of the one who {verb} {w}?", "The name is {v}."),
        Asking("Name the one who {verb} {w}.", "{v} {verb} {w}."),
        Asking("Please name the person who {verb} {w}.", "That is {v}."),
        Asking("Who do you think {verb} {w}?", "I think it is {v}."),
        Asking("Who would you say {verb} {w}?", "I would say it is {v}."),
        Asking("Can you work out who {verb} {w}?", "It is {v} who {verb} {w}."),
        Asking("Could you say which person {verb} {w}?", "It is {v}."),
        Asking("Given all of this, who {verb} {w}?", "{v} {verb} {w}."),
        Asking("Going by this, which of these people {verb} {w}?", "It is {v}."),
        Asking("One of them {verb} {w}. Who is it?", "It is {v}."),
        Asking("The one who {verb} {w} is who?", "The one who {verb} {w} is {v}."),
        Asking("Now say who {verb} {w}.", "{v} {verb} {w}."),
        Asking("I would like to know who {verb} {w}.", "{v} {verb} {w}."),
        Asking("Answer with a name only: who {verb} {w}?", "{v}."),
    ),
    heldout=(
        Asking("So which of them {verb} {w}?", "It is {v}."),
        Asking("Can you tell me which one {verb} {w}?", "It is {v}."),
        Asking("Do you know who {verb} {w} of all?", "{v} {verb} {w}."),
    ),
)
FIRST = Forms(
    train=(
        Asking("Who {verb} {w} here?", "{v} {verb} {w}."),
        Asking("Find out who {verb} {w}.", "{v} {verb} {w}."),
        Asking("I want to know who {verb} {w}.", "{v} {verb} {w}."),
        Asking("Tell me which of these people {verb} {w}.", "It is {v}."),
        Asking("Which of the following people {verb} {w}?", "It is {v}."),
        Asking("Work out which person {verb} {w}.", "It is {v}."),
        Asking("Please find the one who {verb} {w}.", "The one who {verb} {w} is {v}."),
        Asking("Who is the one that {verb} {w}?", "{v} is the one."),
        Asking("Name the person who {verb} {w}.", "{v} {verb} {w}."),
        Asking("I am looking for the person who {verb} {w}.", "It is {v}."),
        Asking("My question is who {verb} {w}.", "{v} {verb} {w}."),
        Asking("Can you see who {verb} {w} here?", "It is {v}."),
        Asking("When you have read this, tell me who {verb} {w}.", "{v} {verb} {w}."),
        Asking("Just give me the name: who {verb} {w}?", "{v}."),
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
    score = rng.choice(SCORES + MORE_SCORES if split == "train" else SCORES)
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
    scale = rng.choice(SCALES + MORE_SCALES if split == "train" else SCALES)
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
        clause = rng.choice(rng.choice(forms)).format(**pair, **scale._asdict())
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
