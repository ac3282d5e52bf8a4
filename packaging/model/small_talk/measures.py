"""Small sums, units, and the calendar, as people ask for them in passing."""

from __future__ import annotations

from typing import NamedTuple

from small_talk.grammar import number
from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, capital
from small_talk.tables import categories

ADD = Phrases((
    "What is {x} plus {y}?", "What's {x} + {y}?", "How much is {x} plus {y}?", "{x} + {y}",
    "{x}+{y}=?", "Add {x} and {y}.", "What is {x} and {y} together?", "Can you add {x} and {y}?",
    "Calculate {x} + {y}.", "What do {x} and {y} make?", "{x} plus {y} is?",
    "Tell me {x} plus {y}.", "What is the sum of {x} and {y}?",
))  # fmt: skip
TAKE = Phrases((
    "What is {x} minus {y}?", "What's {x} - {y}?", "How much is {x} minus {y}?", "{x} - {y}",
    "{x}-{y}=?", "Take {y} away from {x}.", "Subtract {y} from {x}.",
    "What is left if I take {y} from {x}?", "Calculate {x} - {y}.", "{x} minus {y} is?",
    "What is {x} less {y}?",
))  # fmt: skip
TIMES = Phrases((
    "What is {x} times {y}?", "What's {x} x {y}?", "How much is {x} times {y}?", "{x} * {y}",
    "{x} times {y}", "Multiply {x} by {y}.", "Calculate {x} x {y}.", "{x} x {y} = ?",
    "What is {x} multiplied by {y}?",
))  # fmt: skip
SHARE = Phrases((
    "What is {x} divided by {y}?", "What's {x} / {y}?", "How much is {x} divided by {y}?",
    "{x} / {y}", "Divide {x} by {y}.", "Calculate {x} : {y}.", "How often does {y} go into {x}?",
))  # fmt: skip
HALF = Phrases((
    "What is half of {x}?", "How much is half of {x}?", "half of {x}", "Tell me the half of {x}.",
    "What is {x} divided in two?",
))  # fmt: skip
DOUBLE = Phrases((
    "What is the double of {x}?", "What is twice {x}?", "Double {x}.", "How much is two times {x}?",
    "What do I get if I double {x}?",
))  # fmt: skip
AFTER = Phrases((
    "What number comes after {x}?", "Which number follows {x}?", "What comes after {x}?",
    "What is the next number after {x}?",
))  # fmt: skip
MORE = Phrases((
    "Which is bigger, {x} or {y}?", "What is more, {x} or {y}?",
    "Which number is larger: {x} or {y}?", "Is {x} bigger than {y}?",
    "Which is greater, {x} or {y}?",
))  # fmt: skip
COUNT_TO = Phrases((
    "Count to {n}.", "Can you count to {n}?", "Count from 1 to {n}.", "Please count up to {n}.",
))  # fmt: skip


def sum_of_two(scene: Scene) -> list[Said]:
    """Return a sum, difference, product or quotient of small numbers."""
    rng = scene.rng
    kind = rng.choice((ADD, ADD, ADD, TAKE, TAKE, TIMES, SHARE))
    top = rng.choice((10, 20, 50, 100))
    x, y = rng.randint(1, top), rng.randint(1, top)
    if kind is TAKE:
        x, y = max(x, y), min(x, y)
    elif kind in (TIMES, SHARE):
        x, y = rng.randint(1, 12), rng.randint(1, 12)
        x = x * y if kind is SHARE else x
    spoken = top <= 12 and kind in (ADD, TAKE) and scene.chance(0.3)
    user = scene.ask(kind, x=number(x) if spoken else str(x), y=number(y) if spoken else str(y))
    word, result = {ADD: ("plus", x + y), TAKE: ("minus", x - y), TIMES: ("times", x * y),
                    SHARE: ("divided by", x // y)}[kind]  # fmt: skip
    return [Said(user, f"{x} {word} {y} is {result}.", short=f"{result}.")]


def about_number(scene: Scene) -> list[Said]:
    """Return a question for the half, the double, the next or the larger number."""
    x, y = scene.rng.sample(range(1, 200), 2)
    kind = scene.rng.choice((HALF, DOUBLE, AFTER, MORE, COUNT_TO))
    x = 2 * x if kind is HALF else x
    n = scene.rng.randint(3, 15)
    user = scene.ask(kind, x=str(x), y=str(y), n=str(n))
    larger = f"{max(x, y)} is bigger than {min(x, y)}."
    if user.startswith("Is "):
        larger = f"{'Yes' if x > y else 'No'}, {larger}"
    replies = {
        HALF: f"Half of {x} is {x // 2}.",
        DOUBLE: f"Twice {x} is {2 * x}.",
        AFTER: f"After {x} comes {x + 1}.",
        MORE: larger,
        COUNT_TO: f"{', '.join(map(str, range(1, n + 1)))}.",
    }
    return [Said(user, replies[kind])]


class Unit(NamedTuple):
    """One large unit is so many small ones; each as (one, many)."""

    large: tuple[str, str]
    small: tuple[str, str]
    factor: int


UNITS = (
    Unit(("metre", "metres"), ("centimetre", "centimetres"), 100),
    Unit(("meter", "meters"), ("centimeter", "centimeters"), 100),
    Unit(("kilometre", "kilometres"), ("metre", "metres"), 1000),
    Unit(("kilometer", "kilometers"), ("meter", "meters"), 1000),
    Unit(("centimetre", "centimetres"), ("millimetre", "millimetres"), 10),
    Unit(("kilogram", "kilograms"), ("gram", "grams"), 1000),
    Unit(("kilo", "kilos"), ("gram", "grams"), 1000),
    Unit(("litre", "litres"), ("millilitre", "millilitres"), 1000),
    Unit(("liter", "liters"), ("milliliter", "milliliters"), 1000),
    Unit(("tonne", "tonnes"), ("kilogram", "kilograms"), 1000),
    Unit(("hour", "hours"), ("minute", "minutes"), 60),
    Unit(("minute", "minutes"), ("second", "seconds"), 60),
    Unit(("day", "days"), ("hour", "hours"), 24),
    Unit(("week", "weeks"), ("day", "days"), 7),
    Unit(("year", "years"), ("month", "months"), 12),
    Unit(("decade", "decades"), ("year", "years"), 10),
    Unit(("century", "centuries"), ("year", "years"), 100),
    Unit(("foot", "feet"), ("inch", "inches"), 12),
    Unit(("yard", "yards"), ("foot", "feet"), 3),
    Unit(("dollar", "dollars"), ("cent", "cents"), 100),
    Unit(("euro", "euros"), ("cent", "cents"), 100),
    Unit(("pound", "pounds"), ("penny", "pence"), 100),
    Unit(("dozen", "dozen"), ("egg", "eggs"), 12),
    Unit(("pair", "pairs"), ("shoe", "shoes"), 2),
)
CONVERT = Phrases((
    "How many {to} are {x} {from}?", "How many {to} are in {x} {from}?",
    "How many {to} are there in {x} {from}?", "Convert {x} {from} to {to}.",
    "{x} {from} in {to}", "What is {x} {from} in {to}?", "Turn {x} {from} into {to}.",
    "How much is {x} {from} in {to}?", "I have {x} {from}. How many {to} is that?",
    "How many {to} make {x} {from}?", "{x} {from} are how many {to}?",
    "Tell me how many {to} {x} {from} are.", "Please convert {x} {from} into {to}.",
))  # fmt: skip


def convert(scene: Scene) -> list[Said]:
    """Return a number of one unit to be told in another."""
    unit = scene.rng.choice(UNITS)
    count = scene.rng.choice((1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10))
    large = f"{count} {unit.large[count > 1]}"
    total = count * unit.factor
    small = f"{total:,} {unit.small[1]}"
    if scene.chance(0.75):
        spoken = number(count) if scene.chance(0.3) else str(count)
        words = {"x": spoken, "from": unit.large[count > 1], "to": unit.small[1]}
        return [
            Said(
                scene.ask(CONVERT, **words),
                f"{capital(large)} {verb(count)} {small}.",
                short=capital(small) + ".",
            )
        ]
    words = {"x": str(total), "from": unit.small[1], "to": unit.large[1]}
    return [Said(scene.ask(CONVERT, **words), f"{total:,} {unit.small[1]} are {large}.")]


def verb(count: int) -> str:
    """Return "is" for one and "are" for more."""
    return "is" if count == 1 else "are"


NEXT = Phrases((
    "Which {what} comes after {x}?", "What comes after {x}?", "What {what} is after {x}?",
    "Which {what} follows {x}?", "What is the {what} after {x}?", "After {x} comes which {what}?",
))  # fmt: skip
BEFORE = Phrases((
    "Which {what} comes before {x}?", "What comes before {x}?", "What {what} is before {x}?",
    "What is the {what} before {x}?", "Before {x} comes which {what}?",
))  # fmt: skip
TOMORROW = Phrases((
    "Today is {x}. What day is tomorrow?", "If today is {x}, what day is tomorrow?",
    "It's {x} today. Which day is tomorrow?", "What day is tomorrow if today is {x}?",
))  # fmt: skip
YESTERDAY = Phrases((
    "Today is {x}. What day was yesterday?", "If today is {x}, what day was yesterday?",
    "It's {x} today. Which day was yesterday?", "What day was yesterday if today is {x}?",
))  # fmt: skip
LENGTH = Phrases((
    "How many days does {x} have?", "How many days are in {x}?", "How long is {x}?",
    "How many days has {x}?",
))  # fmt: skip
NUMBERED = Phrases((
    "Which month is the {nth}?", "What is the {nth} month of the year?",
    "Which is the {nth} month?", "Name the {nth} month.",
))  # fmt: skip
NTH = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
)  # fmt: skip
DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def calendar(scene: Scene) -> list[Said]:
    """Return a question about days of the week or months."""
    days, months = categories()["day of the week"][1], categories()["month"][1]
    what, row = scene.rng.choice((("day", days), ("month", months)))
    at = scene.rng.randrange(len(row))
    after, before = row[(at + 1) % len(row)], row[at - 1]
    kinds = [NEXT, BEFORE] + ([TOMORROW, YESTERDAY] if what == "day" else [LENGTH, NUMBERED])
    kind = scene.rng.choice(kinds)
    user = scene.ask(kind, what=what, x=row[at], nth=NTH[at])
    replies = {
        NEXT: f"After {row[at]} comes {after}.",
        BEFORE: f"Before {row[at]} comes {before}.",
        TOMORROW: f"If today is {row[at]}, tomorrow is {after}.",
        YESTERDAY: f"If today is {row[at]}, yesterday was {before}.",
        LENGTH: f"{row[at]} has {DAYS[at]} days.",
        NUMBERED: f"The {NTH[at]} month of the year is {row[at]}.",
    }
    reply = replies[kind].replace("28 days", "28 days, and 29 in a leap year")
    return [Said(user, reply)]


APPLES = Phrases((
    "I have {x} {s item} and get {y} more. How many do I have?",
    "If I have {x} {s item} and buy {y} more, how many are there?",
    "There are {x} {s item} here and {y} there. How many is that?",
    "{name} has {x} {s item} and {name2} has {y}. How many together?",
    "I had {x} {s item} and found {y}. How many {s item} now?",
))  # fmt: skip
EATEN = Phrases((
    "I have {x} {s item} and give away {y}. How many are left?",
    "There were {x} {s item}, and {y} are gone. How many are left?",
    "I had {x} {s item} and lost {y}. How many do I still have?",
    "If I take {y} from {x} {s item}, how many stay?",
    "{name} has {x} {s item} and sells {y}. How many are left?",
))  # fmt: skip
TWO = Phrases((
    "I have {x} {s item}. I {gain} {y} and {lose} {z}. How many do I have now?",
    "I had {x} {s item}, then I {gained} {y} more, then I {lost} {z}. How many are left?",
    "There are {x} {s item}. {name} brings {y} more and {name2} takes {z}. How many are there now?",
    "{name} has {x} {s item}, {gains} {y} and {loses} {z}. How many {s item} now?",
    "I start with {x} {s item}, {gain} {y}, {lose} {z}. How many is that?",
    "If I have {x} {s item}, {gain} {y} and {lose} {z}, how many do I have?",
))  # fmt: skip
GAINING = (("buy", "bought"), ("get", "got"), ("find", "found"))
LOSING = (("lose", "lost"), ("sell", "sold"), ("drop", "dropped"))
ITEMS = (
    "apple",
    "egg",
    "book",
    "pencil",
    "cookie",
    "orange",
    "coin",
    "stamp",
    "flower",
    "card",
    "balloon",
    "plum",
)


def apples(scene: Scene) -> list[Said]:
    """Return a story of one step: some more or some fewer of a thing."""
    scene.forget()
    x, y = scene.rng.randint(2, 20), scene.rng.randint(2, 12)
    more = scene.chance(0.5) or x <= y
    user = scene.ask(APPLES if more else EATEN, x=str(x), y=str(y), item=scene.rng.choice(ITEMS))
    total = x + y if more else x - y
    sign = "plus" if more else "minus"
    item = scene.fill("s item") if total != 1 else scene.word("item")
    return [Said(user, f"{x} {sign} {y} is {total}, so there {verb(total)} {total} {item}.")]


def two_steps(scene: Scene) -> list[Said]:
    """Return a story of two steps, with the way to the answer said."""
    scene.forget()
    rng = scene.rng
    x, y = rng.randint(2, 12), rng.randint(1, 9)
    z = rng.randint(1, x + y - 2)
    (gain, gained), (lose, lost) = rng.choice(GAINING), rng.choice(LOSING)
    words = {"gain": gain, "gained": gained, "gains": gain + "s"}
    words |= {"lose": lose, "lost": lost, "loses": lose + "s"}
    user = scene.ask(TWO, x=str(x), y=str(y), z=str(z), item=rng.choice(ITEMS), **words)
    return [Said(user, f"{x} plus {y} is {x + y}, and {x + y} minus {z} is {x + y - z}.")]
