"""The example questions and the cards of the empty chat: short, and wrong until a later effort."""

from __future__ import annotations

import json
import random

import examples
import numpy as np
import pytest
from invariants import model_of
from serial import KINDS

from engine.evaluate import ANSWER_TOKENS, Question, ask
from engine.resources import resource

CARDS = json.loads(resource("cards.json").read_text(encoding="utf-8"))


def question_of(entry: dict) -> Question:
    choices = tuple(entry.get("choices", ()))
    return Question("", entry["steps"], entry["question"], entry["answer"], choices)


def test_there_are_four_cards():
    assert len(CARDS) == 4
    fields = {"title", "steps", "question", "answer"}
    assert all(fields <= set(card) <= {*fields, "choices"} for card in CARDS)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card["title"])
def test_the_bundled_model_needs_the_second_effort_for_a_card(card):
    model, question = model_of("real"), question_of(card)
    outcome = ask(model, question, model.config.efforts)
    assert [outcome.right(depth) for depth in model.config.efforts] == [False, True, True]
    prompt = model.tokenizer.encode_chat([("user", card["question"])])
    assert len(prompt) <= examples.MOST_TOKENS


def test_what_is_easy_or_long_is_no_example():
    model = model_of("bundled")
    text = "What is 7 ?"
    said = ask(model, Question("", 1, text, "?"), [model.config.efforts[0]]).said.popitem()[1]
    assert examples.needs(model, Question("", 1, text, said)) == 0
    assert examples.needs(model, Question("", 1, 50 * text, "never said")) == 0


def test_the_margin_is_the_smallest_gap_of_the_answers_logits():
    model = model_of("bundled")
    prompt = model.tokenizer.encode_chat([("user", "What is 7 ?")])
    tokens = model.generate(prompt, 3, max_tokens=ANSWER_TOKENS)
    gaps = []
    for end in range(len(prompt), len(tokens)):
        best = np.sort(model.score_with_uncertainty(tokens[:end], 3, 3)[0])[-2:]
        gaps.append(best[1] - best[0])
    assert len(gaps) >= 2
    assert examples.margin(model, prompt, 3) == pytest.approx(min(gaps), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_fresh_and_carry_their_choices(kind):
    drawn = [examples.draw(kind, random.Random(seed)) for seed in range(5)]
    assert len({question.question for question in drawn}) == 5
    assert all(not q.choices or q.answer in q.choices for q in drawn)
    assert {q.kind for q in drawn} == {kind}


def entry(kind: str, question: str, right_from: int) -> dict:
    return {"kind": kind, "steps": 5, "question": question, "answer": "1", "choices": (),
            "right_from": right_from}  # fmt: skip


def test_cards_are_the_shortest_examples_that_need_the_second_effort():
    found = [entry(kind, text, depth) for kind in examples.CARDS
             for text, depth in (("short", 32), ("rather long", 16), ("longer", 16))]  # fmt: skip
    chosen = examples.cards(found, 16)
    assert [card["title"] for card in chosen] == list(examples.CARDS.values())
    assert {card["question"] for card in chosen} == {"longer"}
    with pytest.raises(ValueError, match="kind cups"):
        examples.cards(found[:-3], 16)
