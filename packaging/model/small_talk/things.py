"""Questions about everyday things: lists, animals, colours, sizes, yes and no."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from small_talk.grammar import NUMBERS, a, listed, plural
from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, capital
from small_talk.tables import categories, groups, rows

LIST = Phrases((
    "Name {n} {many}.", "Name {n} {many}(|, please).", "Tell me {n} {many}.",
    "Give me {n} {many}.", "List {n} {many}.", "Can you name {n} {many}?",
    "Can you list {n} {many} for me?", "I need {n} {many}.", "What are {n} {many}?",
    "{n} {many}, please.", "{n} {many}", "Do you know {n} {many}?",
    "Please write down {n} {many}.", "Say {n} {many}.", "Tell me the names of {n} {many}.",
    "Can you think of {n} {many}?", "Give me a list of {n} {many}.",
    "Show me {n} examples of {many}.",
))  # fmt: skip
SOME = Phrases((
    "Name some {many}.", "What {many} are there?", "Give me some {many}.",
    "Which {many} do you know?", "Tell me a few {many}.", "List some {many}.",
    "Examples of {many}?", "Can you give me examples of {many}?",
))  # fmt: skip
ONE = Phrases((
    "Name {a kind}.", "Tell me {a kind}.", "Give me {a kind}.", "Can you name {a kind}?",
    "I need {a kind}.", "What is an example of {a kind}?", "Give me an example of {a kind}.",
))  # fmt: skip
MORE = Phrases((
    "(And another|Another) one?", "One more, please.", "Give me another one.", "Any more?",
    "Another one!", "And one more?",
))  # fmt: skip
IS_A = Phrases((
    "Is {a x} {a kind}?", "Is {a x} {a kind} or not?", "Would you call {a x} {a kind}?",
    "Does {a x} count as {a kind}?", "True or false: {a x} is {a kind}.",
    "Can you say that {a x} is {a kind}?",
))  # fmt: skip
PLAIN = ("fruit", "vegetable", "bird", "insect", "piece of furniture", "piece of clothing", "tool",
         "musical instrument", "vehicle", "tree", "flower")  # fmt: skip
WITH_ARTICLE = (
    *PLAIN, "animal", "pet", "farm animal", "wild animal", "sea animal", "fish", "job", "shape",
    "part of the body", "room", "thing in a kitchen", "thing in a school bag",
    "thing made of wood", "thing made of glass", "thing that can fly",
)  # fmt: skip
PLANTS = {"fruit", "vegetable", "tree", "flower"}  # a cherry is a tree too, a pumpkin a fruit
ALONE = (
    "country", "city", "language", "river", "planet", "month", "day of the week", "season",
    "colour", "metal", "sport", "drink", "hobby", "feeling", "country in Europe",
    "country in Africa", "country in Asia", "country in South America",
)  # fmt: skip


def lists(scene: Scene) -> list[Said]:
    """Return a request for some members of a kind, sometimes with one more after it."""
    kind = scene.rng.choice(list(categories()))
    many, members = categories()[kind]
    count = scene.rng.choice((1, 2, 3, 3, 3, 4, 5, 5, 6, 7))
    count = min(count, len(members) - 1)
    if kind not in (*WITH_ARTICLE, *ALONE):
        count = max(count, 2)  # their members do not all read well alone
    chosen = scene.rng.sample(members, count + 1)
    said, spare = chosen[:count], chosen[count]
    if count == 1:
        user = scene.ask(ONE, kind=kind)
        reply = scene.say("{x} is {a kind}." if kind in ALONE else "{a x} is {a kind}.", x=said[0])
    elif scene.chance(0.2):
        user = scene.ask(SOME, many=many)
        reply = scene.say("Some {many} are {x}.", x=listed(said))
    else:
        digits = str(count) if scene.chance(0.3) else NUMBERS[count]
        user = scene.ask(LIST, n=digits, many=many)
        reply = scene.rng.choice(
            (f"{listed(said)}.", f"{NUMBERS[count]} {many} are {listed(said)}.")
        )
        reply = reply if scene.chance(0.8) else numbered(said)
    turns = [Said(user, capital(reply))]
    if scene.chance(0.15):
        turns.append(Said(scene.ask(MORE), f"{capital(spare)}."))
    return turns


def numbered(words: list[str]) -> str:
    """Return the words as a numbered list."""
    return "\n".join(f"{i}. {capital(word)}" for i, word in enumerate(words, 1))


def is_a(scene: Scene) -> list[Said]:
    """Return a question whether a thing is of a kind."""
    kind, other = scene.rng.sample(PLAIN, 2)
    members = categories()[kind][1]
    thing = scene.rng.choice(members)
    if scene.chance(0.5):
        user = scene.ask(IS_A, x=thing, kind=kind)
        return [Said(user, f"Yes, {a(thing)} is {a(kind)}.")]
    if thing in categories()[other][1] or {kind, other} <= PLANTS:
        return is_a(scene)
    user = scene.ask(IS_A, x=thing, kind=other)
    return [Said(user, f"No, {a(thing)} is not {a(other)} but {a(kind)}.")]


class Animal(NamedTuple):
    """What is asked about an animal; "" where there is no common answer."""

    name: str
    young: str
    sound: str
    home: str
    legs: int
    kind: str


@cache
def animals() -> list[Animal]:
    """Return the animals of the table."""
    return [Animal(n, y, s, h, int(legs), k) for n, y, s, h, legs, k in rows("animals.txt")]


YOUNG = Phrases((
    "What is a baby {x} called?", "What do you call a baby {x}?", "What is a young {x} called?",
    "What's the name for a baby {x}?", "How do you call the young of {a x}?",
    "What are baby {s x} called?",
))  # fmt: skip
SOUND = Phrases((
    "What sound does {a x} make?", "What does {a x} say?", "How does {a x} sound?",
    "What noise does {a x} make?", "Which sound do {s x} make?",
    "What do {s x} do when they make a noise?",
))  # fmt: skip
HOME = Phrases((
    "Where does {a x} live?", "Where do {s x} live?", "What is the home of {a x}?",
    "Where can I find {a x}?", "In what kind of place do {s x} live?", "Where is {a x} at home?",
))  # fmt: skip
LEGS = Phrases((
    "How many legs does {a x} have?", "How many legs do {s x} have?", "{a x} has how many legs?",
    "Tell me how many legs {a x} has.", "How many legs has {a x}?",
))  # fmt: skip
KIND = Phrases((
    "What kind of animal is {a x}?", "Is {a x} {a kind}?", "What sort of animal is {a x}?",
    "What is {a x}, a mammal or a bird or something else?",
    "To which group of animals does {a x} belong?", "Are {s x} {s kind}?",
))  # fmt: skip


def animal(scene: Scene) -> list[Said]:
    """Return a question about an animal."""
    beast = scene.rng.choice(animals())
    name = a(beast.name)
    legs = "no legs" if beast.legs == 0 else f"{NUMBERS[beast.legs]} legs"
    right = capital(name) + " is " + a(beast.kind)
    replies = {
        YOUNG: beast.young and f"A baby {beast.name} is called {a(beast.young)}.",
        SOUND: beast.sound and f"{capital(plural(beast.name))} {beast.sound}.",
        HOME: beast.home and f"{capital(name)} lives in or near {beast.home}.",
        LEGS: f"{capital(name)} has {legs}.",
        KIND: f"{right}.",
    }
    kind = scene.rng.choice([question for question, reply in replies.items() if reply])
    user = scene.ask(kind, x=beast.name, kind=beast.kind)
    reply = replies[kind]
    if user.startswith(("Is ", "Are ")):
        reply = f"Yes, {reply[0].lower()}{reply[1:]}"
    return [Said(user, reply, is_fact=True)]


@cache
def colours() -> list[tuple[str, str]]:
    """Return (thing, its colour)."""
    pairs = "; ".join(groups("things.txt")["colour"]).split(";")
    return [(thing.strip(), shade.strip()) for thing, shade in (p.split("=") for p in pairs)]


@cache
def by_size() -> list[list[str]]:
    """Return rows of things from small to large."""
    return [line.split(", ") for line in groups("things.txt")["size"]]


COLOUR = Phrases((
    "What colour is {x}?", "What color is {x}?", "Which colour does {x} have?",
    "What is the colour of {x}?", "Tell me the colour of {x}.", "{x}: what colour?",
    "Which color has {x}?", "What colour does {x} normally have?",
))  # fmt: skip
BIGGER = Phrases((
    "What is {more}, {x} or {y}?", "Which is {more}, {x} or {y}?",
    "Which one is {more}: {x} or {y}?", "Is {x} {more} than {y}?", "{x} or {y}: which is {more}?",
    "Tell me what is {more}, {x} or {y}.", "Would you say {x} is {more} than {y}?",
    "which is {more} {x} or {y}", "Compare {x} and {y}: which is {more}?",
))  # fmt: skip


def colour(scene: Scene) -> list[Said]:
    """Return a question for the colour of a thing."""
    thing, shade = scene.rng.choice(colours())
    return [Said(scene.ask(COLOUR, x=thing), f"{capital(thing)} is {shade}.", is_fact=True)]


def size(scene: Scene) -> list[Said]:
    """Return a question which of two things is bigger or smaller."""
    row = scene.rng.choice(by_size())
    small, large = sorted(scene.rng.sample(range(len(row)), 2))
    first, second = scene.rng.sample((small, large), 2)
    more = scene.rng.choice(("bigger", "bigger", "larger", "smaller"))
    user = scene.ask(BIGGER, x=row[first], y=row[second], more=more)
    winner = small if more == "smaller" else large
    loser = small + large - winner
    reply = f"{capital(row[winner])} is {more} than {row[loser]}."
    if "or" not in user.split() and "Compare" not in user:
        reply = f"{'Yes' if winner == first else 'No'}, {row[winner]} is {more} than {row[loser]}."
    return [Said(user, reply)]
