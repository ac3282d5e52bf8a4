"""Makes questions of a weekday, a month or an hour that moves forward and back."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial.base import Draw, Split
from serial.forms import Forms
from serial.narration import Asking, Narration, Step, counted

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
    openings: Forms[str]
    last: Forms[Asking]
    first: Forms[Asking]


# A clause forward and one back, and what is left of each after another in the same sentence.
Moves = tuple[str, str, str, str]
MOVES: Forms[Moves] = Forms(
    train=(
        ("go forward {d}", "go back {d}", "forward {d}", "back {d}"),
        ("go {d} forward", "go {d} back", "{d} forward", "{d} back"),
        ("count {d} forward", "count {d} back", "{d} forward", "{d} back"),
        ("add {d}", "take away {d}", "", ""),
        ("{d} later", "{d} earlier", "", ""),
        ("move {d} ahead", "move {d} back", "{d} ahead", "{d} back"),
        ("jump ahead {d}", "jump back {d}", "ahead {d}", "back {d}"),
        ("{d} after that", "{d} before that", "", ""),
        ("{d} forward", "{d} back", "", ""),
        ("forward {d}", "back {d}", "", ""),
        ("plus {d}", "minus {d}", "", ""),
        ("add on {d}", "subtract {d}", "", ""),
        ("skip ahead {d}", "skip back {d}", "ahead {d}", "back {d}"),
        ("step forward by {d}", "step backward by {d}", "forward by {d}", "backward by {d}"),
        ("shift forward by {d}", "shift back by {d}", "forward by {d}", "back by {d}"),
        ("hop {d} forward", "hop {d} backward", "{d} forward", "{d} backward"),
        ("advance {d}", "go backwards {d}", "", ""),
        ("fast-forward {d}", "rewind {d}", "", ""),
        ("advance by {d}", "rewind by {d}", "", ""),
        ("wait {d}", "go back in time {d}", "", ""),
        ("let {d} pass", "turn time back {d}", "", ""),
        ("travel {d} into the future", "travel {d} into the past", "", ""),
        ("we travel forward {d}", "we travel back {d}", "forward {d}", "back {d}"),
        ("we move on by {d}", "we move back by {d}", "on by {d}", "back by {d}"),
        ("I move on {d}", "I move back {d}", "on {d}", "back {d}"),
        ("you go {d} further", "you go {d} back", "{d} further", "{d} back"),
        ("look {d} ahead", "look {d} back", "{d} ahead", "{d} back"),
        ("from there go on {d}", "from there go back {d}", "on {d}", "back {d}"),
        ("make it {d} later", "make it {d} earlier", "{d} later", "{d} earlier"),
        ("it is now {d} later", "it is now {d} earlier", "", ""),
        ("someone adds {d}", "someone takes off {d}", "", ""),
        ("roll on {d}", "roll back {d}", "on {d}", "back {d}"),
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
    Forms(
        train=(
            "Today is {x}.", "It is {x}.", "We start on a {x}.", "Suppose today is {x}.",
            "Begin on {x}.", "The story starts on {x}.", "It is a {x} today.", "Say it is {x} now.",
            "Our first day is a {x}.", "{x} is where we start.", "Imagine that today is a {x}.",
            "Let today be {x}.", "I start counting on a {x}.", "The calendar shows {x}.",
            "Take a {x}.", "Let us say today is {x}.", "We are on a {x}.",
            "The day we start from is {x}.", "Right now it is {x}.", "My calendar is open at {x}.",
        ),
        heldout=("Suppose it is {x}.", "We begin on a {x}.", "Start on {x}."),
    ),
    Forms(
        train=(
            Asking("What day is it?", "It is {v}."),
            Asking("What day is it then?", "It is {v} then."),
            Asking("Which day of the week is that?", "That is a {v}."),
            Asking("Which day do we end on?", "We end on {v}."),
            Asking("So what day do I get to? Just the day.", "{v}."),
            Asking("What weekday do you end up with?", "I end up with {v}."),
            Asking("What day do we arrive at?", "We arrive at {v}."),
            Asking("Which weekday is it by then?", "By then it is {v}."),
            Asking("What day is it now?", "Now it is {v}."),
            Asking("Where in the week are we now?", "We are on {v} now."),
            Asking("On which day does this finish?", "It finishes on a {v}."),
            Asking("On which weekday have we landed?", "We have landed on {v}."),
            Asking("What is the final day?", "The final day is {v}."),
            Asking("Name the weekday.", "It is a {v}."),
            Asking("Do you know which day that makes?", "That makes {v}."),
            Asking("Please tell me the day.", "The day is {v}."),
            Asking("What does the calendar show?", "It shows {v}."),
            Asking("Can you tell me what day I am on now?", "You are on {v} now."),
            Asking("Just name the day that comes out.", "{v}."),
        ),
        heldout=(
            Asking("So what day is it at the end?", "It is {v}."),
            Asking("Which day of the week do we end on?", "We end on {v}."),
            Asking("What weekday is that?", "That is a {v}."),
        ),
    ),
    Forms(
        train=(
            Asking("What day is it at the end of this?", "It is {v}."),
            Asking("Tell me which weekday we end on.", "We end on {v}."),
            Asking("Which day comes out here?", "{v} comes out."),
            Asking("I want to know the day that this leads to.", "It leads to {v}."),
            Asking("Where in the week does this take us?", "It takes us to {v}."),
            Asking("Can you find the final weekday?", "The final weekday is {v}."),
        ),
        heldout=(Asking("Tell me what day it is at the end.", "It is {v}."),),
    ),
)  # fmt: skip
YEAR = Calendar(
    MONTHS, "month", 6,
    Forms(
        train=(
            "It is {x}.", "This month is {x}.", "We start in {x}.", "Suppose it is {x} now.",
            "Begin in {x}.", "We are in {x}.", "Say it is {x} now.", "{x} is where we start.",
            "Our first month is {x}.", "Imagine that this is {x}.", "The calendar shows {x}.",
            "Let this month be {x}.", "I start counting in {x}.", "Take the month of {x}.",
            "My calendar is open at {x}.", "Right now it is {x}.",
        ),
        heldout=("Suppose this month is {x}.", "Start in {x}.", "We begin in {x}."),
    ),
    Forms(
        train=(
            Asking("What month is it?", "It is {v}."),
            Asking("Which month is it then?", "It is {v} then."),
            Asking("Which month do we end in?", "We end in {v}."),
            Asking("So what month do I get to? Just the month.", "{v}."),
            Asking("What month do you end up with?", "I end up with {v}."),
            Asking("What month do we arrive at?", "We arrive at {v}."),
            Asking("Which month is it by then?", "By then it is {v}."),
            Asking("What month is it now?", "Now it is {v}."),
            Asking("Where in the year are we now?", "We are in {v} now."),
            Asking("In which month does this finish?", "It finishes in {v}."),
            Asking("In which month have we landed?", "We have landed in {v}."),
            Asking("What is the final month?", "The final month is {v}."),
            Asking("Name the month.", "It is the month of {v}."),
            Asking("Do you know which month that makes?", "That makes {v}."),
            Asking("Please tell me the month.", "The month is {v}."),
            Asking("Just name the month that comes out.", "{v}."),
        ),
        heldout=(
            Asking("So what month is it at the end?", "It is {v}."),
            Asking("Which month do you end up in?", "I end up in {v}."),
        ),
    ),
    Forms(
        train=(
            Asking("What month is it at the end of this?", "It is {v}."),
            Asking("Tell me which month we end in.", "We end in {v}."),
            Asking("Which month comes out here?", "{v} comes out."),
            Asking("I want to know the month that this leads to.", "It leads to {v}."),
            Asking("Where in the year does this take us?", "It takes us to {v}."),
            Asking("Can you find the final month?", "The final month is {v}."),
        ),
        heldout=(Asking("Tell me what month it is at the end.", "It is {v}."),),
    ),
)  # fmt: skip
CLOCK = Calendar(
    HOURS, "hour", 9,
    Forms(
        train=(
            "The clock says {x}.", "It is {x} o'clock.", "The clock shows {x} o'clock.",
            "Set a clock to {x}.", "We start at {x} o'clock.", "It is {x} now.",
            "Say it is {x} o'clock.", "The hand of the clock is at {x}.", "My watch says {x}.",
            "Begin at {x} o'clock.", "Right now it is {x} o'clock.", "Imagine it is {x} o'clock.",
            "A clock points to {x}.", "{x} o'clock is where we start.", "The time is {x} o'clock.",
            "There is a clock with its hand at {x}.",
        ),
        heldout=("The clock says {x} o'clock.", "Set the clock to {x} o'clock.", "Start at {x}."),
    ),
    Forms(
        train=(
            Asking("What time is it?", "It is {v} o'clock."),
            Asking("What time is it then?", "It is {v} o'clock then."),
            Asking("What hour does the clock show?", "It shows {v}."),
            Asking("Where is the hand of the clock now?", "It is at {v}."),
            Asking("What does the clock say at the end?", "It says {v} o'clock."),
            Asking("What time is it now?", "Now it is {v} o'clock."),
            Asking("What time is it by then?", "By then it is {v} o'clock."),
            Asking("At what time do we arrive?", "We arrive at {v} o'clock."),
            Asking("Which hour is it?", "It is {v} o'clock now."),
            Asking("What is the final time?", "The final time is {v} o'clock."),
            Asking("Which number does the hand point to now?", "It points to {v}."),
            Asking("What do I see on the clock?", "You see {v} o'clock."),
            Asking("Please tell me the time.", "The time is {v} o'clock."),
            Asking("Do you know what time that makes?", "That makes {v} o'clock."),
            Asking("So how late is it? Just the hour.", "{v}."),
            Asking("Can you read the clock for me now?", "The clock reads {v} o'clock."),
        ),
        heldout=(
            Asking("So what time is it at the end?", "It is {v} o'clock."),
            Asking("What hour does the clock show now?", "It shows {v}."),
        ),
    ),
    Forms(
        train=(
            Asking("What time is it at the end of this?", "It is {v} o'clock."),
            Asking("Tell me what the clock says in the end.", "It says {v} o'clock."),
            Asking("Which hour comes out here?", "{v} o'clock comes out."),
            Asking("I want to know the time that this leads to.", "It leads to {v} o'clock."),
            Asking("Where does the hand of the clock stop?", "It stops at {v}."),
            Asking("Can you find the final hour?", "The final hour is {v}."),
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
