"""Accuracy: answers at rising depths from one handle, counted by kind, steps and loops."""

from __future__ import annotations

import json
import re

import pytest
from cli_tools import assert_one_sentence, small_model, tinyloop
from invariants import model_of

from engine.evaluate import (
    Outcome,
    Question,
    accuracy,
    accuracy_table,
    answers,
    load_questions,
)
from engine.resources import resource
from engine.weights import open_model_file


def outcome(kind: str, steps: int, right_at: set[int]) -> Outcome:
    question = Question(kind, steps, "?", "7")
    return Outcome(question, {loops: "7" if loops in right_at else "8" for loops in (8, 16)})


OUTCOMES = [outcome("chain", 2, {8, 16}), outcome("chain", 30, {16}), outcome("cups", 9, set())]


def test_shares_are_counted_by_loops_kind_and_steps():
    assert accuracy(OUTCOMES, [8, 16]) == {
        "questions": 3,
        "accuracy": {"8": 0.3333, "16": 0.6667},
        "by_kind": {"chain": {"8": 0.5, "16": 1.0}, "cups": {"8": 0.0, "16": 0.0}},
        "by_steps": {
            "1–8": {"8": 1.0, "16": 1.0},
            "9–16": {"8": 0.0, "16": 0.0},
            "25 and more": {"8": 0.0, "16": 1.0},
        },
    }


def test_the_table_has_a_row_a_part_and_a_column_a_depth():
    lines = accuracy_table(accuracy(OUTCOMES, [8, 16])).splitlines()
    assert lines[0].split() == ["%", "right", "8", "loops", "16", "loops"]
    assert lines[1].split() == ["all", "33.3", "66.7"]
    assert [line[:12].strip() for line in lines[2:]] == [
        "chain", "cups", "1–8 steps", "9–16 steps", "25 and more",
    ]  # fmt: skip


def test_answers_at_every_depth_equal_fresh_ones_and_run_no_loop_twice():
    model = model_of("bundled")
    text = "What is 7 ?"
    prompt = model.tokenizer.encode_chat([("user", text)])
    ran: list[tuple[int, int]] = []
    real = model._runner._backend.extend

    def extend(cache, low, high, watch):
        ran.append((low, high))
        real(cache, low, high, watch)

    model._runner._backend.extend = extend
    try:
        said = answers(model, text, [2, 3, 8])
    finally:
        del model._runner._backend.extend
    assert ran == [(2, 3), (3, 8)]
    for depth, answer in said.items():
        fresh = model.generate(prompt, depth, max_tokens=16)
        assert answer == model.tokenizer.decode(fresh[len(prompt) :]).strip()


def test_depth_pays_on_twelve_of_the_shipped_questions(capsys, tmp_path):
    figures = tmp_path / "figures.json"
    ran = tinyloop(capsys, "eval", "--limit", "12", "--json", figures)
    assert ran.code == 0
    document = json.loads(figures.read_text())
    assert document["questions"] == 12
    assert set(document["by_kind"]) == {"chain", "story", "variables", "passing", "turning", "cups"}
    shallow, middle, deep = document["accuracy"].values()
    assert shallow < middle <= deep
    assert deep >= 11 / 12
    assert re.search(rf"^all +{100 * shallow:.1f} +{100 * middle:.1f}", ran.out, re.MULTILINE)


def test_the_bundled_file_carries_the_figures_of_the_whole_file():
    document = json.loads(resource("loops_eval.json").read_text())
    assert open_model_file(resource("models/tinyloop-27m.tinyloop")).loops_eval == document
    assert document["questions"] == len(load_questions(resource("questions.jsonl"))) == 300
    assert list(document["accuracy"]) == ["8", "16", "32"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["no questions"]),
        (b"\n\n", ["no questions"]),
        (b"\xff\xfe", ["no text"]),
        (b'{"kind": "chain"}', ["line 1", '"answer"']),
        (b'{"kind": "a", "steps": 1, "question": "?", "answer": "1"}\nnonsense', ["line 2", "non"]),
        (b'{"kind": "a", "steps": "1", "question": "?", "answer": "1"}', ["line 1"]),
        (b"[1]", ["line 1"]),
    ],
)
def test_a_file_of_other_things_is_refused_in_one_sentence(capsys, tmp_path, content, words):
    path = tmp_path / "q.jsonl"
    path.write_bytes(content)
    assert_one_sentence(tinyloop(capsys, "eval", path), *words)


def test_own_questions_depths_and_limits(capsys, tmp_path):
    path = tmp_path / "q.jsonl"
    lines = [json.dumps({"kind": f"k{i}", "steps": i, "question": "What is 7 ?", "answer": "7"})
             for i in range(1, 11)]  # fmt: skip
    path.write_text("\n".join(lines))
    small = small_model(tmp_path)
    words = ("eval", path, "--model", small, "--loops", "3", "1", "--limit", "5")
    ran = tinyloop(capsys, *words)
    assert ran.code == 0
    assert ran.out.startswith("5 questions\n")
    assert re.findall(r"(\d) loops", ran.out) == ["1", "3"]
    assert re.findall(r"^(k\d+)", ran.out, re.MULTILINE) == ["k2", "k4", "k6", "k8", "k10"]
    assert_one_sentence(tinyloop(capsys, "eval", path, "--limit", "0"), "--limit", "0")
    assert_one_sentence(tinyloop(capsys, "eval", tmp_path / "none"), "none", "No such file")
