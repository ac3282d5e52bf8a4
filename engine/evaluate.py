"""Accuracy on questions with known answers, at several depths from one handle a question."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from engine.model import Model

ANSWER_TOKENS = 16  # a right answer is a number or a word; a wrong one may ramble
STEP_BUCKETS = {"1–8": range(1, 9), "9–16": range(9, 17), "17–24": range(17, 25),
                "25 and more": range(25, sys.maxsize)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose ``answer`` follows from ``steps`` sentences, one after the other."""

    kind: str
    steps: int
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the model said to one question, by loops."""

    question: Question
    said: dict[int, str]

    def right(self, loops: int) -> bool:
        """Return whether the answer at ``loops`` is the known one, word for word."""
        return self.said[loops] == self.question.answer


def load_questions(path: Path) -> list[Question]:
    """Read one JSON object a line: kind, steps, question, answer.

    Raises OSError, or ValueError that names the first line which is no question.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text; expected one JSON object a line.") from None
    questions = [_question(line, f"{path}, line {i}") for i, line in enumerate(lines, 1) if line]
    if not questions:
        raise ValueError(f"{path} holds no questions; it needs one JSON object a line.")
    return questions


def _question(line: str, where: str) -> Question:
    """Return the question one line holds."""
    types = {"kind": str, "steps": int, "question": str, "answer": str}
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict) or any(
        type(entry.get(name)) is not kind for name, kind in types.items()
    ):
        raise ValueError(f'{where}: expected {{"kind", "steps", "question", "answer"}}, '
                         f"found {line[:60]!r}.")  # fmt: skip
    return Question(**{field.name: entry[field.name] for field in fields(Question)})


def answers(
    model: Model,
    text: str,
    depths: Sequence[int],
    should_stop: Callable[[], bool] | None = None,
) -> dict[int, str]:
    """Return what ``model`` answers to ``text`` at each of the rising ``depths``.

    One handle only ever goes deeper, so no loop over the question is run twice.
    Raises Stopped when ``should_stop`` says so.
    """
    prompt = model.tokenizer.encode_chat([("user", text)])
    handle = model.build_resume_handle(
        prompt, L_used=depths[0], max_loops=depths[-1], should_stop=should_stop
    )
    said = {}
    for depth in depths:
        if depth > handle.loops_used():
            handle = model.extend_handle(handle, depth, should_stop=should_stop)
        tokens = model.resume_generate(
            handle, depth, max_tokens=ANSWER_TOKENS, should_stop=should_stop
        )
        said[depth] = model.tokenizer.decode(tokens[len(prompt) :]).strip()
    return said


def accuracy(outcomes: Sequence[Outcome], depths: Sequence[int]) -> dict[str, Any]:
    """Return the shares of right answers, 0 to 1, as a document for JSON.

    ``accuracy`` holds them by depth, ``by_kind`` and ``by_steps`` the same for a part each; a
    model file carries this document as its ``loops_eval``.
    """
    kinds = list(dict.fromkeys(outcome.question.kind for outcome in outcomes))
    by_kind = {kind: [o for o in outcomes if o.question.kind == kind] for kind in kinds}
    by_steps = {
        name: [o for o in outcomes if o.question.steps in steps]
        for name, steps in STEP_BUCKETS.items()
    }
    return {
        "questions": len(outcomes),
        "accuracy": _shares(outcomes, depths),
        "by_kind": {name: _shares(part, depths) for name, part in by_kind.items()},
        "by_steps": {name: _shares(part, depths) for name, part in by_steps.items() if part},
    }


def _shares(outcomes: Sequence[Outcome], depths: Sequence[int]) -> dict[str, float]:
    """Return the share of right answers at each depth."""
    return {
        str(depth): round(sum(o.right(depth) for o in outcomes) / len(outcomes), 4)
        for depth in depths
    }


def accuracy_table(document: dict[str, Any]) -> str:
    """Return the document of ``accuracy`` as lines of text, one row a part, percent right.

    A model file checks only ``accuracy``; parts of another form are left out.
    """
    depths = sorted(document["accuracy"], key=int)  # a file's JSON is sorted as text
    kinds, steps = document.get("by_kind"), document.get("by_steps")
    rows = [("all", document["accuracy"])]
    rows += kinds.items() if isinstance(kinds, dict) else []
    if isinstance(steps, dict):
        rows += [(f"{name} steps", steps[name]) for name in STEP_BUCKETS if name in steps]
    head = f"{'% right':<18}" + "".join(f"{f'{depth} loops':>10}" for depth in depths)
    body = [
        f"{name:<18}" + "".join(f"{100 * row[depth]:>10.1f}" for depth in depths)
        for name, row in rows
        if isinstance(row, dict) and all(isinstance(row.get(d), int | float) for d in depths)
    ]
    return "\n".join([head, *body])
