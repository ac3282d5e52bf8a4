"""Little games and favours: a quiz, a coin, a choice, a name, a surprising fact."""

from __future__ import annotations

from functools import cache

from small_talk.facts import countries
from small_talk.grammar import past, plural
from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene
from small_talk.tables import forms, lines, slots
from small_talk.words import opposites

QUIZ = Phrases((
    "Ask me a question.", "Quiz me.", "Let's do a quiz.", "Test my knowledge.",
    "Ask me something.", "Can you quiz me?", "Give me a quiz question.", "I want to play a quiz.",
    "Ask me an easy question.", "Test me!", "Let's play a quiz game.",
))  # fmt: skip
ANSWER = Phrases((
    "{x}", "{x}.", "Is it {x}?", "It's {x}.", "I think it's {x}.", "{x}?", "That's {x}.",
    "{x}, I think.", "Maybe {x}?", "The answer is {x}.",
))  # fmt: skip
NO_IDEA = Phrases((
    "I don't know.", "No idea.", "Tell me.", "I give up.", "I have no idea, tell me.",
    "What is it?",
))  # fmt: skip
FUN_FACT = Phrases((
    "Tell me a fun fact.", "Do you know a fun fact?", "Tell me something interesting.",
    "Surprise me!", "Tell me something I don't know.", "fun fact please",
    "Give me an interesting fact.", "Tell me a surprising fact.", "Do you know something curious?",
    "Teach me something.", "What is something interesting?", "Tell me something new.",
))  # fmt: skip
COIN = Phrases((
    "Flip a coin.", "Toss a coin.", "Heads or tails?", "Can you flip a coin for me?",
    "Throw a coin.",
))  # fmt: skip
DICE = Phrases((
    "Roll a dice.", "Roll a die.", "Throw the dice.", "Can you roll a dice for me?",
    "Roll the dice, please.",
))  # fmt: skip
NUMBER = Phrases((
    "Give me a number between 1 and {n}.", "Tell me a number from 1 to {n}.",
    "Pick a number between 1 and {n}.", "Think of a number up to {n} and tell me.",
    "A random number between 1 and {n}, please.", "Choose a number from 1 to {n}.",
))  # fmt: skip
CHOOSE = Phrases((
    "{x} or {y}?", "Choose: {x} or {y}?", "Should I eat {x} or {y}?",
    "What is better, {x} or {y}?", "{x} or {y}, what would you take?",
    "I can't decide between {x} and {y}.", "Shall I have {x} or {y}?", "Pick one: {x} or {y}.",
    "Help me choose: {x} or {y}.",
))  # fmt: skip
PET_NAME = Phrases((
    "What can I call my {pet}?", "I need a name for my {pet}.", "Give me a name for a {pet}.",
    "What should I name my new {pet}?", "Do you have a name for my {pet}?",
    "Name ideas for a {pet}?", "How could I call my {pet}?", "Suggest a name for my {pet}.",
))  # fmt: skip
NAME = Phrases((
    "Give me a name for a hero.", "I need a name for a character.", "Tell me a first name.",
    "What is a nice name?", "Suggest a first name.", "Give me any name.",
))  # fmt: skip
PARITY = Phrases((
    "Is {x} even or odd?", "Is {x} an even number?", "Is {x} odd or even?",
    "Is the number {x} odd?", "{x}: even or odd?", "Tell me if {x} is even.",
))  # fmt: skip
PERCENT = Phrases((
    "What is {p} percent of {x}?", "How much is {p}% of {x}?", "{p} percent of {x}",
    "What's {p}% of {x}?", "Calculate {p}% of {x}.",
))  # fmt: skip
SQUARE = Phrases((
    "What is {x} squared?", "What is the square of {x}?", "How much is {x} to the power of two?",
    "{x} squared", "Square {x}.",
))  # fmt: skip
CLOCK = Phrases((
    "It is {x} o'clock. What time is it in {h}?", "It's {x} o'clock now. How late is it in {h}?",
    "What time is it {h} after {x} o'clock?", "If it is {x} o'clock, what time will it be in {h}?",
    "My train leaves at {x} o'clock and takes {h}. When do I arrive?",
))  # fmt: skip
SO = Phrases((
    "And of {x}?", "And {x}?", "and {x}", "What about {x}?", "How about {x}?", "and of {x}",
    "And the one of {x}?", "Now {x}.",
))  # fmt: skip


def quiz(scene: Scene) -> list[Said]:
    """Return a quiz question from us, and what we say to the user's answer."""
    country, other = scene.rng.sample([c for c in countries() if "." not in c.capital], 2)
    told = f"The capital of {country.name} is {country.capital}."
    question = f"what is the capital of {country.name}?"
    said = [
        Said(
            scene.ask(QUIZ),
            scene.say("(All right|Here is one|Gladly): " + question),
        )
    ]
    way = scene.rng.choice(("right", "right", "wrong", "none"))
    if way == "none":
        said.append(Said(scene.ask(NO_IDEA), told))
    elif way == "right":
        said.append(Said(scene.ask(ANSWER, x=country.capital), f"Right, well done! {told}"))
    else:
        said.append(Said(scene.ask(ANSWER, x=other.capital), f"Not quite. {told}"))
    return said


@cache
def fun_facts() -> list[str]:
    """Return the surprising facts of the table."""
    return list(lines("funfacts.txt"))


def fun_fact(scene: Scene) -> list[Said]:
    """Return a surprising fact."""
    return [Said(scene.ask(FUN_FACT), scene.rng.choice(fun_facts()), is_fact=True)]


def favour(scene: Scene) -> list[Said]:
    """Return a coin, a dice, a number, a choice or a name."""
    rng = scene.rng
    scene.forget()
    top = rng.choice((6, 10, 20, 50, 100))
    x, y = rng.sample(slots()["dish"], 2)
    kind = rng.choice((COIN, DICE, NUMBER, CHOOSE, CHOOSE, PET_NAME, PET_NAME, NAME))
    user = scene.ask(kind, n=str(top), x=x, y=y)
    replies = {
        COIN: "(Heads|Tails)!",
        DICE: f"I rolled a {rng.randint(1, 6)}.",
        NUMBER: f"My number is {rng.randint(1, top)}.",
        CHOOSE: f"I'd say {rng.choice((x, y))}. (Enjoy it!|What do you think?)",
        PET_NAME: "How about {petname}(, {petname2} or {petname3}| or {petname2}|)?",
        NAME: "How about {name}?",
    }
    return [Said(user, scene.say(replies[kind]))]


def figures(scene: Scene) -> list[Said]:
    """Return a question about even numbers, percent, squares or the clock."""
    rng = scene.rng
    x, hours = rng.randint(1, 100), rng.randint(2, 4)
    percent, base = rng.choice((10, 20, 25, 50)), 20 * rng.randint(1, 20)
    hour = rng.randint(1, 8)
    side = rng.randint(2, 12)
    kind = rng.choice((PARITY, PERCENT, SQUARE, CLOCK))
    number = {PARITY: x, PERCENT: base, SQUARE: side, CLOCK: hour}[kind]
    user = scene.ask(kind, x=str(number), p=str(percent), h=f"{hours} hours")
    replies = {
        PARITY: f"{x} is {'odd' if x % 2 else 'even'}.",
        PERCENT: f"{percent} percent of {base} is {percent * base // 100}.",
        SQUARE: f"{side} squared is {side * side}.",
        CLOCK: f"{hours} hours after {hour} o'clock it is {hour + hours} o'clock.",
    }
    reply = replies[kind]
    if kind is PARITY and not ("even" in user and "odd" in user):
        reply = f"{'Yes' if ('even' in user) == (x % 2 == 0) else 'No'}, {reply}"
    return [Said(user, reply)]


def series(scene: Scene) -> list[Said]:
    """Return a question about a word, and the same for other words after it."""
    ways = (
        ("opposite", [w for w, _ in opposites()], dict(opposites()).__getitem__),
        ("plural", list(forms()[0]), plural),
        ("past tense", [verb for verb in forms()[1] if verb != "be"], past),
    )
    what, choices, answer = scene.rng.choice(ways)
    chosen = scene.rng.sample(choices, scene.rng.choice((2, 2, 3)))
    said = []
    for at, word in enumerate(chosen):
        user = scene.say(f"What is the {what} of {word}?") if at == 0 else scene.ask(SO, x=word)
        said.append(Said(user, f"The {what} of {word} is {answer(word)}."))
    return said
