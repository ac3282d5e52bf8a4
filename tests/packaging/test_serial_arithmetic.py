"""Serial questions about numbers: answers, marks and splits, checked by an independent solver."""

from __future__ import annotations

import random
import re

import pytest
from arithmetic_solver import SOLVERS
from serial import (
    KINDS,
    Draw,
    equation_forms,
    equations,
    measure_forms,
    scene_forms,
    shopping,
    shopping_forms,
    story,
    story_forms,
    sums,
    telling,
    words,
)
from serial.forms import Forms

SPLITS = ("train", "heldout")
cases = pytest.mark.parametrize(
    ("kind", "split"), [(kind, split) for kind in SOLVERS for split in SPLITS]
)


def draws(kind: str, split: str, each: int) -> list[Draw]:
    """Return ``each`` questions of every number of steps."""
    rng = random.Random(f"test {kind} {split}")
    return [KINDS[kind](rng, steps, split) for steps in range(1, 33) for _ in range(each)]


@cases
def test_another_reader_finds_the_same_answer(kind, split):
    for draw in draws(kind, split, 25):
        assert SOLVERS[kind](draw.question) == draw.value, draw.question


@cases
def test_the_reply_holds_the_value_and_no_other_number(kind, split):
    for draw in draws(kind, split, 8):
        assert re.findall(r"\d+", draw.reply) == [draw.value], draw
        assert draw.choices == ()
        assert 0 <= int(draw.value) <= 99


@cases
def test_marks_end_where_a_step_ends(kind, split):
    for draw in draws(kind, split, 4):
        *inner, last = draw.marks
        assert last == (len(draw.question), draw.steps, draw.value)
        assert all(0 < mark.end <= len(draw.question) for mark in inner)
        assert all(0 <= int(mark.value) <= 99 for mark in inner)
        for mark in inner:
            assert re.match(r"\W|$", draw.question[mark.end :]), (draw.question, mark)
        if kind != "shuffled":
            assert [mark.step for mark in inner] == list(range(1, draw.steps + 1))
            assert inner[-1].value == draw.value


@pytest.mark.parametrize("kind", ["chain", "two_digit"])
def test_a_sum_cut_off_at_a_mark_is_worth_the_mark(kind):
    rng = random.Random(3)
    signed = (KINDS[kind](rng, 12, "train") for _ in range(400))
    checked = 0
    for draw in (d for d in signed if re.search(r"\d [-+] \d", d.question)):
        for mark in draw.marks[:-1]:
            assert SOLVERS[kind](draw.question[: mark.end]) == mark.value
            checked += 1
    assert checked > 500


def test_shuffled_values_are_marked_where_they_can_be_known():
    rng = random.Random(4)
    for _ in range(300):
        draw = KINDS["shuffled"](rng, rng.randint(2, 12), "train")
        end = len(draw.question)
        at_end = [mark for mark in draw.marks if mark.end == end]
        assert [mark.step for mark in at_end] == list(range(1, draw.steps + 1))
        values = {mark.step: mark.value for mark in at_end}
        for mark in draw.marks:
            assert mark.value == values[mark.step]
            if mark.end < end:
                before = draw.question[: mark.end]
                assert len(re.findall(r"[.;,\n]", before)) >= mark.step


def strings(forms: Forms, split: str) -> list[str]:
    """Return all texts among the forms of a split."""
    texts = [
        text for form in forms.of(split) for text in (form if isinstance(form, tuple) else (form,))
    ]
    return [text for text in texts if isinstance(text, str)]


def tables(value: object) -> list[Forms]:
    """Return the tables of forms within a tuple or dataclass."""
    if isinstance(value, Forms):
        return [value]
    if isinstance(value, telling.Manner):
        return [value.starts, value.ups, value.downs, value.asks]
    if isinstance(value, equations.Lines):
        return [value.firsts, value.asks]
    if isinstance(value, shopping.Goods):
        return list(value)
    return []


MODULES = (telling, sums, story_forms, scene_forms, story, shopping, shopping_forms, equations,
           equation_forms, measure_forms)  # fmt: skip
TABLES = [table for module in MODULES for name, value in vars(module).items()
          if name not in ("SIGNS", "LINES") for table in tables(value)]  # fmt: skip


def phrases(forms: Forms, split: str) -> set[str]:
    """Return what is asked, told or written first in the forms of a split."""
    return {form[0] if isinstance(form, tuple) else form for form in forms.of(split)} - {""}


def test_no_held_out_phrasing_occurs_in_training():
    assert len(TABLES) > 60
    plain = {"{x} = {y} + {z}"}  # the only way to write it
    known = set[str]().union(*(phrases(table, "train") for table in TABLES)) - plain
    for table in TABLES:
        assert not known & phrases(table, "heldout")


def test_held_out_phrasings_are_built_of_words_that_training_uses():
    known = {word for table in TABLES for text in strings(table, "train")
             for word in re.findall(r"[a-z']+", text.lower())}  # fmt: skip
    for table in TABLES:
        for text in strings(table, "heldout"):
            assert set(re.findall(r"[a-z']+", text.lower())) <= known, text


@pytest.mark.parametrize("part", [words.NAMES, words.OBJECTS, words.THINGS])
def test_the_splits_share_no_word(part):
    assert part["train"]
    assert part["heldout"]
    assert not set(part["train"]) & set(part["heldout"])
    assert len(part["train"]) > 7.5 * len(part["heldout"])


@pytest.mark.parametrize("drawn", [words.names, words.objects, words.things])
def test_some_words_of_training_are_made_up_and_none_that_is_held_out(drawn):
    listed = {words.names: words.NAMES, words.objects: words.OBJECTS, words.things: words.THINGS}
    lists, rng = listed[drawn], random.Random(3)
    train = [drawn(rng, "train", 20) for _ in range(100)]
    assert all(len(set(some)) == 20 for some in train)
    made_up = [word for some in train for word in some if word not in lists["train"]]
    assert 0.2 < len(made_up) / 2000 < 0.55
    assert len(set(made_up)) > 0.9 * len(made_up)
    assert not set(made_up) & set(lists["heldout"])
    assert set(drawn(rng, "heldout", 10)) <= set(lists["heldout"])


def test_held_out_questions_hold_held_out_names_only():
    train = set(words.NAMES["train"])
    common = {"Say", "Let"}
    for kind in ("story", "prices", "variables"):
        for draw in draws(kind, "heldout", 3):
            assert not (set(re.findall(r"[A-Z][a-z]+", draw.question)) - common) & train


def test_the_words_of_the_first_model_are_among_the_training_words():
    assert {"Amy", "Bob", "Quinn", "Xena", "Zoe"} <= set(words.NAMES["train"])
    assert {"apples", "marbles", "stones"} <= {thing.many for thing in words.OBJECTS["train"]}
    rng = random.Random(1)
    texts = "\n".join(KINDS[kind](rng, 2, "train").question
                      for kind in ("chain", "story", "variables", "program")
                      for _ in range(4000))  # fmt: skip
    patterns = (
        r"What is \d [-+] \d [-+] \d \?\n",
        r"(\w+) has \d+ \w+\. .*does \1 have now\?\n",
        r"\n(\w) = \d\. (\w) = \1 [-+] \d\. (\w) = \2 [-+] \d\. What is \3\?\n",
        r"\nLast digits: (\w) = \d (\w) = \1 [-+] \1 (\w) = \2 [-+] \w, \3\?\n",
    )
    for pattern in patterns:
        assert re.search(pattern, texts), pattern


@pytest.mark.parametrize("kind", SOLVERS)
def test_questions_rarely_repeat_and_stay_short(kind):
    texts = [draw.question for draw in draws(kind, "train", 20)]
    assert len(set(texts)) > 0.97 * len(texts)
    assert max(map(len, texts)) < 2000


def test_ways_that_came_later_are_taught_and_leave_held_out_questions_alone():
    forms = Forms(("a", "b"), ("c", "d"), ("e",))
    assert {forms.pick(random.Random(i), "train") for i in range(60)} == {"a", "b", "e"}
    before = Forms(("a", "b"), ("c", "d"))
    for i in range(60):
        one, other = (random.Random(i) for _ in range(2))
        assert forms.few(one, "heldout", 4) == before.few(other, "heldout", 4)
        assert forms.pick(one, "heldout") == before.pick(other, "heldout")
