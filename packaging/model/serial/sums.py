"""Sums read from left to right: of single digits, and of two-digit numbers."""

from __future__ import annotations

import random

from serial.base import Draw, Split
from serial.telling import (
    FLOWS,
    IN_WORDS,
    IT,
    LEADS,
    ME,
    ONE_SENTENCE,
    WORDS,
    Cast,
    Forms,
    Hero,
    Manner,
    Teller,
    Text,
    change,
)
from serial.words import Thing

LED = ("What", "How", "Calculate")  # what may follow a lead-in
WRITTEN = 0.4  # share of questions written with signs, as "What is 7 + 5 - 3 ?"
SIGNS = Forms(
    ((" + ", " - "),) * 5
    + (("+", "-"), (" plus ", " minus "), (" plus ", " minus "), (" plus ", " take away "),
       (" add ", " minus ")),
    ((" + ", " - "),) * 4 + (("+", "-"), (" plus ", " minus "), (" add ", " take away ")),
)  # fmt: skip
AROUND = Forms(
    (
        ("What is {} ?", "The answer is {v}."),
        ("What is {}?", "The answer is {v}."),
        ("What's {}?", "That's {v}."),
        ("Calculate {}.", "The result is {v}."),
        ("Compute {}.", "The result is {v}."),
        ("{} =", "{v}"),
        ("{} = ?", "{v}"),
        ("{}", "That makes {v}."),
        ("Work out {}.", "It is {v}."),
        ("How much is {}?", "That makes {v}."),
        ("What do I get for {}?", "You get {v}."),
        ("What does {} make?", "That makes {v}."),
        ("Can you tell me what {} is?", "It is {v}."),
        ("Could you work out {} for me?", "It is {v}."),
        ("Please give me the result of {}.", "The result is {v}."),
        ("I have to solve {}. What is the answer?", "The answer is {v}."),
        ("My homework says {}. What do I write?", "Write {v}."),
        ("{} makes what?", "That makes {v}."),
        ("what is {}", "The answer is {v}."),
        ("whats {}", "That's {v}."),
        ("how much is {}", "That makes {v}."),
        ("can you add this up {}", "It is {v}."),
    ),
    (
        ("Please calculate {}.", "The result is {v}."),
        ("What is the answer to {}?", "The answer is {v}."),
        ("Can you work out {}?", "It is {v}."),
        ("How much does {} make?", "That makes {v}."),
        ("Could you tell me what {} is?", "It is {v}."),
        ("What is the result of {}?", "The result is {v}."),
        ("I have to work out {}. What do I get?", "You get {v}."),
        ("Please solve this: {} =", "{v}"),
    ),
)

DO_UPS = Forms(
    ("add {d}", "add {d}", "add {d} to that", "go up by {d}", "count up {d}", "put {d} on top",
     "add on {d}", "increase it by {d}"),
    ("add {d} to it", "go up {d}", "count up by {d}", "put on {d}"),
)  # fmt: skip
DO_DOWNS = Forms(
    ("take away {d}", "subtract {d}", "subtract {d}", "subtract {d} from that", "go down by {d}",
     "count down {d}", "take off {d}", "decrease it by {d}", "take {d} away"),
    ("take {d} off", "go down {d}", "count down by {d}", "subtract {d} from it"),
)  # fmt: skip
YOU_ASKED = Forms(
    (
        ("What do you get?", "You get {v}."),
        ("What is the result?", "The result is {v}."),
        ("Where do you end up?", "You end up at {v}."),
        ("What does that make?", "That makes {v}."),
        ("Which number comes out?", "The number is {v}."),
        ("What have you got now?", "You have {v} now."),
        ("What is the answer?", "The answer is {v}."),
    ),
    (
        ("What number do you get?", "You get {v}."),
        ("Which number is the result?", "The result is {v}."),
        ("What do you end up with?", "You end up with {v}."),
        ("What is the number now?", "The number is {v}."),
    ),
)
ORDERS = Manner(
    Forms(
        ("start with {v}", "start at {v}", "take {v}", "take the number {v}", "begin with {v}",
         "write down {v}"),
        ("begin at {v}", "start with the number {v}", "write down the number {v}"),
    ),
    DO_UPS, DO_DOWNS, YOU_ASKED,
    (*FLOWS, *ONE_SENTENCE),
)  # fmt: skip


def _led(forms: Forms) -> Forms:
    """Return the same forms said of the hero."""
    return Forms(*(tuple(f"* {form}" for form in part) for part in forms))


I_ASKED = Forms(
    (
        ("What do I get?", "You get {v}."),
        ("What is my number?", "Your number is {v}."),
        ("What number do I have now?", "Your number is {v}."),
        ("Where do I end up?", "You end up at {v}."),
        ("What have I got?", "You have {v}."),
        ("What is the result?", "The result is {v}."),
    ),
    (
        ("What number do I get?", "You get {v}."),
        ("What is my number now?", "Your number is {v}."),
        ("What do I end up with?", "You end up with {v}."),
    ),
)
MINE = Manner(
    Forms(
        ("* start with {v}", "* think of the number {v}", "* begin with {v}", "my number is {v}",
         "* take {v}"),
        ("* start with the number {v}", "* think of {v}", "my number is now {v}"),
    ),
    _led(DO_UPS), _led(DO_DOWNS),
    I_ASKED,
)  # fmt: skip
SUPPOSED = Manner(
    Forms(
        ("if * start with {v}", "if * take {v}", "if * begin with {v}", "when * start at {v}"),
        ("if * start at {v}", "if * take the number {v}", "when * begin with {v}"),
    ),
    MINE.ups, MINE.downs,
    Forms(*(tuple((q[0].lower() + q[1:], r) for q, r in part) for part in I_ASKED)),
    ONE_SENTENCE, ", ",
)  # fmt: skip
METER = Manner(
    Forms(
        ("a counter shows {v}", "the score is {v}", "a number starts at {v}",
         "the counter is at {v}",
         "the meter shows {v}"),
        ("a counter is at {v}", "the score starts at {v}", "the number is {v}"),
    ),
    Forms(
        ("* goes up by {d}", "* rises by {d}", "* grows by {d}", "* moves up {d}"),
        ("* goes up {d}", "* moves up by {d}", "* rises {d}"),
    ),
    Forms(
        ("* goes down by {d}", "* falls by {d}", "* drops by {d}", "* moves down {d}"),
        ("* goes down {d}", "* moves down by {d}", "* falls {d}"),
    ),
    Forms(
        (
            ("What is it now?", "It is {v} now."),
            ("What does it show now?", "It shows {v} now."),
            ("Where does it end?", "It ends at {v}."),
            ("What is the number at the end?", "The number is {v}."),
        ),
        (
            ("What is it at the end?", "It is {v} now."),
            ("What does it show at the end?", "It shows {v} now."),
            ("Where is it now?", "It is {v} now."),
        ),
    ),
)  # fmt: skip
TOLD: tuple[tuple[Manner, Hero], ...] = ((ORDERS, ME), (MINE, ME), (SUPPOSED, ME), (METER, IT))
NUMBER = Thing("number", "numbers")


def _written(rng: random.Random, split: Split, start: int, changes: list[int]) -> tuple[Text, str]:
    """Return a sum with signs or the words for them, and the reply."""
    text = Text()
    around, reply = AROUND.pick(rng, split)
    plus, minus = SIGNS.pick(rng, split)
    in_words = len(plus) > 3 and rng.random() < 4 * IN_WORDS
    before, after = around.split("{}")
    lead = LEADS.pick(rng, split) if before.startswith(LED) else ""
    text.add(lead + before)
    value = start
    text.add(WORDS[start] if in_words and start <= 10 else str(start))
    for step, amount in enumerate(changes, 1):
        number = abs(amount)
        text.add(plus if amount > 0 else minus)
        text.add(WORDS[number] if in_words and number <= 10 else str(number))
        value += amount
        text.mark(step, value)
    bare = text.ask(rng, split, after)
    return text, str(value) if bare else reply.format(v=value)


def _sum(kind: str, rng: random.Random, split: Split, start: int, changes: list[int]) -> Draw:
    """Return the sum, written or told."""
    value = start + sum(changes)
    if rng.random() < WRITTEN:
        text, reply = _written(rng, split, start, changes)
    else:
        manner, hero = rng.choice(TOLD)
        teller = Teller(rng, split, manner, Cast(hero, NUMBER))
        reply, _ = teller.tell(start, changes)
        text = teller.text
    return text.draw(kind, len(changes), reply, value)


def _changes(rng: random.Random, start: int, steps: int, least: int, most: int) -> list[int]:
    """Return the changes of a sum that stays within 0 to 99."""
    value, changes = start, []
    for _ in range(steps):
        changes.append(change(rng, value, least, most))
        value += changes[-1]
    return changes


def chain(rng: random.Random, steps: int, split: Split) -> Draw:
    """A sum of single digits."""
    start = rng.randint(0, 9)
    return _sum("chain", rng, split, start, _changes(rng, start, steps, 1, 9))


def two_digit(rng: random.Random, steps: int, split: Split) -> Draw:
    """A sum of two-digit numbers, each value on the way within 0 to 99."""
    start = rng.randint(10, 99)
    return _sum("two_digit", rng, split, start, _changes(rng, start, steps, 10, 99))
