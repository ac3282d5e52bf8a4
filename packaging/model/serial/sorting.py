"""Makes questions of order: the largest of a list; those of a queue are in `queues.py`."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from typing import Any

from serial.base import Draw, Split
from serial.forms import Forms
from serial.narration import Asking, Narration
from serial.queues import queue, row

INTROS = Forms(
    train=(
        "Here are some {things}:", "Look at these {things}:", "I write down", "The list is",
        "My list:", "The {things} are", "{things}:", "Take the {things}",
        "Someone reads out these {things}:", "Here is my list of {things}:",
        "These are the {things}:", "The following {things} are given:", "You get the {things}",
        "Someone calls out", "Suppose we have the {things}", "I have the {things}", "We are given",
        "I see these {things}:", "A friend sends me the {things}", "On the board you can read",
        "The teacher writes down the {things}", "Here come the {things}", "My {things} are",
        "Let the {things} be", "The {things} on the cards are", "Out of a hat come the {things}",
        "A machine prints", "These {things} were drawn:", "One after the other, we hear",
        "The {things} to compare are", "I was told these {things}:", "The {things} go like this:",
    ),
    heldout=(
        "Look at this list:", "I write down these {things}:", "Here is a list of {things}:",
        "Someone reads out",
    ),
)  # fmt: skip
LIST_LAST = Forms(
    train=(
        Asking("Which is {w}?", "{v} is {w}."), Asking("Of these, what is {w}?", "It is {v}."),
        Asking("Which one is {w}?", "{w} is {v}."), Asking("Which of these is {w}?", "{v}."),
        Asking("Can you tell me which is {w}?", "It is {v}."),
        Asking("So what is {w}?", "{v} is {w}."), Asking("What would {w} be?", "It would be {v}."),
        Asking("Among these, which is {w}?", "Among these, {v} is {w}."),
        Asking("Which of all these is {w}?", "It is {v}."),
        Asking("Out of them all, which one is {w}?", "{v} is {w}."),
        Asking("Name {w}.", "{w} is {v}."), Asking("Please tell me {w}.", "It is {v}."),
        Asking("Can you find {w}?", "{w} is {v}."),
        Asking("Do you know which one is {w}?", "It is {v}."), Asking("And {w} is?", "{w} is {v}."),
        Asking("Now pick out {w}.", "{v} is {w}."),
        Asking("Could you say what {w} is?", "It is {v}."),
        Asking("Do you see which one is {w}?", "{v} is {w}."), Asking("Just give me {w}.", "{v}."),
        Asking("Please answer with {w} and nothing else.", "{v}."),
    ),
    heldout=(
        Asking("Which of them is {w}?", "It is {v}."),
        Asking("So which one is {w}?", "{v} is {w}."),
        Asking("Can you tell me what is {w}?", "It is {v}."),
    ),
)  # fmt: skip
LIST_FIRST = Forms(
    train=(
        Asking("What is {w} here?", "It is {v}."), Asking("Find {w}.", "{w} is {v}."),
        Asking("Tell me which is {w}.", "{v} is {w}."),
        Asking("I am looking for {w}.", "It is {v}."),
        Asking("Which one of the following is {w}?", "{v} is {w}."),
        Asking("Please pick {w}.", "{w} is {v}."),
        Asking("Can you spot {w} in this?", "It is {v}."),
        Asking("I would like to know {w}.", "{w} is {v}."), Asking("Show me {w}.", "It is {v}."),
        Asking("Your task is to name {w}.", "{v} is {w}."),
        Asking("See if you can find {w}.", "It is {v}."),
        Asking("Say which one is {w}.", "{v} is {w}."), Asking("Only tell me {w}, please.", "{v}."),
        Asking("My question: what is {w}?", "It is {v}."),
    ),
    heldout=(
        Asking("Tell me what is {w} here.", "It is {v}."),
        Asking("I want you to find {w}.", "It is {v}."),
    ),
)  # fmt: skip
# What is asked for of a list, the most and the least of it, and the runner-up of either.
MOST = ("the largest number", "the biggest number", "the highest number", "the greatest number")
LEAST = ("the smallest number", "the lowest number")
SECONDS = ("the second largest number", "the second smallest number")
LETTERS = ("the last in the alphabet", "the first in the alphabet")
# Training's own: of the most, and of the least.
MORE = {
    ("numbers", 0): (
        ("the largest value", "the highest value", "the biggest value", "the maximum"),
        ("the smallest value", "the lowest value", "the minimum", "the least number"),
    ),
    ("numbers", 1): (
        ("the second biggest number", "the second highest number", "the second largest value"),
        ("the second smallest value", "the second lowest number", "the second lowest value"),
    ),
    ("letters", 0): (
        ("the letter that comes last in the alphabet", "the letter latest in the alphabet"),
        ("the letter that comes first in the alphabet", "the letter earliest in the alphabet"),
    ),
}
MORE_RATE = 0.5
LIST_FIRST_RATE = 0.5
MOST_RATE = 0.7  # where it is asked last, as the marks then follow the greatest
# Of the lists of numbers where it is asked first; the runner-up is harder.
SECOND_RATES: dict[Split, float] = {"train": 0.5, "heldout": 0.3}
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
        if first and rng.random() < SECOND_RATES[split]:
            rank, w = 1, SECONDS[not most]
    if split == "train" and rng.random() < MORE_RATE:
        w = rng.choice(MORE[things, rank][not most])
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


def sorting(rng: random.Random, steps: int, split: Split) -> Draw:
    """A list of which one is asked for, or a queue that moves."""
    return rng.choice((_list, _list, row, queue))(rng, steps, split)
