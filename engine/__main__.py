"""The terminal's front door: the table of commands, and the one place where errors end."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence

import engine

# name: what it does. Each is a module of engine.cli with add_arguments(parser) and
# run(arguments) -> exit code; only the one that is asked for is imported.
COMMANDS = {
    "ask": "answer one question; --harder takes it deeper without starting over",
    "chat": "talk with the model; /harder takes its last answer deeper",
    "inspect": "show what a model file holds: config, tensors, sizes, licence, what depth buys",
    "doctor": "show what the engine finds here: backend, threads, GPU, model, paths",
    "eval": "measure accuracy by kind of question, steps and loops (takes minutes)",
    "bench": "measure speed: writing, reading, resuming, with the bits compared",
}
FAILED, INTERRUPTED, BROKEN_PIPE = 1, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 (failed) or 130 (Ctrl-C).

    Raises SystemExit(2) for wrong usage, after argparse has said what is wrong.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    _speak_utf8()
    try:
        parsed, unknown = _parser(words[:1]).parse_known_args(words or ["--help"])
        if unknown:  # said by the command itself, which shows what it does know
            parsed.refuse(f"unrecognized arguments: {' '.join(unknown)}")
        run: Callable[[argparse.Namespace], int] = parsed.run
        return run(parsed)
    except KeyboardInterrupt:
        return _fail("stopped.", INTERRUPTED)
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        known = error.strerror and error.filename is not None
        return _fail(f"{error.filename}: {error.strerror}." if known else str(error), FAILED)
    except (RuntimeError, ValueError, MemoryError) as error:
        return _fail(str(error) or "not enough memory.", FAILED)


def _speak_utf8() -> None:
    """Make all three streams UTF-8 whatever the locale; bad input stays recognisable as such."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            errors = "surrogateescape" if stream is sys.stdin else "replace"
            stream.reconfigure(encoding="utf-8", errors=errors)


def _parser(wanted: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of all commands; only a ``wanted`` one knows its own options."""
    parser = argparse.ArgumentParser(prog="tinyloop", description=engine.__doc__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        sentence = f"{summary[0].upper()}{summary[1:]}."
        command = commands.add_parser(name, help=summary, description=sentence)
        if name in wanted:
            module = importlib.import_module(f"engine.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run, refuse=command.error)
    return parser


def _fail(sentence: str, code: int) -> int:
    """Say what went wrong on one line of the error stream and return ``code``."""
    sys.stdout.flush()
    print(f"tinyloop: {' '.join(sentence.split())}", file=sys.stderr)  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main())
