"""Prices: shopping by the piece, where a basket's total or a purse goes up and down."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from serial.base import Draw, Split, capital
from serial.forms import Forms
from serial.shopping_forms import BASKET, BUYS, PRICED, PURSE, RETURNS, SELLS, Goods
from serial.telling import ME, MOST, Cast, Hero, Manner, Teller, person
from serial.verbs import conjugated
from serial.words import Thing, names, objects, things

MONEY = (Thing("dollar", "dollars"), Thing("euro", "euros"), Thing("pound", "pounds"),
         Thing("coin", "coins"))  # fmt: skip
MOST_PIECES, DEAREST = 6, 12
FLAT = 0.2  # share of steps that name an amount of money, such as a coupon
LISTED, LISTED_OF_MANY = 0.35, 0.7  # shares of questions that list the prices first
FEW_STEPS = 12  # prices in each sentence make a long question
# Share of training's deals made one piece, half of all in the end: the tokenizer's pieces of
# "towel" are none of those of "towels".
SINGLE = 0.3


class Deal(NamedTuple):
    """One step: so many pieces of a thing at a price each, or an amount (no thing)."""

    pieces: int
    price: int
    thing: Thing | None


YOURS = {"has": "have", "is": "are", "pays": "pay", "owes": "owe", "spends": "spend",
         "goes": "go", "takes": "take"}  # fmt: skip


def _mine(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return questions and replies of the person who asks."""
    return tuple(
        (ask.replace("{name}'s", "my").replace("does {name}", "do I")
         .replace("for {name}", "for me").replace("is {name}", "am I")
         .replace("has {name}", "have I").replace("{name} has", "I have"),
         re.sub(r"\{name\} (\w+)", lambda match: f"you {YOURS.get(match[1], match[1])}", reply))
        for ask, reply in pairs
    )  # fmt: skip


def _told(manner: Manner, past: bool, first: bool) -> Manner:
    """Return the manner in one tense and person."""
    starts, ups, downs = (
        conjugated(f, past, first) for f in (manner.starts, manner.ups, manner.downs)
    )
    asks = Forms(*(_mine(part) for part in manner.asks)) if first else manner.asks
    return replace(manner, starts=starts, ups=ups, downs=downs, asks=asks)


Voice = tuple[bool, bool]  # past, first person
VOICES: tuple[Voice, ...] = ((False, False), (True, False), (False, True), (True, True))
MANNERS = {(spends, *voice): _told(PURSE if spends else BASKET, *voice)
           for spends in (False, True) for voice in VOICES}  # fmt: skip
GOODS = {(spends, *voice): tuple(Goods(*(conjugated(f, *voice) for f in goods))
                                 for goods in ((SELLS, BUYS) if spends else (BUYS, RETURNS)))
         for spends in (False, True) for voice in VOICES}  # fmt: skip


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


@dataclass(slots=True)
class Shopper(Teller):
    """Tells of deals, whose things and prices stand in the sentences."""

    deals: list[Deal] = field(default_factory=list)
    goods: tuple[Goods, ...] = ()  # of steps up, of steps down
    listed: bool = False

    def form(self, step: int, forms: list[str]) -> str:
        """Return the form of a step, its thing and price in place."""
        pieces, price, thing = self.deals[step - 1]
        if thing is None:
            return str(self.rng.choice(forms))
        goods = self.goods[0 if forms is self.ups else 1]
        form = self._pick(goods.listed if self.listed else goods.one if pieces == 1 else goods.many)
        words = {"#n": "#c #o", "#c": str(pieces), "#o": thing.of(pieces),
                 "#a": _article(thing.one),
                 "#p": f"{price} {self.cast.thing.of(price)}"}  # fmt: skip
        for sign, word in words.items():
            form = form.replace(sign, word)
        return form

    def _pick(self, forms: Forms[str]) -> str:
        if self.split == "train" or self.rng.random() < 0.5:
            return str(forms.pick(self.rng, self.split))
        return str(self.rng.choice(forms.train))


def _price_list(costs: dict[Thing, int], money: Thing, form: tuple[str, ...]) -> str:
    """Return the sentences that say what each thing costs."""
    opening, first, rest, between, last = form
    said = []
    for (thing, cost), item in zip(costs.items(), (first, *[rest] * len(costs)), strict=False):
        words = {"#a": _article(thing.one), "#1": thing.one, "#m": thing.many,
                 "#p": f"{cost} {money.of(cost)}"}  # fmt: skip
        text = item
        for sign, word in words.items():
            text = text.replace(sign, word)
        said.append(capital(text) if said and between == ". " else text)
    return f"{opening}{between.join(said[:-1])}{last}{said[-1]}. "


def _deal(
    rng: random.Random,
    split: Split,
    room: int,
    costs: dict[Thing, int],
    most: Callable[[Thing], int],
) -> Deal:
    """Return a deal of at most ``room`` and at most so many pieces of a thing; else an amount."""
    thing = rng.choice(list(costs))
    pieces = min(most(thing), room // costs[thing])
    empty = room == MOST  # an empty basket is for buying
    if not pieces or (not empty and rng.random() < FLAT):
        return Deal(1, rng.randint(1, min(9, room)), None)
    if split == "train" and rng.random() < SINGLE:
        return Deal(1, costs[thing], thing)
    return Deal(rng.randint(1, pieces), costs[thing], thing)


def _deals(
    rng: random.Random, split: Split, start: int, steps: int, costs: dict[Thing, int]
) -> tuple[list[Deal], list[int]]:
    """Return the deals and by how much each changes the value, which stays within 0 to 99.

    Only what was bought is sold or put back.
    """
    value, deals, changes = start, [], []
    held = dict.fromkeys(costs, 0)
    buys = -1 if start else 1  # what buying does to a purse, to a basket's total
    for _ in range(steps):
        gains = 0.5 if buys > 0 or any(held.values()) else 0.15  # a purse is for buying
        way = 1 if value == 0 or (value < MOST and rng.random() < gains) else -1
        room = MOST - value if way > 0 else value
        most = (lambda _: MOST_PIECES) if way == buys else held.__getitem__
        deal = _deal(rng, split, room, costs, most)
        if deal.thing:
            held[deal.thing] += deal.pieces * (1 if way == buys else -1)
        deals.append(deal)
        changes.append(way * deal.pieces * deal.price)
        value += changes[-1]
    return deals, changes


def prices(rng: random.Random, steps: int, split: Split) -> Draw:
    """Shopping: a basket's total, or the money in a purse."""
    people = names(rng, split, 4)
    goods = [thing for thing in objects(rng, split, rng.randint(3, 6)) if thing not in MONEY]
    spends, past, first = rng.random() < 0.5, rng.random() < 0.3, rng.random() < 0.3
    hero: Hero = ME if first else person(people[0], rng.random() < 0.5)
    listed = rng.random() < (LISTED if steps <= FEW_STEPS else LISTED_OF_MANY)
    money = rng.choice(MONEY)
    costs = {thing: rng.randint(1, 9 if listed else DEAREST) for thing in goods}
    start = rng.randint(20, MOST) if spends else 0
    deals, changes = _deals(rng, split, start, steps, costs)
    key = (spends, past, first)
    cast = Cast(hero, money, people[1:], things(rng, split, 5))
    teller = Shopper(rng, split, MANNERS[key], cast, deals=deals, goods=GOODS[key], listed=listed)
    if listed:
        form = PRICED.pick(rng, split) if split == "train" else PRICED.train[0]
        teller.preface = _price_list(costs, money, form)
    reply, value = teller.tell(start, changes)
    return teller.text.draw("prices", steps, reply, value)
