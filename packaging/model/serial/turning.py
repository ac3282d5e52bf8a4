"""Makes questions of the direction that one faces after turning on the spot."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial import words
from serial.base import Draw, Split
from serial.narration import Asking, Frames, Narration, Step

DIRECTIONS = ("north", "east", "south", "west")
QUARTERS = (3, 1, 2)  # left, right and around, as quarters of a turn to the right


class Turner(NamedTuple):
    """Who turns: ``s`` in the question, ``r`` in the reply, and the forms of their verbs."""

    s: str
    r: str
    be: str
    be_reply: str
    do: str
    end: str  # of a verb in the question
    end_reply: str  # of a verb in the reply


YOU = Turner("you", "you", "are", "are", "do", "", "")
ME = Turner("I", "you", "am", "are", "do", "", "")
THINGS_THAT_TURN = (
    "the robot", "the boat", "the ship", "the horse", "the dog", "the toy car", "the crane",
)  # fmt: skip

OPENINGS = Frames(
    train=(
        "{s} face{e} {d}.",
        "{s} {be} facing {d}.",
        "{s} start{e} facing {d}.",
        "at first {s} face{e} {d}.",
        "{s} stand{e} still, facing {d}.",
        "{s} {be} looking {d}.",
        "to begin with, {s} {be} facing {d}.",
    ),
    heldout=(
        "at first {s} {be} facing {d}.",
        "{s} start{e} looking {d}.",
        "to begin with, {s} face{e} {d}.",
    ),
)

# The words for left, right and around; ``{e}`` is the ending of the verb.
TURNS = Frames(
    train=(
        ("turn{e} left", "turn{e} right", "turn{e} around"),
        ("turn{e} left", "turn{e} right", "turn{e} around"),
        ("turn{e} to the left", "turn{e} to the right", "turn{e} around"),
        ("turn{e} 90 degrees left", "turn{e} 90 degrees right", "turn{e} 180 degrees"),
        ("make{e} a left turn", "make{e} a right turn", "make{e} a half turn"),
        ("make{e} a quarter turn left", "make{e} a quarter turn right", "make{e} a half turn"),
        ("turn{e} a quarter to the left", "turn{e} a quarter to the right",
         "turn{e} halfway around"),
        ("rotate{e} 90 degrees to the left", "rotate{e} 90 degrees to the right",
         "rotate{e} 180 degrees"),
        ("spin{e} a quarter left", "spin{e} a quarter right", "spin{e} 180 degrees"),
    ),
    heldout=(
        ("turn{e} 90 degrees to the left", "turn{e} 90 degrees to the right",
         "spin{e} halfway around"),
        ("make{e} a turn to the left", "make{e} a turn to the right", "turn{e} around"),
        ("rotate{e} 90 degrees left", "rotate{e} 90 degrees right", "turn{e} around"),
    ),
)  # fmt: skip

LAST = Frames(
    train=(
        Asking("which way {do} {s} face?", "{r} face{er} {v}."),
        Asking("which way {do} {s} face now?", "{r} face{er} {v} now."),
        Asking("which way {be} {s} facing?", "{r} {ber} facing {v}."),
        Asking("what direction {be} {s} facing now?", "{r} {ber} facing {v}."),
        Asking("where {do} {s} look at the end?", "{r} look{er} {v}."),
        Asking("which direction {do} {s} end up facing?", "{r} end{er} up facing {v}."),
        Asking("north, east, south or west: which way {be} {s} looking?", "{r} {ber} looking {v}."),
        Asking("so which way {do} {s} face? Just the direction.", "To the {v}."),
        Asking("can you tell me which way {s} {be} facing?", "{r} {ber} facing {v}."),
    ),
    heldout=(
        Asking("which direction {be} {s} facing at the end?", "{r} {ber} facing {v}."),
        Asking("so which way {be} {s} looking now?", "{r} {ber} looking {v}."),
        Asking(
            "can you tell me what direction {s} end{e} up facing?", "{r} end{er} up facing {v}."
        ),
        Asking("which way {do} {s} face at the end?", "{r} face{er} {v}."),
    ),
)
FIRST = Frames(
    train=(
        Asking("tell me which way {s} face{e} at the end.", "{r} face{er} {v}."),
        Asking("which way {be} {s} facing at the end of this?", "{r} {ber} facing {v}."),
        Asking(
            "I want to know which direction {s} end{e} up facing.", "{r} end{er} up facing {v}."
        ),
    ),
    heldout=(
        Asking("I want to know which way {s} {be} facing at the end.", "{r} {ber} facing {v}."),
        Asking("tell me which direction {s} end{e} up facing.", "{r} end{er} up facing {v}."),
    ),
)
FIRST_RATE = 0.15


def _turner(rng: random.Random, split: Split) -> Turner:
    chance = rng.random()
    if chance < 0.4:
        return YOU
    if chance < 0.6:
        return ME
    other = words.name(rng, split) if chance < 0.8 else rng.choice(THINGS_THAT_TURN)
    return Turner(other, other, "is", "is", "does", "s", "s")


def turning(rng: random.Random, steps: int, split: Split) -> Draw:
    """Quarter and half turns on the spot."""
    who = _turner(rng, split)
    fields = who._asdict() | {"e": who.end, "er": who.end_reply, "ber": who.be_reply}
    facing = rng.randrange(4)
    turns = [turn.format(e=who.end) for turn in TURNS.pick(rng, split)]
    shorts = [turn.split(" ", 1)[1] for turn in turns]
    if len({turn.split(" ", 1)[0] for turn in turns}) > 1:
        shorts = ["", "", ""]  # two verbs: none can be left out
    commanded = who is YOU and rng.random() < 0.8
    opening = OPENINGS.pick(rng, split).format(d=DIRECTIONS[facing], **fields)
    story = []
    for _ in range(steps):
        turn = rng.randrange(3)
        facing = (facing + QUARTERS[turn]) % 4
        clause = turns[turn] if commanded else f"{who.s} {turns[turn]}"
        story.append(Step(clause, DIRECTIONS[facing], shorts[turn]))

    first = rng.random() < FIRST_RATE
    asking = (FIRST if first else LAST).pick(rng, split)
    told = Narration(rng, split)
    told.ask(asking.question.format(**fields), opening, story, first=first)
    value = DIRECTIONS[facing]
    return told.draw("turning", asking.reply.format(v=value, **fields), DIRECTIONS, value)
