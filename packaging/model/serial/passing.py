"""Makes questions of who has a thing in the end, as things go from hand to hand."""

from __future__ import annotations

import random

from serial import words
from serial.base import Draw, Split, capital
from serial.narration import Asking, Frames, Narration, Step, listed

MOST_PEOPLE = 8
SWAP_RATE = 0.35

HOLDS = Frames(
    train=(
        "{a} has the {t}",
        "{a} has the {t}",
        "{a} is holding the {t} at first",
        "the {t} is with {a}",
        "at first {a} has the {t}",
        "{a} starts with the {t}",
        "{a} holds the {t}",
    ),
    heldout=(
        "at first {a} is holding the {t}",
        "the {t} starts with {a}",
        "{a} has the {t} at the start",
        "at first the {t} is with {a}",
    ),
)
# The same where one sentence says it of all the things.
LISTED = Frames(
    train=("{a} has the {t}", "the {t} is with {a}", "{a} holds the {t}"),
    heldout=("the {t} starts with {a}", "{a} is holding the {t}"),
)
# What one gives to the other, the giver ``a`` and the thing ``t`` both named.
GIVES = Frames(
    train=(
        "{a} gives the {t} to {b}",
        "{a} gives the {t} to {b}",
        "{a} gives {b} the {t}",
        "{a} passes the {t} to {b}",
        "{a} hands the {t} to {b}",
        "{a} throws the {t} to {b}",
        "{a} sends {b} the {t}",
        "{b} gets the {t} from {a}",
        "{b} takes over the {t} from {a}",
        "{a} brings {b} the {t}",
        "{a} tosses the {t} to {b}",
        "{a} lends the {t} to {b}",
        "the {t} goes from {a} to {b}",
        "the {t} is handed to {b}",
    ),
    heldout=(
        "{a} passes {b} the {t}",
        "{a} hands {b} the {t}",
        "{a} sends the {t} to {b}",
        "{b} takes the {t} from {a}",
        "the {t} is passed to {b}",
    ),
)
# Three people who hold one thing each, and change what they hold.
SWAPS = Frames(
    train=(
        "{a} and {b} swap",
        "{a} swaps with {b}",
        "{a} and {b} swap things",
        "{a} and {b} trade",
        "{a} trades things with {b}",
        "{a} exchanges things with {b}",
    ),
    heldout=(
        "{a} swaps things with {b}",
        "{a} and {b} trade things",
        "{a} trades with {b}",
        "{a} and {b} exchange things",
    ),
)
LAST = Frames(
    train=(
        Asking("Who has the {t}?", "{v} has the {t}."),
        Asking("Who has the {t} now?", "{v} has the {t} now."),
        Asking("Who is holding the {t} at the end?", "{v} is holding the {t}."),
        Asking("Who ends up with the {t}?", "{v} ends up with the {t}."),
        Asking("Who has the {t}? Just the name, please.", "{v}."),
        Asking("Where is the {t} now?", "{v} has it."),
        Asking("With whom is the {t} in the end?", "The {t} is with {v}."),
        Asking("Do you know who has the {t}?", "{v} has it."),
        Asking("I need the {t}. Who should I ask?", "Ask {v}."),
        Asking("So who got the {t} in the end?", "{v} got the {t}."),
    ),
    heldout=(
        Asking("Who has the {t} at the end?", "{v} has the {t}."),
        Asking("So who ends up with the {t}?", "{v} ends up with the {t}."),
        Asking("Do you know who is holding the {t} now?", "{v} is holding the {t}."),
        Asking("In the end, who has the {t}?", "{v} has the {t}."),
    ),
)
FIRST = Frames(
    train=(
        Asking("Tell me who ends up with the {t}.", "{v} ends up with the {t}."),
        Asking("Who has the {t} at the end of this?", "{v} has the {t}."),
        Asking("I want to know who has the {t} in the end.", "{v} has the {t}."),
        Asking("Where does the {t} go?", "{v} has it in the end."),
    ),
    heldout=(
        Asking("Tell me who has the {t} in the end.", "{v} has the {t}."),
        Asking("I want to know who ends up with the {t}.", "{v} ends up with the {t}."),
    ),
)
FIRST_RATE = 0.3

Holders = dict[str, str]  # thing: person


def _opening(rng: random.Random, split: Split, holders: Holders) -> str:
    if rng.random() < 0.5:
        form = LISTED.pick(rng, split)
        return listed([form.format(a=a, t=t) for t, a in holders.items()]) + "."
    held = [HOLDS.pick(rng, split).format(a=a, t=t) for t, a in holders.items()]
    return " ".join(f"{capital(clause)}." for clause in held)


def passing(rng: random.Random, steps: int, split: Split) -> Draw:
    """Two or three things that are given away, or swapped among three."""
    swapped = rng.random() < SWAP_RATE
    count = 3 if swapped else rng.choice((2, 2, 3))
    people = words.names(rng, split, 3 if swapped else rng.randint(3, MOST_PEOPLE))
    holders = dict(zip(words.things(rng, split, count), people, strict=False))
    asked = rng.choice(list(holders))
    first = rng.random() < FIRST_RATE
    opening = _opening(rng, split, holders)
    forms = (SWAPS if swapped else GIVES).some(rng, split)
    story = []
    for _ in range(steps):
        early = None
        if swapped:
            a, b = rng.sample(people, 2)
            holders = {t: {a: b, b: a}.get(p, p) for t, p in holders.items()}
            clause = rng.choice(forms).format(a=a, b=b)
            value, other = (next(t for t, p in holders.items() if p == one) for one in (a, b))
            early = clause.rindex(b) + len(b), holders[asked] if first else other
        else:
            thing = rng.choice(list(holders))
            a = holders[thing]
            b = rng.choice([person for person in people if person != a])
            holders[thing] = b
            clause = rng.choice(forms).format(a=a, b=b, t=thing)
            value = b
        story.append(Step(clause, holders[asked] if first else value, early=early))
    asking = (FIRST if first else LAST).pick(rng, split)
    told = Narration(rng, split)
    told.ask(asking.question.format(t=asked), opening, story, first=first)
    value = holders[asked]
    return told.draw("passing", asking.reply.format(t=asked, v=value), people, value)
