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

# What may follow a lead-in.
LED = ("What", "How", "Calculate", "Solve", "Find", "Tell", "Give", "Evaluate")
WRITTEN = 0.4  # share of questions written with signs, as "What is 7 + 5 - 3 ?"
SIGNS = Forms(
    ((" + ", " - "),) * 5
    + (("+", "-"), (" plus ", " minus "), (" plus ", " minus "), (" plus ", " take away "),
       (" add ", " minus ")),
    ((" + ", " - "),) * 4 + (("+", "-"), (" plus ", " minus "), (" add ", " take away ")),
    ((" + ", " - "),) * 6
    + (("+", "-"), (" +", " -"), (" plus ", " minus "), (" plus ", " minus "),
       (" plus ", " subtract "), (" add ", " subtract "), (" plus ", " less "),
       (", plus ", ", minus "), (", add ", ", subtract "), (", add ", ", take away ")),
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
    (
        ("What is {} ?", "The answer is {v}."),
        ("What is {}?", "The answer is {v}."),
        ("What's {} ?", "That's {v}."),
        ("{} = ?", "{v}"),
        ("{} =", "{v}"),
        ("{}?", "That makes {v}."),
        ("Solve {}.", "The answer is {v}."),
        ("Solve: {}", "The answer is {v}."),
        ("Evaluate {}.", "The value is {v}."),
        ("Evaluate: {}", "The value is {v}."),
        ("Find the value of {}.", "The value is {v}."),
        ("What is the value of {}?", "The value is {v}."),
        ("What value does {} have?", "It has the value {v}."),
        ("Tell me what {} is.", "It is {v}."),
        ("Tell me the answer to {}.", "The answer is {v}."),
        ("Give me the answer: {}", "The answer is {v}."),
        ("Give me the total of {}.", "The total is {v}."),
        ("What total does {} give?", "The total is {v}."),
        ("What does {} equal?", "It equals {v}."),
        ("What does {} come to?", "It comes to {v}."),
        ("What does {} give?", "It gives {v}."),
        ("What does {} add up to?", "It adds up to {v}."),
        ("What will {} be?", "It will be {v}."),
        ("What number is {}?", "It is the number {v}."),
        ("Which number is the same as {}?", "The number {v} is the same."),
        ("What comes out of {}?", "Out comes {v}."),
        ("What do you get when you work out {}?", "I get {v}."),
        ("What would you say {} is?", "I would say {v}."),
        ("How much do I get if I work out {}?", "You get {v}."),
        ("How much would {} be?", "It would be {v}."),
        ("{} equals what?", "It equals {v}."),
        ("{} equals", "{v}"),
        ("{} is what?", "It is {v}."),
        ("{} is how much?", "That is {v}."),
        ("{}: what is the answer?", "The answer is {v}."),
        ("{}. What does that come to?", "It comes to {v}."),
        ("{}, how much is that?", "That is {v}."),
        ("{}, please.", "That is {v}."),
        ("Here is a sum: {}. What is it?", "It is {v}."),
        ("The sum is {}. What is the total?", "The total is {v}."),
        ("Please find {}.", "I found {v}."),
        ("Do this sum: {}", "The sum is {v}."),
        ("Do you know what {} is?", "Yes, it is {v}."),
        ("Do you know how much {} makes?", "Yes, it makes {v}."),
        ("I want to know what {} is.", "It is {v}."),
        ("I need the result of {}.", "The result is {v}."),
        ("I wonder what {} is.", "It is {v}."),
        ("I cannot work out {}. Can you?", "Yes, it is {v}."),
        ("My calculator is broken: {}?", "It would show {v}."),
        ("If I type {} into a calculator, what does it show?", "It shows {v}."),
        ("Help me with {}.", "That is {v}."),
        ("Now {}.", "Now it is {v}."),
        ("so {} is", "so it is {v}."),
        ("whats the answer to {}", "The answer is {v}."),
        ("what does {} equal", "It equals {v}."),
        ("tell me {}", "It is {v}."),
        ("solve {}", "The answer is {v}."),
        ("calculate {}", "The result is {v}."),
        ("Sum: {}", "Total: {v}."),
    ),
)

DO_UPS = Forms(
    ("add {d}", "add {d}", "add {d} to that", "go up by {d}", "count up {d}", "put {d} on top",
     "add on {d}", "increase it by {d}"),
    ("add {d} to it", "go up {d}", "count up by {d}", "put on {d}"),
    ("add {d} more", "add another {d}", "add {d} to the number", "add {d} to the total",
     "make it {d} larger", "make it {d} bigger", "make the number larger by {d}", "raise it by {d}",
     "put {d} more on it", "increase the number by {d}", "move up by {d}", "move {d} up",
     "go {d} higher", "count on {d}", "move ahead by {d}", "count {d} up", "go {d} up"),
)  # fmt: skip
DO_DOWNS = Forms(
    ("take away {d}", "subtract {d}", "subtract {d}", "subtract {d} from that", "go down by {d}",
     "count down {d}", "take off {d}", "decrease it by {d}", "take {d} away"),
    ("take {d} off", "go down {d}", "count down by {d}", "subtract {d} from it"),
    ("take {d} from it", "take {d} from the number", "make it smaller by {d}",
     "subtract {d} from the total", "make it {d} less", "make it {d} smaller",
     "make the number smaller by {d}", "lower it by {d}", "reduce it by {d}", "deduct {d}",
     "remove {d}", "take {d} off the number", "move down by {d}", "move {d} down",
     "go {d} lower", "count back {d}", "move back by {d}", "count {d} down", "go {d} down"),
)  # fmt: skip
# Without a verb, of orders; and of a number that others change.
SAY_UPS = ("plus {d}", "{d} up", "up {d}", "{d} more")
SAY_DOWNS = ("minus {d}", "{d} down", "down {d}", "{d} less")
GETS_UPS = ("{d} is added", "{d} is added to it", "{d} comes on top", "it goes up by {d}",
            "someone adds {d}", "you add {d}", "it grows by {d}")  # fmt: skip
GETS_DOWNS = ("{d} is taken away", "{d} is taken off it", "{d} comes off", "it goes down by {d}",
              "someone takes away {d}", "you subtract {d}", "it shrinks by {d}")  # fmt: skip
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
    (
        ("What is your number?", "My number is {v}."),
        ("What number do you have?", "I have the number {v}."),
        ("What have you reached?", "I have reached {v}."),
        ("Where are you now?", "I am at {v} now."),
        ("What is the total?", "The total is {v}."),
        ("What does it come to?", "It comes to {v}."),
        ("How much is that?", "That is {v}."),
        ("How much is it in the end?", "In the end it is {v}."),
        ("Which number do you arrive at?", "I arrive at {v}."),
        ("What is left at the end?", "At the end there is {v}."),
        ("Tell me the result.", "The result is {v}."),
        ("Give me the number that you end on.", "I end on {v}."),
        ("What number did you find?", "I found {v}."),
        ("What would that be?", "That would be {v}."),
    ),
)
ORDERS = Manner(
    Forms(
        ("start with {v}", "start at {v}", "take {v}", "take the number {v}", "begin with {v}",
         "write down {v}"),
        ("begin at {v}", "start with the number {v}", "write down the number {v}"),
        ("start from {v}", "begin with the number {v}", "think of {v}", "think of the number {v}",
         "pick the number {v}", "choose {v}", "enter {v}", "count from {v}",
         "let the number be {v}", "your number is {v}", "take {v} as your number",
         "imagine the number {v}", "make {v} your first number", "the first number is {v}"),
    ),
    DO_UPS._replace(more=DO_UPS.more + SAY_UPS),
    DO_DOWNS._replace(more=DO_DOWNS.more + SAY_DOWNS),
    YOU_ASKED,
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
    (
        ("What is the total?", "The total is {v}."),
        ("What total do I reach?", "You reach {v}."),
        ("What have I reached?", "You have reached {v}."),
        ("Where am I now?", "You are at {v} now."),
        ("Which number am I at?", "You are at {v}."),
        ("Which number comes out?", "The number is {v}."),
        ("Which number do I arrive at?", "You arrive at {v}."),
        ("How much do I have in the end?", "In the end you have {v}."),
        ("How much is that?", "That is {v}."),
        ("How far did I get?", "You got to {v}."),
        ("What does that leave me with?", "That leaves you with {v}."),
        ("What should I write down?", "Write down {v}."),
        ("Do you know my number now?", "Yes, your number is {v}."),
        ("Can you say what my number is?", "Your number is {v}."),
    ),
)
MINE = Manner(
    Forms(
        ("* start with {v}", "* think of the number {v}", "* begin with {v}", "my number is {v}",
         "* take {v}"),
        ("* start with the number {v}", "* think of {v}", "my number is now {v}"),
        ("* start at {v}", "* start from {v}", "* begin at {v}", "* have the number {v}",
         "* pick the number {v}", "* choose {v}", "* write down {v}", "* count from {v}",
         "* am at {v}", "the number on my paper is {v}", "at first my number is {v}",
         "my first number is {v}", "the number that * pick is {v}", "{v} is my number",
         "in my head * have the number {v}"),
    ),
    _led(DO_UPS)._replace(more=_led(DO_UPS).more + GETS_UPS),
    _led(DO_DOWNS)._replace(more=_led(DO_DOWNS).more + GETS_DOWNS),
    I_ASKED,
)  # fmt: skip
SUPPOSED = Manner(
    Forms(
        ("if * start with {v}", "if * take {v}", "if * begin with {v}", "when * start at {v}"),
        ("if * start at {v}", "if * take the number {v}", "when * begin with {v}"),
        ("suppose * start with {v}", "suppose * have {v}", "say * start at {v}",
         "let's say * begin at {v}", "if * pick the number {v}", "when * take {v}",
         "if * begin at {v}", "if * count from {v}", "imagine * start from {v}", "if * have {v}",
         "when * start from {v}"),
    ),
    _led(DO_UPS), _led(DO_DOWNS),
    Forms(*(tuple((q[0].lower() + q[1:], r) for q, r in part) for part in I_ASKED)),
    ONE_SENTENCE, ", ",
)  # fmt: skip
METER = Manner(
    Forms(
        ("a counter shows {v}", "the score is {v}", "a number starts at {v}",
         "the counter is at {v}",
         "the meter shows {v}"),
        ("a counter is at {v}", "the score starts at {v}", "the number is {v}"),
        ("a meter reads {v}", "a dial points to {v}", "the dial is at {v}", "a display shows {v}",
         "the display reads {v}", "a gauge shows {v}", "a screen shows the number {v}",
         "at first the counter shows {v}", "there is a counter at {v}", "the level is {v}",
         "the reading is {v}", "a score begins at {v}", "the counter stands at {v}"),
    ),
    Forms(
        ("* goes up by {d}", "* rises by {d}", "* grows by {d}", "* moves up {d}"),
        ("* goes up {d}", "* moves up by {d}", "* rises {d}"),
        ("* creeps up by {d}", "* climbs {d}", "* increases by {d}", "* jumps up by {d}",
         "* gains {d}", "* goes {d} higher", "* advances by {d}", "* ticks up by {d}",
         "* gets {d} higher", "{d} is added to it", "someone adds {d} to it",
         "there is a rise of {d}", "a rise of {d} follows"),
    ),
    Forms(
        ("* goes down by {d}", "* falls by {d}", "* drops by {d}", "* moves down {d}"),
        ("* goes down {d}", "* moves down by {d}", "* falls {d}"),
        ("* sinks by {d}", "* drops {d}", "* decreases by {d}", "* jumps down by {d}",
         "* loses {d}", "* goes {d} lower", "* shrinks by {d}", "* ticks down by {d}",
         "* gets {d} lower", "{d} is taken from it", "someone takes {d} off it",
         "there is a drop of {d}", "a fall of {d} follows"),
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
        (
            ("What does it say now?", "It says {v} now."),
            ("What is the reading now?", "The reading is {v}."),
            ("What is the final number?", "The final number is {v}."),
            ("Which number does it reach?", "It reaches {v}."),
            ("Where does it stop?", "It stops at {v}."),
            ("How high is it now?", "Now it is at {v}."),
            ("How much is it then?", "Then it is {v}."),
            ("What number do I see?", "You see {v}."),
            ("What number is there now?", "Now there is {v}."),
            ("Where has it got to?", "It has got to {v}."),
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
