"""Tells what happens to things and people, and remembers where in the text each step ends."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import NamedTuple

from serial.base import Draw, Mark, Split, capital
from serial.forms import Forms

Way = tuple[int, list[str]]  # an offset in a text, and what can be known there after 1, 2 … loops


class Asking(NamedTuple):
    """A question and its reply, both with fields in braces; ``{v}`` is the answer."""

    question: str
    reply: str


class Step(NamedTuple):
    """One step as a clause without its full stop, and the value that it makes true.

    ``short`` is the clause after another one in the same sentence, where it may drop its verb.
    ``early`` is how far the clause has come where a value can be known before its end, and that
    value, for each such place; only for clauses that have no ``short``.
    """

    clause: str
    value: str
    short: str = ""
    early: tuple[tuple[int, str], ...] = ()


class Flow(NamedTuple):
    """How clauses become sentences: what may open one, what joins two, how many it may hold."""

    openers: tuple[str, ...]
    joiners: tuple[str, ...] = ()
    most: int = 1
    gap: str = " "


# Of what happens one after the other.
EVENTS = Forms(
    train=(
        Flow(("",)),
        Flow(("",)),
        Flow(("",), gap="\n"),
        Flow(("", "", "then ", "next, ", "after that, ")),
        Flow(("", "", "", "now "), (", then ", " and then "), 2),
        Flow(("", "then "), (", and then ", "; then ", ", and "), 2),
        Flow(("",), (", then ", ", "), 4),
        Flow(("",), ("; ",), 8),
        Flow(("", "", "after this ", "afterwards, ")),
        Flow(("", "", "and then ", "and now ")),
        Flow(("", "then "), gap="\n"),
        Flow(("",), (", and then ",), 3),
        Flow(("",), ("; then ", "; "), 4),
        Flow(("", "next, "), (", after that ", ", then "), 3),
        Flow(("",), (", and after that ", ", and then "), 2),
        Flow(("",), (", ",), 6),
        Flow(("",), (", next ",), 3),
        Flow(("",), ("; ",), 3, "\n"),
        Flow(("",), (", ",), 3, "\n"),
    ),
    heldout=(
        Flow(("", "", "after that ", "then, ")),
        Flow(("", "next "), ("; ", ", and then "), 2),
        Flow(("", "then "), (", then ", " and then "), 3),
    ),
)
# Of what is so all along.
FACTS = Forms(
    train=(
        Flow(("",)),
        Flow(("",)),
        Flow(("",), gap="\n"),
        Flow(("",), (", and ",), 2),
        Flow(("",), ("; ",), 4),
        Flow(("",), (", ", ", and "), 3),
        Flow(("", "", "also, ")),
        Flow(("",), (", while ",), 2),
        Flow(("",), ("; ", ", "), 5),
        Flow(("",), (", ",), 6),
        Flow(("",), ("; ",), 2, "\n"),
        Flow(("",), (", and ",), 2, "\n"),
    ),
    heldout=(
        Flow(("",), ("; ", ", and "), 3),
        Flow(("", "", "and "), (", ",), 2),
    ),
)

PREAMBLES = Forms(
    train=(
        "Here is a puzzle.",
        "Can you help me with this?",
        "A question for you:",
        "Hi! A little puzzle:",
        "Let me test you.",
        "Think about this one.",
        "Please read this with care.",
        "I have a question.",
        "Try this:",
        "Listen.",
        "Here is what happened.",
        "Hello!", "Hello there.", "Good morning!", "Hey, I am stuck.", "Could you help me out?",
        "I would like your help.", "Do you have a moment?", "Are you good at puzzles?",
        "Do you like riddles?", "Let us play a game.", "This is a small riddle.",
        "Here comes a riddle:", "A friend asked me this:", "My teacher gave us this problem.",
        "I found this in a book.", "Now a new puzzle.", "OK, another puzzle:",
        "Take your time with this.", "Think step by step.", "Pay attention.",
        "Please follow along.", "Follow me closely.", "Imagine this.", "Picture this:",
        "Solve this, please.", "What do you make of this?", "Can you solve this?",
        "Can you figure this out?", "Please help me work this out.", "This is for a quiz.",
        "It goes like this:", "Ready?",
    ),
    heldout=(
        "Here is a question for you.",
        "Can you help me with a little puzzle?",
        "Please think about this one:",
        "Hi! Try this puzzle.",
    ),
)  # fmt: skip
PREAMBLE_RATE = 0.25
# What may stand behind the comma of a list.
LIST_GAPS = Forms(
    train=("", "", "", "", "", " then", " next", " followed by", " after that"),
    heldout=(" and", " and then"),
)


def listed(parts: Sequence[str]) -> str:
    """Return ``parts`` as one list: "a", "a and b", "a, b and c"."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def counted(count: int, unit: str) -> str:
    """Return "1 day", "2 days"."""
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def marks_of(ways: Sequence[Way], begin: int = 0) -> list[Mark]:
    """Return the marks of ``ways`` in a text that begins at an offset."""
    return [Mark(begin + at, loops, value)
            for at, values in ways for loops, value in enumerate(values, 1)]  # fmt: skip


class Narration:
    """A question that grows sentence by sentence and remembers where each step ends."""

    def __init__(self, rng: random.Random, split: Split, flows: Forms[Flow] = EVENTS) -> None:
        self._rng = rng
        self._split = split
        self._flows = flows
        self._text = ""
        self._marks: list[Mark] = []
        self._steps = 0
        if rng.random() < PREAMBLE_RATE:
            self.say(PREAMBLES.pick(rng, split))

    def say(self, sentence: str, ways: Sequence[Way] = ()) -> None:
        """Add a sentence that is no step, and mark the ways within it."""
        self._text += " " if self._text else ""
        self._marks += marks_of(ways, len(self._text))
        self._text += capital(sentence)

    def tell(self, steps: Sequence[Step]) -> None:
        """Add the steps, joined into sentences in one of the flows."""
        flow = self._flows.pick(self._rng, self._split)
        done = 0
        while done < len(steps):
            size = min(self._rng.randint(1, flow.most), len(steps) - done)
            self._sentence(flow, steps[done : done + size])
            done += size

    def items(self, intro: str, parts: Sequence[object], values: Sequence[str]) -> None:
        """Add a list in one sentence; ``values`` belong to all parts but the first."""
        gap = LIST_GAPS.pick(self._rng, self._split)
        self._text += (" " if self._text else "") + capital(intro)
        for number, part in enumerate(parts):
            self._text += f" {part}{',' if number < len(parts) - 1 else '.'}"
            if number:
                self._mark(values[number - 1])
            if number < len(parts) - 1:
                self._text += gap

    def hops(self, values: Sequence[str], *, at_reply: bool) -> None:
        """Mark, all at the end of the text or where the reply begins, what each hop arrives at."""
        for step, value in enumerate(values, 1):
            self._marks.append(Mark(len(self._text) + at_reply, step, value))
        self._steps = len(values)

    def ask(self, question: str, opening: str, steps: Sequence[Step], *, first: bool) -> None:
        """Add a whole question, what is asked ``first`` or last; ``opening`` may be empty."""
        if first:
            self.say(question)
        if opening:
            self.say(opening)
        self.tell(steps)
        if not first:
            self.say(question)

    def draw(self, kind: str, reply: str, choices: Sequence[str], value: str) -> Draw:
        """Return the finished question, its last step marked at its end or where a reply begins."""
        last = Mark(len(self._text), self._steps, value)
        at_end = self._marks[-1] == last or self._marks[-1].end > last.end
        marks = tuple(self._marks) if at_end else (*self._marks, last)
        return Draw(kind, self._steps, self._text, capital(reply), value, tuple(choices), marks)

    def _sentence(self, flow: Flow, steps: Sequence[Step]) -> None:
        opener = self._rng.choice(flow.openers) if self._marks else ""
        self._text += (flow.gap if self._text else "") + capital(opener)
        self._mark_early(steps[0])
        self._text += steps[0].clause if opener else capital(steps[0].clause)
        for before, step in itertools.pairwise(steps):
            joiner = self._rng.choice(flow.joiners)
            rest = joiner.lstrip(",;")
            self._text += joiner[: len(joiner) - len(rest)]
            self._mark(before.value)
            self._text += rest
            self._mark_early(step)
            self._text += step.short or step.clause
        self._text += "."
        self._mark(steps[-1].value)

    def _mark_early(self, step: Step) -> None:
        """Mark what can be known before the end of a step about to be told, if anything."""
        for at, value in step.early:
            self._marks.append(Mark(len(self._text) + at, self._steps + 1, value))

    def _mark(self, value: str) -> None:
        self._steps += 1
        self._marks.append(Mark(len(self._text), self._steps, value))
