"""Phrase templates: (a|b) picks one, {slot} draws a word, and some are held out."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from serial.base import Split

TOKEN = re.compile(r"[(|)]|\{[^{}]*\}|[^(|){}]+")
HELD_OUT_OF = 8  # about one phrasing in eight is never seen in training
FEWEST_TO_DIVIDE = 4  # of fewer phrasings none is held out by force

# Gives the word for a slot's name.
Fill = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place where a drawn word goes."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A place where one of several parts goes."""

    options: tuple[Parts, ...]


Parts = tuple["str | Slot | Choice", ...]


@cache
def parse(template: str) -> Parts:
    """Return the parts of ``template``; raises ValueError where brackets do not match."""
    tokens = TOKEN.findall(template)
    if "".join(tokens) != template:
        raise ValueError(f"Braces do not match in {template!r}; write (a|b) or {{slot}}.")
    options, end = parse_options(tokens, 0)
    if end != len(tokens) or len(options) > 1:
        raise ValueError(f"Brackets do not match in {template!r}; write (a|b) or {{slot}}.")
    return options[0]


def parse_options(tokens: Sequence[str], start: int) -> tuple[tuple[Parts, ...], int]:
    """Return the options from ``start`` to the bracket that closes them, and where that is."""
    options: list[list[str | Slot | Choice]] = [[]]
    at = start
    while at < len(tokens) and tokens[at] != ")":
        token = tokens[at]
        if token == "(":
            inner, at = parse_options(tokens, at + 1)
            options[-1].append(Choice(inner))
        elif token == "|":
            options.append([])
        else:
            options[-1].append(Slot(token[1:-1]) if token[0] == "{" else token)
        at += 1
    return tuple(tuple(option) for option in options), at


def expand(parts: Parts, rng: random.Random, fill: Fill) -> str:
    """Return one text of ``parts``."""
    said = []
    for part in parts:
        if isinstance(part, str):
            said.append(part)
        elif isinstance(part, Slot):
            said.append(fill(part.name))
        else:
            said.append(expand(rng.choice(part.options), rng, fill))
    return "".join(said)


class Phrases:
    """Ways to say one thing, divided into those for training and those held out."""

    def __init__(self, templates: Sequence[str]) -> None:
        self.templates = tuple(templates)
        held = held_out(self.templates)
        self.held_out = tuple(parse(t) for t in self.templates if t in held)
        self.training = tuple(parse(t) for t in self.templates if t not in held)

    def of(self, split: Split) -> tuple[Parts, ...]:
        """Return the phrasings of ``split``; the training ones where none is held out."""
        return self.held_out if split == "heldout" and self.held_out else self.training


def held_out(templates: Sequence[str]) -> frozenset[str]:
    """Return the templates that training never sees, the same ones at every run."""
    order = sorted(set(templates), key=lambda t: zlib.crc32(t.encode()))
    held = [t for t in order if zlib.crc32(t.encode()) % HELD_OUT_OF == 0]
    if not held and len(order) >= FEWEST_TO_DIVIDE:
        held = order[:1]
    return frozenset(held) if len(held) < len(order) else frozenset()
