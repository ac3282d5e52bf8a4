"""What a training knows by kind: only the tokens of the answer are looked at."""

from __future__ import annotations

import random
from importlib import import_module

import numpy as np
import pytest
import serial
from batches import Drawer, pack, read_recipe
from pieces import ASSISTANT, BOS, USER

from engine.resources import bundled_model
from engine.weights import open_model_file

torch = pytest.importorskip("torch", reason="PyTorch is needed for training only")
by_kind = import_module("by_kind")  # an error in it is no reason to skip


@pytest.fixture(scope="module")
def drawer(tmp_path_factory) -> Drawer:
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "tokenizer.model").write_bytes(bytes(open_model_file(bundled_model()).tokenizer))
    np.save(folder / "tokens.npy", np.array([BOS, 300, 301], np.uint16))
    np.savez(folder / "index.npz", starts=[0, 3], first=[0, 1], part=["chat"], share=[1.0])
    recipe = read_recipe()
    recipe["batch"] |= {"tokens": 4096, "documents": 20}
    return Drawer(recipe, folder)


class Knows:
    """Stands for a trainer whose model foresees every token, but none of ``wrong``."""

    def __init__(self, wrong: set[int]) -> None:
        self.device, self.model, self._wrong = torch.device("cpu"), self, wrong

    def states(self, packed, loops, through):
        named = packed.tokens.roll(-1)
        return torch.where(torch.isin(named, torch.tensor(sorted(self._wrong))), 0, named)

    def logits(self, state):
        return torch.nn.functional.one_hot(state, 8192)


@pytest.mark.parametrize("kind", sorted(serial.KINDS))
def test_the_tokens_looked_at_are_the_answer(drawer, kind):
    rng = random.Random(kind)
    for steps in (1, 9):
        draw = serial.KINDS[kind](rng, steps, "train")
        document = by_kind.document(drawer, draw)
        said = [i for i, weight in zip(document.ids, document.reply, strict=True) if weight]
        assert drawer.processor.decode(said).strip(" .!?") == draw.value
        assert document.ids.index(USER) < document.ids.index(ASSISTANT)


def test_one_wrong_token_of_the_answer_makes_it_wrong_and_others_do_not_matter(drawer):
    rng = random.Random(4)
    draws = [serial.KINDS["chain"](rng, 3, "train") for _ in range(8)]
    documents = [by_kind.document(drawer, draw) for draw in draws]
    batch = pack(documents, drawer.plan)
    assert by_kind.right(Knows(set()), batch, 8, 4) == [True] * 8
    first = {i for i, w in zip(documents[0].ids, documents[0].reply, strict=True) if w}
    found = by_kind.right(Knows(first), batch, 8, 4)
    expected = [not first & {i for i, w in zip(d.ids, d.reply, strict=True) if w}
                for d in documents]  # fmt: skip
    assert found == expected
    assert not found[0]


def test_all_questions_of_a_kind_are_asked_at_every_depth(drawer):
    asked = by_kind.draws("turning", "train", 5)
    table = by_kind.shares(Knows(set()), drawer, asked, (4, 8), values=False)
    assert table == {loops: [1.0] * len(by_kind.STEPS) for loops in (4, 8)}


class Names:
    """Stands for a trainer whose model names the running values ``named``, by position."""

    def __init__(self, named: dict[int, int]) -> None:
        self.device, self.model, self._named = torch.device("cpu"), self, named

    def states(self, packed, loops, through):
        return packed.tokens

    def values(self, state):
        named = torch.tensor([self._named.get(at, 0) for at in range(len(state))])
        return torch.nn.functional.one_hot(named, 100 + 8192)


def test_values_on_the_way_are_counted_and_the_last_is_not(drawer):
    asked = by_kind.draws("chain", "train", 1)[2:4]
    batch = pack([by_kind.document(drawer, draw) for draw in asked], drawer.plan)
    marks = [
        sorted(drawer.marks(draw, start + 2, 8))
        for draw, start in zip(asked, batch.starts[:2], strict=True)
    ]
    ends = [at for at, token in enumerate(batch.tokens) if token == ASSISTANT]
    assert [of_one[-1][0] + 1 for of_one in marks] == ends[:2]
    named = dict(marks[0][:-1]) | dict(marks[1][1:])
    wrong = int(marks[1][0][1] != 0)  # 0 is what it names where it knows nothing
    expected = [1.0, 1 - wrong / (len(marks[1]) - 1)]
    assert by_kind.values_right(Names(named), drawer, asked, batch, 8) == pytest.approx(expected)
