"""Training batches: whole documents side by side, each token weighted for what it teaches."""

from __future__ import annotations

import copy
import itertools
import random
import tomllib
from pathlib import Path

import batches
import numpy as np
import pytest
import serial
from batches import Document, Drawer, Order
from pieces import ASSISTANT, BOS, END, USER
from serial.pointers import MOST_FOLLOW_UPS

from engine.resources import bundled_model
from engine.tokenizer import Tokenizer
from engine.weights import open_model_file

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def drawer(tmp_path_factory) -> Drawer:
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "tokenizer.model").write_bytes(bytes(open_model_file(bundled_model()).tokenizer))
    rng = np.random.default_rng(3)
    documents = [[BOS, *rng.integers(10, 8000, size=n).tolist()] for n in (5, 90, 300, 40, 7, 1000)]
    np.save(folder / "tokens.npy", np.concatenate(documents).astype(np.uint16))
    starts, parts = np.cumsum([0, *map(len, documents)]), ["chat", "reasoning", "text"]
    np.savez(folder / "index.npz", starts=starts, first=[0, 2, 4, 6], part=parts, share=[1.0] * 3)
    recipe = tomllib.loads((ROOT / "packaging/model/recipe.toml").read_text("utf-8"))
    recipe["batch"]["tokens"] = 6000
    return Drawer(recipe, folder)


def order(seed: str, loops: int = 16) -> Order:
    return Order(seed, loops, 32, late=True)


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_a_batch_is_whole_documents_and_padding(drawer, seed):
    batch = drawer.batch(order(seed))
    starts = np.unique(batch.starts)
    assert starts[0] == 0
    assert starts[-1] == len(batch.tokens) == 6000
    assert np.diff(starts).max() <= 1024
    for first, last in itertools.pairwise(starts):
        np.testing.assert_array_equal(batch.positions[first:last], np.arange(last - first))
        assert batch.tokens[first] in (BOS, 0)
        assert (
            batch.text[last - 1] == batch.reply[last - 1] == 0
        )  # nothing predicts a next document
    taught = (batch.text > 0) | (batch.reply > 0)
    np.testing.assert_array_equal(batch.targets[:-1][taught[:-1]], batch.tokens[1:][taught[:-1]])
    assert not ((batch.text > 0) & (batch.reply > 0)).any()


def test_the_same_order_gives_the_same_batch_and_another_seed_another(drawer):
    one, again, other = (drawer.batch(order(seed)) for seed in ("x", "x", "y"))
    np.testing.assert_array_equal(one.tokens, again.tokens)
    assert (one.tokens != other.tokens).any()


def test_deep_batches_hold_more_serial_questions(drawer):
    def share(loops: int) -> float:
        made = [drawer.batch(order(f"share {i}", loops)) for i in range(4)]
        return sum(serial_tokens(batch) for batch in made) / sum(len(b.tokens) for b in made)

    assert 0.5 < share(4) < share(16) < share(32) < 0.9


def serial_tokens(batch: batches.Batch) -> int:
    """The tokens of the documents that teach a reply."""
    bounds = itertools.pairwise(np.unique(batch.starts))
    return sum(int(b - a) for a, b in bounds if batch.reply[a:b].any())


def test_replies_of_serial_questions_are_taught_with_their_end(drawer):
    batch = drawer.batch(order("replies"))
    begins = np.flatnonzero((batch.reply > 0) & (np.roll(batch.reply, 1) == 0))
    ends = np.flatnonzero((batch.reply > 0) & (np.roll(batch.reply, -1) == 0))
    assert len(begins) > 10
    assert set(batch.tokens[begins].tolist()) == {ASSISTANT}
    assert set(batch.targets[ends].tolist()) == {END}


@pytest.mark.parametrize("kind", sorted(serial.KINDS))
def test_running_values_stand_at_the_token_that_ends_their_step(drawer, kind):
    rng = random.Random(kind)
    for steps in (1, 3, 17):
        draw = serial.KINDS[kind](rng, steps, "train")
        pieces = drawer.processor.encode(draw.question, out_type=str)
        ends = batches.piece_ends(pieces)
        assert ends[-1] == len(draw.question)
        known = dict(drawer.marks(draw, 0, loops=32))
        for mark in draw.marks:
            at = int(np.searchsorted(ends, mark.end))
            at_reply = at == len(pieces) and mark.end == ends[-1] + 1
            assert at_reply or ends[at] - len(pieces[at]) < mark.end <= ends[at]
        assert known[max(known)] == drawer.value_class(draw.value)
        within = [mark for mark in draw.marks if mark.step <= drawer.reach(kind, 2)]
        assert len(drawer.marks(draw, 0, loops=2)) == len({m.end for m in within})


def test_follow_ups_are_taught_in_the_same_conversation(drawer):
    only = copy.copy(drawer)
    only.kinds, only.kind_chances = ["pointers"], [1.0]
    only.plan = drawer.plan | {"several": 0.0, "after_talk": 0.0}
    documents = [only.serial(random.Random(i), order("", 8)) for i in range(20)]
    turns = [document.ids.count(USER) for document in documents]
    assert 2 <= min(turns) < max(turns) <= 1 + MOST_FOLLOW_UPS
    for document, count in zip(documents, turns, strict=True):
        taught = np.flatnonzero(np.diff(document.reply, prepend=0) > 0)
        assert [document.ids[at - 1] for at in taught] == [ASSISTANT] * count
        known = {p for p, _ in document.marks}
        replies = np.flatnonzero(np.array(document.ids) == ASSISTANT)
        assert all(at in known or at - 1 in known for at in replies)


def test_loops_are_to_manage_a_step_each_and_some_ahead(drawer):
    assert [drawer.reach("chain", loops) for loops in (1, 4, 8, 16, 32)] == [2, 8, 16, 24, 40]
    assert [drawer.reach("pointers", loops) for loops in (1, 8, 32)] == [1, 8, 32]
    rng = random.Random(2)
    draws = [drawer.question(rng, order("", 8)) for _ in range(600)]
    one_each = {"pointers", "passing"}
    for kinds, most in ((set(serial.KINDS) - one_each, 16), (one_each, 7)):
        steps = [draw.steps for draw in draws if draw.kind in kinds]
        assert 0.7 < sum(n <= most for n in steps) / len(steps) < 0.95
        assert sum(most / 2 < n <= most for n in steps) / len(steps) > 0.15


def test_weights_teach_answers_fully_questions_a_little_and_marks_never():
    ids = [BOS, USER, 10, 11, ASSISTANT, 12, END, USER, 13, ASSISTANT, 14, END]
    expected = [0.08, 0, 0.08, 0.08, 0, 1, 1, 0, 0.08, 0, 1, 1]
    np.testing.assert_allclose(batches.weights(ids, 0.08), expected)
    np.testing.assert_allclose(batches.weights([BOS, 10, 11], 0.08), 1)


@pytest.mark.parametrize("over", [None, ROOT / "packaging/model/lookups_first.toml"])
def test_the_shares_of_a_recipe_add_up(over):
    recipe = batches.read_recipe(over)
    parts = (*batches.PARTS, "small_talk", "pairs")
    assert [sum(recipe["batch"][p][late] for p in parts) for late in (0, 1)] == pytest.approx(
        [1, 1]
    )
    assert sum(recipe["depth"]["chances"]) == pytest.approx(1)
    assert len(recipe["depth"]["chances"]) == len(recipe["depth"]["loops"])


def test_a_figure_that_the_recipe_has_not_is_named(tmp_path):
    over = tmp_path / "over.toml"
    over.write_text("[batch]\nrepeats = 1\n[kinds]\nchain = 2\n")
    with pytest.raises(ValueError, match="has no repeats"):
        batches.read_recipe(over)


def test_every_source_has_its_share_of_a_batch(drawer, monkeypatch):
    made = []
    monkeypatch.setattr(drawer, "other", spied(drawer.other, made))
    drawer.batch(order("sources", 2))
    assert set(made) == {*batches.PARTS, "small_talk", "pairs"}


def spied(other, made):
    """``Drawer.other`` that notes what it was asked for."""
    return lambda part, *rest: (made.append(part), other(part, *rest))[1]


def test_easy_questions_are_never_rare(drawer):
    rng = random.Random(1)
    steps = [drawer.question(rng, order("", 40)).steps for _ in range(400)]
    easy = sum(n <= drawer.plan["easy_steps"] for n in steps) / len(steps)
    assert 0.2 < easy < 0.4  # 10 % without them
    assert max(steps) == 32


def test_a_chat_is_written_as_the_product_writes_it(drawer):
    tokenizer = Tokenizer.from_file(bundled_model())
    turns = ["Hello there", "Hi! How can I help?", "What is 7 + 5 ?"]
    expected = tokenizer.encode_chat(list(zip(("user", "assistant", "user"), turns, strict=True)))
    assert [*drawer.chat(turns), ASSISTANT] == expected


def test_too_many_running_values_are_thinned_not_cut_off():
    zeros = np.zeros(50, np.float32)
    document = Document([BOS] * 50, zeros, zeros, [(i, 1) for i in range(50)])
    batch = batches.pack([document], {"tokens": 64, "documents": 2, "marks": 10})
    assert (batch.mark_class == 1).all()
    assert len(set(batch.mark_at.tolist())) == 10
    assert batch.mark_at.max() > 20
