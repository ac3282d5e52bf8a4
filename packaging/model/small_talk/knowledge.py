"""What a small model may know: concepts, people, places, jobs, what things are for and can do."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from small_talk.facts import PARTS, countries
from small_talk.grammar import a
from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, capital
from small_talk.tables import rows

WHAT = Phrases((
    "What is {x}?", "What's {x}?", "Explain {x}.", "Explain {x} to me.", "Tell me about {x}.",
    "Can you explain {x}?", "Tell me something about {x}.", "What do you know about {x}?",
    "Define {x}.", "Do you know what {x} is?", "What does {x} mean?", "what is {x}",
    "Explain {x} in simple words.", "What exactly is {x}?", "In one sentence, what is {x}?",
    "Tell me what {x} is, please.", "I have never heard of {x}. What is it?", "Describe {x}.",
    "How would you explain {x} to a child?",
))  # fmt: skip
WHO = Phrases((
    "Who was {x}?", "Who is {x}?", "Tell me about {x}.", "What do you know about {x}?",
    "Do you know who {x} was?", "Tell me something about {x}.", "Can you tell me who {x} was?",
    "Why is {x} famous?", "What is {x} known for?", "Have you heard of {x}?", "who was {x}",
    "What did {x} do?", "For what is {x} famous?", "I'd like to know who {x} was.",
))  # fmt: skip
CITY = Phrases((
    "Tell me about {x}.", "What do you know about {x}?", "What is {x}?",
    "Tell me something about {x}.", "What is {x} known for?", "Where is {x}?",
    "Is {x} worth a visit?", "What can I see in {x}?", "Do you know {x}?",
    "What kind of city is {x}?", "Describe {x}.",
))  # fmt: skip
LAND = Phrases((
    "Tell me about {x}.", "What do you know about {x}?", "What is {x}?", "Describe {x}.",
    "Tell me something about {x}.", "What kind of country is {x}?", "Do you know {x}?",
    "What can you tell me about {x}?",
))  # fmt: skip
TASK = Phrases((
    "What does {a x} do?", "What do {s x} do?", "What is the job of {a x}?", "What is {a x}?",
    "What does {a x} do all day?", "Tell me what {a x} does.", "Explain the work of {a x}.",
    "My uncle is {a x}. What does he do?", "What is the work of {a x}?",
))  # fmt: skip
PLACE = Phrases((
    "Where does {a x} work?", "Where do {s x} work?", "Where can I find {a x}?",
    "In what place does {a x} work?", "Where is the workplace of {a x}?",
))  # fmt: skip
WHOSE = Phrases((
    "Who {does}?", "What do you call somebody who {does}?", "What is a person called who {does}?",
    "Which job is it when somebody {does}?", "Who is it that {does}?",
))  # fmt: skip
FOR = Phrases((
    "What is {x} for?", "What do you use {x} for?", "What is {x} used for?",
    "What can I do with {x}?", "What do people do with {x}?", "Why do people have {x}?",
    "What is {x} good for?",
))  # fmt: skip
MADE = Phrases((
    "What is {x} made of?", "What material is {x} made of?", "Of what is {x} made?",
    "What do they make {x} from?",
))  # fmt: skip
FOUND = Phrases((
    "Where do I find {x}?", "Where do you keep {x}?", "Where would I look for {x}?",
    "Where is {x} mostly?", "In which place do you find {x}?",
))  # fmt: skip
CAN = Phrases((
    "Can {x} {do}?", "Is it true that {x} can {do}?", "Do you think {x} can {do}?",
    "Could {x} {do}?", "True or false: {x} can {do}.", "Would you say that {x} can {do}?",
    "Tell me: can {x} {do}?",
))  # fmt: skip
QUALITY = Phrases((
    "Is {x} {pair}?", "Would you call {x} {pair}?", "What is {x}, {pair}?", "{cap x}: {pair}?",
    "Do you think {x} is {pair}?", "Tell me, is {x} {pair}?",
))  # fmt: skip

INVENTED = (
    "Sherlock Holmes", "Santa Claus", "Cinderella", "Pinocchio", "Robin Hood", "King Arthur",
    "Zeus",
)  # fmt: skip


class Ability(NamedTuple):
    """Something that some can do and some cannot."""

    do: str
    able: list[str]
    unable: list[str]


@cache
def abilities() -> list[Ability]:
    """Return the abilities of the table."""
    return [Ability(do, yes.split(", "), no.split(", ")) for do, yes, no in rows("abilities.txt")]


def concept(scene: Scene) -> list[Said]:
    """Return a question for something that has no article: a stuff, a science, an idea."""
    thing, meaning = scene.rng.choice(rows("concepts.txt"))
    reply = f"{capital(thing)} is {meaning}."
    return [Said(scene.ask(WHAT, x=thing), reply, short=f"{capital(meaning)}.")]


def person(scene: Scene) -> list[Said]:
    """Return a question for a famous person."""
    name, who = scene.rng.choice(rows("people.txt"))
    reply = f"{name} {'is' if name in INVENTED else 'was'} {who}."
    return [
        Said(scene.ask(WHO, x=name), reply, short=f"{capital(who.split(',')[0])}.", is_fact=True)
    ]


def city(scene: Scene) -> list[Said]:
    """Return a question for a city."""
    name, what = scene.rng.choice(rows("cities.txt"))
    short = f"{capital(what.split(',')[0])}."
    return [Said(scene.ask(CITY, x=name), f"{name} is {what}.", short=short, is_fact=True)]


def country(scene: Scene) -> list[Said]:
    """Return a question for all that we know of a country."""
    land = scene.rng.choice([c for c in countries() if c.continent in PARTS])
    reply = f"{capital(land.name)} is a country in {land.continent}. "
    reply += f"The capital is {land.capital}, and people there mostly speak {land.languages}."
    return [Said(scene.ask(LAND, x=land.name), reply, is_fact=True)]


def job(scene: Scene) -> list[Said]:
    """Return a question what somebody does for a living, where, or who does it."""
    name, does, where = scene.rng.choice(rows("jobs.txt"))
    kind = scene.rng.choice((TASK, TASK, PLACE, WHOSE))
    user = scene.ask(kind, x=name, does=does)
    begin = capital(a(name))
    replies = {
        TASK: f"{begin} {does}.",
        PLACE: f"{begin} works {where}.",
        WHOSE: f"{begin} {does}.",
    }
    return [Said(user, replies[kind])]


def use(scene: Scene) -> list[Said]:
    """Return a question what a thing is for, what it is made of, or where it is."""
    thing, purpose, material, where = scene.rng.choice(rows("uses.txt"))
    kind = scene.rng.choice((FOR, FOR, MADE, FOUND))
    begin = capital(thing)
    replies = {
        FOR: f"{begin} is for {purpose}.",
        MADE: f"{begin} is mostly made of {material}.",
        FOUND: f"You mostly find {thing} {where}.",
    }
    return [Said(scene.ask(kind, x=thing), replies[kind])]


def ability(scene: Scene) -> list[Said]:
    """Return a question whether something can do something."""
    drawn = scene.rng.choice(abilities())
    able = scene.chance(0.5)
    thing = scene.rng.choice(drawn.able if able else drawn.unable)
    user = scene.ask(CAN, x=thing, do=drawn.do)
    reply = f"Yes, {thing} can {drawn.do}." if able else f"No, {thing} can't {drawn.do}."
    return [Said(user, reply)]


def quality(scene: Scene) -> list[Said]:
    """Return a question which of two qualities a thing has."""
    pair, first, second = scene.rng.choice(rows("qualities.txt"))
    one, other = pair.split(" or ")
    at = scene.rng.randrange(2)
    thing = scene.rng.choice((first, second)[at].split(", "))
    swapped = f"{other} or {one}" if scene.chance(0.4) else pair
    user = scene.ask(QUALITY, x=thing, pair=swapped)
    return [Said(user, f"{capital(thing)} is {(one, other)[at]}.")]
