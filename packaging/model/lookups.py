"""Tells how well a model finds what stands above: random pieces in pairs that come again.

``python packaging/model/lookups.py [MODEL.tinyloop]`` prints, by loops, the share of the pieces
that it names right: where a pair comes again as it was, and where it is asked for in other words.
A model that cannot do this cannot follow names either.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from plain_forward import Plain
from random_pairs import Text, facts, repeats

from engine.resources import bundled_model

DEPTHS = (1, 2, 3, 4, 7, 8, 15, 16)


def right(
    model: Plain,
    draw: Callable[[random.Random, int], Text],
    depths: Sequence[int],
    documents: int,
) -> dict[int, float]:
    """Return by loops the share of looked up pieces that the model names first, of 0 … 1."""
    rng, hits, asked = random.Random("lookups"), dict.fromkeys(depths, 0), 0
    for _ in range(documents):
        pieces, weight = draw(rng, model.config["vocab_size"])
        ids, taught = torch.tensor(pieces), torch.tensor(weight) > 0
        asked += int(taught.sum())
        states = model.states(ids[None], max(depths))
        for depth in depths:
            named = model.logits(states[depth - 1][0, :-1]).argmax(-1).cpu()
            hits[depth] += int((named == ids[1:])[taught[1:]].sum())
    return {depth: hits[depth] / asked for depth in depths}


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", default=bundled_model())
    parser.add_argument("--device", default="cpu", help="default: %(default)s")
    parser.add_argument("--documents", type=int, default=10, help="default: %(default)s")
    arguments = parser.parse_args()
    model = Plain(arguments.model, device=arguments.device)
    again, asked = (right(model, draw, DEPTHS, arguments.documents) for draw in (repeats, facts))
    print("           again   asked")
    for depth in DEPTHS:
        print(f"{depth:3} loops  {again[depth]:6.1%}  {asked[depth]:6.1%}")


if __name__ == "__main__":
    main()
