"""Random pieces in pairs: what is taught stands above, and the question's own words do not tell."""

from __future__ import annotations

import itertools
import random

import pytest
from pieces import BOS, FIRST_PIECE
from random_pairs import facts, question, repeats


@pytest.mark.parametrize("draw", [repeats, facts])
def test_it_is_random_pieces_some_of_which_are_taught(draw):
    rng = random.Random(5)
    for _ in range(40):
        ids, weight = draw(rng, 8192)
        assert len(ids) == len(weight) <= 1024
        assert ids[0] == BOS
        assert min(ids[1:]) >= FIRST_PIECE
        assert set(weight) == {0.0, 1.0}


def test_repeats_teach_only_what_was_said_before():
    rng = random.Random(6)
    for _ in range(20):
        ids, weight = repeats(rng, 8192)
        pairs = list(itertools.pairwise(ids))
        taught = [i for i, w in enumerate(weight) if w]
        assert len(taught) > len(ids) / 10
        assert all(pairs[i - 1] in pairs[: i - 1] for i in taught)


def answers(ids: list[int], weight: list[float]) -> list[tuple[int, list[int]]]:
    """Return where each taught run of pieces begins, and the run."""
    runs = []
    for taught, group in itertools.groupby(range(len(ids)), key=lambda i: weight[i] > 0):
        if taught:
            places = list(group)
            runs.append((places[0], [ids[i] for i in places]))
    return runs


def test_no_repeat_tells_the_answer_to_a_question():
    rng = random.Random(7)
    asked = 0
    for _ in range(100):
        ids, weight = facts(rng, 8192)
        for at, answer in answers(ids, weight):
            asked += 1
            first = next(i for i in range(at + 1) if ids[i : i + len(answer)] == answer)
            assert first < at  # it was said
            assert ids[first - 1] != ids[at - 1]  # behind other words
    assert asked > 500


def test_hops_lead_from_name_to_name():
    names = [[5, 6], [7], [8]]
    follows = [names[2], names[0], names[1]]
    assert [question(names, follows, 0, hops) for hops in (1, 2, 3)] == [
        ([5, 6], [8]), ([5, 6], [7]), ([5, 6], [5, 6])
    ]  # fmt: skip
    assert question(names, [[1], [2], [3]], 1, 1) == ([7], [2])


def test_the_first_question_in_other_words_is_not_taught():
    """Before it nothing tells what its words ask for."""
    rng = random.Random(8)
    untold = sum(not answers(*facts(rng, 8192)) for _ in range(100))
    assert untold == 0
    taught = [len(answers(*facts(rng, 8192))) for _ in range(100)]
    assert max(taught) <= 11
