"""Prices: shopping by the piece, where a basket's total or a purse goes up and down."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from serial.base import Draw, Split
from serial.story_forms import conjugated
from serial.telling import ME, MOST, Cast, Forms, Hero, Manner, Teller, person
from serial.words import Thing, names, objects, things

MONEY = (Thing("dollar", "dollars"), Thing("euro", "euros"), Thing("pound", "pounds"),
         Thing("coin", "coins"))  # fmt: skip
MOST_PIECES, DEAREST = 6, 12
FLAT = 0.2  # share of steps that name an amount of money, such as a coupon
LISTED, LISTED_OF_MANY = 0.35, 0.7  # shares of questions that list the prices first
FEW_STEPS = 12  # prices in each sentence make a long question


class Deal(NamedTuple):
    """One step: so many pieces of a thing at a price each, or an amount (no thing)."""

    pieces: int
    price: int
    thing: Thing | None


class Goods(NamedTuple):
    """How pieces are told of.

    ``#n`` is "3 pens", ``#c`` the 3, ``#o`` the pens, ``#p`` the price of one, ``#a`` "a pen".
    """

    many: Forms
    one: Forms
    listed: Forms  # where the price is known


BUYS = Goods(
    Forms(
        ("* [buys] #n at #p each", "* [takes] #n for #p each", "* [gets] #n at #p each",
         "* [buys] #n that cost #p each", "* [picks] #n at #p each"),
        ("* [takes] #n at #p each", "* [gets] #n that cost #p each", "* [buys] #n for #p each"),
    ),
    Forms(("* [buys] #a for #p", "* [takes] #a for #p", "* [gets] #a that <costs> #p"),
          ("* [gets] #a for #p", "* [buys] #a that <costs> #p")),
    Forms(("* [buys] #n", "* [takes] #n", "* [gets] #n", "* [gets] #c more #o", "* [picks] #n"),
          ("* [buys] #c more #o", "* [picks] #c more #o")),
)  # fmt: skip
RETURNS = Goods(
    Forms(("* [puts] back #n at #p each", "* [returns] #n at #p each",
           "* [gives] back #n that cost #p each"),
          ("* [puts] back #n that cost #p each", "* [gives] back #n at #p each")),
    Forms(("* [puts] back #a for #p", "* [returns] #a that <costs> #p", "* [gives] back #a for #p"),
          ("* [puts] back #a that <costs> #p", "* [returns] #a for #p")),
    Forms(("* [puts] back #n", "* [returns] #n", "* [gives] #n back"),
          ("* [puts] #n back", "* [gives] back #n")),
)  # fmt: skip
SELLS = Goods(
    Forms(("* [sells] #n at #p each", "{other} <buys> #n from {whom} at #p each",
           "* [sells] {other} #n for #p each"),
          ("* [sells] #n for #p each", "* [sells] {other} #n at #p each")),
    Forms(("* [sells] #a for #p", "{other} <buys> #a from {whom} for #p",
           "* [sells] {other} #a for #p"),
          ("* [sells] #a to {other} for #p", "{other} <buys> #a for #p from {whom}")),
    Forms(("* [sells] #n", "* [sells] {other} #n", "* [returns] #n"),
          ("* [sells] #n to {other}", "{other} <buys> #n from {whom}")),
)  # fmt: skip
THIRD_TOTAL = (
    ("How much does {name} have to pay?", "{name} has to pay {v} {o}."),
    ("How much is that for {name}?", "That makes {v} {o}."),
    ("What does {name} pay in the end?", "{name} pays {v} {o}."),
    ("How many {many} does {name} owe?", "{name} owes {v} {o}."),
)
TOTAL = (
    ("What is the total?", "The total is {v} {o}."),
    ("How much is that?", "That makes {v} {o}."),
    ("What does it all cost?", "It costs {v} {o}."),
    ("How many {many} is that in the end?", "That makes {v} {o}."),
    ("What is the bill?", "The bill is {v} {o}."),
)
HELD_TOTAL = (
    ("How many {many} does it all cost?", "It costs {v} {o}."),
    ("How much is the bill?", "The bill is {v} {o}."),
    ("What is the total in the end?", "The total is {v} {o}."),
)
THIRD_LEFT = (
    ("How much money does {name} have left?", "{name} has {v} {o} left."),
    ("How many {many} does {name} have now?", "{name} has {v} {o} now."),
    ("How many {many} are left?", "{v} {o} {are} left."),
    ("How much does {name} have in the end?", "{name} has {v} {o} in the end."),
)
HELD_LEFT = (
    ("How much money does {name} have now?", "{name} has {v} {o} now."),
    ("How much money does {name} have in the end?", "{name} has {v} {o} in the end."),
    ("How much money is left?", "{v} {o} {are} left."),
)


def _mine(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return questions and replies of the person who asks."""
    return tuple(
        (ask.replace("does {name}", "do I").replace("for {name}", "for me"),
         reply.replace("{name} has", "you have").replace("{name} pays", "you pay")
         .replace("{name} owes", "you owe"))
        for ask, reply in pairs
    )  # fmt: skip


BASKET = Manner(
    Forms(
        ("* [goes] shopping", "* [goes] to the shop", "* [has] an empty basket",
         "* [starts] with an empty basket", "* [goes] to the market"),
        ("* [goes] to the market with an empty basket",
         "* [goes] to the shop with an empty basket"),
    ),
    Forms(("* [adds] the {item} for {d} {o}", "* [pays] {d} {o} for a bag",
           "sending it <costs> {d} {o}"),
          ("* [adds] a bag for {d} {o}", "* [adds] another {item} for {d} {o}")),
    Forms(("* [uses] a coupon for {d} {o}", "a coupon <takes> off {d} {o}", "* [gets] {d} {o} off",
           "the shop <takes> off {d} {o}"),
          ("* [uses] a coupon that <takes> off {d} {o}", "the shop <takes> {d} {o} off")),
    Forms(TOTAL + THIRD_TOTAL, HELD_TOTAL),
    variety=4,
)  # fmt: skip
PURSE = Manner(
    Forms(
        ("* [has] {v} {o}", "* [goes] shopping with {v} {o}", "* [starts] with {v} {o}",
         "* [takes] {v} {o} to the market"),
        ("* [goes] to the market with {v} {o}", "* [takes] {v} {o} to the shop"),
    ),
    Forms(("{other} <gives> {whom} {d} {o}", "* [finds] {d} {o}", "* [earns] {d} {o}",
           "* [gets] {d} {o} back"),
          ("* [finds] {d} {o} more", "* [earns] another {d} {o}")),
    Forms(("* [pays] {d} {o} for the {item}", "* [spends] {d} {o}", "* [gives] {other} {d} {o}",
           "* [loses] {d} {o}"),
          ("* [spends] {d} {o} on the {item}", "* [spends] {d} {o} more")),
    Forms(THIRD_LEFT, HELD_LEFT),
    variety=4,
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

    def _pick(self, forms: Forms) -> str:
        if self.split == "train":
            return str(self.rng.choice(forms.taught))
        return str(self.rng.choice(forms.heldout if self.rng.random() < 0.5 else forms.train))


def _price_list(costs: dict[Thing, int], money: Thing) -> str:
    """Return the sentence that says what each thing costs."""
    said = [f"{thing.many} cost {cost} {money.of(cost)} each" for thing, cost in costs.items()]
    return ", ".join(said[:-1]) + f" and {said[-1]}. "


def _deal(
    rng: random.Random, room: int, costs: dict[Thing, int], most: Callable[[Thing], int]
) -> Deal:
    """Return a deal of at most ``room`` and at most so many pieces of a thing; else an amount."""
    thing = rng.choice(list(costs))
    pieces = min(most(thing), room // costs[thing])
    empty = room == MOST  # an empty basket is for buying
    if not pieces or (not empty and rng.random() < FLAT):
        return Deal(1, rng.randint(1, min(9, room)), None)
    return Deal(rng.randint(1, pieces), costs[thing], thing)


def _deals(
    rng: random.Random, start: int, steps: int, costs: dict[Thing, int]
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
        deal = _deal(rng, room, costs, (lambda _: MOST_PIECES) if way == buys else held.__getitem__)
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
    deals, changes = _deals(rng, start, steps, costs)
    key = (spends, past, first)
    cast = Cast(hero, money, people[1:], things(rng, split, 5))
    teller = Shopper(rng, split, MANNERS[key], cast, deals=deals, goods=GOODS[key], listed=listed)
    if listed:
        teller.preface = _price_list(costs, money)
    reply, value = teller.tell(start, changes)
    return teller.text.draw("prices", steps, reply, value)
