"""The plain rules behind the words: efforts, prices, comparisons, status line, kept states."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.answer import RunReport
from app.domain.compare import compare, known
from app.domain.effort import next_efforts
from app.domain.kept import Kept, common_prefix, for_deepening, for_send
from app.domain.price import Deepening, Speeds, seconds
from app.viewmodels.status import Facts

REPORT = RunReport(
    depth=8, prompt_tokens=100, kept_loops=0, prefilled=100, cells=800, loops=(0, 8),
    read_seconds=1.0, first_word=1.1, written=11, write_seconds=1.0, finish_reason="stop",
)  # fmt: skip


@pytest.mark.parametrize(
    ("depth", "offered"),
    [(8, [16, 32]), (12, [16, 32]), (16, [32]), (20, [32]), (32, []), (64, [])],
)
def test_only_deeper_efforts_are_offered(depth: int, offered: list[int]) -> None:
    steps = next_efforts(depth, (8, 16, 32))
    assert [step.depth for step in steps] == offered
    assert [step.title for step in steps] == ["Try harder", "Really hard"][2 - len(offered) :]


def test_speeds_are_the_median_of_the_last_five_runs() -> None:
    speeds = Speeds()
    assert speeds.reading(100, 0, 8) is None
    assert speeds.writing(1, 8) is None
    for seconds_read in (100.0, 1.0, 2.0, 4.0, 8.0, 16.0):  # the first one is forgotten
        speeds.add(replace(REPORT, read_seconds=seconds_read))
    assert speeds.reading(100, 0, 8) == pytest.approx(4.0)
    speeds.add(replace(REPORT, cells=0, written=1))  # ran nothing, measures nothing
    assert speeds.reading(100, 0, 8) == pytest.approx(4.0)
    assert speeds.reading(1, 0, 8) == pytest.approx(8 / 80)  # one token costs what writing costs
    assert speeds.writing(10, 8) == pytest.approx(1.0)
    assert speeds.writing(10, 16) == pytest.approx(2.0)


def test_a_loop_over_many_tokens_costs_less_than_its_tokens_alone() -> None:
    speeds = Speeds()
    for tokens, took in ((11, 0.11), (101, 0.2), (201, 0.3)):  # 0.1 s and 1 ms a token
        report = replace(REPORT, cells=8 * tokens, read_seconds=8 * took)
        speeds.add(replace(report, written=11, write_seconds=10 * 8 * 0.1))
    assert speeds.reading(51, 0, 8) == pytest.approx(8 * 0.15)
    assert speeds.reading(401, 8, 40) == pytest.approx(32 * 0.5)


def test_a_long_prompt_says_more_than_many_short_ones() -> None:
    speeds = Speeds()
    for tokens, took in ((20, 0.08), (20, 0.08), (500, 0.5), (20, 0.08)):  # 4 ms a token, then 1
        speeds.add(replace(REPORT, cells=8 * tokens, read_seconds=8 * took, written=1))
    assert speeds.reading(501, 8, 16) == pytest.approx(8 * 0.5, rel=0.01)


def test_the_layers_before_the_first_loop_are_paid_once() -> None:
    speeds = Speeds(pre=3.0)
    speeds.add(replace(REPORT, read_seconds=1.1, written=1))  # 11 loops' worth over 100 tokens
    assert speeds.reading(100, 0, 8) == pytest.approx(1.1)
    assert speeds.reading(100, 8, 16) == pytest.approx(0.8)
    assert Deepening(100, kept=0, target=16).first_word(speeds) == pytest.approx(1.9)


def test_a_price_before_any_measurement_is_loops_only() -> None:
    assert Deepening(100, kept=8, target=16).price(Speeds()) == "resumes · +8 loops"
    cold = Deepening(100, kept=0, target=16, reason="the device was reset")
    assert cold.price(Speeds()) == "from scratch · 16 loops · the device was reset"


def test_a_price_names_the_alternative_and_the_writing() -> None:
    speeds = Speeds()
    speeds.add(REPORT)  # reads 800 cells, writes 80 cells a second
    price = Deepening(100, kept=8, target=16, old_answer_tokens=40).price(speeds)
    assert price == "resumes · +8 loops · first word in about 1.0 s (from scratch 2.0 s)"
    long = Deepening(100, kept=8, target=16, old_answer_tokens=41).price(speeds)
    assert long.endswith(" · writing about 8.2 s")
    cold = Deepening(100, kept=0, target=32).price(speeds)
    assert cold == "from scratch · 32 loops · first word in about 4.0 s"


def test_durations_read_well() -> None:
    assert [seconds(s) for s in (0.01, 0.84, 9.94, 12.3, 130)] == [
        "0.1 s", "0.8 s", "9.9 s", "12 s", "2 min",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("7", "7", "same answer as at 8 loops"),
        (" 7 ", "7\n", "same answer as at 8 loops"),
        ("8", "7", "changed: 8 → 7"),
        ("", "7", "changed: (nothing) → 7"),
        ("You have 8 apples now.", "You have 7 apples now.", "changed: 8 → 7"),
        ("It faces east.", "It faces west.", "changed: east → west"),
        ("It is 7", "It is 7.", "changed: 7 → 7."),
        ("a a", "a", "changed: a → (nothing)"),
        ("a b c " * 10 + "d", "a b c " * 10 + "e", "changed: d → e"),
        ("a b c " * 10, "a b c " * 11, "changed: (nothing) → a b c"),
        ("a b " + "c d " * 10, "a b " + "e f " * 10, "changed from word 3: c → e"),
        ("a b", "a b " + "e f " * 10, "changed from word 3: (end) → e"),
    ],
)
def test_the_compare_line(old: str, new: str, line: str) -> None:
    assert compare(old, 8, new) == line


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("7", "right"),
        ("It is 7.", "right"),
        ("17", "not yet"),
        ("7 or 8", "not yet"),
        ("", "not yet"),
        ("Amy has 7 apples now.", "right"),
        ("7, so 7 it is", "right"),
        ("It is -7.", "not yet"),
        ("seven", "not yet"),
    ],
)
def test_the_known_answer(said: str, verdict: str) -> None:
    assert known(said, "7") == f"known answer: 7 — {verdict}"


def test_a_known_answer_of_two_words() -> None:
    assert known("You face North East.", "north east").endswith("right")
    assert known("You face northeast.", "north east").endswith("not yet")


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Dark red is the heaviest.", "right"),
        ("dark red", "right"),
        ("The red one.", "not yet"),
        ("Dark red, not blue.", "not yet"),
        ("It is darkred.", "not yet"),
    ],
)
def test_a_known_answer_among_choices(said: str, verdict: str) -> None:
    line = known(said, "dark red", ("red", "dark red", "blue"))
    assert line == f"known answer: dark red — {verdict}"


def kept(depth: int, tokens: list[int]) -> Kept:
    return Kept("", depth, tuple(tokens), 0)


def test_a_send_takes_the_longest_prefix_of_its_own_depth() -> None:
    states = [kept(8, [1, 2]), kept(8, [1, 2, 3, 9]), kept(16, [1, 2, 3, 4]), kept(8, [5])]
    assert for_send(states, (1, 2, 3, 4, 5), 8) == 1
    assert for_send(states, [1, 2, 3, 4, 5], 16) == 2
    assert for_send(states, [1, 2], 32) is None
    assert for_send(states, [7], 8) is None


def test_a_deepening_takes_the_deepest_that_covers_the_prompt() -> None:
    states = [kept(8, [1, 2, 3]), kept(16, [1, 2]), kept(16, [1, 2, 3, 4]), kept(32, [1, 2, 3])]
    assert for_deepening(states, [1, 2, 3], 16) == 2
    assert for_deepening(states, [1, 2, 3], 31) == 2
    assert for_deepening(states, [1, 2, 3], 8) == 0
    assert for_deepening(states, [1, 2, 4], 32) is None


def test_common_prefixes() -> None:
    assert common_prefix((1, 2, 3), [1, 2, 4]) == 2
    assert common_prefix((1, 2), (1, 2, 4)) == 2
    assert common_prefix((), (1,)) == 0


def test_the_status_line() -> None:
    facts = Facts("some-model", "CPU (no NVIDIA driver)", 24.2, 0.91, 3, 61_000_000)
    assert facts.line() == (
        "some-model · CPU (no NVIDIA driver) · 24 tokens/s · first word 0.9 s · "
        "kept states 3, 61 MB"
    )
    assert replace(facts, kept=0, storing="not stored").line().endswith("0.9 s · not stored")
    assert Facts().line() == "no model"
