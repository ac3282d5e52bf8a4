"""What travels between the GUI and the engine thread: requests down, frozen events up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.answer import AnswerSampling, ModelFacts, RunReport
from app.domain.kept import Freed, Kept
from app.domain.length import Tokenizer
from app.domain.run import Purpose, RunId

ModelFactory = Callable[..., Any]
"""Called as ``factory(path, device=..., on_compile=...)``; gives ``engine.Model`` or a script."""

TokenizerFactory = Callable[[str], Tokenizer]


@dataclass(frozen=True, slots=True)
class Request:
    """One answer to make: ``prompt`` ids to ``target`` loops, then the writing.

    ``written`` are the ids of an answer that is continued. ``title`` names the question where
    the app says what a kept state had to make room for. ``clicked`` is perf_counter seconds.
    """

    id: RunId
    purpose: Purpose
    prompt: tuple[int, ...]
    target: int
    sampling: AnswerSampling
    title: str
    clicked: float
    written: tuple[int, ...] = ()


class RunControl:
    """The GUI's hand on a running request: stop it, or raise its target before it writes."""

    def __init__(self, target: int) -> None:
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._target = target
        self._writing = False

    def stop(self) -> None:
        """Ask the run to end; it does so at its next look."""
        self._stop.set()

    def stopping(self) -> bool:
        """Return whether the run should end (the engine's ``should_stop``)."""
        return self._stop.is_set()

    @property
    def target(self) -> int:
        """The depth wanted now."""
        return self._target

    def raise_target(self, depth: int) -> bool:
        """Ask for a deeper answer; False when the writing has begun already."""
        with self._lock:
            if self._writing:
                return False
            self._target = max(self._target, depth)
            return True

    def begin_writing(self, depth: int) -> bool:
        """Close the door for a higher target; False when one is wanted above ``depth``."""
        with self._lock:
            self._writing = depth >= self._target
            return self._writing


@dataclass(frozen=True, slots=True)
class RunJob:
    """A request with its control, as the service hands it to the worker."""

    request: Request
    control: RunControl


@dataclass(frozen=True, slots=True)
class LoadJob:
    """A model file to open; ``cancelled`` is looked at when it is open."""

    path: str
    device: str
    cancelled: threading.Event


@dataclass(frozen=True, slots=True)
class Compiling:
    """While a model loads: ``done`` of ``total`` programs are compiled for this GPU."""

    job: LoadJob
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model is ready. ``tokenizer`` is the GUI's own, read-only."""

    job: LoadJob
    facts: ModelFacts
    tokenizer: Tokenizer


@dataclass(frozen=True, slots=True)
class LoadFailed:
    """A model could not be opened; the one before it stays open when ``kept_old``.

    ``code`` is the engine's name of the error: a "device" can be done without.
    """

    job: LoadJob
    sentence: str
    kept_old: bool
    code: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` loops over the whole prompt are there, the first ``kept`` of them from before."""

    id: RunId
    kept: int
    done: int


@dataclass(frozen=True, slots=True)
class Writing:
    """The prompt is read; the answer is written at ``depth`` loops."""

    id: RunId
    depth: int


@dataclass(frozen=True, slots=True)
class Piece:
    """More of the answer: its text and ids, joined for about 33 ms."""

    id: RunId
    text: str
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer ended; ``reason`` is ``stop``, ``length`` or ``cancelled``."""

    id: RunId
    reason: str
    report: RunReport


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was stopped before its first word."""

    id: RunId


@dataclass(frozen=True, slots=True)
class Failed:
    """The run ended with an error: one sentence for the user, ``code`` for the program."""

    id: RunId
    sentence: str
    code: str


@dataclass(frozen=True, slots=True)
class KeptChanged:
    """All states the worker keeps now, and those that went since the last such event."""

    kept: tuple[Kept, ...]
    freed: Sequence[Freed]


RunEvent = Progress | Writing | Piece | Finished | Cancelled | Failed
Event = RunEvent | Compiling | Loaded | LoadFailed | KeptChanged
