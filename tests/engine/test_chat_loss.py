"""Loss on conversations: the assistant's ids alone, the same from every path, and its figures."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from cli_tools import assert_one_sentence, small_model, tinyloop
from tiny_models import tiny_config, write_tiny_model

from engine import Model
from engine.chat_loss import ChatLoss, encode, load_talks, summary
from engine.errors import ModelFileError

TURNS = ["What is 7 ?", "Amy has 3 pears.", "Turn left.", "You face north."]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_model(tmp_path_factory.mktemp("chat"))


def test_the_loss_is_that_of_the_models_own_logits(small):
    with Model(small, device="cpu") as model:
        end = model.config.chat_template.end
        talk = encode(TURNS, model.tokenizer, end, 512)
        said = [int(i) for i in talk.ids[talk.at + 1]]
        answers = [[*model.tokenizer.encode(turn), *end] for turn in TURNS[1::2]]
        assert said == [i for answer in answers for i in answer]
        wanted = 0.0
        for at in talk.at:
            logits, _ = model.score_with_uncertainty(talk.ids[: at + 1], 3, 3)
            wanted += math.log(np.exp(logits.astype(float)).sum()) - float(logits[talk.ids[at + 1]])
    reader = ChatLoss(small, "cpu")
    count, losses = reader.losses(TURNS, [2, 3])
    reader.close()
    assert count == len(said)
    assert losses[3] == pytest.approx(wanted, rel=1e-5)
    assert losses[2] != pytest.approx(wanted, rel=1e-3)


def test_a_long_conversation_is_cut_at_the_models_positions(small):
    with Model(small, device="cpu") as model:
        talk = encode(TURNS, model.tokenizer, (5,), 20)
    assert len(talk.ids) == 20
    assert talk.at.max() == 18


def test_the_change_is_relative_and_spread_over_conversations():
    found = [(10, {8: 20.0, 16: 19.0}), (10, {8: 20.0, 16: 19.0}), (20, {8: 40.0, 16: 40.0})]
    document = summary(found, [8, 16])
    assert document["loss"] == {"8": 2.0, "16": 1.95}
    assert (document["conversations"], document["tokens"]) == (3, 40)
    low, high = document["change"]["16"]["interval"]
    assert low < document["change"]["16"]["mean"] == -0.025 < high
    rng = np.random.default_rng(0)
    draws = rng.integers(0, 100, (2000, 100))
    base = rng.random(100) + 1
    after = base * (1 + rng.normal(0.01, 0.05, 100))
    many = [(1, {8: float(b), 16: float(a)}) for b, a in zip(base, after, strict=True)]
    resampled = after[draws].sum(axis=1) / base[draws].sum(axis=1) - 1
    interval = summary(many, [8, 16])["change"]["16"]["interval"]
    assert interval == pytest.approx(np.quantile(resampled, [0.025, 0.975]), abs=0.002)


def test_eval_prints_and_keeps_the_loss(capsys, tmp_path, small):
    path, questions, figures = tmp_path / "chat.jsonl", tmp_path / "q.jsonl", tmp_path / "f.json"
    path.write_text(json.dumps({"turns": TURNS}))
    line = {"kind": "k", "steps": 1, "question": "What is 7 ?", "answer": "7"}
    questions.write_text(json.dumps(line))
    words = ("eval", questions, "--model", small, "--chat", path, "--json", figures)
    ran = tinyloop(capsys, *words)
    assert ran.code == 0
    document = json.loads(figures.read_text())["chat"]
    assert f"2 loops           {document['loss']['2']:.4f} nats\n" in ran.out
    assert set(document["change"]) == {"3", "4"}
    path.write_text(json.dumps({"turns": TURNS[:1]}))
    assert_one_sentence(tinyloop(capsys, *words), "line 1", "turns")
    path.write_text("")
    assert_one_sentence(tinyloop(capsys, *words), "no conversations")


def test_a_model_with_post_layers_is_refused(tmp_path):
    path = write_tiny_model(tmp_path / "m.tinyloop", tiny_config(num_post_layers=1))
    with pytest.raises(ModelFileError, match="without post layers"):
        ChatLoss(path, "cpu")
    talks = tmp_path / "chat.jsonl"
    talks.write_text(json.dumps({"set": "x", "turns": TURNS}))
    assert load_talks(talks) == [TURNS]
