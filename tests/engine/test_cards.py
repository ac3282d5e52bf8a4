"""The cards of the empty chat: short, of four kinds, and wrong until the second effort."""

from __future__ import annotations

import json
from dataclasses import asdict

import cards
import pytest
from invariants import model_of
from serial_solver import SOLVERS

from engine.evaluate import Question, ask
from engine.resources import resource

SHIPPED = json.loads(resource("cards.json").read_text(encoding="utf-8"))
KINDS = dict(zip(["A sum", "Eggs", "Which way?", "Which cup?"],
                 ["chain", "story", "turning", "cups"], strict=True))  # fmt: skip


def test_there_are_four_of_four_kinds():
    assert [card["title"] for card in SHIPPED] == list(KINDS)
    assert all(set(card) == {"title", "steps", "question", "answer"} for card in SHIPPED)


@pytest.mark.parametrize("card", SHIPPED, ids=lambda card: card["title"])
def test_the_known_answer_is_right_and_the_prompt_short(card):
    assert SOLVERS[KINDS[card["title"]]](card["question"]) == card["answer"]
    prompt = model_of("real").tokenizer.encode_chat([("user", card["question"])])
    assert len(prompt) <= 120


@pytest.mark.parametrize("card", SHIPPED, ids=lambda card: card["title"])
def test_the_bundled_model_needs_the_second_effort(card):
    model = model_of("real")
    first, second, third = model.config.efforts
    question = Question(KINDS[card["title"]], card["steps"], card["question"], card["answer"])
    outcome = ask(model, question, model.config.efforts)
    assert [outcome.right(depth) for depth in (first, second, third)] == [False, True, True]


def test_the_command_would_choose_these_again():
    model = model_of("real")
    for card in SHIPPED[:2]:
        question = Question(KINDS[card["title"]], card["steps"], card["question"], card["answer"])
        assert cards.is_card(model, question), asdict(question)
    easy = Question("chain", 2, "What is 7 + 5 - 3 ?", "9")
    assert not cards.is_card(model, easy)
