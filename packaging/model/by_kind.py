"""Tells what a training knows so far, by kind of question and steps: seconds on a GPU.

``python packaging/model/by_kind.py FOLDER`` reads the ``checkpoint.pt`` that ``train.py`` left and
prints the share of right answers to fresh questions in the phrasings of training. The model is not
left to speak: an answer is right when each of its tokens is the likeliest behind the ones before,
so another wording of the reply does not count against it. ``--values`` counts running values
instead, but not those at a question's end and where a reply begins: what the training-only head
knows on the way.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import serial
import torch
from batches import Batch, Document, Drawer, pack, piece_ends, read_recipe
from looped import Packed
from pieces import ASSISTANT, BOS, END, USER
from serial import words
from serial.base import Draw, Split
from train import Trainer, to_device

STEPS = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32))
DEPTHS = (4, 8, 16, 32)


def document(drawer: Drawer, draw: Draw) -> Document:
    """Return ``draw`` as a conversation in which only the answer's own tokens have weight."""
    question, reply = (drawer.processor.encode(text) for text in (draw.question, draw.reply))
    ids = [BOS, USER, *question, ASSISTANT, *reply, END]
    ends = piece_ends(drawer.processor.encode(draw.reply, out_type=str))
    begin = re.search(rf"\b{re.escape(draw.value)}\b", draw.reply).start()  # type: ignore[union-attr]
    first, last = np.searchsorted(ends, (begin, begin + len(draw.value) - 1), "right")
    weight = np.zeros(len(ids), np.float32)
    at = len(question) + 3
    weight[at + first : at + last + 1] = 1
    return Document(ids, np.zeros(len(ids), np.float32), weight, [])


def draws(kind: str, split: Split, each: int) -> list[Draw]:
    """Return ``each`` questions of one kind for every range of steps, one range behind another."""
    rng = random.Random(f"by kind {kind}")
    return [serial.KINDS[kind](rng, rng.randint(low, high), split)
            for low, high in STEPS for _ in range(each)]  # fmt: skip


@torch.no_grad()
def right(trainer: Trainer, batch: Batch, questions: int, loops: int) -> list[bool]:
    """Return for each of the first ``questions`` documents whether its answer is right."""
    arrays = to_device(batch, trainer.device)
    packed = Packed(arrays["tokens"], arrays["starts"], arrays["positions"])
    named = trainer.model.logits(trainer.model.states(packed, loops, 0)).argmax(-1)
    wrong = ((named != arrays["targets"]) & (arrays["reply"] > 0)).cpu().numpy()
    return [not wrong[batch.starts[i] : batch.starts[i + 1]].any() for i in range(questions)]


@torch.no_grad()
def values_right(
    trainer: Trainer, drawer: Drawer, asked: Sequence[Draw], batch: Batch, loops: int
) -> list[float]:
    """Return for each question ``asked`` the share of its values that are named right.

    Those at its end and where the reply begins are left out; not a number where ``loops`` loops are
    to know none.
    """
    arrays = to_device(batch, trainer.device)
    packed = Packed(arrays["tokens"], arrays["starts"], arrays["positions"])
    named = trainer.model.values(trainer.model.states(packed, loops, 0)).argmax(-1).cpu().numpy()
    found = []
    for draw, start in zip(asked, batch.starts, strict=False):
        marks = drawer.marks(draw, start + 2, loops)  # behind bos and [user]
        last = len(drawer.processor.encode(draw.question)) + start + 1
        hits = [named[at] == value for at, value in marks if at < last]
        found.append(float(np.mean(hits)) if hits else math.nan)
    return found


def shares(
    trainer: Trainer, drawer: Drawer, asked: Sequence[Draw], depths: Sequence[int], *, values: bool
) -> dict[int, list[float]]:
    """Return by loops the share of right answers, or values on the way, in every range of steps."""
    found: dict[int, list[float]] = {loops: [] for loops in depths}
    documents = [document(drawer, draw) for draw in asked]
    begin = 0
    while begin < len(documents):
        end, room = begin, int(drawer.plan["tokens"])
        while end < min(len(documents), begin + drawer.plan["documents"]):
            room -= len(documents[end].ids)
            if room < 0:
                break
            end += 1
        if end == begin:
            raise ValueError(
                f"{drawer.plan['tokens']} tokens do not hold one question of {asked[0].kind}."
            )
        batch = pack(documents[begin:end], drawer.plan)
        for loops in depths:
            found[loops] += (
                values_right(trainer, drawer, asked[begin:end], batch, loops)
                if values
                else right(trainer, batch, end - begin, loops)
            )
        begin = end
    return {loops: np.nanmean(np.reshape(hits, (len(STEPS), -1)), 1).tolist()
            for loops, hits in found.items()}  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=("train", "heldout"), default="train")
    parser.add_argument(
        "--nouns", choices=("train", "heldout"), help="of the other split than the phrasings'"
    )
    parser.add_argument("--values", action="store_true", help="running values, not answers")
    parser.add_argument("--each", type=int, default=48, help="of a kind and range of steps")
    parser.add_argument("--loops", type=int, nargs="+", default=DEPTHS)
    parser.add_argument(
        "--kinds", nargs="+", choices=list(serial.KINDS), default=list(serial.KINDS)
    )
    parser.add_argument("--tokens", type=int, help="of one batch; default: the recipe's")
    arguments = parser.parse_args()
    recipe = read_recipe()
    recipe["batch"]["tokens"] = arguments.tokens or recipe["batch"]["tokens"]
    if arguments.nouns:
        words.MADE_UP_NOUNS = 0.0
        for lists in (words.OBJECTS, words.THINGS):
            lists[arguments.split] = lists[arguments.nouns]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer, drawer = Trainer(recipe, arguments.folder, device), Drawer(recipe, arguments.folder)
    if not (path := arguments.folder / "checkpoint.pt").exists():
        raise SystemExit(f"There is no {path}; train.py or `carry.py unpack` makes it.")
    trainer.load()
    print(f"after {trainer.update} updates; % right by steps")
    print(f"{'':12} loops", *(f"{f'{a}-{b}' if b > a else a:>6}" for a, b in STEPS), "  mean")
    sums = dict.fromkeys(arguments.loops, 0.0)
    for kind in arguments.kinds:
        asked = draws(kind, arguments.split, arguments.each)
        table = shares(trainer, drawer, asked, arguments.loops, values=arguments.values)
        for loops, by_steps in table.items():
            # Every number of steps counts the same, as in the held-out file.
            mean = np.ma.average(
                np.ma.masked_invalid(by_steps), weights=[b - a + 1 for a, b in STEPS]
            )
            sums[loops] += float(mean) / len(arguments.kinds)
            print(
                f"{kind:12} {loops:5}", *(f"{100 * s:6.0f}" for s in by_steps), f"{100 * mean:6.0f}"
            )
    print("all", {loops: round(100 * mean, 1) for loops, mean in sums.items()})


if __name__ == "__main__":
    main()
