"""Makes questions of a weekday, a month or an hour that moves forward and back."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial.base import Draw, Split
from serial.narration import Asking, Frames, Narration, Step, counted

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
HOURS = tuple(str(hour) for hour in range(1, 13))
COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class Calendar(NamedTuple):
    """What moves: its values in order, what a move is counted in, and how one asks for it."""

    values: tuple[str, ...]
    unit: str
    farthest: int
    openings: Frames[str]
    last: Frames[Asking]
    first: Frames[Asking]


# A clause forward and one back, and what is left of each after another in the same sentence.
Moves = tuple[str, str, str, str]
MOVES: Frames[Moves] = Frames(
    train=(
        ("go forward {d}", "go back {d}", "forward {d}", "back {d}"),
        ("go {d} forward", "go {d} back", "{d} forward", "{d} back"),
        ("count {d} forward", "count {d} back", "{d} forward", "{d} back"),
        ("add {d}", "take away {d}", "", ""),
        ("{d} later", "{d} earlier", "", ""),
        ("move {d} ahead", "move {d} back", "{d} ahead", "{d} back"),
        ("jump ahead {d}", "jump back {d}", "ahead {d}", "back {d}"),
        ("{d} after that", "{d} before that", "", ""),
    ),
    heldout=(
        ("go ahead {d}", "go back {d}", "ahead {d}", "back {d}"),
        ("count forward {d}", "count back {d}", "forward {d}", "back {d}"),
        ("move {d} forward", "move {d} back", "{d} forward", "{d} back"),
        ("jump {d} forward", "jump {d} back", "{d} forward", "{d} back"),
    ),
)

DAYS = Calendar(
    WEEKDAYS, "day", 6,
    Frames(
        train=(
            "Today is {x}.", "It is {x}.", "We start on a {x}.", "Suppose today is {x}.",
            "Begin on {x}.", "The story starts on {x}.",
        ),
        heldout=("Suppose it is {x}.", "We begin on a {x}.", "Start on {x}."),
    ),
    Frames(
        train=(
            Asking("What day is it?", "It is {v}."),
            Asking("What day is it then?", "It is {v} then."),
            Asking("Which day of the week is that?", "That is a {v}."),
            Asking("Which day do we end on?", "We end on {v}."),
            Asking("So what day do I get to? Just the day.", "{v}."),
            Asking("What weekday do you end up with?", "I end up with {v}."),
        ),
        heldout=(
            Asking("So what day is it at the end?", "It is {v}."),
            Asking("Which day of the week do we end on?", "We end on {v}."),
            Asking("What weekday is that?", "That is a {v}."),
        ),
    ),
    Frames(
        train=(
            Asking("What day is it at the end of this?", "It is {v}."),
            Asking("Tell me which weekday we end on.", "We end on {v}."),
        ),
        heldout=(Asking("Tell me what day it is at the end.", "It is {v}."),),
    ),
)  # fmt: skip
YEAR = Calendar(
    MONTHS, "month", 6,
    Frames(
        train=(
            "It is {x}.", "This month is {x}.", "We start in {x}.", "Suppose it is {x} now.",
            "Begin in {x}.",
        ),
        heldout=("Suppose this month is {x}.", "Start in {x}.", "We begin in {x}."),
    ),
    Frames(
        train=(
            Asking("What month is it?", "It is {v}."),
            Asking("Which month is it then?", "It is {v} then."),
            Asking("Which month do we end in?", "We end in {v}."),
            Asking("So what month do I get to? Just the month.", "{v}."),
            Asking("What month do you end up with?", "I end up with {v}."),
        ),
        heldout=(
            Asking("So what month is it at the end?", "It is {v}."),
            Asking("Which month do you end up in?", "I end up in {v}."),
        ),
    ),
    Frames(
        train=(
            Asking("What month is it at the end of this?", "It is {v}."),
            Asking("Tell me which month we end in.", "We end in {v}."),
        ),
        heldout=(Asking("Tell me what month it is at the end.", "It is {v}."),),
    ),
)  # fmt: skip
CLOCK = Calendar(
    HOURS, "hour", 9,
    Frames(
        train=(
            "The clock says {x}.", "It is {x} o'clock.", "The clock shows {x} o'clock.",
            "Set a clock to {x}.", "We start at {x} o'clock.",
        ),
        heldout=("The clock says {x} o'clock.", "Set the clock to {x} o'clock.", "Start at {x}."),
    ),
    Frames(
        train=(
            Asking("What time is it?", "It is {v} o'clock."),
            Asking("What time is it then?", "It is {v} o'clock then."),
            Asking("What hour does the clock show?", "It shows {v}."),
            Asking("Where is the hand of the clock now?", "It is at {v}."),
            Asking("What does the clock say at the end?", "It says {v} o'clock."),
        ),
        heldout=(
            Asking("So what time is it at the end?", "It is {v} o'clock."),
            Asking("What hour does the clock show now?", "It shows {v}."),
        ),
    ),
    Frames(
        train=(
            Asking("What time is it at the end of this?", "It is {v} o'clock."),
            Asking("Tell me what the clock says in the end.", "It says {v} o'clock."),
        ),
        heldout=(Asking("Tell me what time it is at the end.", "It is {v} o'clock."),),
    ),
)  # fmt: skip
CALENDARS = (DAYS, DAYS, YEAR, CLOCK)
FIRST_RATE = 0.2


def _distance(rng: random.Random, calendar: Calendar, in_words: bool) -> tuple[int, str]:
    count = rng.randint(1, calendar.farthest)
    if in_words:
        return count, counted(count, calendar.unit).replace(str(count), COUNT_WORDS[count])
    return count, counted(count, calendar.unit)


def calendar(rng: random.Random, steps: int, split: Split) -> Draw:
    """A day, month or hour and so many moves of it."""
    kind = rng.choice(CALENDARS)
    moves, in_words = MOVES.pick(rng, split), rng.random() < 0.5
    now = rng.randrange(len(kind.values))
    opening = kind.openings.pick(rng, split).format(x=kind.values[now])
    story = []
    for _ in range(steps):
        count, distance = _distance(rng, kind, in_words)
        back = rng.random() < 0.5
        now = (now + (-count if back else count)) % len(kind.values)
        clause, short = moves[back].format(d=distance), moves[back + 2].format(d=distance)
        story.append(Step(clause, kind.values[now], short))
    first = rng.random() < FIRST_RATE
    asking = (kind.first if first else kind.last).pick(rng, split)
    told = Narration(rng, split)
    told.ask(asking.question, opening, story, first=first)
    value = kind.values[now]
    choices = () if kind is CLOCK else kind.values
    return told.draw("calendar", asking.reply.format(v=value), choices, value)
