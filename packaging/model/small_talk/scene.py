"""One conversation in the making: its random source, its split, and the words it has drawn."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from serial.base import Split

from small_talk.grammar import a, plural
from small_talk.phrases import Phrases, expand, parse
from small_talk.tables import slots

SLOTS = slots()


def capital(text: str) -> str:
    """Return ``text`` with a capital first letter."""
    return text[:1].upper() + text[1:]


# What may stand before a slot's name: {a fruit}, {s fruit}, {cap fruit}, {cap a fruit}.
CHANGES = {"a": a, "s": plural, "cap": capital}


class Said(NamedTuple):
    """A user's turn and the reply, with what the reply to "why?" and "shorter!" would be."""

    user: str
    reply: str
    why: str = ""
    short: str = ""
    is_fact: bool = False


# One thing to talk about: draws one or more turns with their replies.
Subject = Callable[["Scene"], list[Said]]


class Scene:
    """Draws phrases; a slot keeps its word until ``forget``, and {x2} differs from {x}."""

    def __init__(self, rng: random.Random, split: Split) -> None:
        self.rng = rng
        self.split = split
        self.words: dict[str, str] = {}

    def ask(self, phrases: Phrases, **words: str) -> str:
        """Return a phrase of this scene's split, its slots filled."""
        self.words.update(words)
        return expand(self.rng.choice(phrases.of(self.split)), self.rng, self.fill)

    def say(self, template: str, **words: str) -> str:
        """Return one text of ``template``, its slots filled."""
        self.words.update(words)
        return expand(parse(template), self.rng, self.fill)

    def fill(self, slot: str) -> str:
        """Return the word for {slot}; {a slot} puts its article before it, {s slot} its plural."""
        *changes, name = slot.split(" ")
        word = self.word(name)
        for change in reversed(changes):
            word = CHANGES[change](word)
        return word

    def word(self, name: str) -> str:
        """Return the word drawn for ``name``, drawing it now if it is new."""
        if name not in self.words:
            table = SLOTS[name.rstrip("0123456789")]
            taken = set(self.words.values())
            word = self.rng.choice(table)
            while word in taken:
                word = self.rng.choice(table)
            self.words[name] = word
        return self.words[name]

    def forget(self) -> None:
        """Let every slot be drawn anew."""
        self.words.clear()

    def chance(self, share: float) -> bool:
        """Return True in ``share`` of the calls."""
        return self.rng.random() < share
