"""The cards of the empty chat: short, of four kinds, and wrong until the second effort."""

from __future__ import annotations

import cards
import pytest
from invariants import model_of

from app.domain.compare import known
from app.main import read_cards
from app.viewmodels.rows import Card
from engine.evaluate import Question, ask

SHIPPED = read_cards()


def question_of(card: Card) -> Question:
    return Question(card.title, card.steps, card.question, card.answer, card.choices)


def test_there_are_four_of_four_kinds():
    assert len({card.title for card in SHIPPED}) == len(SHIPPED) == 4
    assert all(card.answer in card.choices for card in SHIPPED if not card.answer.isdigit())


@pytest.mark.parametrize("card", SHIPPED, ids=lambda card: card.title)
def test_the_prompt_is_short(card):
    prompt = model_of("real").tokenizer.encode_chat([("user", card.question)])
    assert len(prompt) <= cards.MOST_TOKENS


@pytest.mark.parametrize("card", SHIPPED, ids=lambda card: card.title)
def test_the_bundled_model_needs_the_second_effort_and_the_app_says_so(card):
    efforts = model_of("real").config.efforts
    outcome = ask(model_of("real"), question_of(card), efforts)
    assert [outcome.right(depth) for depth in efforts] == [False, True, True]
    for depth in efforts:
        line = known(outcome.said[depth], card.answer, card.choices)
        assert line.endswith("right") == outcome.right(depth), line


def test_the_command_would_choose_these_again():
    model = model_of("real")
    for card in SHIPPED[:2]:
        assert cards.is_card(model, question_of(card)), card
    easy = Question("chain", 2, "What is 7 + 5 - 3 ?", "9")
    assert not cards.is_card(model, easy)
