"""One request on the engine thread: from a kept state over the loops to the last word."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from app.domain.answer import RunReport
from app.domain.length import room_left
from app.domain.run import Purpose
from app.engine_link.coalescer import Coalescer
from app.engine_link.handles import Shelf
from app.engine_link.messages import Cancelled, Event, Finished, Piece, Progress, RunJob, Writing
from engine.errors import OutOfMemory, Stopped


@dataclass(slots=True)
class _Work:
    """What the reading calls ran, added up from the engine's own counts."""

    prefilled: int = 0
    cells: int = 0
    seconds: float = 0.0
    first: int | None = None
    last: int = -1

    def add(self, run: Any) -> None:
        self.prefilled += run.prefilled
        self.cells += run.cells
        self.seconds += run.prefill_seconds + run.extend_seconds
        if run.first_loop is not None:
            self.first = run.first_loop if self.first is None else min(self.first, run.first_loop)
            self.last = max(self.last, run.last_loop)


class Answering:
    """Carries out one RunJob with ``model`` and the handles of ``shelf``; ``emit`` tells."""

    def __init__(
        self, model: Any, shelf: Shelf, job: RunJob, emit: Callable[[Event], None]
    ) -> None:
        self._model = model
        self._shelf = shelf
        self._request = job.request
        self._control = job.control
        self._emit = emit
        self._compares = job.request.purpose is Purpose.COMPARE
        self._prompt = (*job.request.prompt, *job.request.written)
        self._kept = 0
        self._work = _Work()
        self._times: list[float] = []
        self._detokenizer = model.tokenizer.detokenizer()
        for token in job.request.written:  # what is continued: its last half character counts
            self._detokenizer.push(token)
        self._pieces = Coalescer(lambda text, ids: emit(Piece(job.request.id, text, ids)))

    def run(self) -> Finished | Cancelled:
        """Read (or resume), go deeper as long as more is wanted, write, keep the state.

        Returns the run's last event, for the caller to emit after the news of kept states.
        """
        handle = self._read()
        ending = None if handle is None else self._write(handle)
        return ending or Cancelled(self._request.id)

    def _read(self) -> Any | None:
        """Return a handle over the prompt at the wanted depth, None when stopped.

        Between two engine calls the wanted depth is read again, so a higher target goes on
        from the loops done. What was reached before a stop is kept.
        """
        handle = None
        try:
            handle = self._begin()
            while not self._control.begin_writing(handle.loops_used()):
                handle = self._extend(handle, self._control.target)
        except Stopped:
            if handle is not None:
                self._keep_unanswered(handle)
            return None
        return handle

    def _begin(self) -> Any:
        """Return the first handle over the prompt: recovered, or read from a shared prefix."""
        depth = self._control.target
        source = None  # COMPARE begins with nothing
        if self._request.purpose is Purpose.DEEPEN:
            source = self._shelf.for_deepening(self._prompt, depth)
            if source is not None:
                depth = self._kept = source.loops_used()
        elif not self._compares:
            source = self._shelf.for_send(self._prompt, depth)
        self._progress(self._kept, depth)
        return self._counted(
            lambda: self._model.build_resume_handle(
                self._prompt, L_used=depth, max_loops=max(depth, *self._model.config.efforts),
                start=source, **self._watch(),
            ),
            source,
        )  # fmt: skip

    def _extend(self, handle: Any, target: int) -> Any:
        deeper = self._counted(
            lambda: self._model.extend_handle(handle, target, **self._watch()), handle
        )
        handle.close()
        return deeper

    def _write(self, handle: Any) -> Finished | None:
        """Write the answer and keep its state; None when it was stopped before a word."""
        depth = handle.loops_used()
        self._emit(Writing(self._request.id, depth))
        try:
            tokens, state = self._generate(handle, depth)
        finally:
            self._pieces.flush()
        reason = self._model.last_run.finish_reason
        if reason != "cancelled":  # a stopped answer may go on with the rest of a character
            self._pieces.flush(self._detokenizer.flush())
        written = len(tokens) - len(self._prompt)
        if state is None or (reason == "cancelled" and not written):
            self._keep_unanswered(handle)
            return None
        handle.close()
        if self._compares:
            state.close()
        else:
            self._shelf.add(state, self._request.id.message, self._request.title)
        return Finished(self._request.id, reason, self._report(depth, written, reason))

    def _generate(self, handle: Any, depth: int) -> Any:
        """Return ``(ids, handle)``; without memory, states are freed and it is tried once more."""
        sampling = asdict(self._request.sampling)
        wanted = self._request.sampling.max_tokens
        sampling["max_tokens"] = room_left(len(self._prompt), self._model.max_seq_len, wanted)
        return self._with_room(
            lambda: self._model.resume_generate(
                handle, depth, return_handle=True, on_token=self._token,
                should_stop=self._stopping, **sampling,
            ),
            handle,
        )  # fmt: skip

    def _counted(self, call: Callable[[], Any], source: Any) -> Any:
        result = self._with_room(call, source)
        self._work.add(self._model.last_run)
        return result

    def _with_room(self, call: Callable[[], Any], source: Any) -> Any:
        """Run ``call``; out of memory frees other states than ``source`` and tries again."""
        try:
            return call()
        except OutOfMemory as error:
            needed, title = error.needed, self._request.title
            if self._times or not self._shelf.make_room(needed, title, spare=source):
                raise
        return call()

    def _keep_unanswered(self, handle: Any) -> None:
        """Keep a prompt that went deeper than what it came from; loops done are not lost."""
        if handle.loops_used() > self._kept and not self._compares:
            self._shelf.add(handle, "", self._request.title)
        else:
            handle.close()

    def _watch(self) -> dict[str, Any]:
        return {"on_progress": self._progress, "should_stop": self._control.stopping}

    def _progress(self, done: int, _total: int) -> None:
        self._emit(Progress(self._request.id, self._kept, done))

    def _stopping(self) -> bool:
        """Answer the engine's look while it writes, which is also a chance to hand on words."""
        self._pieces.flush_due()
        return self._control.stopping()

    def _token(self, token: int) -> None:
        self._times.append(time.perf_counter())
        self._pieces.add(token, self._detokenizer.push(token))

    def _report(self, depth: int, written: int, reason: str) -> RunReport:
        work, times = self._work, self._times
        return RunReport(
            depth=depth,
            prompt_tokens=len(self._prompt),
            kept_loops=self._kept,
            prefilled=work.prefilled,
            cells=work.cells,
            loops=(work.first or 0, work.last + 1),
            read_seconds=work.seconds,
            first_word=times[0] - self._request.clicked if times else 0.0,
            written=written,
            write_seconds=times[-1] - times[0] if times else 0.0,
            finish_reason=reason,
        )
