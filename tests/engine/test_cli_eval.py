"""`tinyloop eval`: its options, its figures, its files, and what it refuses."""

from __future__ import annotations

import json
import re

import pytest
from cli_tools import assert_one_sentence, small_model, tinyloop

from engine.evaluate import load_questions
from engine.resources import bundled_model, resource
from engine.weights import open_model_file

TURNS = ["What is 7 ?", "Amy has 3 pears."]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_model(tmp_path_factory.mktemp("eval"))


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "q.jsonl"
    lines = [json.dumps({"kind": f"k{i}", "steps": i, "question": "What is 7 ?", "answer": "7"})
             for i in range(1, 11)]  # fmt: skip
    path.write_text("\n".join(lines))
    return path


def test_depth_pays_on_twelve_of_the_shipped_questions(capsys, tmp_path):
    figures = tmp_path / "figures.json"
    ran = tinyloop(capsys, "eval", "--limit", "12", "--json", figures)
    assert ran.code == 0
    document = json.loads(figures.read_text())
    assert document["questions"] == 12
    shallow, middle, deep = document["accuracy"].values()
    assert shallow <= middle <= deep
    assert shallow < deep
    assert deep >= 7 / 12
    row = rf"^all +{100 * shallow:.1f} ±\d+\.\d +{100 * middle:.1f} ±"
    assert re.search(row, ran.out, re.MULTILINE)


def test_the_bundled_file_carries_the_figures_of_the_whole_file():
    document = json.loads(resource("loops_eval.json").read_text())
    assert open_model_file(bundled_model()).loops_eval == document
    assert document["questions"] == len(load_questions(resource("questions.jsonl")))
    efforts = {str(depth) for depth in open_model_file(bundled_model()).config.efforts}
    assert efforts <= set(document["accuracy"])


def test_own_questions_depths_and_limits(capsys, tmp_path, small, questions):
    words = ("eval", questions, "--model", small, "--loops", "3", "1", "--limit", "5")
    ran = tinyloop(capsys, *words)
    assert ran.code == 0
    assert ran.out.startswith("5 questions on ")
    assert re.findall(r"(\d) loops", ran.out.splitlines()[1]) == ["1", "3"]
    assert re.findall(r"^(k\d+)", ran.out, re.MULTILINE) == ["k2", "k4", "k6", "k8", "k10"]
    assert re.search(r"^1 to 3 loops +[+-]\d", ran.out, re.MULTILINE)
    assert_one_sentence(tinyloop(capsys, "eval", questions, "--limit", "0"), "--limit", "0")
    assert_one_sentence(tinyloop(capsys, "eval", tmp_path / "none"), "none", "No such file")


def test_a_file_against_itself_gains_nothing(capsys, tmp_path, small, questions):
    figures = tmp_path / "figures.json"
    ran = tinyloop(capsys, "eval", questions, "--model", small, "--against", small, "--limit", "2",
                   "--json", figures)  # fmt: skip
    assert ran.code == 0
    same = {"mean": 0.0, "interval": [0.0, 0.0]}
    assert json.loads(figures.read_text())["against"] == {"2": same, "3": same, "4": same}
    assert "+0.0 points (+0.0 to +0.0)" in ran.out


def test_what_cannot_be_read_or_written_is_refused_before_anything_is_asked(
    capsys, tmp_path, small, questions
):
    words = ("eval", questions, "--model", small)
    nowhere = tmp_path / "nowhere" / "figures.json"
    assert_one_sentence(tinyloop(capsys, *words, "--json", nowhere), "nowhere", "make it first")
    assert_one_sentence(tinyloop(capsys, *words, "--against", questions), "q.jsonl")


def test_doubts_are_measured_at_the_first_effort(capsys, tmp_path, small, questions):
    figures = tmp_path / "figures.json"
    words = ("eval", questions, "--model", small, "--doubt", "--limit", "2", "--json", figures)
    assert tinyloop(capsys, *words).code == 0
    rows = json.loads(figures.read_text())["doubts"]
    assert all(set(row) == {"speaks", "precision", "recall"} for row in rows.values())
    assert_one_sentence(tinyloop(capsys, *words, "--loops", "1"), *["--doubt", "2"])


def test_conversations_are_answered_in_a_table(capsys, tmp_path, small, questions):
    prompts, out = tmp_path / "p.jsonl", tmp_path / "out.md"
    lines = [{"id": "one", "turns": ["a | b\nc"]}, {"id": "two", "turns": [*TURNS, "why?"]}]
    prompts.write_text("\n".join(map(json.dumps, lines)))
    words = ("eval", questions, "--model", small, "--limit", "1")
    assert tinyloop(capsys, *words, "--prompts", prompts, out).code == 0
    head, _, *rows = out.read_text().splitlines()
    assert head == "| id | conversation | 2 loops | 3 loops | 4 loops |"
    assert rows[0].startswith(r"| one | a \| b<br>c | ")
    assert rows[1].startswith("| two | What is 7 ?<br>Amy has 3 pears.<br>why? | ")
    prompts.write_text(json.dumps({"id": "even", "turns": TURNS}))
    refused = tinyloop(capsys, *words, "--prompts", prompts, out)
    assert_one_sentence(refused, "line 1", "even")
