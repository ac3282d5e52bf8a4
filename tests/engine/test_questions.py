"""The held-out questions: right, within the model's limits, and the same from the same seed."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from engine.resources import bundled_model, resource
from engine.tokenizer import Tokenizer

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "packaging" / "model"))
import questions  # noqa: E402 - the generator is a script beside its data, in no package

DIRECTIONS = ["north", "east", "south", "west"]


def solve_chain(text: str) -> str:
    terms = re.findall(r"(?:([+-]) )?(\d+)", text)
    return str(sum(-int(d) if sign == "-" else int(d) for sign, d in terms))


def solve_story(text: str) -> str:
    name, start = re.match(r"(\w+) has (\d+) ", text).groups()
    heap = int(start)
    for sentence in text.split(". ")[1:-1]:
        who, verb = sentence.split()[:2]
        count = int(re.search(r"\d+", sentence)[0])
        gain = verb in ("buys", "finds") or who != name
        heap += count if gain else -count
        assert heap >= 0, sentence
    assert text.endswith(f"does {name} have now?")
    return str(heap)


def solve_variables(text: str) -> str:
    *lines, question = re.findall(r"[^.?]+[.?]", text)
    rules = dict(line.strip(" .").split(" = ") for line in lines)
    assert len(rules) == len(lines), "a letter is defined twice"

    def value(letter: str) -> int:
        first, *rest = rules[letter].split()
        if not rest:
            return int(first)
        return value(first) + int("".join(rest))

    return str(value(question.strip(" ?").split()[-1]))


def solve_passing(text: str) -> str:
    holders = {}
    for sentence in text.split(". "):
        if gift := re.fullmatch(r"(\w+) gives the (\w+) to (\w+)", sentence):
            assert holders[gift[2]] == gift[1] != gift[3], sentence
            holders[gift[2]] = gift[3]
        elif start := re.fullmatch(r"(\w+) has the (\w+)", sentence):
            holders[start[2]] = start[1]
    return holders[re.search(r"Who has the (\w+)\?$", text)[1]]


def solve_turning(text: str) -> str:
    facing = DIRECTIONS.index(re.match(r"You face (\w+)\.", text)[1])
    for turn in re.findall(r"Turn (\w+)\.", text):
        facing += {"right": 1, "around": 2, "left": 3}[turn]
    return DIRECTIONS[facing % 4]


def solve_cups(text: str) -> str:
    table = [False] * 6
    table[int(re.match(r"The coin is under cup (\d)\.", text)[1])] = True
    for i, j in re.findall(r"Swap (\d) and (\d)\.", text):
        assert i != j
        table[int(i)], table[int(j)] = table[int(j)], table[int(i)]
    return str(table.index(True))


SOLVERS = {"chain": solve_chain, "story": solve_story, "variables": solve_variables,
           "passing": solve_passing, "turning": solve_turning, "cups": solve_cups}  # fmt: skip


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
