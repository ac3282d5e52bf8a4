"""Documents of random pieces that only looking back can tell: what was paired with what.

Both return token ids and the weight of predicting each: 1 where the pieces before it decide it.
"""

from __future__ import annotations

import random

from pieces import BOS, FIRST_PIECE

CHANGE_RATE = 0.25  # of what is said again, in a document in which pairs change

Text = tuple[list[int], list[float]]


class Writer:
    """Collects ids and their weights; ``pieces`` draws random ones."""

    def __init__(self, rng: random.Random, vocabulary: int) -> None:
        self._rng, self._vocabulary = rng, vocabulary
        self.text: Text = [BOS], [0.0]

    def pieces(self, least: int, most: int) -> list[int]:
        """Return so many random pieces."""
        count = self._rng.randint(least, most)
        return [self._rng.randrange(FIRST_PIECE, self._vocabulary) for _ in range(count)]

    def say(self, *ids: int, weight: float = 0.0) -> None:
        """Add ``ids``, each with the same weight."""
        self.text[0].extend(ids)
        self.text[1].extend([weight] * len(ids))


def repeats(rng: random.Random, vocabulary: int) -> Text:
    """Return pairs that come again: what follows must be looked up.

    Between the two of a pair and behind it stand the same pieces every time, as in "Ann points to
    Bob. Cem points to Dan.": only the first of the two tells the second. In half of the documents
    a pair may come with a new second one, which is not taught but counts from then on.
    """
    writer = Writer(rng, vocabulary)
    between, behind = writer.pieces(0, 4), writer.pieces(0, 2)
    changing = rng.choice((0.0, CHANGE_RATE))
    pairs = [(writer.pieces(1, 3), writer.pieces(1, 3)) for _ in range(rng.randint(2, 24))]
    for i, n in enumerate([*range(len(pairs)), *rng.choices(range(len(pairs)), k=2 * len(pairs))]):
        known = i >= len(pairs)
        changed = known and rng.random() < changing
        if changed:
            pairs[n] = pairs[n][0], writer.pieces(1, 3)
        first, second = pairs[n]
        writer.say(first[0])
        writer.say(*first[1:], weight=float(known))
        writer.say(*between)
        writer.say(*second, weight=float(known and not changed))
        writer.say(*behind)
    return writer.text


def question(
    names: list[list[int]], follows: list[list[int]], i: int, hops: int
) -> tuple[list[int], list[int]]:
    """Return the name number ``i`` and where so many hops from it lead, over names all but last."""
    answer = follows[i]
    for _ in range(hops - 1):
        answer = follows[next(j for j, name in enumerate(names) if name is answer)]
    return names[i], answer


def facts(rng: random.Random, vocabulary: int) -> Text:
    """Return facts, then questions of them in other words, as in "Who is after Ann? It is Bob.".

    A third of the documents ask what follows a name, a third what comes before it. In the last
    third what follows is a name of the same few, and it may be asked what follows that.
    """
    writer = Writer(rng, vocabulary)
    names = [writer.pieces(1, 3) for _ in range(rng.randint(4, 16))]
    kind = rng.choice(("after", "before", "chain"))
    changing = rng.choice((0.0, CHANGE_RATE)) if kind == "after" else 0.0

    def other(name: list[int]) -> list[int]:
        if kind == "chain":
            return rng.choice([n for n in names if n is not name])
        return writer.pieces(1, 3)

    follows = [other(name) for name in names]
    before, between, behind = writer.pieces(0, 2), writer.pieces(0, 3), writer.pieces(0, 2)
    # A frame of its own for each number of hops; the name stands some pieces before its answer.
    frames = [(writer.pieces(1, 3), writer.pieces(1, 8), writer.pieces(0, 2)) for _ in range(2)]

    def state(i: int) -> None:
        writer.say(*before, *names[i], *between, *follows[i], *behind)

    for i in range(len(names)):
        state(i)
    order = range(len(names))
    framed: set[int] = set()  # the first question of a frame shows it; nothing tells its answer
    # The same is asked twice only where it may have changed: else the first answer is copied.
    for i in rng.choices(order, k=12) if changing else rng.sample(order, min(12, len(names))):
        if rng.random() < changing:
            other_one = rng.choice(order)
            follows[other_one] = other(names[other_one])
            state(other_one)
        hops = rng.choice((1, 2)) if kind == "chain" else 1
        asked, answer = question(names, follows, i, hops)
        if kind == "before":
            asked, answer = answer, asked
        opening, bridge, closing = frames[hops - 1]
        writer.say(*opening, *asked, *bridge)
        writer.say(*answer, weight=float(hops in framed))
        framed.add(hops)
        writer.say(*closing)
    return writer.text
