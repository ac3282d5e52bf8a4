"""`tinyloop ask`: one question, answered as it is written; --harder takes it deeper."""

from __future__ import annotations

import argparse
import sys

from engine.cli.answering import Asker, LiveAnswer, count, loop_bar
from engine.cli.common import (
    Interrupt,
    add_model_options,
    add_sampling_options,
    checked_question,
    loops,
    open_model,
    watching_interrupts,
)
from engine.errors import Stopped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the question, how deep to think, how to write."""
    parser.add_argument("text", metavar="TEXT", help="the question; - reads it from standard input")
    depth = parser.add_mutually_exclusive_group()
    depth.add_argument(
        "--loops",
        type=loops,
        metavar="N",
        help="how deep to think (default: the model's first effort)",
    )
    depth.add_argument(
        "--harder",
        action="store_true",
        help="answer at all three efforts, each resumed from the one before",
    )
    add_sampling_options(parser)
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer, or with --harder the three answers and what each took."""
    given = sys.stdin.read().strip() if arguments.text == "-" else arguments.text
    text = checked_question(given)
    with open_model(arguments) as model, watching_interrupts() as interrupt:
        asker = Asker(model, model.tokenizer.encode_chat([("user", text)]), arguments)
        efforts = model.config.efforts
        try:
            if arguments.harder:
                _ask_deeper(asker, efforts, interrupt)
            else:
                _ask_once(
                    asker, efforts[0] if arguments.loops is None else arguments.loops, interrupt
                )
        except Stopped:
            raise KeyboardInterrupt from None
    return 0


def _ask_once(asker: Asker, depth: int, interrupt: Interrupt) -> None:
    """Print one answer; its figures go to the error stream, and only when that is a terminal."""
    live = asker.answer(depth, interrupt)
    _stop_if(interrupt)
    if sys.stderr.isatty():
        print(f"{count(depth, 'loop')}, {live.times()}", file=sys.stderr)


def _ask_deeper(asker: Asker, efforts: tuple[int, ...], interrupt: Interrupt) -> None:
    """Print the answer of every effort, each from the loops of the one before."""
    before: LiveAnswer | None = None
    for depth in efforts:
        kept = asker.depth
        live = asker.answer(depth, interrupt, label=f"{depth:>3} loops  ")
        _stop_if(interrupt)
        ran = f"{count(asker.loops_run(), 'loop')} run over {count(len(asker.prompt), 'token')}"
        figures = [ran, live.times()]
        if before is not None:
            same = live.text == before.text
            figures.append(f"same as at {kept}" if same else f"changed from {kept}")
        print(f"{'':11}{loop_bar(kept, depth, depth)}\n{'':11}{'; '.join(figures)}", flush=True)
        before = live


def _stop_if(interrupt: Interrupt) -> None:
    if interrupt.pressed:
        raise KeyboardInterrupt
