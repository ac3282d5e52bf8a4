"""`tinyloop eval`: accuracy by kind of question, by number of steps and by loops."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from engine import Model
from engine.cli.answering import CLEAR_LINE
from engine.cli.common import (
    Interrupt,
    add_model_options,
    loops,
    open_model,
    watching_interrupts,
)
from engine.errors import Stopped
from engine.evaluate import Outcome, Question, accuracy, accuracy_table, answers, load_questions
from engine.resources import resource


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the questions, how many of them, how deep, and where the figures go."""
    parser.add_argument(
        "questions",
        type=Path,
        nargs="?",
        metavar="QUESTIONS.jsonl",
        default=resource("questions.jsonl"),
        help="one JSON object a line: kind, steps, question, answer "
        "(default: the 300 held-out ones shipped with this program)",
    )
    parser.add_argument(
        "--limit", type=int, metavar="N", help="ask only N of them, spread evenly over the file"
    )
    parser.add_argument(
        "--loops",
        type=loops,
        nargs="+",
        metavar="N",
        help="the depths to answer at (default: the model's efforts)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask every question at every depth and print the table; Ctrl-C prints it for those asked."""
    questions = _spread(load_questions(arguments.questions), arguments.limit)
    with open_model(arguments) as model, watching_interrupts() as interrupt:
        depths = sorted(set(arguments.loops or model.config.efforts))
        outcomes = _ask(model, questions, depths, interrupt)
    if sys.stderr.isatty():
        print(CLEAR_LINE, end="", file=sys.stderr, flush=True)
    if outcomes:
        document = accuracy(outcomes, depths)
        print(f"{len(outcomes)} questions\n{accuracy_table(document)}")
    if interrupt.pressed:
        raise KeyboardInterrupt
    if arguments.json:
        arguments.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


def _spread(questions: list[Question], limit: int | None) -> list[Question]:
    """Return ``limit`` of the questions at even distances, so that every kind has its share."""
    if limit is None or limit >= len(questions):
        return questions
    if limit < 1:
        raise ValueError(f"--limit must be at least 1, found {limit}.")
    return [questions[(2 * i + 1) * len(questions) // (2 * limit)] for i in range(limit)]


def _ask(
    model: Model, questions: list[Question], depths: list[int], interrupt: Interrupt
) -> list[Outcome]:
    """Return what was said to each question, until Ctrl-C."""
    outcomes: list[Outcome] = []
    started = time.monotonic()
    for number, question in enumerate(questions, 1):
        try:
            said = answers(model, question.question, depths, interrupt)
        except Stopped:
            break
        if interrupt.pressed:  # the last answer may be cut short
            break
        outcomes.append(Outcome(question, said))
        _progress(number, len(questions), time.monotonic() - started)
    return outcomes


def _progress(done: int, total: int, seconds: float) -> None:
    """Say on a terminal how far it is, and how long the rest will take."""
    if sys.stderr.isatty():
        left = seconds / done * (total - done) / 60
        line = f"{CLEAR_LINE}question {done} of {total}, about {left:.0f} min left"
        print(line, end="", file=sys.stderr, flush=True)
