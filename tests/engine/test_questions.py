"""The questions that ship, and that the figures of the bundled model are of: right, and short."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from invariants import model_of
from serial_solver import SOLVERS

from engine.evaluate import Question, load_questions
from engine.resources import bundled_model, resource
from engine.weights import open_model_file

MARKS = {"chain": r"[+-]", "story": r"\.", "variables": r"[+-]", "passing": "gives",
         "turning": "Turn", "cups": "Swap"}  # fmt: skip


@pytest.fixture(scope="module")
def shipped() -> list[Question]:
    return load_questions(resource("questions.jsonl"))


def test_every_shipped_answer_is_right(shipped):
    for question in shipped:
        assert SOLVERS[question.kind](question.question) == question.answer, question


def test_there_are_fifty_of_each_kind_over_the_whole_range(shipped):
    assert Counter(question.kind for question in shipped) == dict.fromkeys(SOLVERS, 50)
    for kind in SOLVERS:
        steps = {question.steps for question in shipped if question.kind == kind}
        assert steps == set(range(2, 26 if kind == "variables" else 29))
    assert len({question.question for question in shipped}) == len(shipped) == 300


def test_the_steps_named_are_the_steps_asked(shipped):
    for question in shipped:
        count = len(re.findall(MARKS[question.kind], question.question))
        assert count - (question.kind == "story") == question.steps, question


def test_the_figures_of_the_file_are_of_these_questions(shipped):
    figures = open_model_file(bundled_model()).loops_eval
    assert figures["questions"] == len(shipped)
    assert figures["by_kind"].keys() == {question.kind for question in shipped}


def test_prompts_stay_below_300_tokens(shipped):
    tokenizer = model_of("real").tokenizer
    counts = [len(tokenizer.encode_chat([("user", q.question)])) for q in shipped]
    assert max(counts) < 300
