"""Makes questions of order: the largest of a list, and who stands where in a queue that moves."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from typing import Any

from serial import words
from serial.base import Draw, Split
from serial.narration import Asking, Frames, Narration, Step, listed

# Counted from the front, and what ``k`` people are.
ORDINALS = ("first", "second", "third", "fourth", "fifth")
NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six"}

# A list of numbers or letters ---------------------------------------------------------------

INTROS = Frames(
    train=(
        "Here are some {things}:", "Look at these {things}:", "I write down", "The list is",
        "My list:", "The {things} are", "{things}:", "Take the {things}",
        "Someone reads out these {things}:", "Here is my list of {things}:",
    ),
    heldout=(
        "Look at this list:", "I write down these {things}:", "Here is a list of {things}:",
        "Someone reads out",
    ),
)  # fmt: skip
LIST_LAST = Frames(
    train=(
        Asking("Which is {w}?", "{v} is {w}."),
        Asking("Of these, what is {w}?", "It is {v}."),
        Asking("Which one is {w}?", "{w} is {v}."),
        Asking("Which of these is {w}?", "{v}."),
        Asking("Can you tell me which is {w}?", "It is {v}."),
        Asking("So what is {w}?", "{v} is {w}."),
    ),
    heldout=(
        Asking("Which of them is {w}?", "It is {v}."),
        Asking("So which one is {w}?", "{v} is {w}."),
        Asking("Can you tell me what is {w}?", "It is {v}."),
    ),
)
LIST_FIRST = Frames(
    train=(
        Asking("What is {w} here?", "It is {v}."),
        Asking("Find {w}.", "{w} is {v}."),
        Asking("Tell me which is {w}.", "{v} is {w}."),
        Asking("I am looking for {w}.", "It is {v}."),
    ),
    heldout=(
        Asking("Tell me what is {w} here.", "It is {v}."),
        Asking("I want you to find {w}.", "It is {v}."),
    ),
)
# What is asked for of a list, the most and the least of it, and the runner-up of either.
MOST = ("the largest number", "the biggest number", "the highest number", "the greatest number")
LEAST = ("the smallest number", "the lowest number")
SECONDS = ("the second largest number", "the second smallest number")
LETTERS = ("the last in the alphabet", "the first in the alphabet")
LIST_FIRST_RATE = 0.5
MOST_RATE = 0.7  # where it is asked last, as the marks then follow the greatest
SECOND_RATE = 0.3  # of the lists of numbers where it is asked first
LETTERS_RATE = 0.25  # of the lists, where the alphabet has enough


def _list(rng: random.Random, steps: int, split: Split) -> Draw:
    """Numbers or letters one by one; the first is no step. Asked last, marks name the greatest."""
    first = rng.random() < LIST_FIRST_RATE
    most = rng.random() < (0.5 if first else MOST_RATE)
    rank = 0
    items: list[str] | list[int]
    if steps < len(string.ascii_uppercase) and rng.random() < LETTERS_RATE:
        items, things, w = (
            rng.sample(string.ascii_uppercase, steps + 1),
            "letters",
            LETTERS[not most],
        )
    else:
        items, things = rng.sample(range(1, 100), steps + 1), "numbers"
        w = rng.choice(MOST if most else LEAST)
        if first and rng.random() < SECOND_RATE:
            rank, w = 1, SECONDS[not most]
    running = _running(items, rank, most or not first)
    value = running[-1] if first else _running(items, rank, most)[-1]
    asking = (LIST_FIRST if first else LIST_LAST).pick(rng, split)
    narration = Narration(rng, split)
    if first:
        narration.say(asking.question.format(w=w))
    narration.items(INTROS.pick(rng, split).format(things=things), items, running)
    if not first:
        narration.say(asking.question.format(w=w))
    choices = [str(item) for item in items] if things == "letters" else ()
    return narration.draw("sorting", asking.reply.format(w=w, v=value), choices, value)


def _running(items: Sequence[Any], rank: int, most: bool) -> list[str]:
    """Return which of the first 2, 3 … items is the greatest, or least, or next to it at 1."""
    best = sorted(items[:1])
    running = []
    for item in items[1:]:
        best = sorted([*best, item], reverse=most)[: rank + 1]
        running.append(str(best[rank]))
    return running


# A queue, followed from one of its places ------------------------------------------------------

ROWS = Frames(
    train=(
        "{row} stand in a line, {front} in front.",
        "From front to back, the queue is {row}.",
        "In a queue stand {row}, in this order.",
        "{row} are in line, with {front} at the front.",
        "There is a line of {k} people: {row}, from front to back.",
    ),
    heldout=(
        "The queue, from front to back: {row}.",
        "In line stand {row}, in this order.",
        "There is a queue of {k} people: {row}, with {front} at the front.",
    ),
)
ROW_SWAPS = Frames(
    train=(
        "{a} and {b} swap places", "{a} swaps with {b}", "{a} and {b} change places",
        "{a} trades places with {b}", "{a} switches with {b}", "{a} and {b} swap",
    ),
    heldout=("{a} swaps places with {b}", "{a} and {b} trade places", "{a} and {b} switch"),
)  # fmt: skip
FRONT = Frames(
    train=(
        Asking("Who is first in line?", "{v} is first in line."),
        Asking("Who is at the front now?", "{v} is at the front."),
        Asking("Who stands first now?", "{v} stands first."),
        Asking("Who is in front at the end? Just the name.", "{v}."),
        Asking("So who is first now?", "{v} is first now."),
    ),
    heldout=(
        Asking("Who is at the front at the end?", "{v} is at the front."),
        Asking("So who stands first in line now?", "{v} stands first."),
    ),
)
PLACE_FIRST = Frames(
    train=(
        Asking("Tell me who is {w} in line at the end.", "{v} is {w}."),
        Asking("Who stands {w} at the end of this?", "{v} stands {w}."),
        Asking("I want to know who ends up {w}.", "{v} ends up {w}."),
    ),
    heldout=(
        Asking("Tell me who stands {w} at the end.", "{v} stands {w}."),
        Asking("I want to know who is {w} in line at the end.", "{v} is {w}."),
    ),
)
PLACE_FIRST_RATE = 0.35


def _row(rng: random.Random, steps: int, split: Split) -> Draw:
    """People in a row who swap places by name: who is first, or in another place if asked first."""
    people = words.names(rng, split, rng.randint(3, 5))
    first = rng.random() < PLACE_FIRST_RATE
    place = rng.randrange(len(people)) if first else 0
    opening = ROWS.pick(rng, split).format(
        row=listed(people), front=people[0], k=NUMBERS[len(people)]
    )
    there = people[place]
    forms = ROW_SWAPS.some(rng, split)
    story = []
    for _ in range(steps):
        a, b = rng.sample(people, 2)
        there = {a: b, b: a}.get(there, there)
        story.append(Step(rng.choice(forms).format(a=a, b=b), there))
    asking = (PLACE_FIRST if first else FRONT).pick(rng, split)
    w = ORDINALS[place]
    narration = Narration(rng, split)
    narration.ask(asking.question.format(w=w), opening, story, first=first)
    return narration.draw("sorting", asking.reply.format(w=w, v=there), people, there)


# A queue, followed with one of its people -------------------------------------------------------

QUEUES = Frames(
    train=(
        "There are {k} people in a queue, and {p} is number {i}.",
        "{p} is number {i} in a line of {k}.",
        "In a queue of {k} people, {p} is in place {i}.",
        "{k} people stand in line. {p} has place {i}.",
    ),
    heldout=(
        "There are {k} people in line, and {p} is in place {i}.",
        "{p} has place {i} in a queue of {k}.",
        "{k} people stand in a queue. {p} is number {i}.",
    ),
)
# The front goes to the back, the back to the front, the first two swap, the last two swap.
QUEUE_MOVES = Frames(
    train=(
        ("the first one goes to the back", "the last one comes to the front",
         "the first two swap", "the last two swap"),
        ("the one in front goes to the end", "the one at the end goes to the front",
         "the two in front swap places", "the two at the end swap places"),
        ("the first person moves to the end", "the last person moves to the front",
         "the first two people change places", "the last two people change places"),
        ("the one at the front walks to the back", "the one at the back walks to the front",
         "the first two trade places", "the last two trade places"),
    ),
    heldout=(
        ("the first one walks to the end", "the last one walks to the front",
         "the first two swap places", "the last two swap places"),
        ("the first person goes to the back", "the last person comes to the front",
         "the first two change places", "the last two change places"),
    ),
)  # fmt: skip
QUEUE_LAST = Frames(
    train=(
        Asking("Which place is {p} in?", "{p} is in place {v}."),
        Asking("Where is {p} now?", "{p} is in place {v} now."),
        Asking("What number is {p} now?", "{p} is number {v}."),
        Asking("Which place does {p} have in the end? Just the number.", "{v}."),
        Asking("Where in the line does {p} end up?", "{p} ends up in place {v}."),
    ),
    heldout=(
        Asking("Which place is {p} in at the end?", "{p} is in place {v}."),
        Asking("So what number is {p} now?", "{p} is number {v}."),
        Asking("Where does {p} end up?", "{p} ends up in place {v}."),
    ),
)


def _moved(place: int, move: int, count: int) -> int:
    """Return the place, from 1, of who stood in ``place`` of a queue of ``count`` before."""
    match move:
        case 0:
            return (place - 2) % count + 1
        case 1:
            return place % count + 1
        case 2:
            return {1: 2, 2: 1}.get(place, place)
        case _:
            return {count: count - 1, count - 1: count}.get(place, place)


def _queue(rng: random.Random, steps: int, split: Split) -> Draw:
    """A person in a queue of four to six, the ends of which move: which place is it in?"""
    person, count = words.name(rng, split), rng.randint(4, 6)
    place = rng.randint(1, count)
    opening = QUEUES.pick(rng, split).format(p=person, i=place, k=NUMBERS[count])
    forms = QUEUE_MOVES.pick(rng, split)
    story = []
    for _ in range(steps):
        move = rng.randrange(4)
        place = _moved(place, move, count)
        story.append(Step(forms[move], str(place)))
    asking = QUEUE_LAST.pick(rng, split)
    narration = Narration(rng, split)
    narration.ask(asking.question.format(p=person), opening, story, first=False)
    return narration.draw("sorting", asking.reply.format(p=person, v=place), (), str(place))


def sorting(rng: random.Random, steps: int, split: Split) -> Draw:
    """A list of which one is asked for, or a queue that moves."""
    return rng.choice((_list, _list, _row, _queue))(rng, steps, split)
