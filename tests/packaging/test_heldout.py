"""The held-out questions of 15 kinds: as many of each, right, short, and never training's."""

from __future__ import annotations

import json
import random
import re
from collections import Counter

import heldout
import pytest
from arithmetic_solver import SOLVERS
from serial import KINDS

from engine.evaluate import Question, load_questions


@pytest.fixture(scope="module")
def written() -> list[Question]:
    return load_questions(heldout.FILE)


def test_the_command_writes_the_same_file(tmp_path, monkeypatch):
    output = tmp_path / "questions.jsonl"
    monkeypatch.setattr("sys.argv", ["heldout.py", str(output)])
    heldout.main()
    assert output.read_bytes() == heldout.FILE.read_bytes()
    assert heldout.held_out(seed=1)[:9] != [json.loads(line) for line in output.open()][:9]


def test_there_are_five_of_every_kind_and_number_of_steps(written):
    counts = Counter((question.kind, question.steps) for question in written)
    assert counts == {(kind, steps): 5 for kind in KINDS for steps in range(1, 33)}
    assert len({question.question for question in written}) == len(written) == 2400


def test_answers_about_numbers_are_right(written):
    numbers = [question for question in written if question.kind in SOLVERS]
    assert len(numbers) == 7 * 32 * 5
    for question in numbers:
        assert SOLVERS[question.kind](question.question) == question.answer, question


def test_an_answer_is_a_number_or_one_of_the_choices(written):
    for question in written:
        if question.choices:
            assert question.answer in question.choices
            assert len(set(question.choices)) > 1
        else:
            assert re.fullmatch(r"\d\d?", question.answer)


def test_a_generators_own_reply_is_accepted_and_another_value_is_not():
    rng = random.Random(2)
    for kind, draw in KINDS.items():
        for steps in range(1, 33):
            made = draw(rng, steps, "heldout")
            question = Question(kind, steps, made.question, made.value, made.choices)
            assert question.accepts(made.reply), made
            others = {choice for choice in made.choices if choice != made.value} or {"100"}
            for other in others:
                wrong = re.sub(rf"(?i)\b{re.escape(made.value)}\b", other, made.reply)
                assert not question.accepts(wrong), (made, wrong)


def test_prompts_fit_the_model_by_any_count(written):
    for question in written:
        pieces = re.findall(r"[A-Za-z]{1,3}|\S", question.question)  # more than any tokenizer's
        assert len(pieces) < 1000


def test_training_never_draws_a_held_out_question(written):
    rng = random.Random(5)
    known = {question.question for question in written}
    for kind, draw in KINDS.items():
        drawn = {draw(rng, steps, "train").question for steps in (1, 1, 2, 3) for _ in range(500)}
        assert not drawn & known, kind
