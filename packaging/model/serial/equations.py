"""Values defined one by the other: in order, shuffled, and as a program on last digits."""

from __future__ import annotations

import random
import string
from typing import NamedTuple

from serial.base import Draw, Split
from serial.equation_forms import ENDS, LETTERS, MORE_JOINS, OPENINGS, PLAIN, PLUS, SETS, Lines
from serial.measure_forms import OF_PEOPLE, OTHERS, PRICES
from serial.telling import LEADS, Text, change
from serial.words import Thing, names, object_, things

MANY_STEPS = 25  # from here on the small letters do not suffice
PEOPLE = 0.3  # share of questions about people instead of letters
FEW_PEOPLE = 20  # names are long: more of them would make a long question
ASKED_FIRST = 0.15  # share of training questions that ask before they tell


def _letters(rng: random.Random, count: int) -> list[str]:
    """Return different letters; capitals too where the small ones do not suffice."""
    mixed = count > MANY_STEPS + 1 or rng.random() < 0.15
    return rng.sample(string.ascii_letters if mixed else string.ascii_lowercase, count)


def _style(rng: random.Random, split: Split, count: int) -> tuple[Lines, list[str], Thing]:
    """Return a way to define values, the names to define and the things they count."""
    if count <= FEW_PEOPLE and rng.random() < PEOPLE:
        if split == "train" and rng.random() < 0.5:
            style = rng.choice(OTHERS)
            who = things(rng, split, count) if style is PRICES else names(rng, split, count)
            return style, who, Thing("", "")
        return rng.choice(OF_PEOPLE), names(rng, split, count), object_(rng, split)
    lines = PLAIN if split == "train" and rng.random() < 0.15 else rng.choice(LETTERS)
    return lines, _letters(rng, count), Thing("", "")


class Chain(NamedTuple):
    """The lines in the order of their steps, the values they define, and what follows."""

    lines: list[str]
    values: list[int]
    join: tuple[str, str]
    ask: str
    reply: str


def _chain(rng: random.Random, steps: int, split: Split) -> Chain:
    """Return lines each of which but the first needs the one before."""
    style, who, thing = _style(rng, split, steps + 1)
    most = 4 if split == "train" else 2
    ups, downs = style.ups.few(rng, split, most), style.downs.few(rng, split, most)
    value = rng.randint(0, 9) if style in (*LETTERS, PLAIN) else rng.randint(1, 40)
    values = [value]
    first = style.firsts.pick(rng, split)
    lines = [_fill(first, value, who[0], "", thing)]
    for x, y in zip(who[1:], who[:-1], strict=True):
        amount = change(rng, value, 1, 9)
        value += amount
        values.append(value)
        lines.append(_fill(rng.choice(ups if amount > 0 else downs), abs(amount), x, y, thing))
    ask, reply = style.asks.pick(rng, split)
    more = split == "train" and style is not PLAIN and rng.random() < 0.4
    join = rng.choice(MORE_JOINS if more else style.joins)
    if join[0].startswith(",") and any("," in line for line in lines):
        join = style.joins[0]  # else one could not tell where a line ends
    return Chain(lines, values, join, _fill(ask, 0, who[-1], "", thing),
                 _fill(reply, value, who[-1], "", thing))  # fmt: skip


def _fill(form: str, number: int, x: str, y: str, thing: Thing) -> str:
    """Return ``form`` with its words in place."""
    one = number == 1
    return form.format(v=number, d=number, x=x, y=y, o=thing.of(number), many=thing.many,
                       s="" if one else "s", are="is" if one else "are")  # fmt: skip


def _line(text: Text, line: str) -> None:
    """Write ``line`` as a sentence, but leave alone a letter that stands for a value."""
    if line[1:2].isalpha():
        text.sentence(line)
    else:
        text.add(line)


def _ask_first(rng: random.Random, split: Split, text: Text, ask: str) -> bool | None:
    """Write the question before the rest at times; return whether the bare number is wanted."""
    if split != "train" or rng.random() >= ASKED_FIRST:
        return None
    bare = text.ask(rng, split, ask)
    text.add(rng.choice((" ", " ", "\n")))
    return bare


def _write(rng: random.Random, split: Split, chain: Chain, order: list[int]) -> tuple[Text, bool]:
    """Write the lines in ``order`` and mark each whose value is known where it stands."""
    text = Text()
    text.add(LEADS.pick(rng, split))
    bare = _ask_first(rng, split, text, chain.ask)
    between, last = chain.join
    known: set[int] = set()
    for place, step in enumerate(order):
        text.add(between if place else "")
        _line(text, chain.lines[step])
        known.add(step)
        if step and len(known) > step and known.issuperset(range(step)):
            text.mark(step, chain.values[step])
    if bare is not None:
        text.add(".")
        return text, bare
    text.add(last)
    return text, text.ask(rng, split, chain.ask)


def variables(rng: random.Random, steps: int, split: Split) -> Draw:
    """Values defined one after the other."""
    chain = _chain(rng, steps, split)
    text, bare = _write(rng, split, chain, list(range(steps + 1)))
    value = chain.values[-1]
    return text.draw("variables", steps, str(value) if bare else chain.reply, value)


def shuffled(rng: random.Random, steps: int, split: Split) -> Draw:
    """The same with its lines shuffled.

    A value is marked at its line only where all it needs stands before; from the start on, one
    value a loop can be known at the question's end, so all of them are marked there.
    """
    chain = _chain(rng, steps, split)
    order = list(range(steps + 1))
    rng.shuffle(order)
    text, bare = _write(rng, split, chain, order)
    for step in range(1, steps):
        text.mark(step, chain.values[step])
    value = chain.values[-1]
    return text.draw("shuffled", steps, str(value) if bare else chain.reply, value)


def _operand(rng: random.Random, step: int) -> tuple[int, int]:
    """Return which earlier value the one before is added to, and the sign.

    A value less itself is 0, and all values would soon be: only the first line may say so.
    """
    if step > 1 and rng.random() < 0.9:
        return rng.randrange(step - 1), rng.choice((1, -1))
    return step - 1, -1 if step == 1 and rng.random() < 0.2 else 1


class Program(NamedTuple):
    """A way to write a program: ``lines`` are pairs, of a sum and of a difference."""

    opening: str
    first: str
    lines: list[tuple[str, str]]
    join: tuple[str, str]
    ask: str
    reply: str


# The one phrasing of the first model.
PLAIN_PROGRAM = Program("Last digits:", SETS.train[0], [PLUS.train[0]], (" ", ", "), *ENDS.train[1])


def _program(rng: random.Random, split: Split) -> Program:
    """Return a way to write a program; only training mixes kinds of lines."""
    first, line = SETS.pick(rng, split), PLUS.pick(rng, split)
    opening, (ask, reply) = OPENINGS.pick(rng, split), ENDS.pick(rng, split)
    join = rng.choice(((", ", ". "), (". ", ". "), ("; ", ". "), ("\n", "\n")))
    if split == "heldout":
        return Program(opening, first, [line], join, ask, reply)
    if rng.random() < 0.1:
        return PLAIN_PROGRAM
    join = rng.choice(MORE_JOINS) if rng.random() < 0.3 else join
    return Program(opening, first, PLUS.few(rng, split, 3), join, ask, reply)


def program(rng: random.Random, steps: int, split: Split) -> Draw:
    """The one before plus or minus any earlier value, of which the last digit counts."""
    who = _letters(rng, steps + 1)
    style = _program(rng, split)
    text, bare, join = Text(), None, style.join
    text.add(LEADS.pick(rng, split))
    if style is not PLAIN_PROGRAM:
        bare = _ask_first(rng, split, text, style.ask.format(x=who[-1]))
    text.add(f"{style.opening}{join[0] if join[0] == chr(10) else ' '}")
    values = [rng.randint(0, 9)]
    _line(text, style.first.format(x=who[0], v=values[0]))
    for step in range(1, steps + 1):
        earlier, sign = _operand(rng, step)
        # Of one pair nothing is drawn: the held-out questions were made so.
        line = rng.choice(style.lines) if len(style.lines) > 1 else style.lines[0]
        text.add(join[0])
        _line(text, line[sign < 0].format(x=who[step], y=who[step - 1], z=who[earlier]))
        values.append((values[-1] + sign * values[earlier]) % 10)
        text.mark(step, values[-1])
    if bare is None:
        text.add(join[1])
        bare = text.ask(rng, split, style.ask.format(x=who[-1]))
    else:
        text.add(".")
    value = values[-1]
    said = str(value) if bare else style.reply.format(x=who[-1], v=value)
    return text.draw("program", steps, said, value)
