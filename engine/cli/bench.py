"""`tinyloop bench`: how fast a model is on this computer, and whether its bits agree."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import Any

from engine.bench import (
    ANSWER,
    BUNDLED,
    CONTEXTS,
    CPU_CONTEXTS,
    PREFIX,
    Agreement,
    Bench,
    Resuming,
    Row,
    open_shape,
)
from engine.cli.common import add_model_options
from engine.machine import in_words, this_machine
from engine.random_model import SHAPES
from engine.threads import limit_blas

HEADINGS = (
    f"{'context':>8}{'loops':>6}{'µs/token':>10}{'µs/loop':>9}{'tokens/s':>10}{'MB/token':>10}"
    f"{'of copy':>9}{'host µs':>9}{'read µs/token':>15}"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what to measure."""
    parser.add_argument(
        "--shapes",
        nargs="+",
        default=[BUNDLED],
        choices=(BUNDLED, *SHAPES),
        help=f"{BUNDLED} is the file of --model; the others have random weights and need a GPU "
        f"(default: {BUNDLED})",
    )
    parser.add_argument(
        "--contexts",
        nargs="+",
        type=int,
        default=[],
        metavar="N",
        help=f"tokens to write behind (default: {_listed(CONTEXTS)}; on the CPU "
        f"{_listed(CPU_CONTEXTS)})",
    )
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a table a shape, and as the last line one JSON document; 1 when bits differ."""
    document = measure(arguments)
    print(json.dumps(document))
    return 0 if all(shape["correct"] for shape in document["shapes"]) else 1


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure and print every shape that the options name; return all figures.

    Raises ValueError for options that measure nothing, DeviceError where a shape cannot run.
    """
    if any(context < 1 for context in arguments.contexts):
        raise ValueError(f"--contexts must be at least 1, found {min(arguments.contexts)}.")
    limit_blas()  # as every backend does, so that the machine's line says what is used
    machine = this_machine()
    shapes = [_shape(name, arguments, in_words(machine)) for name in arguments.shapes]
    return {"machine": machine, "shapes": shapes}


def _shape(name: str, arguments: argparse.Namespace, machine: str) -> dict[str, Any]:
    """Measure and print one shape; no time is taken where the bits differ."""
    file = open_shape(name, arguments.model, arguments.device)
    with closing(Bench(file, arguments.device, arguments.contexts)) as bench:
        where = bench.backend.name if bench.on_gpu else "the CPU"
        note = f"; no GPU: {bench.note}" if bench.note else ""
        print(f"{name}: {file.name} on {where}, open after {bench.open_s:.1f} s{note}\n{machine}")
        agreement = bench.agreement()
        print(_in_words(agreement), flush=True)
        document = {"shape": name, "model": file.name, "device": bench.backend.name,
                    "open_s": bench.open_s, "correct": not agreement.differs,
                    "agreement": asdict(agreement)}  # fmt: skip
        return document if agreement.differs else document | _figures(bench)


def _figures(bench: Bench) -> dict[str, Any]:
    """Measure and print all that is timed."""
    bandwidth = bench.copy_bandwidth()
    loop_us = 1e6 * bench.loop_bytes() / bandwidth
    print(f"Copies move {bandwidth / 1e9:.0f} GB/s; at that speed one read of a loop's "
          f"{bench.loop_bytes() / 1e6:.1f} MB of weights takes {loop_us:.1f} µs.")  # fmt: skip
    rows = list(_printed(bench.rows(bandwidth)))
    deepest = next(row for row in reversed(rows) if row.context == rows[0].context)
    if deepest.us_loop:
        print(f"A loop takes {deepest.us_loop / loop_us:.1f} times one read of its weights.")
    resuming = bench.resuming()
    print(f"{_resuming_in_words(resuming)}\n", flush=True)
    return {
        "copy_bytes_per_s": bandwidth,
        "loop_bytes": bench.loop_bytes(),
        "loop_read_us": loop_us,
        "rows": [asdict(row) for row in rows],
        "resuming": asdict(resuming),
    }


def _printed(rows: Iterator[Row]) -> Iterator[Row]:
    """Print each row as soon as it is measured."""
    print(HEADINGS)
    for row in rows:
        loop = "" if row.us_loop is None else f"{row.us_loop:.1f}"
        host = "" if row.host_us_token is None else f"{row.host_us_token:.1f}"
        print(
            f"{row.context:>8}{row.loops:>6}{row.us_token:>10.1f}{loop:>9}{row.tokens_per_s:>10.1f}"
            f"{row.bytes_token / 1e6:>10.1f}{row.share_of_copy:>9.0%}{host:>9}"
            f"{row.read_us_token:>15.1f}",
            flush=True,
        )
        yield row


def _in_words(agreement: Agreement) -> str:
    if agreement.differs:
        return f"WRONG: {agreement.differs} differs from what must be equal; nothing is measured."
    return (
        f"Resumed equals fresh: {agreement.tokens} tokens, and {agreement.nbytes} bytes of keys, "
        "values and states."
    )


def _resuming_in_words(row: Resuming) -> str:
    return (
        f"{PREFIX} tokens read, {ANSWER} written: build at {row.kept} loops {row.build_ms:.2f} ms, "
        f"resume to {row.loops} {row.resume_ms:.2f} ms, fresh {row.fresh_ms:.2f} ms; first word "
        f"resumed {row.first_word_resumed_ms:.2f} ms, fresh {row.first_word_fresh_ms:.2f} ms."
    )


def _listed(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
