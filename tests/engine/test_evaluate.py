"""Asking questions with known answers: what counts as right, and that no loop is run twice."""

from __future__ import annotations

import json
import random

import pytest
from cli_tools import assert_one_sentence, tinyloop
from invariants import model_of
from serial import KINDS

from engine.evaluate import ANSWER_TOKENS, Outcome, Question, ask, doubt, load_questions
from engine.uncertainty import divergence

WAYS = ("north", "east", "south", "west")
COLOURS = ("red", "dark red", "blue")


@pytest.mark.parametrize(
    ("answer", "choices", "said", "right"),
    [
        ("7", (), "7", True),
        ("7", (), "Amy has 7 apples now.", True),
        ("7", (), "7.", True),
        ("7", (), "70", False),
        ("7", (), "Amy has 7 apples and 2 pears.", False),
        ("7", (), "7, so 7 it is", True),
        ("7", (), "seven", False),
        ("-3", (), "It is -3.", True),
        ("3", (), "It is -3.", False),
        ("3", (), "It is 5-3.", False),
        ("2.50", (), "That costs $2.5.", True),
        ("1250", (), "There are 1,250 of them.", True),
        ("east", WAYS, "You face east.", True),
        ("east", WAYS, "East", True),
        ("east", WAYS, "You face east, not west.", False),
        ("east", WAYS, "You face southeast.", False),
        ("east", WAYS, "I do not know.", False),
        ("red", COLOURS, "The red one.", True),
        ("red", COLOURS, "The dark red one.", False),
        ("dark red", COLOURS, "The dark red one.", True),
        ("Amy", (), "amy.", True),
        ("Amy", (), "Amy!", True),
        ("Amy", (), "Amy has it.", False),
        ("Amy", (), "", False),
    ],
)
def test_what_counts_as_right(answer, choices, said, right):
    question = Question("kind", 1, "?", answer, choices)
    assert question.accepts(said) is right
    assert Outcome(question, {8: said}).right(8) is right


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("split", ["train", "heldout"])
def test_every_reply_that_training_teaches_is_right(kind, split):
    rng = random.Random(f"{kind} {split}")
    for steps in range(1, 33):
        drawn = KINDS[kind](rng, steps, split)
        question = Question(kind, steps, drawn.question, drawn.value, drawn.choices)
        assert question.accepts(drawn.reply), drawn.reply
        assert not question.accepts("I do not know.")


def test_answers_at_every_depth_equal_fresh_ones_and_run_no_loop_twice():
    model = model_of("bundled")
    question = Question("chain", 1, "What is 7 ?", "7")
    prompt = model.tokenizer.encode_chat([("user", question.question)])
    ran: list[tuple[int, int]] = []
    real = model._runner._backend.extend

    def extend(cache, low, high, watch):
        ran.append((low, high))
        real(cache, low, high, watch)

    model._runner._backend.extend = extend
    try:
        said = ask(model, question, [2, 3, 8]).said
    finally:
        del model._runner._backend.extend
    assert ran == [(2, 3), (3, 8)]
    for depth, answer in said.items():
        fresh = model.generate(prompt, depth, max_tokens=ANSWER_TOKENS)
        assert answer == model.tokenizer.decode(fresh[len(prompt) :]).strip()


def test_doubt_is_the_largest_divergence_along_the_first_answer():
    model = model_of("bundled")
    question = Question("chain", 1, "What is 7 ?", "7")
    low, high, _ = model.config.efforts
    prompt = model.tokenizer.encode_chat([("user", question.question)])
    tokens = model.generate(prompt, low, max_tokens=ANSWER_TOKENS)
    fresh = [model.score_with_uncertainty(tokens[:end], low, high)[1]
             for end in range(len(prompt), len(tokens))]  # fmt: skip
    assert len(fresh) >= 2
    assert doubt(model, question) == pytest.approx(max(fresh), rel=1e-5)
    same = model.score_with_uncertainty(prompt, low, low)[0]
    assert divergence(same, same) == 0 < max(fresh)


LINE = {"kind": "a", "steps": 1, "question": "?", "answer": "1"}


def test_choices_may_be_absent_or_empty(tmp_path):
    path = tmp_path / "q.jsonl"
    lines = [LINE, {**LINE, "choices": []}, {**LINE, "choices": ["1", "2"], "more": 5}]
    path.write_text("\n\n".join(map(json.dumps, lines)))
    assert [question.choices for question in load_questions(path)] == [(), (), ("1", "2")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["no questions"]),
        (b"\n\n", ["no questions"]),
        (b"\xff\xfe", ["no text"]),
        (b'{"kind": "chain"}', ["line 1", '"answer"']),
        (json.dumps(LINE).encode() + b"\nnonsense", ["line 2", "non"]),
        (json.dumps({**LINE, "steps": "1"}).encode(), ["line 1"]),
        (json.dumps({**LINE, "choices": ["2", "3"]}).encode(), ["line 1", '"choices"']),
        (json.dumps({**LINE, "choices": [1]}).encode(), ["line 1", '"choices"']),
        (json.dumps({**LINE, "choices": None}).encode(), ["line 1", '"choices"']),
        (b"[1]", ["line 1"]),
    ],
)
def test_a_file_of_other_things_is_refused_in_one_sentence(capsys, tmp_path, content, words):
    path = tmp_path / "q.jsonl"
    path.write_bytes(content)
    assert_one_sentence(tinyloop(capsys, "eval", path), *words)
