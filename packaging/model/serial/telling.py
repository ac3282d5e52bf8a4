"""Puts clauses into sentences, as one tells of a number that goes up and down."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import NamedTuple

from serial.base import Draw, Mark, Split, capital
from serial.forms import Forms
from serial.words import Thing, pronoun

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
IN_WORDS = 0.05  # share of questions that write numbers up to ten as words
MOST = 99  # every value lies within 0 to 99
WHOM = {"she": "her", "he": "him"}


class Flow(NamedTuple):
    """What stands between clauses: ``ends`` close a sentence, ``inner`` stay within it."""

    ends: tuple[str, ...]
    inner: tuple[str, ...] = ()
    longest: int = 1  # clauses in a sentence


SENTENCES = Flow((". ",))
FLOWS = (
    SENTENCES,
    Flow((". ", ". ", ". Then ")),
    Flow((". ",), (", then ", " and "), 2),
    Flow((". ",), (", and then ", ", then "), 2),
    Flow((". ", ". Then "), (" and ",), 2),
)
ONE_SENTENCE = (
    Flow((", ",)),
    Flow((", then ",)),
    Flow((", ", ", then ")),
    Flow((", then ",), (" and ",), 2),
)

LEADS = Forms(
    ("", "", "", "", "", "", "Hey, here is one: ", "Hi! ", "Quick question: ", "A puzzle for you. ",
     "Can you work this out? ", "Help me with this: ", "Please work this out. ",
     "Here is a riddle. ",
     "I need some help with this one. ", "Let's see if you can do this. ", "Try this: ", "Hello! ",
     "Could you solve this for me? ", "OK, next question. ", "Think about this. "),
    ("", "", "", "Hey! ", "Here is a puzzle. ", "Hi, here is a question for you. ",
     "Could you help me with this? ", "Can you solve this one? ", "Try to work this out: "),
    ("",) * 12 + (
     "Good morning! ", "Hello there. ", "Hey there! ", "Dear helper, ",
     "A question: ", "My question: ", "Another question. ", "A short riddle: ", "Riddle: ",
     "Puzzle: ", "Problem: ", "I have a problem for you. ", "I have a question. ",
     "Do you like puzzles? ", "Are you good at maths? ", "Are you ready? ", "Ready? ",
     "Do you have a moment? ", "Please help me. ", "Can you help? ", "I am stuck with this: ",
     "I do not get this. ", "I found this in a book: ", "My teacher asked this. ",
     "A friend asked me this: ", "This is from my homework. ", "This is for a quiz. ",
     "Let me ask you something. ", "Tell me this: ", "Listen: ", "Imagine this. ",
     "Picture this: ", "Do this in your head: ", "Take your time. ", "Think this through. ",
     "Can you figure this out? ", "What do you make of this? ", "Follow me: ",
     "Now let's do some maths. ", "Maths time! ", "Solve this, please: "),
)  # fmt: skip
TAILS = Forms(
    (("", False),) * 12 + ((" Thanks!", False), (" Just the number, please.", True),
     (" Only the number.", True), (" Answer with the number only.", True),
     (" Can you tell me?", False), (" Please answer in a few words.", False)),
    (("", False),) * 6 + ((" Can you tell me? Thanks!", False), (" Just answer with the number.",
                                                                 True),
     (" Please answer with the number only.", True)),
    (("", False),) * 16 + ((" Thank you!", False), (" Thanks for your help.", False),
     (" I am not sure.", False), (" Keep it short.", False), (" Please keep it brief.", False),
     (" Can you help?", False), (" Just give me the number.", True),
     (" Number only, please.", True), (" Reply with the number only.", True),
     (" Just the number.", True), (" No words, only the number.", True),
     (" I only want the number.", True)),
)  # fmt: skip


def change(rng: random.Random, value: int, least: int, most: int) -> int:
    """Return a step of ``least`` to ``most`` up or down that keeps ``value`` within 0 to 99."""
    up, down = min(most, MOST - value), min(most, value)
    if up >= least and (down < least or rng.random() < 0.5):
        return rng.randint(least, up)
    return -rng.randint(least, down)


@dataclass(slots=True)
class Text:
    """A question in the making: what was written, and the values to know on the way."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[Mark] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Write ``text``."""
        self.parts.append(text)
        self.length += len(text)

    def sentence(self, text: str) -> None:
        """Write ``text``, with a capital where a sentence begins."""
        before = "".join(self.parts[-2:]).rstrip(" ")[-1:]
        self.add(capital(text) if before in ("", ".", "!", "?", "\n") else text)

    def mark(self, step: int, value: int) -> None:
        """Say that what stands so far completes ``step``, with ``value``."""
        self.marks.append(Mark(self.length, step, str(value)))

    def ask(self, rng: random.Random, split: Split, ask: str) -> bool:
        """Write the question itself; return whether the bare number is wanted."""
        tail, bare = TAILS.pick(rng, split) if ask.endswith((".", "?")) else ("", False)
        said_already = "Can you" in tail and ("ell me" in ask or "you" in ask)
        self.add(ask if said_already else ask + tail)
        return bool(bare)

    def draw(self, kind: str, steps: int, reply: str, value: int) -> Draw:
        """Return the question; its last mark, at its end, is the answer."""
        self.mark(steps, value)
        marks = tuple(self.marks)
        return Draw(kind, steps, "".join(self.parts), reply, str(value), (), marks)


class Hero(NamedTuple):
    """Whose number it is: ``name`` first, ``again`` later, ``whom`` as one who is given."""

    name: str
    again: str
    whom: str


ME = Hero("I", "I", "me")
IT = Hero("it", "it", "it")


def person(name: str, by_pronoun: bool) -> Hero:
    """Return the hero of that name, called by the pronoun later on where one is known."""
    again = pronoun(name)
    return (
        Hero(name, again, WHOM[again]) if by_pronoun and again in WHOM else Hero(name, name, name)
    )


@dataclass(frozen=True, slots=True)
class Manner:
    """A way to tell of a number: how it starts, goes up, goes down and is asked for.

    In a form ``*`` is the hero, left out where a sentence goes on about him; ``{v}`` is the value
    and ``{d}`` the change, each followed by ``{o}``, the things counted, or ``{s}`` and ``{are}``,
    the ending of a verb. ``asks`` are pairs of question and reply.
    """

    starts: Forms[str]
    ups: Forms[str]
    downs: Forms[str]
    asks: Forms[tuple[str, str]]
    flows: tuple[Flow, ...] = FLOWS
    before_ask: str = ". "
    variety: int = 3  # forms of a step in one question, at most


@dataclass(frozen=True, slots=True)
class Cast:
    """Who and what a text is about; ``items`` are things one pays for."""

    hero: Hero
    thing: Thing
    others: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    place: str = ""

    def fill(self, form: str, number: int, other: str = "", in_words: bool = False) -> str:
        """Return ``form`` with its words in place."""
        text = WORDS[number] if in_words and number <= 10 else str(number)
        one = number == 1
        return form.format(
            v=text, d=text, o=self.thing[0 if one else 1], s="s" if one else "",
            are="is" if one else "are", other=other, name=self.hero.name,
            whom=self.hero.whom, many=self.thing.many, place=self.place,
        )  # fmt: skip


@dataclass(slots=True)
class Teller:
    """Tells of one number in one manner."""

    rng: random.Random
    split: Split
    manner: Manner
    cast: Cast
    text: Text = field(default_factory=Text)
    preface: str = ""  # what one must know beforehand, as a whole sentence
    led: bool = True  # whether the clause before is about the hero
    ups: list[str] = field(default_factory=list)  # the forms of this question's steps
    downs: list[str] = field(default_factory=list)

    def tell(self, start: int, changes: list[int]) -> tuple[str, int]:
        """Write the whole question; return the reply and the value in it."""
        rng, split, manner, text = self.rng, self.split, self.manner, self.text
        in_words = rng.random() < IN_WORDS
        text.add(LEADS.pick(rng, split))
        text.sentence(self.preface)
        form = manner.starts.pick(rng, split)
        named = form.replace("*", self.cast.hero.name)
        text.sentence(self.cast.fill(named, start, in_words=in_words))
        self.led = "*" in form or self.cast.hero is IT
        value = self._steps(start, changes, in_words)
        ask, reply = manner.asks.pick(rng, split)
        text.add(manner.before_ask)
        bare = text.ask(rng, split, self.cast.fill(ask, 0))
        return (str(value) if bare else capital(self.cast.fill(reply, value))), value

    def form(self, step: int, forms: list[str]) -> str:
        """Return the form of a step."""
        return str(self.rng.choice(forms))

    def _steps(self, value: int, changes: list[int], in_words: bool) -> int:
        """Write a clause for each change; return the value at the end."""
        rng, cast, text = self.rng, self.cast, self.text
        forms = (self.manner.ups, self.manner.downs)
        self.ups, self.downs = (form.few(rng, self.split, self.manner.variety) for form in forms)
        ends, inner, longest = rng.choice(self.manner.flows)
        clauses, met_other = 1, False
        for step, amount in enumerate(changes, 1):
            form = self.form(step, self.ups if amount > 0 else self.downs)
            goes_on = clauses < longest and rng.random() < 0.6
            clauses = clauses + 1 if goes_on else 1
            joiner = rng.choice(inner if goes_on else ends)
            leads = form[0] == "*"
            if leads:
                kept = form[2:] if self.led and joiner[0] != "." else None
                hero = cast.hero.name if met_other else cast.hero.again
                form = kept or f"{hero}{form[1:]}"
            met_other = "{other}" in form
            other = rng.choice(cast.others) if met_other else ""
            if "{item}" in form:
                form = form.replace("{item}", rng.choice(cast.items))
            clause = cast.fill(form, abs(amount), other, in_words)
            text.add(joiner)
            text.sentence(clause)
            value += amount
            text.mark(step, value)
            self.led = leads
        return value
