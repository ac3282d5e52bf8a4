"""Runs `tinyloop` in tests: in this process for its words, as a process for its signals."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from invariants import model_of
from tiny_models import tiny_config, write_tiny_model

from engine.__main__ import main
from engine.resources import resource

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-m", "engine"]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str


def tinyloop(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Ran:
    """Run one command in this process."""
    capsys.readouterr()
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:  # argparse
        code = int(end.code or 0)
    return Ran(code, *capsys.readouterr())


def assert_one_sentence(ran: Ran, *words: str) -> None:
    """The command failed with one line on the error stream that holds ``words``."""
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("tinyloop: ")
    assert ran.err.count("\n") == 1
    assert ran.err.endswith(".\n")
    for word in words:
        assert word in ran.err


def small_model(folder: Path) -> Path:
    """Write a random model with efforts 2, 3, 4 and return its file."""
    return write_tiny_model(folder / "small.tinyloop", tiny_config(efforts=(2, 3, 4)))


@dataclass(frozen=True, slots=True)
class Hard:
    """A question that needs the second effort: its prompt's tokens, the answers by loops."""

    question: str
    tokens: int
    said: dict[int, str]


def hard_question() -> Hard:
    """Return the first card's question with what the bundled model answers."""
    model, cards = model_of("real"), json.loads(resource("cards.json").read_text("utf-8"))
    prompt = model.tokenizer.encode_chat([("user", cards[0]["question"])])
    said = {
        depth: model.tokenizer.decode(model.generate(prompt, depth)[len(prompt) :])
        for depth in model.config.efforts
    }
    return Hard(cards[0]["question"], len(prompt), said)


def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start one command as a process of its own."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
