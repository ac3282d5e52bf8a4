"""The app calls an answer right exactly where the evaluation of the model does."""

from __future__ import annotations

import random

import pytest
from serial import KINDS

from app.domain.compare import known
from app.main import read_cards
from engine.evaluate import Question


@pytest.mark.parametrize("kind", KINDS)
def test_both_judge_every_reply_alike(kind: str) -> None:
    rng, verdicts = random.Random(kind), []
    draws = [KINDS[kind](rng, steps, "heldout") for steps in range(1, 33)]
    for draw in draws:
        question = Question(kind, draw.steps, draw.question, draw.value, draw.choices)
        for said in [other.reply for other in draws] + [f"{draw.reply} {draws[0].reply}", ""]:
            verdicts.append(known(said, draw.value, draw.choices).endswith("— right"))
            assert verdicts[-1] == question.accepts(said), (draw, said)
    assert 0 < sum(verdicts) < len(verdicts)


def test_a_card_whose_answer_is_no_number_names_its_choices() -> None:
    for card in read_cards():
        assert card.answer.isdigit() or card.answer in card.choices
