"""Makes questions of the state of one of a few lamps or doors that change."""

from __future__ import annotations

import random
from typing import NamedTuple

from serial import words
from serial.base import Draw, Split, capital
from serial.forms import Forms
from serial.narration import Asking, Narration, Step, listed

CHANGE_RATE = 0.7  # of steps that turn a state into the other, whatever it is
ALL_RATE = 0.06  # of steps that change all of them at once


class Device(NamedTuple):
    """What has two ``states``; its steps say: the first state, the second, the other one."""

    noun: str
    many: str
    states: tuple[str, str]
    steps: Forms[tuple[str, str, str]]
    all_change: str
    more_changes: tuple[str, ...]  # training's ways to say that, of all the {n}


LIT = Forms(
    train=(
        ("the {x} is switched on", "the {x} is switched off", "the {x} is flipped"),
        ("the {x} is turned on", "the {x} is turned off", "the {x} is toggled"),
        ("turn on the {x}", "turn off the {x}", "flip the {x}"),
        ("switch the {x} on", "switch the {x} off", "toggle the {x}"),
        ("{p} turns the {x} on", "{p} turns the {x} off", "{p} flips the {x}"),
        ("I turn the {x} on", "I turn the {x} off", "I toggle the {x}"),
        ("the {x} goes on", "the {x} goes off", "the {x} is flipped"),
        ("{p} turns on the {x}", "{p} turns off the {x}", "{p} toggles the {x}"),
        ("the {x} gets turned on", "the {x} gets turned off", "the {x} gets flipped"),
        ("the {x} gets switched on", "the {x} gets switched off", "the {x} gets toggled"),
        ("the {x} is turned on by {p}", "the {x} is turned off by {p}",
         "the {x} is flipped by {p}"),
        ("someone turns the {x} on", "someone turns the {x} off", "someone flips the {x}"),
        ("someone switches on the {x}", "someone switches off the {x}", "someone toggles the {x}"),
        ("you turn on the {x}", "you turn off the {x}", "you flip the {x}"),
        ("we switch the {x} on", "we switch the {x} off", "we toggle the {x}"),
        ("they turn the {x} on", "they turn the {x} off", "they toggle the {x}"),
        ("{p} puts the {x} on", "{p} puts the {x} off", "{p} gives the {x} a flip"),
        ("{p} sets the {x} to on", "{p} sets the {x} to off", "{p} flips the state of the {x}"),
        ("the {x} is set to on", "the {x} is set to off", "the {x} is toggled"),
        ("set the {x} to on", "set the {x} to off", "toggle the state of the {x}"),
        ("the {x} comes on", "the {x} goes off", "the {x} flips"),
        ("the {x} turns on", "the {x} turns off", "the {x} changes state"),
        ("I put the {x} on", "I put the {x} off", "I change the state of the {x}"),
        ("{p} goes and turns the {x} on", "{p} goes and turns the {x} off",
         "{p} goes and flips the {x}"),
        ("it is the {x} that is turned on", "it is the {x} that is turned off",
         "it is the {x} that is flipped"),
        ("on goes the {x}", "off goes the {x}", "the {x} toggles"),
    ),
    heldout=(
        ("switch on the {x}", "switch off the {x}", "flip the {x}"),
        ("{p} switches the {x} on", "{p} switches the {x} off", "{p} toggles the {x}"),
        ("I switch the {x} on", "I switch the {x} off", "I flip the {x}"),
    ),
)  # fmt: skip
SHUT = Forms(
    train=(
        ("the {x} is opened", "the {x} is closed", "the button of the {x} is pressed"),
        ("open the {x}", "close the {x}", "press the button of the {x}"),
        ("{p} opens the {x}", "{p} closes the {x}", "{p} presses the button of the {x}"),
        ("the {x} opens", "the {x} closes", "the button of the {x} is pushed"),
        ("{p} opens the {x}", "{p} closes the {x}", "{p} pushes the {x} button"),
        ("{p} opens the {x}", "{p} shuts the {x}", "{p} hits the button of the {x}"),
        ("open up the {x}", "shut the {x}", "use the button of the {x}"),
        ("the {x} is opened", "the {x} is shut", "someone presses the button of the {x}"),
        ("the {x} swings open", "the {x} swings shut", "the button for the {x} is pressed"),
        ("the {x} gets opened", "the {x} gets closed", "the {x} button gets pressed"),
        ("the {x} is opened by {p}", "the {x} is closed by {p}",
         "the button of the {x} is pressed by {p}"),
        ("someone opens the {x}", "someone closes the {x}", "someone uses the {x} button"),
        ("you open the {x}", "you close the {x}", "you press the button for the {x}"),
        ("we open the {x}", "we shut the {x}", "we push the button for the {x}"),
        ("I open up the {x}", "I shut the {x}", "I hit the {x} button"),
        ("they open the {x}", "they close the {x}", "they press the {x} button"),
        ("{p} pulls the {x} open", "{p} pulls the {x} closed", "{p} uses the {x} button"),
        ("{p} goes and opens the {x}", "{p} goes and closes the {x}",
         "{p} goes and presses the button of the {x}"),
        ("it is the {x} that opens", "it is the {x} that closes",
         "it is the button of the {x} that is pressed"),
    ),
    heldout=(
        ("I open the {x}", "I close the {x}", "I press the button of the {x}"),
        ("the {x} is opened", "the {x} is closed", "the {x} button is pressed"),
        ("open the {x}", "close the {x}", "push the button of the {x}"),
    ),
)  # fmt: skip
FLIPS = (
    "all the {n} are flipped", "all the {n} are toggled", "all the {n} get flipped",
    "every one of the {n} is toggled", "the {n} are all flipped", "all of the {n} change state",
    "someone flips all the {n}",
)  # fmt: skip
PRESSES = (
    "all the buttons are pressed", "all the buttons are pushed", "all the buttons get pressed",
    "every one of the buttons is pressed", "the buttons are all pushed",
    "someone presses all the buttons", "all of the buttons are pressed at once",
)  # fmt: skip
DEVICES = (
    Device("lamp", "lamps", ("on", "off"), LIT, "all the lamps are flipped", FLIPS),
    Device("light", "lights", ("on", "off"), LIT, "all the lights are toggled", FLIPS),
    Device("switch", "switches", ("on", "off"), LIT, "all the switches are flipped", FLIPS),
    Device("fan", "fans", ("on", "off"), LIT, "all the fans are toggled", FLIPS),
    Device("door", "doors", ("open", "closed"), SHUT, "all the buttons are pressed", PRESSES),
    Device("gate", "gates", ("open", "closed"), SHUT, "all the buttons are pushed", PRESSES),
)
# What a flip is; a door has no word of its own for it, so there it is always said.
RULES = {
    ("on", "off"): Forms(
        train=(
            "To flip or toggle one turns it on if it is off, and off if it is on.",
            "When one is flipped or toggled, on becomes off and off becomes on.",
            "Flipping or toggling one turns it off if it was on, and on if it was off.",
            "To toggle one, or to flip it, is to change it from on to off or from off to on.",
            "A {n} that is flipped or toggled goes from on to off, or from off to on.",
            "If a {n} is on, a flip or toggle turns it off; if it is off, that turns it on.",
            "Flip and toggle mean the same: what was on is then off, what was off is then on.",
            "Each {n} is on or off, and a flip or a toggle changes that.",
        ),
        heldout=("To flip or toggle one: on becomes off, and off becomes on.",),
    ),
    ("open", "closed"): Forms(
        train=(
            "A button opens its {n} if it is closed, and closes it if it is open.",
            "When a button is pressed, an open {n} closes and a closed {n} opens.",
            "Each {n} has a button that opens or closes it.",
            "Every {n} has a button: it closes an open {n} and opens a closed one.",
            "A press of the button opens a {n} that is closed and closes a {n} that is open.",
            "Pressing a button closes an open {n} and opens a closed one.",
            "If a {n} is open, its button closes it; if it is closed, its button opens it.",
            "The buttons work like this: what is open closes, and what is closed opens.",
            "Each {n} is open or closed, and its button changes that.",
        ),
        heldout=("Each button opens its {n} if it is closed, and closes it if it is open.",),
    ),
}
RULE_RATE = 0.3  # of lamps and the like
WHICH = Forms(
    train=(
        "kitchen", "bedroom", "bathroom", "hall", "office", "attic", "cellar", "garage", "garden",
        "front", "left", "middle", "small", "old", "upper", "first", "second", "library", "school",
        "red", "blue", "green", "yellow", "white", "black", "grey", "pink", "purple", "orange",
        "large", "tiny", "round", "tall", "wooden", "silver", "golden", "outer", "inner", "main",
        "side", "top", "corner", "north", "south", "east", "west", "fourth", "fifth", "guest",
        "barn", "shed", "studio", "gym", "museum", "castle", "tower", "church", "farm", "park",
    ),
    heldout=("porch", "station", "back", "right", "big", "new", "lower", "brown", "third", "shop"),
)  # fmt: skip
LAST = Forms(
    train=(
        Asking("Is the {x} {s} or {o}?", "The {x} is {v}."),
        Asking("Is the {x} {s} or {o} now?", "It is {v} now."),
        Asking("Is the {x} {s} at the end?", "The {x} is {v}."),
        Asking("What about the {x}: {s} or {o}?", "It is {v}."),
        Asking("How is the {x} in the end, {s} or {o}?", "The {x} is {v}."),
        Asking("So the {x} is now {s} or {o}?", "The {x} is {v} now."),
        Asking("Can you tell me if the {x} is {s} or {o}?", "The {x} is {v}."),
        Asking("Is the {x} {o} or {s}?", "The {x} is {v}."),
        Asking("Is the {x} {s}, or is it {o}?", "It is {v}."),
        Asking("In the end, is the {x} {s} or {o}?", "In the end, the {x} is {v}."),
        Asking("After all of this, is the {x} {s} or {o}?", "It is {v}."),
        Asking("When all is done, is the {x} {s}?", "The {x} is {v}."),
        Asking("Does the {x} end up {s} or {o}?", "The {x} ends up {v}."),
        Asking("How does the {x} end up?", "It ends up {v}."),
        Asking("Is the {x} now {s}?", "The {x} is now {v}."),
        Asking("And the {x}, is it {s} or {o}?", "It is {v}."),
        Asking("Which is it for the {x}: {s} or {o}?", "It is {v}."),
        Asking("{s} or {o}: which is the {x}?", "The {x} is {v}."),
        Asking("What state is the {x} in?", "The {x} is {v}."),
        Asking("What is the state of the {x} now?", "It is {v} now."),
        Asking("In which state is the {x} left?", "The {x} is left {v}."),
        Asking("How was the {x} left, {s} or {o}?", "It was left {v}."),
        Asking("Do you know whether the {x} is {s} or {o}?", "It is {v}."),
        Asking("Could you say if the {x} is {o} or {s} by now?", "The {x} is {v}."),
        Asking("Would you say the {x} is {s} or {o}?", "I would say it is {v}."),
        Asking("Will I find the {x} {s} or {o}?", "You will find it {v}."),
        Asking("Now tell me whether the {x} is {s}.", "The {x} is {v}."),
        Asking("Say whether the {x} is {s} or {o}.", "It is {v}."),
        Asking("I wonder if the {x} is {s} or {o} now.", "The {x} is {v} now."),
        Asking("Please tell me, is the {x} {s} or {o} right now?", "Right now it is {v}."),
        Asking("Just say {s} or {o}: how is the {x}?", "It is {v}."),
    ),
    heldout=(
        Asking("Is the {x} {s} or {o} at the end?", "The {x} is {v}."),
        Asking("So how is the {x} now, {s} or {o}?", "The {x} is {v}."),
        Asking("Can you tell me if the {x} is now {s} or {o}?", "The {x} is {v} now."),
    ),
)
FIRST = Forms(
    train=(
        Asking("Tell me if the {x} is {s} or {o} at the end.", "The {x} is {v}."),
        Asking("I only want to know about the {x}: {s} or {o}?", "It is {v}."),
        Asking("Will the {x} be {s} or {o} after this?", "The {x} will be {v}."),
        Asking("At the end of this, is the {x} {s} or {o}?", "It is {v}."),
        Asking("Find out whether the {x} ends up {s} or {o}.", "The {x} ends up {v}."),
        Asking("Keep an eye on the {x}: is it {s} or {o} in the end?", "It is {v} in the end."),
        Asking("How will the {x} be left, {s} or {o}?", "It will be left {v}."),
        Asking("What will the state of the {x} be?", "The {x} will be {v}."),
        Asking("Please work out if the {x} is {s} or {o} when all is done.", "It is {v}."),
        Asking("My question is about the {x}. Is it {s} or {o} after all of it?", "It is {v}."),
    ),
    heldout=(Asking("I want to know if the {x} is {s} or {o} at the end.", "The {x} is {v}."),),
)
FIRST_RATE = 0.3
# How the first states are told: what may open the list, and what it says of each.
STARTS = {
    "train": (
        "", "", "at first ", "to begin with, ", "at the start, ", "in the beginning, ",
        "right now, ", "before anything happens, ", "let us say that ",
    ),
    "heldout": ("", "at first "),
}  # fmt: skip
HELD = "the {x} is {s}"
HELD_LATER = "the {x} {s}"
SHORT_RATE = 0.3  # of training's openings, where only the first of the list has a verb


def _opening(rng: random.Random, split: Split, device: Device, states: dict[str, int]) -> str:
    later = HELD
    if split == "train" and rng.random() < SHORT_RATE:
        later = HELD_LATER
    held = [
        (later if i else HELD).format(x=x, s=device.states[state])
        for i, (x, state) in enumerate(states.items())
    ]
    opening = capital(f"{rng.choice(STARTS[split])}{listed(held)}.")
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
            if split == "train":
                clause = rng.choice(device.more_changes).format(n=device.many)
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
