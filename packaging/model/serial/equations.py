"""Values defined one by the other: in order, shuffled, and as a program on last digits."""

from __future__ import annotations

import random
import string
from typing import NamedTuple

from serial.base import Draw, Split
from serial.telling import LEADS, Forms, Text, change
from serial.words import Thing, names, object_

MANY_STEPS = 25  # from here on the small letters do not suffice
PEOPLE = 0.3  # share of questions about people instead of letters
FEW_PEOPLE = 20  # names are long: more of them would make a long question


class Lines(NamedTuple):
    """A way to define values: the first, one above and one below another, and the question.

    ``{x}`` is the name that is defined, ``{y}`` the one it is defined by; ``asks`` are pairs of
    question and reply. ``joins`` stand between lines; the last of each is what precedes the
    question.
    """

    firsts: Forms
    ups: Forms
    downs: Forms
    asks: Forms
    joins: tuple[tuple[str, str], ...]


SEPARATE = ((". ", ". "),) * 4 + ((", ", ". "), ("; ", ". "), ("\n", "\n"))
ASKED = Forms(
    (
        ("What is {x}?", "{x} is {v}."),
        ("What is {x}?", "{x} is {v}."),
        ("Find {x}.", "{x} is {v}."),
        ("What is the value of {x}?", "The value of {x} is {v}."),
        ("Tell me {x}.", "{x} is {v}."),
        ("How much is {x}?", "{x} is {v}."),
        ("Which number is {x}?", "{x} is {v}."),
        ("Can you work out the value of {x}?", "The value of {x} is {v}."),
    ),
    (
        ("Find the value of {x}.", "The value of {x} is {v}."),
        ("Can you tell me what {x} is?", "{x} is {v}."),
        ("Which value is {x}?", "The value of {x} is {v}."),
        ("Work out {x}.", "{x} is {v}."),
    ),
)
SIGNED = Lines(
    Forms(
        ("{x} = {v}", "{x} = {v}", "let {x} = {v}", "{x} is {v}"),
        ("take {x} = {v}", "say {x} = {v}"),
    ),
    Forms(("{x} = {y} + {d}", "{x} = {y} + {d}", "{x} = {d} + {y}"), ("{x} = {y} + {d}",)),
    Forms(("{x} = {y} - {d}",), ("{x} = {y} - {d}",)),
    ASKED,
    SEPARATE,
)
SPOKEN = Lines(
    Forms(
        ("{x} is {v}", "let {x} be {v}", "say {x} is {v}", "{x} equals {v}"),
        ("take {x} to be {v}", "say that {x} is {v}"),
    ),
    Forms(
        ("{x} is {y} plus {d}", "{x} is {d} more than {y}", "{x} equals {y} plus {d}",
         "add {d} to {y} to get {x}", "{d} more than {y} is {x}"),
        ("{x} equals {d} more than {y}", "{y} plus {d} is {x}"),
    ),
    Forms(
        ("{x} is {y} minus {d}", "{x} is {d} less than {y}", "{x} equals {y} minus {d}",
         "take {d} from {y} to get {x}", "{d} less than {y} is {x}"),
        ("{x} equals {d} less than {y}", "{y} minus {d} is {x}"),
    ),
    ASKED,
    SEPARATE[:4],
)  # fmt: skip
OWNERS = Lines(
    Forms(
        ("{x} has {v} {o}", "{x} owns {v} {o}", "{x} has got {v} {o}", "{x} has just {v} {o}"),
        ("say {x} has {v} {o}", "{x} owns just {v} {o}"),
    ),
    Forms(
        ("{x} has {d} more than {y}", "{x} has {d} {o} more than {y}", "{x} owns {d} more than {y}",
         "{x} has {d} more {o} than {y}"),
        ("{x} owns {d} {o} more than {y}", "{x} owns {d} more {o} than {y}"),
    ),
    Forms(
        ("{x} has {d} fewer than {y}", "{x} has {d} {o} less than {y}",
         "{x} owns {d} fewer than {y}",
         "{x} has {d} fewer {o} than {y}"),
        ("{x} owns {d} {o} less than {y}", "{x} owns {d} fewer {o} than {y}"),
    ),
    Forms(
        (
            ("How many {many} does {x} have?", "{x} has {v} {o}."),
            ("How many {many} does {x} own?", "{x} owns {v} {o}."),
            ("How many does {x} have?", "{x} has {v}."),
            ("Tell me how many {many} {x} has.", "{x} has {v} {o}."),
        ),
        (
            ("How many does {x} own?", "{x} owns {v}."),
            ("Tell me how many {many} {x} owns.", "{x} owns {v} {o}."),
        ),
    ),
    SEPARATE[:4],
)  # fmt: skip
AGES = Lines(
    Forms(
        ("{x} is {v} years old", "{x} is {v}", "{x} is now {v} years old"),
        ("say {x} is {v} years old", "{x} is {v} now"),
    ),
    Forms(
        ("{x} is {d} year{s} older than {y}", "{x} is older than {y} by {d} year{s}"),
        ("{x} is {d} older than {y}",),
    ),
    Forms(
        ("{x} is {d} year{s} younger than {y}", "{x} is younger than {y} by {d} year{s}"),
        ("{x} is {d} younger than {y}",),
    ),
    Forms(
        (("How old is {x}?", "{x} is {v} years old."), ("What is the age of {x}?", "{x} is {v}."),
         ("Tell me how old {x} is.", "{x} is {v} years old.")),
        (("Can you tell me how old {x} is?", "{x} is {v} years old."),
         ("How old is {x} now?", "{x} is {v} years old.")),
    ),
    SEPARATE[:4],
)  # fmt: skip
LETTERS, OF_PEOPLE = (SIGNED, SIGNED, SPOKEN), (OWNERS, AGES)
# The one phrasing of the first model.
PLAIN = Lines(
    Forms(("{x} = {v}",), ()), Forms(("{x} = {y} + {d}",), ()), Forms(("{x} = {y} - {d}",), ()),
    Forms((("What is {x}?", "{x} is {v}."),), ()), SEPARATE[:1],
)  # fmt: skip


def _letters(rng: random.Random, count: int) -> list[str]:
    """Return different letters; capitals too where the small ones do not suffice."""
    mixed = count > MANY_STEPS + 1 or rng.random() < 0.15
    return rng.sample(string.ascii_letters if mixed else string.ascii_lowercase, count)


def _style(rng: random.Random, split: Split, count: int) -> tuple[Lines, list[str], Thing]:
    """Return a way to define values, the names to define and the things they count."""
    if count <= FEW_PEOPLE and rng.random() < PEOPLE:
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
    ups, downs = style.ups.few(rng, split, 2), style.downs.few(rng, split, 2)
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
    return Chain(lines, values, rng.choice(style.joins), _fill(ask, 0, who[-1], "", thing),
                 _fill(reply, value, who[-1], "", thing))  # fmt: skip


def _fill(form: str, number: int, x: str, y: str, thing: Thing) -> str:
    """Return ``form`` with its words in place."""
    return form.format(v=number, d=number, x=x, y=y, o=thing.of(number), many=thing.many,
                       s="" if number == 1 else "s")  # fmt: skip


def _write(rng: random.Random, split: Split, chain: Chain, order: list[int]) -> tuple[Text, bool]:
    """Write the lines in ``order`` and mark each whose value is known where it stands."""
    text = Text()
    text.add(LEADS.pick(rng, split))
    between, last = chain.join
    known: set[int] = set()
    for place, step in enumerate(order):
        text.add(between if place else "")
        text.line(chain.lines[step])
        known.add(step)
        if step and len(known) > step and known.issuperset(range(step)):
            text.mark(step, chain.values[step])
    text.add(last)
    bare = text.ask(rng, split, chain.ask)
    return text, bare


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


OPENINGS = Forms(
    ("Last digits:", "Mod 10:", "Only the last digit counts:", "Keep only the last digit:",
     "Everything is mod 10.", "Work mod 10.",
     "Keep the last digit only, and add 10 if it is below 0.",
     "A program that works mod 10:", "Last digits only:", "All values are last digits:"),
    ("Only last digits count:", "All values are mod 10:",
     "A program that keeps only the last digit:",
     "Everything works mod 10.", "Keep the last digits only:"),
)  # fmt: skip
SETS = Forms(
    ("{x} = {v}", "{x} = {v}", "{x} is {v}", "set {x} to {v}"),
    ("start with {x} = {v}", "set {x} = {v}"),
)
PLUS = Forms(
    ("{x} = {y} + {z}",) * 5 + ("{x} is {y} plus {z}", "set {x} to {y} + {z}"),
    ("{x} = {y} + {z}",) * 3 + ("{x} is {y} + {z}", "set {x} to {y} plus {z}"),
)
ENDS = Forms(
    (
        ("What is {x}?", "{x} is {v}."),
        ("{x}?", "{x} is {v}."),
        ("What is the last digit of {x}?", "The last digit is {v}."),
        ("Find {x}.", "{x} is {v}."),
        ("What is {x} at the end?", "{x} is {v}."),
        ("What does {x} hold?", "{x} holds {v}."),
        ("Tell me {x}.", "{x} is {v}."),
    ),
    (
        ("Find the last digit of {x}.", "The last digit is {v}."),
        ("What does {x} hold at the end?", "{x} holds {v}."),
        ("Tell me what {x} is.", "{x} is {v}."),
        ("What is {x} now?", "{x} is {v}."),
    ),
)


def _operand(rng: random.Random, step: int) -> tuple[int, int]:
    """Return which earlier value the one before is added to, and the sign.

    A value less itself is 0, and all values would soon be: only the first line may say so.
    """
    if step > 1 and rng.random() < 0.9:
        return rng.randrange(step - 1), rng.choice((1, -1))
    return step - 1, -1 if step == 1 and rng.random() < 0.2 else 1


def program(rng: random.Random, steps: int, split: Split) -> Draw:
    """The one before plus or minus any earlier value, of which the last digit counts."""
    who = _letters(rng, steps + 1)
    first_form, form = SETS.pick(rng, split), PLUS.pick(rng, split)
    opening, (ask, reply) = OPENINGS.pick(rng, split), ENDS.pick(rng, split)
    join = rng.choice(((", ", ". "), (". ", ". "), ("; ", ". "), ("\n", "\n")))
    if split == "train" and rng.random() < 0.1:  # the one phrasing of the first model
        opening, (ask, reply), join = "Last digits:", ENDS.train[1], (" ", ", ")
        first_form, form = SETS.train[0], PLUS.train[0]
    text = Text()
    text.add(f"{LEADS.pick(rng, split)}{opening}{join[0] if join[0] == chr(10) else ' '}")
    values = [rng.randint(0, 9)]
    text.line(first_form.format(x=who[0], v=values[0]))
    for step in range(1, steps + 1):
        earlier, sign = _operand(rng, step)
        line = form.format(x=who[step], y=who[step - 1], z=who[earlier])
        if sign < 0:
            line = line.replace(" + ", " - ").replace(" plus ", " minus ")
        text.add(join[0])
        text.line(line)
        values.append((values[-1] + sign * values[earlier]) % 10)
        text.mark(step, values[-1])
    text.add(join[1])
    bare = text.ask(rng, split, ask.format(x=who[-1]))
    value = values[-1]
    said = str(value) if bare else reply.format(x=who[-1], v=value)
    return text.draw("program", steps, said, value)
