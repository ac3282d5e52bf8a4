"""The figures of an evaluation: shares, intervals, paired differences, and the table of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.accuracy import (
    Part,
    accuracy,
    accuracy_table,
    compare,
    doubts,
    paired,
    parts,
    wilson,
)
from engine.evaluate import Outcome, Question


def outcome(kind: str, steps: int, right_at: set[int]) -> Outcome:
    question = Question(kind, steps, "?", "7")
    return Outcome(question, {loops: "7" if loops in right_at else "8" for loops in (8, 16)})


OUTCOMES = [outcome("chain", 2, {8, 16}), outcome("chain", 30, {16}), outcome("cups", 9, set())]


def test_shares_are_counted_by_loops_kind_and_steps():
    document = accuracy(OUTCOMES, [8, 16])
    assert (document["questions"], document["accuracy"]) == (3, {"8": 0.3333, "16": 0.6667})
    assert document["interval"]["8"] == wilson(1, 3)
    by_kind = {kind: part["accuracy"] for kind, part in document["by_kind"].items()}
    assert by_kind == {"chain": {"8": 0.5, "16": 1.0}, "cups": {"8": 0.0, "16": 0.0}}
    by_steps = {steps: part["accuracy"] for steps, part in document["by_steps"].items()}
    assert by_steps == {
        "1–8": {"8": 1.0, "16": 1.0},
        "9–16": {"8": 0.0, "16": 0.0},
        "25 and more": {"8": 0.0, "16": 1.0},
    }
    assert document["by_kind"]["chain"]["questions"] == 2
    assert document["gains"] == {"8 to 16": paired([True, False, False], [True, True, False])}


def test_wilson_intervals_are_those_of_the_books():
    assert wilson(8, 10) == pytest.approx([0.4902, 0.9433], abs=1e-4)
    assert wilson(0, 10) == pytest.approx([0, 0.2775], abs=1e-4)
    assert wilson(10, 10) == pytest.approx([0.7225, 1], abs=1e-4)


def test_paired_intervals_agree_with_resampling():
    rng = np.random.default_rng(0)
    before = rng.random(400) < 0.6
    after = before | (rng.random(400) < 0.2)
    found = paired(before.tolist(), after.tolist())
    draws = rng.integers(0, 400, (4000, 400))
    means = (after[draws].astype(int) - before[draws].astype(int)).mean(axis=1)
    assert found["mean"] == pytest.approx((after.mean() - before.mean()), abs=1e-4)
    assert found["interval"] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.006)


def test_another_model_is_compared_question_by_question():
    others = [outcome("chain", 2, {8}), outcome("chain", 30, {8}), outcome("cups", 9, set())]
    found = compare(OUTCOMES, others, [8, 16])
    assert {depth: part["mean"] for depth, part in found.items()} == {"8": -0.3333, "16": 0.6667}


def test_a_hint_is_judged_by_precision_and_recall():
    rows = doubts([0.05, 0.2, 0.7, 3.0], [True, False, True, True])
    assert rows["0.1"] == {"speaks": 0.75, "precision": 0.6667, "recall": 0.6667}
    assert rows["1.0"] == {"speaks": 0.25, "precision": 1.0, "recall": 0.3333}


def test_the_table_has_a_row_a_part_and_a_column_a_depth():
    lines = accuracy_table(accuracy(OUTCOMES, [8, 16])).splitlines()
    assert lines[0].split() == ["%", "right", "8", "loops", "16", "loops"]
    assert lines[1].split() == ["all", "33.3", "±36.5", "66.7", "±36.5"]
    assert [line[:12].strip() for line in lines[2:]] == [
        "chain", "cups", "1–8 steps", "9–16 steps", "25 and more",
    ]  # fmt: skip


def test_depths_and_steps_rise_though_a_file_sorts_them_as_text():
    outcomes = [outcome("chain", steps, {8}) for steps in (30, 20, 10, 2)]
    deep = [Outcome(o.question, dict.fromkeys((4, 8, 16), "7")) for o in outcomes]
    document = json.loads(json.dumps(accuracy(deep, [4, 8, 16]), sort_keys=True))
    found = parts(document)
    assert [part.name for part in found] == [
        "all", "chain", "1–8", "9–16", "17–24", "25 and more",
    ]  # fmt: skip
    assert [part.group for part in found[:3]] == ["all", "kind", "steps"]
    assert [list(part.shares) for part in found] == 6 * [[4, 8, 16]]
    assert (found[0].questions, found[0].intervals[16]) == (4, wilson(4, 4))


def test_a_part_may_be_its_shares_alone():
    (_, part) = parts({"accuracy": {"8": 1, "16": 1}, "by_kind": {"sums": {"8": 0.5, "16": 1}}})
    assert part == Part("kind", "sums", None, {8: 0.5, 16: 1}, {})


@pytest.mark.parametrize(
    "odd",
    [{"by_kind": {"odd": 7}}, {"by_kind": []}, {"by_steps": {"odd": {"accuracy": {"8": "x"}}}},
     {"by_kind": {"odd": {"8": 1.5}}}, {"by_kind": {"odd": {"accuracy": {"9": 0.5}}}},
     {"interval": 3}, {"interval": {"8": [0.1]}}, {"interval": {"8": ["a", "b"]}}],
)  # fmt: skip
def test_parts_of_another_form_are_left_out(odd):
    assert accuracy_table({"accuracy": {"8": 0.5}, **odd}).splitlines()[1:] == [
        "all" + 23 * " " + "50.0"
    ]


def test_the_document_stays_small_enough_for_a_files_header():
    kinds = [outcome(f"kind number {k}", n, {16}) for k in range(15) for n in (1, 9, 17, 25)]
    deep = [Outcome(o.question, dict.fromkeys((4, 8, 16, 32, 48), "7")) for o in kinds]
    assert len(json.dumps(accuracy(deep, [4, 8, 16, 32, 48]))) < 8192
