"""Makes questions of where one arrives among people who each point to another."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import replace

from serial import words
from serial.base import Draw, Split, capital
from serial.narration import Asking, Narration, Way, counted, marks_of
from serial.pointer_forms import JOINERS, RELATIONS, UNITS

MOST_OTHERS = 3  # people who are not on the way
MOST_HOPS = 40  # that a batch has loops to follow
MOST_FOLLOW_UPS = 8
FIRST_RATE = 0.25


def _pairs(rng: random.Random, people: list[str], steps: int, row: bool) -> list[tuple[str, str]]:
    """Return who points to whom, the way being the first ``steps`` + 1 people."""
    if row:
        pairs = list(itertools.pairwise(people))
    else:
        pairs = list(itertools.pairwise(people[: steps + 1]))
        for person in people[steps:]:
            pairs.append((person, rng.choice([other for other in people if other != person])))
    rng.shuffle(pairs)
    return pairs


def _statements(
    rng: random.Random, joiners: tuple[str, ...], says: str, pairs: list[tuple[str, str]]
) -> tuple[str, list[int]]:
    """Return the statements and the offset in them just past each."""
    text, ends = "", []
    for a, b in pairs:
        joiner = rng.choice(joiners) if text else ""
        clause = says.format(a=a, b=b)
        text += joiner + (capital(clause) if joiner.startswith(".") else clause)
        ends.append(len(text))
    return f"{capital(text)}.", ends


def _way(follows: dict[str, str], person: str) -> list[str]:
    """Return where hops from ``person`` lead, one after the other, as far as ``follows`` tells."""
    way: list[str] = []
    while person in follows and len(way) < MOST_HOPS:
        person = follows[person]
        way.append(person)
    return way


def _asked(asking: Asking, person: str, hops: int, way: list[str]) -> tuple[str, list[Way]]:
    """Return a question of so many hops from ``person``, and what can be known within it.

    Past the name: where each further hop leads. Past the number: how many are left after each hop.
    """
    fields = {field: counted(hops, unit) for field, unit in UNITS.items()} | {"n": str(hops)}
    question = asking.question.format(a=person, **fields)
    left = [str(hops - done) for done in range(1, hops + 1)]
    ends = {word[0]: word.end() for word in re.finditer(r"\w+", question)}
    return question, sorted([(ends[person], way), (ends[str(hops)], left)])


def _follow_ups(
    rng: random.Random, drawn: Draw, askings: tuple[Asking, ...], follows: dict[str, str]
) -> Iterator[Draw]:
    """Yield questions of other ways through the same statements, none longer than the first."""
    ways = {person: _way(follows, person) for person in follows}
    others = [(person, hops) for person, way in ways.items()
              for hops in range(1, min(len(way), drawn.steps) + 1)
              if (person, hops) != (drawn.choices[0], drawn.steps)]  # fmt: skip
    for person, hops in rng.sample(others, min(len(others), rng.randint(1, MOST_FOLLOW_UPS))):
        asking, value = rng.choice(askings), ways[person][hops - 1]
        question, known = _asked(asking, person, hops, ways[person])
        known.append((len(question), ways[person][:hops]))
        yield replace(drawn, steps=hops, question=question, reply=asking.reply.format(v=value),
                      value=value, marks=tuple(marks_of(known)))  # fmt: skip


def pointers(rng: random.Random, steps: int, split: Split) -> Draw:
    """A way of so many hops through statements in no order.

    What is asked comes up once, at the end; ways are marked at every statement as well, as far as
    they have been told by then: each is followed as the one that is asked for.
    """
    relation = RELATIONS.pick(rng, split)
    people = words.names(rng, split, steps + 1 + rng.randint(0, MOST_OTHERS))
    pairs = _pairs(rng, people, steps, relation.row)
    statements, ends = _statements(rng, JOINERS.pick(rng, split), relation.says, pairs)
    asked_first = rng.random() < FIRST_RATE
    asking = rng.choice(relation.first if asked_first else relation.last)
    follows = dict(pairs)
    way = _way(follows, people[0])
    question, ways = _asked(asking, people[0], steps, [] if asked_first else way)
    told = Narration(rng, split)
    if asked_first:
        told.say(question, ways)
    known = [dict(pairs[:count]) for count in range(1, len(pairs) + 1)]
    ways_told = [(end, _way(so_far, a))
                 for (a, _), end, so_far in zip(pairs, ends, known, strict=True)]  # fmt: skip
    if asked_first:  # only at their end is there a place to walk from the one who is asked for
        ways_told.append((len(statements), way))
    told.say(statements, ways_told)
    if not asked_first:
        told.say(question, ways)
    told.hops(people[1 : steps + 1], at_reply=asked_first)
    value = people[steps]
    drawn = told.draw("pointers", asking.reply.format(v=value), people, value)
    more = _follow_ups(rng, drawn, relation.last, follows) if split == "train" else ()
    return replace(drawn, follow_ups=tuple(more))
