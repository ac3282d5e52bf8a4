"""Draws training batches: documents of every source packed into one row, with what each teaches."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.pool import AsyncResult, Pool
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
import serial
from numpy.typing import NDArray
from pieces import ASSISTANT, BOS, END, USER
from random_pairs import facts, repeats
from serial.adverbs import with_adverbs
from serial.base import Draw, Split
from small_talk import conversation

RECIPE = Path(__file__).with_name("recipe.toml")
VALUE_CLASSES = 100  # running values 0 … 99; then one class for each piece of the vocabulary
LONGEST_PADDING = 512
PARTS = ("chat", "reasoning", "text")  # of the prepared data


@dataclass(frozen=True)
class Order:
    """What one batch is to be: ``seed`` decides it, ``late`` the mix, ``steps`` the hardest."""

    seed: str
    loops: int
    steps: int
    late: bool
    split: Split = "train"


@dataclass
class Document:
    """Token ids; the weight of predicting each in text and in replies; running values."""

    ids: list[int]
    text: NDArray[np.float32]
    reply: NDArray[np.float32]
    marks: list[tuple[int, int]]  # position, class


@dataclass(frozen=True)
class Batch:
    """Arrays of one packed row of N tokens; a weight stands where its target is predicted."""

    tokens: NDArray[np.int64]  # [N]
    starts: NDArray[np.int32]  # [documents + 1], padded with N
    positions: NDArray[np.int64]  # [N], from 0 in each document
    targets: NDArray[np.int64]  # [N]
    text: NDArray[np.float32]  # [N]
    reply: NDArray[np.float32]  # [N]
    mark_at: NDArray[np.int64]  # [marks]
    mark_class: NDArray[np.int64]  # [marks], −1 where there is none


def read_recipe(over: Path | None = None) -> dict[str, Any]:
    """Return the recipe, with the figures of ``over`` in the place of its own.

    Raises ValueError for a figure that the recipe has not; kinds of questions may be new there.
    """
    recipe = tomllib.loads(RECIPE.read_text(encoding="utf-8"))
    for name, table in tomllib.loads(over.read_text(encoding="utf-8")).items() if over else ():
        known = serial.KINDS if name.endswith("kinds") else recipe.get(name, {})
        if unknown := set(table) - set(known):
            raise ValueError(f"{over}: [{name}] of the recipe has no {', '.join(sorted(unknown))}.")
        recipe[name] |= table
    return recipe


class Corpus:
    """Prepared documents of every set, drawn by the set's share of its part's tokens."""

    def __init__(self, folder: Path) -> None:
        self.tokens = np.load(folder / "tokens.npy", mmap_mode="r")
        index = np.load(folder / "index.npz")
        self.starts, firsts, parts, shares = (
            index[n] for n in ("starts", "first", "part", "share")
        )
        self.sets: dict[str, list[tuple[int, int]]] = {part: [] for part in PARTS}
        self.chances: dict[str, list[float]] = {part: [] for part in PARTS}
        for i, part in enumerate(parts):
            first, last = int(firsts[i]), int(firsts[i + 1])
            length = (self.starts[last] - self.starts[first]) / (last - first)
            self.sets[str(part)].append((first, last))
            self.chances[str(part)].append(float(shares[i] / length))

    def draw(self, part: str, rng: random.Random) -> list[int]:
        """Return the ids of one document of ``part``."""
        first, last = rng.choices(self.sets[part], self.chances[part])[0]
        i = rng.randrange(first, last)
        ids: list[int] = self.tokens[self.starts[i] : self.starts[i + 1]].tolist()
        return ids


class Drawer:
    """Makes batches from a recipe, a corpus and a tokenizer; the same order, the same batch."""

    def __init__(self, recipe: dict[str, Any], folder: Path) -> None:
        self.recipe, self.plan = recipe, recipe["batch"]
        self.corpus = Corpus(folder)
        model = str(folder / "tokenizer.model")
        self.processor = sentencepiece.SentencePieceProcessor(model_file=model)
        self.classes: dict[str, int] = {}
        self.kinds = list(serial.KINDS)
        self.kind_chances = [recipe["kinds"].get(kind, 1.0) for kind in self.kinds]

    def batch(self, order: Order) -> Batch:
        """Return one packed batch."""
        rng = random.Random(order.seed)
        room = int(self.plan["tokens"])
        documents: list[Document] = []
        share = next(s for most, s in self.plan["serial"] if order.loops <= most)
        serial_room = int(room * share)
        while serial_room > 0 and len(documents) < self.plan["documents"] * 3 // 4:
            documents.append(self.serial(rng, order))
            serial_room -= len(documents[-1].ids)
        room -= sum(len(document.ids) for document in documents)
        names = ("chat", "small_talk", "reasoning", "pairs", "text")
        shares = [self.plan[name][order.late] for name in names]
        spent = dict.fromkeys(names, 0.0)
        while room > 0 and len(documents) < self.plan["documents"] - 1:
            # The part that lags most behind its share comes next, so shares are of tokens.
            part = min(names, key=lambda n: spent[n] / shares[names.index(n)])
            document = self.other(part, rng, order)
            if len(document.ids) > room:
                break
            documents.append(document)
            spent[part] += len(document.ids)
            room -= len(document.ids)
        rng.shuffle(documents)
        return pack(documents, self.plan)

    def other(self, part: str, rng: random.Random, order: Order) -> Document:
        """Return a document that is no serial question."""
        if part == "pairs":
            write = rng.choice((repeats, facts))
            ids, weight = write(rng, self.processor.vocab_size())
            return Document(ids, np.array(weight, np.float32), np.zeros(len(ids), np.float32), [])
        if part == "small_talk":
            ids = self.chat(conversation(rng, order.split))[: self.recipe["model"]["positions"]]
        else:
            ids = self.corpus.draw(part, rng)
        taught = weights(ids, self.recipe["loss"]["user"])
        return Document(ids, taught, np.zeros(len(ids), np.float32), [])

    def serial(self, rng: random.Random, order: Order) -> Document:
        """Return a conversation of one serial question or several, each with its follow-ups."""
        ids, marks, replies = [BOS], [], []
        if rng.random() < self.plan["after_talk"]:
            ids = self.chat(conversation(rng, order.split)[:4])
        count = rng.choice((2, 3)) if rng.random() < self.plan["several"] else 1
        for _ in range(count):
            first = self.question(rng, order)
            for draw in (first, *first.follow_ups):
                question, reply = map(self.processor.encode, (draw.question, draw.reply))
                if len(ids) + len(question) + len(reply) + 3 > self.recipe["model"]["positions"]:
                    break
                marks += self.marks(draw, len(ids) + 1, order.loops)
                ids += [USER, *question, ASSISTANT]
                replies.append((len(ids), len(ids) + len(reply) + 1))
                ids += [*reply, END]
        reply_weight = np.zeros(len(ids), np.float32)
        for begin, end in replies:
            reply_weight[begin:end] = 1
        return Document(ids, np.zeros(len(ids), np.float32), reply_weight, marks)

    def question(self, rng: random.Random, order: Order) -> Draw:
        """Return a question whose steps the loops of the batch mostly allow."""
        kind = rng.choices(self.kinds, self.kind_chances)[0]
        most = order.steps
        if rng.random() < self.plan["within_loops"]:
            # A reply reads what stands before it a loop late, which counts where steps are loops.
            late = order.loops > 1 and kind in self.plan["one_each"]
            most = min(most, self.reach(kind, order.loops) - late)
        if rng.random() < self.recipe["easy_kinds"].get(kind, self.plan["easy"]):
            most = min(most, self.plan["easy_steps"])
        steps = rng.randint(1, most)
        if most >= 16 and rng.random() < 0.5:  # the hardest come up too rarely otherwise
            steps = max(steps, rng.randint(1, most))
        draw = serial.KINDS[kind](rng, steps, order.split)
        if order.split == "train" and rng.random() < self.plan["adverbs"]:
            draw = with_adverbs(rng, draw)
        return draw

    def reach(self, kind: str, loops: int) -> int:
        """Return how many steps ``loops`` loops are to manage: one each, and some ahead."""
        if kind in self.plan["one_each"]:
            return loops
        return loops + min(loops, int(self.plan["ahead"]))

    def marks(self, draw: Draw, offset: int, loops: int) -> list[tuple[int, int]]:
        """Return (position, class) of the running values that ``loops`` loops are to know."""
        ends = piece_ends(self.processor.encode(draw.question, out_type=str))
        known: dict[int, tuple[int, str]] = {}
        reach = self.reach(draw.kind, loops)
        for mark in draw.marks:
            at = int(np.searchsorted(ends, mark.end))
            late = loops > 1 and at == len(ends)  # where the reply begins
            if mark.step <= reach - late and mark.step > known.get(at, (0, ""))[0]:
                known[at] = (mark.step, mark.value)
        return [(offset + at, self.value_class(value)) for at, (_, value) in known.items()]

    def value_class(self, value: str) -> int:
        """Return a number's own class, or that of a word's first piece."""
        if value not in self.classes:
            self.classes[value] = (
                int(value) if value.isdigit() else VALUE_CLASSES + self.processor.encode(value)[0]
            )
        return self.classes[value]

    def chat(self, turns: Sequence[str]) -> list[int]:
        """Return the ids of a whole conversation, user and assistant in turn."""
        return chat_ids([self.processor.encode(turn) for turn in turns])


def chat_ids(turns: Sequence[list[int]]) -> list[int]:
    """Return bos, then [user] text [assistant] answer [end] for every pair of encoded turns."""
    ids = [BOS]
    for i, part in enumerate(turns):
        ids += [ASSISTANT, *part, END] if i % 2 else [USER, *part]
    return ids


def piece_ends(pieces: Sequence[str]) -> NDArray[np.int64]:
    """Return the offset in the text just past each piece; the first space is not the text's."""
    return np.cumsum([len(piece) for piece in pieces]) - 1


def weights(ids: Sequence[int], user: float) -> NDArray[np.float32]:
    """Return the weight of predicting each id: 1 in answers and in text, ``user`` in questions."""
    array = np.asarray(ids)
    if USER not in ids:
        return np.ones(len(ids), np.float32)
    weight = np.full(len(ids), user, np.float32)
    for first in np.flatnonzero(array == ASSISTANT):
        ends = np.flatnonzero(array[first:] == END)
        last = first + int(ends[0]) if len(ends) else len(ids) - 1
        weight[first + 1 : last + 1] = 1
        weight[first] = 0  # the marks of a turn are never predicted
    weight[array == USER] = 0
    return weight


def pack(documents: Sequence[Document], plan: dict[str, Any]) -> Batch:
    """Lay ``documents`` side by side into one row of ``plan['tokens']``; the rest is padding."""
    size = int(plan["tokens"])
    tokens, positions, targets = (np.zeros(size, np.int64) for _ in range(3))
    text, reply = (np.zeros(size, np.float32) for _ in range(2))
    starts = np.full(plan["documents"] + size // LONGEST_PADDING + 2, size, np.int32)
    marks: list[tuple[int, int]] = []
    at = 0
    for i, document in enumerate(documents):
        ids = document.ids[: size - at]
        end = at + len(ids)
        tokens[at:end], positions[at:end] = ids, np.arange(len(ids))
        targets[at : end - 1] = ids[1:]
        text[at : end - 1] = document.text[1 : len(ids)]
        reply[at : end - 1] = document.reply[1 : len(ids)]
        marks += [(at + p, c) for p, c in document.marks if p < len(ids)]
        starts[i] = at
        at = end
    # Padding is documents of its own, so that no document grows past the model's positions.
    positions[at:] = np.arange(size - at) % LONGEST_PADDING
    for i, start in enumerate(range(at, size, LONGEST_PADDING), len(documents)):
        starts[i] = start
    mark_at, mark_class = np.zeros(plan["marks"], np.int64), np.full(plan["marks"], -1, np.int64)
    random.Random(at).shuffle(marks)
    for i, (position, value) in enumerate(marks[: plan["marks"]]):
        mark_at[i], mark_class[i] = position, value
    return Batch(tokens, starts, positions, targets, text, reply, mark_at, mark_class)


DRAWER: list[Drawer] = []  # one a worker process


def start_worker(recipe: dict[str, Any], folder: Path) -> None:
    """Prepare a worker process for ``draw``."""
    DRAWER.append(Drawer(recipe, folder))


def draw(order: Order) -> Batch:
    """Return the batch of ``order``, in a worker process."""
    return DRAWER[0].batch(order)


def stream(pool: Pool, orders: Iterator[Order], ahead: int) -> Iterator[Batch]:
    """Yield the batches of ``orders`` in order, ``ahead`` of them being made meanwhile."""
    waiting: list[AsyncResult[Batch]] = []
    for order in orders:
        waiting.append(pool.apply_async(draw, (order,)))
        if len(waiting) > ahead:
            yield waiting.pop(0).get()
    for result in waiting:
        yield result.get()
