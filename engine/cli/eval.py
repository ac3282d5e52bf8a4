"""`tinyloop eval`: accuracy by kind of question, steps and loops; loss on chat; answers to read."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from engine import Model
from engine.accuracy import accuracy, accuracy_table, compare, doubts
from engine.chat_loss import ChatLoss, load_talks, summary
from engine.cli.answering import CLEAR_LINE
from engine.cli.common import (
    MAX_TOKENS,
    Interrupt,
    add_model_options,
    loops,
    open_model,
    watching_interrupts,
)
from engine.errors import Stopped
from engine.evaluate import Outcome, Question, ask, doubt, json_lines, load_questions
from engine.resources import resource
from engine.weights import open_model_file

Item = TypeVar("Item")
Result = TypeVar("Result")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the questions, how many of them, how deep, what else to measure, where it goes."""
    parser.add_argument(
        "questions",
        type=Path,
        nargs="?",
        metavar="QUESTIONS.jsonl",
        default=resource("questions.jsonl"),
        help="one JSON object a line: kind, steps, question, answer, and choices where the answer "
        "is one of some words (default: the held-out ones shipped with this program)",
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
    parser.add_argument(
        "--doubt", action="store_true",
        help="also measure how well the second effort's doubt tells which first answers are wrong",
    )  # fmt: skip
    parser.add_argument(
        "--against", type=Path, metavar="FILE",
        help="ask another .tinyloop file too and print the differences, question by question",
    )  # fmt: skip
    parser.add_argument(
        "--chat", type=Path, metavar="FILE",
        help='also measure the loss on conversations, one {"turns": [...]} a line',
    )  # fmt: skip
    parser.add_argument(
        "--prompts", type=Path, nargs=2, metavar=("FILE", "OUT.md"),
        help='also answer conversations, one {"id", "turns"} a line, and write a table to read',
    )  # fmt: skip
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure what was asked for and print it; Ctrl-C prints the table for what was asked."""
    questions = _spread(load_questions(arguments.questions), arguments.limit)
    talks = load_talks(arguments.chat) if arguments.chat else []
    prompts = load_prompts(arguments.prompts[0]) if arguments.prompts else []
    _check_files(arguments)
    with watching_interrupts() as interrupt:
        with open_model(arguments) as model:
            depths = sorted(set(arguments.loops or model.config.efforts))
            if arguments.doubt and (first := model.config.efforts[0]) not in depths:
                raise ValueError(f"--doubt is about answers at {first} loops; add it to --loops.")
            document, outcomes = _accuracy(model, questions, depths, interrupt)
            if arguments.doubt:
                document |= _doubts(model, outcomes, interrupt)
            if prompts:
                _answer(model, prompts, arguments.prompts[1], interrupt)
        if arguments.against:
            document |= _against(arguments, outcomes, depths, interrupt)
        if talks:
            document |= _chat(arguments, talks, depths, interrupt)
    if interrupt.pressed:
        raise KeyboardInterrupt
    if arguments.json:
        arguments.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


def _check_files(arguments: argparse.Namespace) -> None:
    """Refuse now what could not be read or written after minutes of asking."""
    if arguments.against:
        open_model_file(arguments.against)
    for out in (arguments.json, arguments.prompts and arguments.prompts[1]):
        if out and not out.parent.is_dir():
            raise ValueError(f"{out} cannot be written: {out.parent} is no folder; make it first.")


def _spread(questions: list[Question], limit: int | None) -> list[Question]:
    """Return ``limit`` of the questions at even distances, so that every kind has its share."""
    if limit is None or limit >= len(questions):
        return questions
    if limit < 1:
        raise ValueError(f"--limit must be at least 1, found {limit}.")
    return [questions[(2 * i + 1) * len(questions) // (2 * limit)] for i in range(limit)]


def _until_stopped(
    things: Sequence[Item], what: str, interrupt: Interrupt, do: Callable[[Item], Result]
) -> list[Result]:
    """Return what ``do`` makes of each thing, until Ctrl-C; say on a terminal how far it is."""
    made: list[Result] = []
    started = time.monotonic()
    for number, thing in enumerate(things, 1):
        if interrupt.pressed:
            break
        try:
            result = do(thing)
        except Stopped:
            break
        if interrupt.pressed:  # the last answer may be cut short
            break
        made.append(result)
        if sys.stderr.isatty():
            left = (time.monotonic() - started) / number * (len(things) - number) / 60
            line = f"{CLEAR_LINE}{what} {number} of {len(things)}, about {left:.0f} min left"
            print(line, end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(CLEAR_LINE, end="", file=sys.stderr, flush=True)
    return made


def _accuracy(
    model: Model, questions: list[Question], depths: list[int], interrupt: Interrupt
) -> tuple[dict[str, Any], list[Outcome]]:
    """Ask every question at every depth, print the tables and return the figures."""
    outcomes = _until_stopped(
        questions, "question", interrupt, lambda q: ask(model, q, depths, interrupt)
    )
    if not outcomes:
        return {}, outcomes
    document = {"device": model.device, **accuracy(outcomes, depths)}
    print(f"{len(outcomes)} questions on {model.device}\n{accuracy_table(document)}")
    for step, gain in document["gains"].items():
        print(f"{f'{step} loops':<18}{_points(gain)}")
    return document, outcomes


def _doubts(model: Model, outcomes: list[Outcome], interrupt: Interrupt) -> dict[str, Any]:
    """Measure, print and return what the second effort's doubt says about first answers."""
    first = model.config.efforts[0]
    questions = [outcome.question for outcome in outcomes]
    found = _until_stopped(questions, "doubt", interrupt, lambda q: doubt(model, q))
    if not found:
        return {}
    wrong = [not outcome.right(first) for outcome in outcomes[: len(found)]]
    document = doubts(found, wrong)
    print(f"a hint from the second effort's doubt about the {len(found)} answers at {first} loops")
    for nats, hint in document.items():
        speaks, precision, recall = (f"{100 * share:.1f} %" for share in hint.values())
        print(f"{f'from {nats} nats on':<18}speaks at {speaks}, {precision} of those are wrong; "
              f"finds {recall} of the wrong ones")  # fmt: skip
    return {"doubts": document}


def _points(paired: dict[str, Any]) -> str:
    """Return a difference of shares in points, with its interval."""
    low, high = paired["interval"]
    return f"{100 * paired['mean']:+.1f} points ({100 * low:+.1f} to {100 * high:+.1f})"


def _against(
    arguments: argparse.Namespace, outcomes: list[Outcome], depths: list[int], interrupt: Interrupt
) -> dict[str, Any]:
    """Ask the other file the same questions, print and return what the first one gains on it."""
    questions = [outcome.question for outcome in outcomes]
    with Model(arguments.against, device=arguments.device) as other:
        others = _until_stopped(
            questions, "question", interrupt, lambda q: ask(other, q, depths, interrupt)
        )
    if not others:
        return {}
    differences = compare(outcomes[: len(others)], others, depths)
    print(f"against {arguments.against}, {len(others)} questions")
    for depth, paired in differences.items():
        print(f"{f'{depth} loops':<18}{_points(paired)}")
    return {"against": differences}


def _chat(
    arguments: argparse.Namespace, talks: list[list[str]], depths: list[int], interrupt: Interrupt
) -> dict[str, Any]:
    """Measure, print and return the loss on conversations."""
    reader = ChatLoss(arguments.model, arguments.device)
    try:
        found = _until_stopped(
            talks, "conversation", interrupt, lambda talk: reader.losses(talk, depths)
        )
    finally:
        reader.close()
    if not found:
        return {}
    document = summary(found, depths)
    print(f"loss on {document['conversations']} conversations, {document['tokens']} tokens")
    for depth, loss in document["loss"].items():
        change = document["change"].get(depth)
        print(
            f"{f'{depth} loops':<18}{loss:.4f} nats" + (f" ({_percent(change)})" if change else "")
        )
    return {"chat": document}


def _percent(change: dict[str, Any]) -> str:
    low, high = change["interval"]
    return f"{100 * change['mean']:+.2f} %, {100 * low:+.2f} to {100 * high:+.2f}"


def load_prompts(path: Path) -> list[tuple[str, list[str]]]:
    """Read the conversations to answer, one JSON object a line: id and turns, the user's last.

    Raises OSError, or ValueError that names the first line which is none.
    """
    prompts = []
    for entry, where in json_lines(path):
        name, turns = (entry.get("id"), entry.get("turns")) if isinstance(entry, dict) else ("", "")
        if (
            type(name) is not str or not isinstance(turns, list) or len(turns) % 2 == 0
            or any(type(turn) is not str for turn in turns)
        ):  # fmt: skip
            raise ValueError(f'{where}: expected {{"id", "turns": [user, assistant, …, user]}}, '
                             f"found {str(entry)[:60]!r}.")  # fmt: skip
        prompts.append((name, turns))
    return prompts


def _answer(
    model: Model, prompts: list[tuple[str, list[str]]], out: Path, interrupt: Interrupt
) -> None:
    """Write a table of the answers at the model's efforts to ``out``; nothing after Ctrl-C."""
    efforts = model.config.efforts

    def row(prompt: tuple[str, list[str]]) -> str:
        name, turns = prompt
        roles = [("user", "assistant")[i % 2] for i in range(len(turns))]
        ids = model.tokenizer.encode_chat(zip(roles, turns, strict=True))
        said = [model.generate(ids, depth, max_tokens=MAX_TOKENS, should_stop=interrupt)
                for depth in efforts]  # fmt: skip
        texts = ["<br>".join(turns), *(model.tokenizer.decode(ids_[len(ids) :]) for ids_ in said)]
        cells = [text.strip().replace("|", "\\|").replace("\n", "<br>") for text in texts]
        return f"| {name} | {' | '.join(cells)} |"

    rows = _until_stopped(prompts, "conversation", interrupt, row)
    head = ["| id | conversation |" + "".join(f" {depth} loops |" for depth in efforts),
            "|---" * (2 + len(efforts)) + "|"]  # fmt: skip
    if len(rows) == len(prompts):
        out.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
        print(f"{out}: {len(rows)} conversations answered")
