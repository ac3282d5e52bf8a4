"""Questions that track something say in English what their answers and marks say."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest
from serial import (
    calendars,
    comparisons,
    cups,
    narration,
    passing,
    pointer_forms,
    pointers,
    queues,
    sorting,
    switches,
    turning,
    words,
)
from serial.base import Draw, Mark, Split
from serial.forms import Forms
from serial.narration import Asking
from serial.tracking import TRACKING
from tracking_solver import SOLVERS, handed_on, hops_told

SPLITS: tuple[Split, ...] = ("train", "heldout")
STEPS = range(1, 33)
NESTS = (tuple, list, dict)
MODULES = (calendars, comparisons, cups, narration, passing, pointer_forms, queues, sorting,
           switches, turning)  # fmt: skip


def draws(kind: str, split: Split, rounds: int = 8) -> list[Draw]:
    rng = random.Random(f"{kind} {split}")
    return [TRACKING[kind](rng, steps, split) for _ in range(rounds) for steps in STEPS]


SWAP = re.compile(r"\b(swap|trade|exchange|switch|take each other)")
# Of these the marks follow the one thing that moves; of the others, what is asked if it is known.
ALWAYS_FOLLOWED = {"turning", "cups", "calendar", "pointers"}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("kind", TRACKING)
def test_the_english_solved_step_by_step_gives_the_value_and_the_marks(
    kind: str, split: Split
) -> None:
    for draw in draws(kind, split):
        run = SOLVERS[kind](draw)
        assert len(run) == draw.steps, draw.question
        assert run[-1] == draw.value, draw.question
        ends = step_ends(draw)
        asked_first = ends[-1] is draw.marks[-1]
        if asked_first or kind in ALWAYS_FOLLOWED:
            assert [mark.value for mark in ends] == run, draw.question


def step_ends(draw: Draw) -> list[Mark]:
    """Return the mark at the end of every step: of swaps the third one, of hops the last ones."""
    if draw.kind == "pointers":
        return list(draw.marks[-draw.steps :])
    each = 3 if draw.kind == "passing" and SWAP.search(draw.question) else 1
    return list(draw.marks[each - 1 : each * draw.steps : each])


@pytest.mark.parametrize("split", SPLITS)
def test_a_swap_tells_who_has_what_is_asked_or_each_of_the_things(split: Split) -> None:
    seen = 0
    for draw in draws("passing", split):
        if not SWAP.search(draw.question):
            continue
        asked, after = handed_on(draw)
        asked_first = step_ends(draw)[-1] is draw.marks[-1]
        triples = zip(draw.marks[::3], draw.marks[1::3], draw.marks[2::3], after, strict=False)
        for first, early, end, held_by in itertools.islice(triples, draw.steps):
            told = re.search(r"(?:and|with) (\w+)$", draw.question[: early.end])
            assert told, draw.question
            names = re.findall(r"\w+", draw.question[first.end - 20 : first.end])
            swapped = {told[1]: names[-1], names[-1]: told[1]}
            one, two, three = [asked] * 3 if asked_first else held_by
            assert first.value == swapped.get(held_by[three], held_by[three])
            assert (early.value, end.value) == (held_by[one], held_by[two])
            seen += 1
    assert seen > 500


@pytest.mark.parametrize("split", SPLITS)
def test_every_way_is_marked_where_it_is_told_as_far_as_it_is_known(split: Split) -> None:
    for draw in draws("pointers", split):
        told = {
            end: [mark.value for mark in marks]
            for end, marks in itertools.groupby(draw.marks, lambda mark: mark.end)
        }
        for a, b, end in hops_told(draw):
            known = {x: y for x, y, at in hops_told(draw) if at <= end}
            way = [b]
            while way[-1] in known and len(way) < pointers.MOST_HOPS:
                way.append(known[way[-1]])
            assert told[end] == way, (draw.question, a)
        if draw.marks[-1].end > len(draw.question):  # asked first: walked where the telling ends
            assert told[len(draw.question)][: draw.steps] == [m.value for m in step_ends(draw)]
        left = [mark for mark in draw.marks if mark.value.isdigit()]
        assert [int(mark.value) for mark in left] == list(range(draw.steps))[::-1]
        assert re.search(rf"\b{draw.steps}$", draw.question[: left[0].end])


def test_follow_ups_of_who_follows_whom_lead_where_the_statements_do() -> None:
    for draw in draws("pointers", "train"):
        follows = {a: b for a, b, _ in hops_told(draw)}
        assert draw.follow_ups or len(follows) == 1
        asked = {(draw.choices[0], draw.steps)}
        for more in draw.follow_ups:
            (person,) = (name for name in draw.choices if re.search(rf"\b{name}\b", more.question))
            hops = int(re.findall(r"\d+", more.question)[0])
            assert (person, hops) not in asked
            assert hops == more.steps <= draw.steps
            asked.add((person, hops))
            marks = {end: list(at) for end, at in itertools.groupby(more.marks, lambda m: m.end)}
            for end, at in marks.items():
                here, left = person, hops
                for mark in at:
                    here, left = follows.get(here, ""), left - 1
                    number = more.question[:end].endswith(str(hops))
                    assert mark.value == (str(left) if number else here)
            assert marks[len(more.question)][-1] == (len(more.question), hops, more.value)
            assert f" {more.value}" in f" {more.reply}"


def test_the_follow_up_of_who_has_what_asks_for_another_thing() -> None:
    for draw in draws("passing", "train"):
        asked, after = handed_on(draw)
        (more,) = draw.follow_ups
        (thing,) = (thing for thing in after[-1] if re.search(rf"\b{thing}\b", more.question))
        assert thing != asked
        assert more.marks == ((len(more.question), draw.steps, after[-1][thing]),)
        assert more.value == after[-1][thing]
        assert more.value in more.reply


@pytest.mark.parametrize("kind", TRACKING)
def test_a_held_out_question_stands_alone(kind: str) -> None:
    assert not any(draw.follow_ups for draw in draws(kind, "heldout"))


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("kind", TRACKING)
def test_marks_rise_and_the_last_is_the_answer_at_the_end(kind: str, split: Split) -> None:
    for draw in draws(kind, split, rounds=5):
        assert (draw.kind, draw.steps) == (kind, draw.marks[-1].step)
        at_reply = draw.kind == "pointers" and draw.marks[-1].end > len(draw.question)
        end = len(draw.question) + at_reply
        assert draw.marks[-1] == (end, draw.steps, draw.value)
        assert [m.step for m in step_ends(draw)] == list(range(1, draw.steps + 1))
        ends = [mark.end for mark in draw.marks]
        assert ends == sorted(ends)
        assert all(f"{draw.question}>"[end - 1] not in " \n" for end in ends)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("kind", TRACKING)
def test_a_reply_holds_its_value_once_and_no_other(kind: str, split: Split) -> None:
    for draw in draws(kind, split):
        said = re.findall(r"\w+", draw.reply)
        choices = draw.choices or [word for word in said if word.isdigit()]
        assert [word for word in said if word in choices] == [draw.value], draw.reply
        assert draw.value not in draw.choices or draw.choices.count(draw.value) == 1


def parts(value: object, kind: type) -> list[Any]:
    """Return all of ``kind`` in nested tuples, lists and dicts."""
    if isinstance(value, kind):
        return [value]
    inner = value.values() if isinstance(value, dict) else value
    return [p for v in inner for p in parts(v, kind)] if isinstance(value, NESTS) else []


def tables(kind: type) -> list[Any]:
    """Return all of ``kind`` in the tables of the modules."""
    return [p for m in MODULES for n, v in vars(m).items() if n.isupper() for p in parts(v, kind)]


def test_no_form_belongs_to_both_splits() -> None:
    found = tables(Forms)
    assert len(found) > 40
    assert not [forms for forms in found if set(forms.of("train")) & set(forms.heldout)]


def test_a_question_has_one_form_of_reply() -> None:
    """A greedy reader must be able to tell the form of the reply from the question."""
    for forms in tables(Forms):
        for split in SPLITS:
            askings = parts(forms.of(split), Asking)
            assert len({a.question for a in askings}) == len(set(askings))


@pytest.mark.parametrize("kind", TRACKING)
def test_no_question_of_one_split_has_a_name_of_the_other(kind: str) -> None:
    for split, other in (SPLITS, SPLITS[::-1]):
        names = {*words.NAMES[other]} - {*calendars.MONTHS}
        for draw in draws(kind, split):
            assert not names & set(re.findall(r"[A-Z]\w+", draw.question)), draw.question


def test_a_seed_gives_the_same_questions_again() -> None:
    assert all(draws(kind, "train", 2) == draws(kind, "train", 2) for kind in TRACKING)
