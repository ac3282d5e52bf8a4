"""The ways to say one thing, those of held-out questions apart from those of training."""

from __future__ import annotations

import random
from typing import Generic, NamedTuple, TypeVar

from serial.base import Split

T = TypeVar("T")


class Forms(NamedTuple, Generic[T]):
    """Ways to say one thing, those of held-out questions apart; "" and signs may be in both.

    ``more`` are ways of training, too, that came after the held-out questions were drawn: where
    those borrow from ``train``, it must stay as it is.
    """

    train: tuple[T, ...]
    heldout: tuple[T, ...]
    more: tuple[T, ...] = ()

    def of(self, split: Split) -> tuple[T, ...]:
        """Return all the ways of one split."""
        return self.train + self.more if split == "train" else self.heldout

    def pick(self, rng: random.Random, split: Split) -> T:
        """Return one way to say it."""
        return rng.choice(self.of(split))

    def some(self, rng: random.Random, split: Split, most: int = 3) -> list[T]:
        """Return one to ``most`` ways: people keep to few of them within one question."""
        ways = self.of(split)
        return rng.sample(ways, min(len(ways), rng.randint(1, most)))

    def few(self, rng: random.Random, split: Split, most: int) -> list[T]:
        """Return up to ``most`` ways; of a held-out question's about half are of training."""
        if split == "train":
            return self.some(rng, split, most)
        held_out = rng.sample(self.heldout, min(most + 1, 2 * len(self.heldout)) // 2)
        return held_out + rng.sample(self.train, min(most // 2, len(self.train)))
