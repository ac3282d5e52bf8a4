"""Random pieces in pairs: what is taught stands above, and the question's own words do not tell."""

from __future__ import annotations

import itertools
import random

import pytest
from random_pairs import BOS, FIRST_PIECE, facts, repeats


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


def test_the_answers_of_facts_were_said_and_their_questions_differ():
    rng = random.Random(7)
    bridged = 0
    for _ in range(60):
        ids, weight = facts(rng, 8192)
        found = answers(ids, weight)
        assert found
        for at, answer in found:
            said = [ids[i : i + len(answer)] for i in range(at)]
            assert answer in said
            # What stands before the answer did not stand there in the fact: no repeat tells it.
            bridged += ids[at - 1] != ids[said.index(answer) - 1]
    assert bridged > 100
