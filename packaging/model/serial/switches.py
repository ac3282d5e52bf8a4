"""Makes questions of the state of one of a few lamps or doors that change."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial import words
from serial.base import Draw, Split, capital
from serial.narration import Asking, Frames, Narration, Step, listed

CHANGE_RATE = 0.7  # of steps that turn a state into the other, whatever it is
ALL_RATE = 0.06  # of steps that change all of them at once


class Device(NamedTuple):
    """What has two ``states``; its steps say: the first state, the second, the other one."""

    noun: str
    states: tuple[str, str]
    steps: Frames[tuple[str, str, str]]
    all_change: str


LIT = Frames(
    train=(
        ("the {x} is switched on", "the {x} is switched off", "the {x} is flipped"),
        ("the {x} is turned on", "the {x} is turned off", "the {x} is toggled"),
        ("turn on the {x}", "turn off the {x}", "flip the {x}"),
        ("switch the {x} on", "switch the {x} off", "toggle the {x}"),
        ("{p} turns the {x} on", "{p} turns the {x} off", "{p} flips the {x}"),
        ("I turn the {x} on", "I turn the {x} off", "I toggle the {x}"),
        ("the {x} goes on", "the {x} goes off", "the {x} is flipped"),
        ("{p} turns on the {x}", "{p} turns off the {x}", "{p} toggles the {x}"),
    ),
    heldout=(
        ("switch on the {x}", "switch off the {x}", "flip the {x}"),
        ("{p} switches the {x} on", "{p} switches the {x} off", "{p} toggles the {x}"),
        ("I switch the {x} on", "I switch the {x} off", "I flip the {x}"),
    ),
)
SHUT = Frames(
    train=(
        ("the {x} is opened", "the {x} is closed", "the button of the {x} is pressed"),
        ("open the {x}", "close the {x}", "press the button of the {x}"),
        ("{p} opens the {x}", "{p} closes the {x}", "{p} presses the button of the {x}"),
        ("the {x} opens", "the {x} closes", "the button of the {x} is pushed"),
        ("{p} opens the {x}", "{p} closes the {x}", "{p} pushes the {x} button"),
    ),
    heldout=(
        ("I open the {x}", "I close the {x}", "I press the button of the {x}"),
        ("the {x} is opened", "the {x} is closed", "the {x} button is pressed"),
        ("open the {x}", "close the {x}", "push the button of the {x}"),
    ),
)
DEVICES = (
    Device("lamp", ("on", "off"), LIT, "all the lamps are flipped"),
    Device("light", ("on", "off"), LIT, "all the lights are toggled"),
    Device("switch", ("on", "off"), LIT, "all the switches are flipped"),
    Device("fan", ("on", "off"), LIT, "all the fans are toggled"),
    Device("door", ("open", "closed"), SHUT, "all the buttons are pressed"),
    Device("gate", ("open", "closed"), SHUT, "all the buttons are pushed"),
)
# What a flip is; a door has no word of its own for it, so there it is always said.
RULES = {
    ("on", "off"): Frames(
        train=(
            "To flip or toggle one turns it on if it is off, and off if it is on.",
            "When one is flipped or toggled, on becomes off and off becomes on.",
        ),
        heldout=("To flip or toggle one: on becomes off, and off becomes on.",),
    ),
    ("open", "closed"): Frames(
        train=(
            "A button opens its {n} if it is closed, and closes it if it is open.",
            "When a button is pressed, an open {n} closes and a closed {n} opens.",
            "Each {n} has a button that opens or closes it.",
        ),
        heldout=("Each button opens its {n} if it is closed, and closes it if it is open.",),
    ),
}
RULE_RATE = 0.3  # of lamps and the like
WHICH = Frames(
    train=(
        "kitchen", "bedroom", "bathroom", "hall", "office", "attic", "cellar", "garage", "garden",
        "front", "left", "middle", "small", "old", "upper", "first", "second", "library", "school",
        "red", "blue", "green", "yellow", "white", "black", "grey", "pink", "purple", "orange",
    ),
    heldout=("porch", "station", "back", "right", "big", "new", "lower", "brown", "third", "shop"),
)  # fmt: skip
LAST = Frames(
    train=(
        Asking("Is the {x} {s} or {o}?", "The {x} is {v}."),
        Asking("Is the {x} {s} or {o} now?", "It is {v} now."),
        Asking("Is the {x} {s} at the end?", "The {x} is {v}."),
        Asking("What about the {x}: {s} or {o}?", "It is {v}."),
        Asking("How is the {x} in the end, {s} or {o}?", "The {x} is {v}."),
        Asking("So the {x} is now {s} or {o}?", "The {x} is {v} now."),
        Asking("Can you tell me if the {x} is {s} or {o}?", "The {x} is {v}."),
    ),
    heldout=(
        Asking("Is the {x} {s} or {o} at the end?", "The {x} is {v}."),
        Asking("So how is the {x} now, {s} or {o}?", "The {x} is {v}."),
        Asking("Can you tell me if the {x} is now {s} or {o}?", "The {x} is {v} now."),
    ),
)
FIRST = Frames(
    train=(
        Asking("Tell me if the {x} is {s} or {o} at the end.", "The {x} is {v}."),
        Asking("I only want to know about the {x}: {s} or {o}?", "It is {v}."),
    ),
    heldout=(Asking("I want to know if the {x} is {s} or {o} at the end.", "The {x} is {v}."),),
)
FIRST_RATE = 0.3


def _opening(rng: random.Random, split: Split, device: Device, states: dict[str, int]) -> str:
    held = [f"the {x} is {device.states[state]}" for x, state in states.items()]
    opening = capital(f"{rng.choice(('', 'at first '))}{listed(held)}.")
    if device.steps is LIT and rng.random() > RULE_RATE:
        return opening
    return f"{RULES[device.states].pick(rng, split).format(n=device.noun)} {opening}"


def switches(rng: random.Random, steps: int, split: Split) -> Draw:
    """Two to four of a device, each on or off, one or all of which change a step."""
    device = rng.choice(DEVICES)
    which = rng.sample(WHICH.of(split), rng.choice((2, 2, 3, 3, 4)))
    states = {f"{word} {device.noun}": rng.randrange(2) for word in which}
    asked = rng.choice(list(states))
    first = rng.random() < FIRST_RATE
    opening = _opening(rng, split, device, states)
    forms = device.steps.pick(rng, split)
    person = words.name(rng, split)
    story = []
    for _ in range(steps):
        if rng.random() < ALL_RATE:
            one = next(iter(states))  # the first of them stands for all
            states = {x: 1 - state for x, state in states.items()}
            clause = device.all_change
        else:
            one = rng.choice(list(states))
            form = 2 if rng.random() < CHANGE_RATE else rng.randrange(2)
            states[one] = 1 - states[one] if form == 2 else form
            clause = forms[form].format(x=one, p=person)
        story.append(Step(clause, device.states[states[asked if first else one]]))
    on, off = device.states
    asking = (FIRST if first else LAST).pick(rng, split)
    told = Narration(rng, split)
    told.ask(asking.question.format(x=asked, s=on, o=off), opening, story, first=first)
    value = device.states[states[asked]]
    return told.draw("switches", asking.reply.format(x=asked, v=value), device.states, value)
