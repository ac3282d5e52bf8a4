"""Makes questions of where a thing is, under one of a few cups that change places."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial import words
from serial.base import Draw, Split
from serial.forms import Forms
from serial.narration import Asking, Narration, Step


class Hiding(NamedTuple):
    """What hides the thing: ``c`` one of them, ``cs`` many, ``at`` where the thing then is."""

    c: str
    cs: str
    at: str


CUPS = Hiding("cup", "cups", "under")
HIDINGS = (
    CUPS, CUPS, Hiding("bowl", "bowls", "under"), Hiding("box", "boxes", "in"),
    Hiding("pot", "pots", "under"), Hiding("hat", "hats", "under"), Hiding("jar", "jars", "in"),
    Hiding("bucket", "buckets", "under"), Hiding("basket", "baskets", "in"),
    Hiding("shell", "shells", "under"), Hiding("bag", "bags", "in"), Hiding("mug", "mugs", "under"),
)  # fmt: skip
NUMBERS = {3: "three", 4: "four", 5: "five"}

OPENINGS = Forms(
    train=(
        "The {t} is {at} {c} {i}.",
        "The {t} is {at} {c} {i}.",
        "There are {k} {cs} in a row. The {t} is {at} {c} {i}.",
        "{k} {cs} stand in a row, and the {t} is {at} number {i}.",
        "I put the {t} {at} {c} {i} of {k}.",
        "I hide the {t} {at} {c} {i}.",
        "You see {k} {cs}, numbered from left to right. The {t} starts {at} number {i}.",
        "{p} has {k} {cs} and hides the {t} {at} {c} {i}.",
        "We play a game with {k} {cs}. First the {t} goes {at} {c} {i}.",
        "{at} {c} {i} there is the {t}.",
        "{at} {c} {i} of {k} is the {t}.",
        "{p} hides the {t} {at} {c} {i}.",
        "{p} puts the {t} {at} {c} {i}, one of {k} {cs} in a row.",
        "look at these {k} {cs}: {at} {c} {i} lies the {t}.",
        "in front of you are {k} {cs}, and {c} {i} hides the {t}.",
        "{c} {i} hides the {t}.",
        "the {t} lies {at} {c} {i}.",
        "at the start the {t} is {at} {c} {i}.",
        "the {t} is hidden {at} number {i} of {k} {cs}.",
        "{k} {cs} are lined up, and {p} has put the {t} {at} {c} {i}.",
        "on the table are {k} {cs}. You will find the {t} {at} {c} {i}.",
        "take {k} {cs} and put the {t} {at} {c} {i}.",
        "imagine {k} {cs} side by side with the {t} {at} {c} {i}.",
        "of these {k} {cs}, {c} {i} is the one with the {t}.",
        "{k} {cs} and a game: to begin with, the {t} is {at} {c} {i}.",
        "I have {k} {cs}. I place the {t} {at} {c} {i}.",
        "the {t} begins {at} {c} {i}.",
    ),
    heldout=(
        "There are {k} {cs}, and the {t} is {at} {c} {i}.",
        "I hide the {t} {at} number {i} of {k} {cs}.",
        "{k} {cs} stand in a row. The {t} starts {at} {c} {i}.",
        "{p} has {k} {cs} in a row and puts the {t} {at} number {i}.",
    ),
)
# A clause, and what is left of it after another one in the same sentence.
SWAPS = Forms(
    train=(
        ("swap {i} and {j}", "{i} and {j}"),
        ("swap {i} and {j}", "{i} and {j}"),
        ("swap {cs} {i} and {j}", "{i} and {j}"),
        ("{cs} {i} and {j} change places", "{i} and {j}"),
        ("{i} and {j} are swapped", "{i} and {j}"),
        ("I swap {i} with {j}", "{i} with {j}"),
        ("switch {i} and {j}", "{i} and {j}"),
        ("{i} and {j} trade places", "{i} and {j}"),
        ("{i} changes places with {j}", "{i} with {j}"),
        ("{c} {i} and {c} {j} swap places", "{i} and {j}"),
        ("exchange {i} and {j}", "{i} and {j}"),
        ("I exchange {c} {i} with {c} {j}", "{i} with {j}"),
        ("{cs} {i} and {j} are switched", "{i} and {j}"),
        ("{i} swaps with {j}", "{i} with {j}"),
        ("{i} and {j} swap", "{i} and {j}"),
        ("{i} and {j} switch", "{i} and {j}"),
        ("{i} and {j} exchange places", "{i} and {j}"),
        ("numbers {i} and {j} swap places", "{i} and {j}"),
        ("number {i} changes places with number {j}", "{i} with {j}"),
        ("{c} {i} trades places with {c} {j}", "{i} with {j}"),
        ("{c} {i} is swapped with {c} {j}", "{i} with {j}"),
        ("{i} is exchanged for {j}", "{i} for {j}"),
        ("{i} is switched with {j}", "{i} with {j}"),
        ("{cs} {i} and {j} trade spots", "{i} and {j}"),
        ("{c} {i} takes the place of {c} {j} and vice versa", ""),
        ("move {c} {i} to where {c} {j} is and vice versa", ""),
        ("trade {i} for {j}", "{i} for {j}"),
        ("interchange {i} and {j}", "{i} and {j}"),
        ("switch {cs} {i} and {j} around", "{i} and {j}"),
        ("let {cs} {i} and {j} switch places", "{i} and {j}"),
        ("make {i} and {j} trade places", "{i} and {j}"),
        ("you swap {c} {i} and {c} {j}", "{i} and {j}"),
        ("we swap {c} {i} for {c} {j}", "{i} for {j}"),
        ("someone swaps {i} and {j}", "{i} and {j}"),
        ("I trade {i} and {j}", "{i} and {j}"),
        ("the places of {i} and {j} are swapped", "those of {i} and {j}"),
        ("there is a swap of {i} and {j}", "of {i} and {j}"),
        ("a swap of {cs} {i} and {j} follows", ""),
        ("{i} goes to the place of {j} and the other way round", ""),
    ),
    heldout=(
        ("swap {i} with {j}", "{i} with {j}"),
        ("{i} and {j} change places", "{i} and {j}"),
        ("{cs} {i} and {j} are swapped", "{i} and {j}"),
        ("I switch {i} and {j}", "{i} and {j}"),
        ("{i} trades places with {j}", "{i} with {j}"),
    ),
)
LAST = Forms(
    train=(
        Asking("Where is the {t}?", "{at} {c} {v}."),
        Asking("Where is the {t} now?", "The {t} is {at} {c} {v}."),
        Asking("Which {c} is the {t} {at} now?", "It is {at} {c} {v}."),
        Asking("Where is the {t} in the end? Just the number.", "{v}."),
        Asking("What number is the {t} {at}?", "Number {v}."),
        Asking("Which {c} should I lift to find the {t}?", "Lift {c} {v}."),
        Asking("Where do I find the {t} now?", "You find it {at} {c} {v}."),
        Asking("Do you know where the {t} ended up?", "It ended up {at} {c} {v}."),
        Asking("Which {c} hides the {t} now?", "{c} {v} hides the {t}."),
        Asking("Which of the {cs} has the {t}?", "{c} {v} has it."),
        Asking("{at} which {c} is the {t}?", "The {t} is {at} number {v}."),
        Asking("{at} which {c} do I have to look for the {t}?", "Look {at} {c} {v}."),
        Asking("The {t} is now {at} which {c}?", "Now it is {at} {c} {v}."),
        Asking("What has become of the {t}?", "The {t} is now {at} {c} {v}."),
        Asking("Can you point to the {c} with the {t}?", "Yes, the {t} is {at} {c} {v}."),
        Asking("Please find the {t} for me.", "I found it {at} {c} {v}."),
        Asking("Where did the {t} go?", "It went to {c} {v}."),
        Asking("So where is the {t} hidden?", "It is hidden {at} {c} {v}."),
        Asking("Where must I look to see the {t}?", "You must look {at} {c} {v}."),
        Asking("Name the {c} of the {t}.", "{c} {v}."),
        Asking("Give me the number of the {c} that hides the {t}.", "The number is {v}."),
        Asking("Which {c} would you pick to get the {t}?", "I would pick {c} {v}."),
        Asking("Did you see where the {t} is?", "Yes, it is {at} {c} {v}."),
        Asking("Which number is right for the {t}? Only the number.", "{v}."),
    ),
    heldout=(
        Asking("Where is the {t} at the end?", "The {t} is {at} {c} {v}."),
        Asking("So which {c} is the {t} {at}?", "It is {at} {c} {v}."),
        Asking("Do you know which {c} the {t} is {at} now?", "It is {at} {c} {v}."),
        Asking("What number is the {t} {at} now?", "Number {v}."),
    ),
)
FIRST = Forms(
    train=(
        Asking("Tell me where the {t} ends up.", "It ends up {at} {c} {v}."),
        Asking("Keep an eye on the {t} and tell me where it is at the end.", "{at} {c} {v}."),
        Asking("Which {c} is the {t} {at} at the end of this?", "It is {at} {c} {v}."),
        Asking("Follow the {t} and say which {c} hides it.", "{c} {v} hides it."),
        Asking("Watch the {t} closely. Where will I find it?", "You will find it {at} {c} {v}."),
        Asking("Where will the {t} be after all the swaps?", "It will be {at} {c} {v}."),
        Asking("Find the {t} for me.", "The {t} is {at} {c} {v}."),
        Asking("I want the number of the {c} with the {t}.", "The number is {v}."),
        Asking("In this game, where does the {t} land?", "It lands {at} {c} {v}."),
    ),
    heldout=(
        Asking("Tell me which {c} the {t} is {at} at the end.", "It is {at} {c} {v}."),
        Asking("Keep an eye on the {t}: where does it end up?", "It ends up {at} {c} {v}."),
    ),
)
FIRST_RATE = 0.15


def cups(rng: random.Random, steps: int, split: Split) -> Draw:
    """A thing under one of three to five numbered cups, two of which change places a step."""
    hiding = rng.choice(HIDINGS)
    thing = next(t for t in words.things(rng, split, 2) if t != hiding.c)
    count = rng.choice((3, 4, 5, 5, 5))
    place = rng.randint(1, count)
    fields = hiding._asdict() | {"t": thing, "k": NUMBERS[count]}
    opening = OPENINGS.pick(rng, split).format(i=place, p=words.name(rng, split), **fields)
    forms = SWAPS.some(rng, split, 2)
    numbers = range(1, count + 1)
    story = []
    for _ in range(steps):
        i, j = rng.sample(numbers, 2)
        place = {i: j, j: i}.get(place, place)
        clause, short = rng.choice(forms)
        short = short.format(i=i, j=j) if len(forms) == 1 else ""
        story.append(Step(clause.format(i=i, j=j, c=hiding.c, cs=hiding.cs), str(place), short))
    first = rng.random() < FIRST_RATE
    asking = (FIRST if first else LAST).pick(rng, split)
    told = Narration(rng, split)
    told.ask(asking.question.format(**fields), opening, story, first=first)
    value = str(place)
    return told.draw("cups", asking.reply.format(v=value, **fields), (), value)
