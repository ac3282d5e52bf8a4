"""Questions with known answers: reading them, asking them at several depths, judging answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.model import Model
from engine.uncertainty import divergence

ANSWER_TOKENS = 24  # a right answer is a short sentence at most; a wrong one may ramble
NUMBER = re.compile(r"(?:(?<![\w.])-)?\d+(?:,\d{3})*(?:\.\d+)?")  # 7, -3, 1,250 and 2.50

ShouldStop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose ``answer`` follows from ``steps`` sentences, one after the other.

    ``choices`` are the words one of which is the answer; none where the answer is a number, or
    where nothing but the answer itself is right.
    """

    kind: str
    steps: int
    question: str
    answer: str
    choices: tuple[str, ...] = ()

    def accepts(self, said: str) -> bool:
        """Return whether ``said`` is right: its only choice, or its only number, is the answer.

        Case does not matter. An answer that is no choice and no number must be all that is said,
        but for a full stop.
        """
        if self.choices:
            words = sorted(self.choices, key=len, reverse=True)  # "dark red" before "red"
            found = re.findall(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", said, re.I)
            return {word.casefold() for word in found} == {self.answer.casefold()}
        if NUMBER.fullmatch(self.answer):
            return set(_numbers(said)) == set(_numbers(self.answer))
        return said.strip().rstrip(".!").casefold() == self.answer.casefold()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the model said to one question, by loops."""

    question: Question
    said: dict[int, str]

    def right(self, loops: int) -> bool:
        """Return whether the answer at ``loops`` is right."""
        return self.question.accepts(self.said[loops])


def load_questions(path: Path) -> list[Question]:
    """Read one JSON object a line: kind, steps, question, answer and, where they are, choices.

    Raises OSError, or ValueError that names the first line which is no question.
    """
    questions = [_question(entry, where) for entry, where in json_lines(path)]
    if not questions:
        raise ValueError(f"{path} holds no questions; it needs one JSON object a line.")
    return questions


def json_lines(path: Path) -> Iterator[tuple[Any, str]]:
    """Yield what each line of ``path`` holds (a text when it is no JSON), and where it stands.

    Raises OSError, or ValueError when the file is no text.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text; expected one JSON object a line.") from None
    for number, line in enumerate(lines, 1):
        if line:
            try:
                entry = json.loads(line)
            except ValueError:
                entry = line
            yield entry, f"{path}, line {number}"


def _question(entry: Any, where: str) -> Question:
    """Return the question one line holds."""
    types = {"kind": str, "steps": int, "question": str, "answer": str}
    choices = entry.get("choices", []) if isinstance(entry, dict) else None
    if (
        not isinstance(choices, list)
        or any(type(entry.get(name)) is not kind for name, kind in types.items())
        or any(type(choice) is not str for choice in choices)
        or (choices and entry["answer"] not in choices)
    ):
        raise ValueError(
            f'{where}: expected {{"kind", "steps", "question", "answer"}} and, if any, "choices" '
            f"that hold the answer, found {str(entry)[:60]!r}."
        )
    return Question(**{name: entry[name] for name in types}, choices=tuple(choices))


def _numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


def ask(
    model: Model,
    question: Question,
    depths: Sequence[int],
    should_stop: ShouldStop | None = None,
) -> Outcome:
    """Answer ``question`` at each of the rising ``depths``, greedily.

    One handle only ever goes deeper, so no loop over the question is run twice.
    Raises Stopped when ``should_stop`` says so.
    """
    prompt = model.tokenizer.encode_chat([("user", question.question)])
    handle = model.build_resume_handle(prompt, depths[0], depths[-1], should_stop=should_stop)
    said: dict[int, str] = {}
    for depth in depths:
        if depth > handle.loops_used():
            handle = model.extend_handle(handle, depth, should_stop=should_stop)
        tokens = model.resume_generate(
            handle, depth, max_tokens=ANSWER_TOKENS, should_stop=should_stop
        )
        said[depth] = model.tokenizer.decode(tokens[len(prompt) :]).strip()
    return Outcome(question, said)


def doubt(model: Model, question: Question) -> float:
    """Return how far the second effort disagrees with the first one's answer, in nats.

    It is the largest KL(p_second || p_first) at any token of the answer to ``question``.
    """
    low, high = model.config.efforts[:2]
    prompt = model.tokenizer.encode_chat([("user", question.question)])
    tokens, spoken = model.generate(prompt, low, max_tokens=ANSWER_TOKENS, return_handle=True)
    deep = model.build_resume_handle(prompt, high, high)
    worst = 0.0
    for end in range(len(prompt), len(tokens)):
        part = model.build_resume_handle(tokens[:end], low, low, start=spoken)
        deep = model.build_resume_handle(tokens[:end], high, high, start=deep)
        first = model.score_with_uncertainty(part, low, low)[0]
        second = model.score_with_uncertainty(deep, high, high)[0]
        worst = max(worst, divergence(second, first))
    return worst
