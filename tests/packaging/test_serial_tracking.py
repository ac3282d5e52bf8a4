"""Questions that track something say in English what their answers and marks say."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from serial import (
    calendars,
    comparisons,
    cups,
    narration,
    passing,
    pointers,
    sorting,
    switches,
    turning,
    words,
)
from serial.base import Draw, Mark, Split
from serial.narration import Asking, Frames
from serial.tracking import TRACKING

SPLITS: tuple[Split, ...] = ("train", "heldout")
STEPS = range(1, 33)
NESTS = (tuple, list, dict)
MODULES = (calendars, comparisons, cups, narration, passing, pointers, sorting, switches, turning)


def draws(kind: str, split: Split, rounds: int = 8) -> list[Draw]:
    rng = random.Random(f"{kind} {split}")
    return [TRACKING[kind](rng, steps, split) for _ in range(rounds) for steps in STEPS]


# Solvers: each reads the English of a question back into the values of what is asked, step by step.


def turned(draw: Draw) -> list[str]:
    facing = draw.choices.index(re.search("north|east|south|west", draw.question)[0])
    run = []
    for turn in re.findall("halfway around|half turn|180 degrees|around|left|right", draw.question):
        facing += {"left": 3, "right": 1}.get(turn, 2)
        run.append(draw.choices[facing % 4])
    return run


def uncovered(draw: Draw) -> list[str]:
    place, *swaps = re.findall(r"\d", draw.question)
    run = []
    for i, j in zip(swaps[::2], swaps[1::2], strict=True):
        place = {i: j, j: i}.get(place, place)
        run.append(place)
    return run


def ordered(patterns: tuple[str, ...], names: tuple[str, ...], text: str) -> list[dict[str, str]]:
    """Return the fields of all that the patterns match, in the order of the text."""
    name = f"(?:{'|'.join(map(re.escape, names))})\\b"
    found = []
    for pattern in patterns:
        regex = re.sub(r"(?<!P)<(\w)>", lambda m: f"(?P<{m[1]}>{name})", pattern)
        found += [(m.start(), m.groupdict()) for m in re.finditer(regex, text)]
    return [fields for _, fields in sorted(found, key=lambda item: item[0])]


HOLDING = (
    r"<a> (?:has|is holding|holds|starts with) the (?P<t>\w+)",
    r"[Tt]he (?P<t>\w+) (?:is|starts) with <a>",
)
HANDOVERS = (
    r"<a> (?:gives|passes|hands|throws|sends|tosses|lends) the (?P<t>\w+) to <b>",
    r"<a> (?:gives|passes|hands|sends|brings) <b> the (?P<t>\w+)",
    r"<b> (?:gets|takes over|takes) the (?P<t>\w+) from <a>",
    r"[Tt]he (?P<t>\w+) goes from <a> to <b>",
    r"[Tt]he (?P<t>\w+) is (?:handed|passed) to <b>",
    r"<a> and <b> (?:swap|trade|exchange)",
    r"<a> (?:swaps|trades|exchanges)(?: things)? with <b>",
)


def held(draw: Draw) -> list[str]:
    held_by = {f["t"]: f["a"] for f in ordered(HOLDING, draw.choices, draw.question)}
    asked = re.search(
        r"(?:[Ww]ho\b|I need|[Ww]here|With whom)[^.?]*? the (\w+)[^.?]*[.?]", draw.question
    )[1]
    run = []
    for fields in ordered(HANDOVERS, draw.choices, draw.question):
        a, b = fields.get("a"), fields["b"]
        if "t" in fields:
            assert a in (None, held_by[fields["t"]])
            held_by[fields["t"]] = b
        else:
            held_by = {t: {a: b, b: a}.get(person, person) for t, person in held_by.items()}
        run.append(held_by[asked])
    return run


POINTS = (
    r"<a> (?:points to|points at|looks at|looks to|calls|calls up|likes) <b>[.,;]",
    r"<a> (?:sends|gives) the letter (?:on )?to <b>[.,;]",
    r"<a> (?:sits|stands) in front of <b>[.,;]",
    r"<b> stands behind <a>[.,;]",
    r"[Ff]rom <a> you go to <b>[.,;]",
    r"[Yy]ou go from <a> to <b>[.,;]",
    r"[Aa]fter <a> comes <b>[.,;]",
)


def followed(draw: Draw) -> list[str]:
    statements = ordered(POINTS, draw.choices, draw.question)
    to = {fields["a"]: fields["b"] for fields in statements}
    assert len(to) == len(statements) >= draw.steps
    starts = [n for n in draw.choices if len(re.findall(rf"\b{n}\b", draw.question))
              > sum(list(f.values()).count(n) for f in statements)]  # fmt: skip
    (here,) = starts
    (count,) = re.findall(r"\d+", draw.question)
    run = []
    for _ in range(int(count)):
        here = to[here]
        run.append(here)
    return run


MORE = {"taller", "older", "faster", "stronger", "heavier", "richer"}
MOST = {"tallest", "oldest", "fastest", "strongest", "heaviest", "richest", "most"}


def compared(draw: Draw) -> list[str]:
    w = re.search(r"\bthe (\w+est|most|least)\b", draw.question)[1]
    relative = ordered((r"<a> is (?:\w+ )*?(?P<m>\w+er) than <b>",), draw.choices, draw.question)
    run = []
    if relative:
        beyond: dict[str, set[str]] = {}  # of everyone, those who are less of what is asked for
        for f in relative:
            above = (f["m"] in MORE) == (w in MOST)
            winner, loser = (f["a"], f["b"]) if above else (f["b"], f["a"])
            below = {loser, *beyond.setdefault(loser, set())}
            for others in beyond.values():
                if winner in others:
                    others.update(below)
            beyond[winner] = beyond.get(winner, set()) | below
            run.append(next((p for p, less in beyond.items() if len(less) == len(beyond) - 1), "?"))
        return run
    scores: dict[str, int] = {}
    for f in ordered((r"<a>\D*?(?P<x>\d+)",), draw.choices, draw.question):
        scores[f["a"]] = int(f["x"])
        run.append((max if w in MOST else min)(scores, key=scores.__getitem__))
    assert len(set(scores.values())) == len(scores)
    return run[1:]


NUMBERS = {word: i for i, word in enumerate(calendars.COUNT_WORDS)} | {str(i): i for i in range(13)}


def dated(draw: Draw) -> list[str]:
    values = draw.choices or tuple(str(hour) for hour in range(1, 13))
    now = values.index(re.search(rf"\b(?:{'|'.join(values)})\b", draw.question)[0])
    move = r"(forward |ahead |back |add |take away )?(\w+) (?:day|month|hour)s?\b(?! of)( \w+)?"
    run = []
    for before, count, after in re.findall(move, draw.question, re.IGNORECASE):
        if count.lower() not in NUMBERS:
            continue  # what is asked
        back = re.search("back|take away|earlier|before", f"{before}{after}".lower())
        now += NUMBERS[count.lower()] * (-1 if back else 1)
        run.append(values[now % len(values)])
    return run


ROW_SWAPS = (
    r"<a> and <b> (?:swap|change|trade|switch)",
    r"<a> (?:swaps|changes|trades|switches)(?: places)? with <b>",
)
PLACES = ("first", "second", "third", "fourth", "fifth")


def lined_up(draw: Draw) -> list[str]:
    text = draw.question
    row = sorted(draw.choices, key=lambda name: re.search(rf"\b{name}\b", text).start())
    asking = next(s for s in re.split(r"(?<=[.?]) ", text) if re.search("[Ww]ho", s))
    asked = re.search("|".join(PLACES), asking)
    place = PLACES.index(asked[0]) if asked else 0
    run = []
    for f in ordered(ROW_SWAPS, draw.choices, text):
        i, j = row.index(f["a"]), row.index(f["b"])
        row[i], row[j] = row[j], row[i]
        run.append(row[place])
    return run


COUNTS = {"three": 3, "four": 4, "five": 5, "six": 6}
QUEUE_MOVE = (
    r"the (first|last) (?:one |person )?(?:goes|comes|moves|walks)|"
    r"the one (?:in|at the) (front|end|back) (?:goes|walks)|"
    r"the (first|last) two|the two (?:in|at the) (front|end)"
)


def queued(draw: Draw) -> list[str]:
    count = COUNTS[re.search("three|four|five|six", draw.question.lower())[0]]
    place = int(re.search(r"\d", draw.question)[0])
    queue = ["x" if i == place else "-" for i in range(1, count + 1)]
    run = []
    for move in re.findall(QUEUE_MOVE, draw.question.lower()):
        one = move[0] or move[1]
        if one:
            queue = (
                [*queue[1:], queue[0]] if one in ("first", "front") else [queue[-1], *queue[:-1]]
            )
        else:
            i = 0 if (move[2] or move[3]) in ("first", "front") else count - 2
            queue[i], queue[i + 1] = queue[i + 1], queue[i]
        run.append(str(queue.index("x") + 1))
    return run


def sorted_out(draw: Draw) -> list[str]:
    if "line" in draw.question or "queue" in draw.question:
        return lined_up(draw) if draw.choices else queued(draw)
    form = r"\b([A-Z])[,.]" if draw.choices else r"\d+"
    items = re.findall(form, draw.question)
    key: Callable[[str], int] = ord if draw.choices else int
    most = re.search("largest|biggest|highest|greatest|last in", draw.question) is not None
    rank = 1 if "second" in draw.question else 0
    return [sorted(items[:i], key=key, reverse=most)[rank] for i in range(2, len(items) + 1)]


NOUN = r"(?P<x>\w+ (?:lamp|light|switch|fan|door|gate))"
SWITCHED = (
    rf"[Tt]he {NOUN} is (?P<s>on|off|open|closed)\b(?! or)",
    rf"[Tt]he {NOUN} (?:is (?:turned|switched)|goes) (?P<s>on|off)",
    rf"(?:[Tt]urns?|[Ss]witch(?:es)?) the {NOUN} (?P<s>on|off)",
    rf"(?:[Tt]urns?|[Ss]witch(?:es)?) (?P<s>on|off) the {NOUN}",
    rf"[Tt]he {NOUN} (?:is )?(?P<s>open)(?:ed|s)\b",
    rf"[Tt]he {NOUN} (?P<s>close)s\b",
    rf"(?P<s>[Oo]pen|[Cc]lose)s? the {NOUN}",
    rf"(?P<f>[Ff]lip|[Tt]oggle)s? the {NOUN}",
    rf"[Tt]he {NOUN} is (?P<f>flipped|toggled)",
    rf"(?P<f>button) of the {NOUN}",
    rf"[Tt]he {NOUN} (?P<f>button)",
    r"(?P<f>[Aa]ll) the \w+ are",
)


def switched(draw: Draw) -> list[str]:
    on, off = draw.choices
    other = {on: off, off: on}
    asked = re.search(rf"(?:\b[Ii]s|about|So|if) the {NOUN}", draw.question)["x"]
    states: dict[str, str] = {}
    run = []
    for f in ordered(SWITCHED, ("-",), draw.question):
        x, state = f.get("x"), f.get("s", "").lower().replace("close", "closed").replace("dd", "d")
        if x is None:
            states = {name: other[s] for name, s in states.items()}
        elif x not in states:
            states[x] = state
            continue
        else:
            states[x] = state or other[states[x]]
        run.append(states[asked])
    return run


SWAP = re.compile(r"\b(swap|trade|exchange)")
SOLVERS: dict[str, Callable[[Draw], list[str]]] = {
    "passing": held, "turning": turned, "cups": uncovered, "pointers": followed,
    "comparisons": compared, "calendar": dated, "sorting": sorted_out, "switches": switched,
}  # fmt: skip
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
    """Return the mark at the end of every step: of swaps the second one, of others the first."""
    each = 2 if draw.kind == "passing" and SWAP.search(draw.question) else 1
    return list(draw.marks[each - 1 : each * draw.steps : each])


def test_a_swap_tells_early_what_the_second_of_the_two_gets() -> None:
    for draw in draws("passing", "train"):
        for early in set(draw.marks[:-1]) - set(step_ends(draw)):
            assert re.search(r"(and|with) \w+$", draw.question[: early.end]), draw.question


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("kind", TRACKING)
def test_marks_rise_and_the_last_is_the_answer_at_the_end(kind: str, split: Split) -> None:
    for draw in draws(kind, split, rounds=5):
        assert (draw.kind, draw.steps) == (kind, draw.marks[-1].step)
        assert draw.marks[-1] == (len(draw.question), draw.steps, draw.value)
        assert [m.step for m in step_ends(draw)] == list(range(1, draw.steps + 1))
        ends = [mark.end for mark in draw.marks]
        assert ends == sorted(ends)
        assert all(draw.question[end - 1] not in " \n" for end in ends)


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


def test_no_frame_belongs_to_both_splits() -> None:
    frames = tables(Frames)
    assert len(frames) > 40
    assert not [frame for frame in frames if set(frame.train) & set(frame.heldout)]


def test_a_question_has_one_form_of_reply() -> None:
    """A greedy reader must be able to tell the form of the reply from the question."""
    for frame in tables(Frames):
        for split in SPLITS:
            askings = parts(frame.of(split), Asking)
            assert len({a.question for a in askings}) == len(set(askings))


@pytest.mark.parametrize("kind", TRACKING)
def test_no_question_of_one_split_has_a_name_of_the_other(kind: str) -> None:
    for split, other in (SPLITS, SPLITS[::-1]):
        names = {*words.NAMES[other]} - {*calendars.MONTHS}
        for draw in draws(kind, split):
            assert not names & set(re.findall(r"[A-Z]\w+", draw.question)), draw.question


def test_a_seed_gives_the_same_questions_again() -> None:
    assert all(draws(kind, "train", 2) == draws(kind, "train", 2) for kind in TRACKING)
