"""Stories of a heap that grows and shrinks: somebody's things, a purse, a bus, a flock, a lift."""

from __future__ import annotations

import random
from collections.abc import Callable

from serial import story_forms as forms
from serial.base import Draw, Split
from serial.forms import Forms
from serial.scene_forms import FLOCK, LIFT, RIDE, STORE, WEATHER
from serial.telling import IT, ME, SENTENCES, Cast, Manner, Teller, change, person
from serial.verbs import conjugated
from serial.words import Thing, names, object_, things

STORES = ("shop", "store", "shed", "room", "hall", "garage", "van", "box")
RIDES = ("bus", "train", "boat", "tram", "ferry")
FLOCKS = (
    ("ducks", "on the pond"), ("birds", "in the tree"), ("sheep", "in the field"),
    ("cows", "in the barn"), ("cats", "on the wall"), ("dogs", "in the park"),
    ("children", "in the garden"), ("swans", "on the lake"), ("goats", "on the hill"),
    ("horses", "in the meadow"), ("monkeys", "in the zoo"), ("guests", "at the party"),
)  # fmt: skip
ONE_OF = {"sheep": "sheep", "children": "child"}
DOLLAR = Thing("dollar", "dollars")

Told = tuple[Manner, Cast]


def _manner(ups: Forms, downs: Forms, past: bool, first: bool) -> Manner:
    """Return the manner of a hero's story in one tense, told of another or of oneself."""
    starts, ups, downs = (conjugated(f, past, first) for f in (forms.STARTS, ups, downs))
    asks = forms.MY_ASKS if first else forms.ASKS
    return Manner(starts, ups, downs, asks, variety=5)


def _manners(ups: Forms, downs: Forms) -> dict[bool, list[Manner]]:
    """Return the manners in both tenses, told of another (False) or of oneself (True)."""
    return {
        first: [_manner(ups, downs, past, first) for past in (False, True)]
        for first in (False, True)
    }


HEAPS = _manners(forms.UPS, forms.DOWNS)
PURSES = _manners(forms.EARNS, forms.PAYS)
# The one phrasing of the first model.
PLAIN = Manner(
    Forms(("* has {v} {o}",), ()),
    Forms(("* buys {d} more {o}", "* finds {d} {o}", "{other} gives {whom} {d} {o}"), ()),
    Forms(("* gives {d} {o} to {other}", "* loses {d} {o}", "* sells {d} {o}"), ()),
    Forms((("How many {many} does {name} have now?", "{name} has {v} {o} now."),), ()),
    (SENTENCES,),
)


def _heap(rng: random.Random, split: Split) -> Told:
    """Things of somebody's, or mine."""
    people = names(rng, split, 5)
    first = rng.random() < 0.25
    hero = ME if first else person(people[0], rng.random() < 0.5)
    manner = rng.choice(HEAPS[first])
    if split == "train" and not first and rng.random() < 0.1:
        manner, hero = PLAIN, person(people[0], by_pronoun=False)
    return manner, Cast(hero, object_(rng, split), people[1:])


def _purse(rng: random.Random, split: Split) -> Told:
    """Money of somebody's, or mine."""
    people = names(rng, split, 4)
    first = rng.random() < 0.25
    hero = ME if first else person(people[0], rng.random() < 0.5)
    return rng.choice(PURSES[first]), Cast(hero, DOLLAR, people[1:], things(rng, split, 5))


def _store(rng: random.Random, split: Split) -> Told:
    """Things in a shop or a shed."""
    people = names(rng, split, 4)
    owner = person(people[0], by_pronoun=False)
    cast = Cast(owner, object_(rng, split), people[1:], place=rng.choice(STORES))
    return STORE, cast


def _ride(rng: random.Random, split: Split) -> Told:
    """People on a bus."""
    return RIDE, Cast(IT, Thing("person", "people"), place=rng.choice(RIDES))


def _flock(rng: random.Random, split: Split) -> Told:
    """Animals, or guests, that come and go."""
    many, place = rng.choice(FLOCKS)
    return FLOCK, Cast(IT, Thing(ONE_OF.get(many, many[:-1]), many), place=place)


def _lift(rng: random.Random, split: Split) -> Told:
    """A lift in a tall building."""
    return LIFT, Cast(IT, Thing("floor", "floors"))


def _weather(rng: random.Random, split: Split) -> Told:
    """Degrees of a thermometer."""
    return WEATHER, Cast(IT, Thing("degree", "degrees"))


SCENES: tuple[Callable[[random.Random, Split], Told], ...] = (
    *(_heap,) * 6, _purse, _purse, _store, _store, _ride, _flock, _lift, _weather,
)  # fmt: skip


def story(rng: random.Random, steps: int, split: Split) -> Draw:
    """A number of things that grows and shrinks by 1 to 9 at a time."""
    manner, cast = rng.choice(SCENES)(rng, split)
    start = rng.randint(2, 20)
    value, changes = start, []
    for _ in range(steps):
        changes.append(change(rng, value, 1, 9))
        value += changes[-1]
    teller = Teller(rng, split, manner, cast)
    reply, _ = teller.tell(start, changes)
    return teller.text.draw("story", steps, reply, value)
