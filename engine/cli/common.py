"""What several commands share: their options, the checks of a question, Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from engine import Model
from engine.cli.answering import CLEAR_LINE
from engine.config import MAX_LOOPS
from engine.resources import bundled_model

MAX_TOKENS = 128


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--model`` and ``--device``."""
    parser.add_argument(
        "--model",
        type=Path,
        metavar="FILE",
        default=bundled_model(),
        help="a .tinyloop file (default: the one shipped with this program)",
    )
    parser.add_argument(
        "--device",
        default="auto",
        metavar="DEVICE",
        help="auto, cpu, cuda or cuda:N (default: auto)",
    )


def add_sampling_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--max-tokens``, ``--temperature`` and ``--seed``."""
    parser.add_argument(
        "--max-tokens",
        type=int,
        default=MAX_TOKENS,
        metavar="N",
        help=f"longest answer in tokens (default: {MAX_TOKENS})",
    )
    parser.add_argument(
        "--temperature",
        type=float,
        default=0.0,
        metavar="T",
        help="0 always takes the likeliest word (default: 0)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="fixes the dice of a temperature above 0 (default: 0)",
    )


def loops(text: str) -> int:
    """Return a depth given as an option's value; argparse says what is wrong with another."""
    if not text.isdecimal() or int(text) > MAX_LOOPS:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to {MAX_LOOPS}, found {text!r}")
    return int(text)


def open_model(arguments: argparse.Namespace) -> Model:
    """Open the model that the options name; what a GPU needs compiled first is counted."""
    return Model(arguments.model, device=arguments.device, on_compile=say_compiling)


def say_compiling(done: int, total: int) -> None:
    """Count what is compiled for the GPU, on a terminal; this is the engine's ``on_compile``."""
    if sys.stderr.isatty():
        line = f"Preparing the GPU, once for this model: {done} of {total}" if done < total else ""
        print(f"{CLEAR_LINE}{line}", end="", file=sys.stderr, flush=True)


def checked_question(text: str) -> str:
    """Return ``text``; ValueError when it is empty or was not UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(
            "The question must be UTF-8 text, but some of its bytes are not; save it as UTF-8."
        ) from None
    if not text.strip():
        raise ValueError("The question is empty; write it after the command, in quotes.")
    return text


class Interrupt:
    """Whether Ctrl-C was pressed: a polite request at first, KeyboardInterrupt the second time."""

    def __init__(self) -> None:
        self.pressed = False

    def __call__(self) -> bool:
        """Return whether Ctrl-C was pressed; this is the engine's ``should_stop``."""
        return self.pressed

    def press(self, number: int, frame: FrameType | None) -> None:
        """Take note of a Ctrl-C; this is the signal's handler."""
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True


@contextmanager
def watching_interrupts() -> Iterator[Interrupt]:
    """Give an Interrupt that listens to Ctrl-C until the block ends."""
    interrupt = Interrupt()
    before = signal.signal(signal.SIGINT, interrupt.press)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
