"""`tinyloop bench`: how fast the model is on this computer."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise

from engine import Model
from engine.bench import Deepening, Speed, deepening, speed
from engine.cli.common import add_model_options, open_model
from engine.machine import in_words, this_machine

SMALLEST = {"prompt": 8, "answer": 1, "repeats": 1}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sizes to measure with."""
    for name, default, meaning in (
        ("prompt", 128, "tokens to read"),
        ("answer", 32, "tokens to write"),
        ("repeats", 3, "runs to take the median of"),
    ):
        summary = f"{meaning} (default: {default})"
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=summary)
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print two tables, and as the last line one JSON document; 1 when resuming was not exact."""
    for name, least in SMALLEST.items():
        if getattr(arguments, name) < least:
            raise ValueError(
                f"--{name} must be at least {least}, found {getattr(arguments, name)}."
            )
    with open_model(arguments) as model:
        machine = this_machine()  # after the model has chosen its threads
        print(f"{model.name} on {model.device.upper()}: {in_words(machine)}")
        speeds = list(_speeds(model, arguments))
        deepenings = list(_deepenings(model, arguments))
        document = {
            "model": model.name,
            "device": model.device,
            "machine": machine,
            "sizes": {name: getattr(arguments, name) for name in SMALLEST},
            "speeds": [asdict(row) for row in speeds],
            "first_word": [asdict(row) for row in deepenings],
        }
    print(f"\n{json.dumps(document)}")
    return 0 if all(row.same_word for row in deepenings) else 1


def _speeds(model: Model, arguments: argparse.Namespace) -> Iterator[Speed]:
    """Measure and print one row an effort."""
    print(f"\n{'loops':>6}{'read, tokens/s':>18}{'written, tokens/s':>20}")
    for loops in model.config.efforts:
        row = speed(model, loops, arguments.prompt, arguments.answer, arguments.repeats)
        read, written = row.read_tokens_per_s, row.written_tokens_per_s
        print(f"{loops:>6}{read:>18.0f}{written:>20.1f}", flush=True)
        yield row


def _deepenings(model: Model, arguments: argparse.Namespace) -> Iterator[Deepening]:
    """Measure and print one row a step from effort to effort."""
    print(f"\n{'first word':>12}{'fresh':>10}{'resumed':>10}{'sooner':>9}   same word")
    for kept, loops in pairwise(model.config.efforts):
        row = deepening(model, kept, loops, arguments.prompt, arguments.repeats)
        times = f"{row.fresh_s:>8.2f} s{row.resumed_s:>8.2f} s{100 * row.sooner:>7.0f} %"
        print(f"{f'{kept} → {loops}':>12}{times}   {'yes' if row.same_word else 'NO'}", flush=True)
        yield row
