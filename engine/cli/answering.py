"""Answers one prompt at rising depths, on the screen as it is written, for `ask` and `chat`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from engine import Model, ResumeHandle
from engine.errors import ContextFull, Stopped
from engine.report import LastRun
from engine.tokenizer import Tokenizer
from engine.watch import WatchArgs

CLEAR_LINE = "\r\x1b[K"
KEPT, RAN, AHEAD = "▪", "■", "□"  # one loop each: kept from before, run now, still to run


def loop_bar(kept: int, done: int, total: int) -> str:
    """Return one square a loop in groups of eight: ``kept`` ones, up to ``done``, the rest."""
    squares = KEPT * kept + RAN * (done - kept) + AHEAD * (total - done)
    return " ".join(squares[i : i + 8] for i in range(0, len(squares), 8))


def count(number: int, thing: str) -> str:
    """Return ``1 loop``, ``2 loops``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


class LiveAnswer:
    """Prints an answer as it is written, and notes when its first word and its end came.

    On a terminal a loop bar stands in its place while the prompt is being read.
    """

    def __init__(self, tokenizer: Tokenizer, kept: int, label: str) -> None:
        """``kept`` loops need not run again; ``label`` stands before the answer."""
        self.text = ""
        self.tokens = 0
        self.first_word_s = 0.0
        self.total_s = 0.0
        self.cut_off = False
        self._detokenizer = tokenizer.detokenizer()
        self._kept = kept
        self._label = label
        self._bar = sys.stdout.isatty() and sys.stderr.isatty()
        self._started = time.perf_counter()

    def progress(self, done: int, total: int) -> None:
        """Redraw the loop bar; this is the engine's ``on_progress``."""
        if self._bar and not self.tokens:
            bar = loop_bar(min(self._kept, done), done, total)
            print(f"{CLEAR_LINE}{self._label}{bar}", end="", file=sys.stderr, flush=True)

    def token(self, token: int) -> None:
        """Print what ``token`` adds; this is the engine's ``on_token``."""
        if not self.tokens:
            self.first_word_s = time.perf_counter() - self._started
            self._clear()
            print(self._label, end="")
        self.tokens += 1
        self._print(self._detokenizer.push(token))

    def _print(self, piece: str) -> None:
        self.text += piece
        print(piece, end="", flush=True)

    def _clear(self) -> None:
        if self._bar:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)

    def times(self) -> str:
        """Return the answer's figures in words."""
        written = count(self.tokens, "token") + (", cut off," if self.cut_off else "")
        return f"first word after {self.first_word_s:.2f} s, {written} in {self.total_s:.2f} s"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """Print what the detokenizer held back and end the line, or take the loop bar away."""
        if self.tokens:
            self._print(self._detokenizer.flush())
            print(flush=True)
        else:
            self._clear()
        self.total_s = time.perf_counter() - self._started


class Asker:
    """One prompt and its handle, which only ever goes deeper.

    ``ids`` are the last answer's tokens, ``spoken`` the handle over prompt and that answer.
    """

    def __init__(
        self,
        model: Model,
        prompt: list[int],
        options: argparse.Namespace,
        start: ResumeHandle | None = None,
    ) -> None:
        """``options`` are those of ``add_sampling_options``.

        ``start``, no deeper than the first answer, spares the loops it holds. Raises
        ContextFull for a prompt that leaves no room for an answer.
        """
        if len(prompt) >= model.max_seq_len:
            raise ContextFull(
                f"The question has {len(prompt)} tokens, but this model holds "
                f"{model.max_seq_len} together with the answer; shorten the question."
            )
        self.prompt = prompt
        self.depth = 0
        self.ids: list[int] = []
        self.spoken: ResumeHandle | None = None
        self.read = LastRun()  # what reading the prompt took
        self._model = model
        self._options = options
        self._start = start
        self._handle: ResumeHandle | None = None

    def answer(self, depth: int, should_stop: Callable[[], bool], label: str = "") -> LiveAnswer:
        """Print the answer at ``depth``, which is not below the one before.

        Raises Stopped when ``should_stop`` ended it before its first word.
        """
        model = self._model
        with LiveAnswer(model.tokenizer, self.depth, label) as live:
            self._handle = self._go_to(depth, live.progress, should_stop)
            self.read = model.last_run
            self.depth = depth
            tokens, self.spoken = model.resume_generate(
                self._handle,
                depth,
                return_handle=True,
                max_tokens=min(self._options.max_tokens, model.max_seq_len - len(self.prompt)),
                temperature=self._options.temperature,
                seed=self._options.seed,
                on_token=live.token,
                should_stop=should_stop,
            )
        live.cut_off = model.last_run.finish_reason == "length"
        self.ids = tokens[len(self.prompt) :]
        if not self.ids:
            raise Stopped("Stopped before the first word.")
        return live

    def _go_to(
        self, depth: int, progress: Callable[[int, int], None], should_stop: Callable[[], bool]
    ) -> ResumeHandle:
        """Read the prompt at ``depth``; of what is kept already, only the missing loops are run."""
        model, watch = self._model, WatchArgs(on_progress=progress, should_stop=should_stop)
        if self._handle is not None:
            return model.extend_handle(self._handle, depth, **watch)
        start = self._start
        if start is not None and start.loops_used() < depth:
            start = model.extend_handle(start, depth, **watch)
        room = max(depth, model.config.efforts[-1])
        return model.build_resume_handle(self.prompt, depth, room, start=start, **watch)

    def loops_run(self) -> int:
        """Return how many loops were run over the prompt for the last answer."""
        if self.read.first_loop is None or self.read.last_loop is None:
            return 0
        return self.read.last_loop - self.read.first_loop + 1
