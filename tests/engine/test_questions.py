"""The held-out questions: right, within the model's limits, and the same from the same seed."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict

import pytest
import questions
from serial_solver import SOLVERS

from engine.resources import bundled_model, resource
from engine.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def shipped() -> list[dict]:
    lines = resource("questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_shipped_answer_is_right(shipped):
    for question in shipped:
        assert SOLVERS[question["kind"]](question["question"]) == question["answer"], question


def test_there_are_fifty_of_each_kind_over_the_whole_range(shipped):
    assert Counter(q["kind"] for q in shipped) == dict.fromkeys(SOLVERS, 50)
    for kind in SOLVERS:
        steps = {q["steps"] for q in shipped if q["kind"] == kind}
        assert steps == set(range(2, 26 if kind == "variables" else 29))
    assert len({q["question"] for q in shipped}) == 300


def test_every_number_stays_between_0_and_99(shipped):
    for question in shipped:
        if question["kind"] in ("chain", "story", "variables"):
            assert 0 <= int(question["answer"]) <= 99
        if question["kind"] == "chain":
            start, *changes = re.findall(r"(?:[+-] )?\d+", question["question"])
            total = int(start)
            for change in changes:
                total += int(change.replace(" ", ""))
                assert 0 <= total <= 99


def test_the_steps_named_are_the_steps_asked(shipped):
    marks = {"chain": r"[+-]", "story": r"\.", "variables": r"[+-]", "passing": "gives",
             "turning": "Turn", "cups": "Swap"}  # fmt: skip
    for q in shipped:
        count = len(re.findall(marks[q["kind"]], q["question"])) - (q["kind"] == "story")
        assert count == q["steps"], q


def test_half_of_the_variables_are_shuffled(shipped):
    texts = [q["question"] for q in shipped if q["kind"] == "variables"]
    in_order = [t for t in texts if re.match(r"\w = \d\. ", t)]
    assert 10 <= len(in_order) <= 40


def test_prompts_stay_below_300_tokens_and_the_seed_gives_the_same_file(shipped):
    tokenizer = Tokenizer.from_file(bundled_model())
    counts = []

    def tokens(text: str) -> int:
        counts.append(len(tokenizer.encode_chat([("user", text)])))
        return counts[-1]

    again = questions.generate(seed=1, per_kind=50, tokens=tokens)
    assert [asdict(question) for question in again] == shipped
    assert max(counts) < 300
    assert questions.generate(seed=2, per_kind=50, tokens=tokens) != again
