"""Makes questions of the direction that one faces after turning on the spot."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial import words
from serial.base import Draw, Split
from serial.forms import Forms
from serial.narration import Asking, Narration, Step

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

OPENINGS = Forms(
    train=(
        "{s} face{e} {d}.",
        "{s} {be} facing {d}.",
        "{s} start{e} facing {d}.",
        "at first {s} face{e} {d}.",
        "{s} stand{e} still, facing {d}.",
        "{s} {be} looking {d}.",
        "to begin with, {s} {be} facing {d}.",
        "facing {d} is how {s} start{e}.",
        "the start: {s} {be} facing {d}.",
        "say that {s} look{e} {d}.",
        "suppose {s} {be} facing {d}.",
        "now {s} {be} looking toward the {d}.",
        "imagine that {s} face{e} to the {d}.",
        "{d} is the way {s} {be} facing.",
        "{d} is where {s} look{e} at the start.",
        "to start with, {s} look{e} to the {d}.",
        "the direction that {s} face{e} first is {d}.",
        "{s} begin{e} by facing {d}.",
        "{s} begin{e} turned to the {d}.",
        "in the beginning {s} look{e} {d}.",
        "{s} {be} on the spot and {be} turned {d}.",
    ),
    heldout=(
        "at first {s} {be} facing {d}.",
        "{s} start{e} looking {d}.",
        "to begin with, {s} face{e} {d}.",
    ),
)

# The words for left, right and around; ``{e}`` is the ending of the verb.
TURNS = Forms(
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
        ("turn{e} left by 90 degrees", "turn{e} right by 90 degrees", "turn{e} by 180 degrees"),
        ("spin{e} to the left by 90 degrees", "spin{e} to the right by 90 degrees",
         "spin{e} by 180 degrees"),
        ("turn{e} 90 degrees counterclockwise", "turn{e} 90 degrees clockwise",
         "turn{e} 180 degrees"),
        ("turn{e} anticlockwise by a quarter", "turn{e} clockwise by a quarter",
         "turn{e} by a half turn"),
        ("rotate{e} a quarter turn counterclockwise", "rotate{e} a quarter turn clockwise",
         "rotate{e} a half turn"),
        ("make{e} a quarter turn anticlockwise", "make{e} a quarter turn clockwise",
         "make{e} a half turn"),
        ("swing{e} left", "swing{e} right", "swing{e} around"),
        ("swing{e} a quarter turn to the left", "swing{e} a quarter turn to the right",
         "swing{e} by 180 degrees"),
        ("pivot{e} left", "pivot{e} right", "pivot{e} 180 degrees"),
        ("pivot{e} a quarter turn to the left", "pivot{e} a quarter turn to the right",
         "pivot{e} a half turn"),
        ("make{e} a 90-degree left turn", "make{e} a 90-degree right turn",
         "make{e} a 180-degree turn"),
        ("make{e} a left", "make{e} a right", "make{e} a U-turn"),
        ("take{e} a left turn", "take{e} a right turn", "turn{e} around"),
        ("take{e} a left", "take{e} a right", "take{e} a U-turn"),
        ("turn{e} toward the left", "turn{e} toward the right",
         "turn{e} to the opposite direction"),
        ("turn{e} on the spot to the left", "turn{e} on the spot to the right",
         "turn{e} on the spot to look the other way"),
        ("wheel{e} left", "wheel{e} right", "wheel{e} around"),
        ("twist{e} to the left", "twist{e} to the right", "twist{e} around"),
        ("swivel{e} left", "swivel{e} right", "swivel{e} to the opposite side"),
        ("rotate{e} left", "rotate{e} right", "rotate{e} by a half turn"),
        ("turn{e} a quarter circle to the left", "turn{e} a quarter circle to the right",
         "turn{e} half a circle"),
        ("shift{e} a quarter left", "shift{e} a quarter right", "turn{e} the other way"),
    ),
    heldout=(
        ("turn{e} 90 degrees to the left", "turn{e} 90 degrees to the right",
         "spin{e} halfway around"),
        ("make{e} a turn to the left", "make{e} a turn to the right", "turn{e} around"),
        ("rotate{e} 90 degrees left", "rotate{e} 90 degrees right", "turn{e} around"),
    ),
)  # fmt: skip

LAST = Forms(
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
        Asking("where {be} {s} facing?", "{r} {ber} facing to the {v}."),
        Asking("to which side {be} {s} turned: north, east, south or west?", "To the {v} side."),
        Asking("in which direction {be} {s} turned?", "{r} {ber} turned to the {v}."),
        Asking("to which side {do} {s} look now?", "{r} look{er} to the {v} now."),
        Asking("toward which direction {do} {s} look?", "{r} look{er} toward the {v}."),
        Asking("what is the final direction?", "The final direction is {v}."),
        Asking("name the direction {s} {be} facing.", "The direction is {v}."),
        Asking("if {s} had a compass, what would be ahead?", "Ahead would be {v}."),
        Asking("please tell me where {s} {be} looking.", "{r} {ber} looking to the {v}."),
        Asking("do you know which way {s} look{e} now?", "{r} now look{er} {v}."),
        Asking("{s} now face{e} which way?", "{r} now face{er} {v}."),
        Asking("{s} {be} looking in what direction?", "{r} {ber} looking {v}."),
        Asking("after all that, where {do} {s} face?", "After all that, {r} face{er} {v}."),
        Asking("which of the four directions is it? Only the word.", "The word is {v}."),
        Asking("north, east, south or west: where {be} {s} headed?", "{r} {ber} headed {v}."),
        Asking("the direction now?", "It is {v} now."),
        Asking("where {do} {s} point after these turns?", "{r} point{er} {v}."),
        Asking("facing which way {do} {s} stop?", "{r} stop{er} facing {v}."),
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
FIRST = Forms(
    train=(
        Asking("tell me which way {s} face{e} at the end.", "{r} face{er} {v}."),
        Asking("which way {be} {s} facing at the end of this?", "{r} {ber} facing {v}."),
        Asking(
            "I want to know which direction {s} end{e} up facing.", "{r} end{er} up facing {v}."
        ),
        Asking("find the direction that {s} look{e} in the end.", "In the end {r} look{er} {v}."),
        Asking("follow the turns and name the final direction.", "The final direction is {v}."),
        Asking("where {do} {s} look once all the turns are done?", "{r} look{er} {v} then."),
        Asking("to which side {be} {s} turned in the end?", "{r} {ber} turned to the {v}."),
        Asking("please work out where {s} will be facing.", "{r} will be facing {v}."),
        Asking("can you follow how {s} turn{e}? Give the last direction.", "It is {v}."),
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
