"""``--self-test``: tries the engine, and on request the real window, and reports in JSON."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from engine.self_test import Report, check_engine
from engine.threads import limit_blas

HELP = "try everything an answer needs on this computer and print the result as JSON"


def main(arguments: Sequence[str]) -> int:
    """Run the self-test; return 0 when no check failed, else 1.

    Raises SystemExit(2) for options that cannot be understood.
    """
    parser = argparse.ArgumentParser(prog="tinyloop-chat --self-test", description=f"{HELP}.")
    parser.add_argument("--self-test", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--window", action="store_true", help="drive the real window instead of the bare engine"
    )
    parser.add_argument(
        "--report", type=Path, help="also write the JSON here, anew after every check"
    )
    parser.add_argument(
        "--picture", type=Path, help="with --window: save the window as a PNG at the end"
    )
    parser.add_argument(
        "--data-dir", type=Path, help="with --window: use and keep this folder (default: a new one)"
    )
    parser.add_argument(
        "--choose-folder",
        type=Path,
        help="with --window: where chats are kept in memory only, choose this folder for them",
    )
    parser.add_argument(
        "--device", default="auto", help="auto, cpu, cuda or cuda:N (default: auto)"
    )
    options = parser.parse_args(arguments)
    limit_blas()
    report = Report(options.report)
    if options.window:
        from app.window_test import Wishes, check_window

        with tempfile.TemporaryDirectory(prefix="tinyloop-self-test-") as new:
            folder = options.data_dir or Path(new)
            start = ["--device", options.device, "--data-dir", str(folder)]
            check_window(report, start, Wishes(options.picture, options.choose_folder))
    else:
        check_engine(report, options.device)
    sys.stdout.write(report.text() + "\n")
    return int(report.failed)
