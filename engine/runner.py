"""The one path of every call: reuse what is kept, read the rest, extend, decode, keep a handle."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.answer import Answer
from engine.arguments import Request, check_room
from engine.backends.base import Backend, Cache, Scores, Work
from engine.errors import ContextFull, EngineError, LoopDepthError, ModelClosed, Stopped
from engine.report import LastRun, MemoryReport, Stopwatch
from engine.state import LoopState, ResumeHandle
from engine.tokenizer import Tokenizer
from engine.watch import Watch

Tokens = NDArray[np.int32]
WithHandle = tuple[list[int], ResumeHandle | None]
Generated = list[int] | WithHandle


@dataclass(frozen=True, slots=True)
class Plan:
    """What a call needs read: ``tokens`` at ``depth`` under ``window``, from ``source`` if any.

    ``room`` positions are reserved behind the prompt, slots for ``max_loops`` loops.
    """

    tokens: Tokens
    depth: int
    window: int
    max_loops: int
    source: LoopState | None = None
    room: int = 0

    def reusable(self) -> int:
        """Return how many leading positions can be taken from ``source``."""
        if self.source is None:
            return 0
        shared = self.source.common_prefix(self.tokens)
        return shared if self.source.serves(shared, self.window) else 0

    def with_answer(self, request: Request, deepest: int) -> Plan:
        """Reserve room for the answer, and for deeper loops when a handle is wanted.

        ``deepest`` is what a handle gets that nothing else sizes. Raises LoopDepthError.
        """
        override = request.sampling.decode_loops
        if override is not None and override > self.depth:
            raise LoopDepthError(
                f"decode_loops is {override}, above the depth {self.depth}.", depth=self.depth
            )
        most = self.max_loops
        if request.return_handle:
            if self.source is not None and self.window != self.source.window:
                raise LoopDepthError(
                    "return_handle cannot be combined with a narrower cache_window: "
                    "the handle would be read under two masks."
                )
            own = 0 if self.source is None else self.source.cache.max_loops
            most = request.max_loops or max(own or deepest, self.depth)
            check_room(self.depth, most, "the depth")
        return replace(self, max_loops=max(most, 1), room=request.sampling.max_tokens)


class Runner:
    """Owns a model's backend and runs one plan at a time; the owner of all its states."""

    def __init__(self, backend: Backend, tokenizer: Tokenizer, max_seq_len: int) -> None:
        """``max_seq_len`` positions is the most a prompt with its answer may take."""
        self.last_run = LastRun()
        self.max_seq_len = max_seq_len
        self._backend = backend
        self._tokenizer = tokenizer
        self._lock = threading.Lock()
        self._caller: int | None = None  # the thread inside a call
        self._closed = False
        self._states: weakref.WeakSet[LoopState] = weakref.WeakSet()
        self._states_lock = threading.Lock()  # memory_report may come from any thread

    def build(self, plan: Plan, watch: Watch) -> LoopState:
        """Read the plan's prompt and keep it."""
        with self._call() as (stack, clock):
            cache = self._working_cache(plan, watch, stack, clock)
            return self._keep(plan.tokens, plan.window, cache, stack)

    def answer(self, plan: Plan, request: Request) -> Generated:
        """Read the plan's prompt and write an answer; see ``Model.generate``."""
        answer = Answer(request, self._tokenizer.stop_ids, self._tokenizer.token_bytes)
        tokens = [int(t) for t in plan.tokens]
        with self._call() as (stack, clock):
            try:
                cache = self._working_cache(plan, request.watch, stack, clock)
            except Stopped:
                self._report(clock, "cancelled")
                return (tokens, None) if request.return_handle else tokens
            with clock.phase("decode"):
                self._backend.decode(cache, plan.depth, request.sampling, answer.emit)
            tokens += answer.finish()
            self._report(clock, answer.finish_reason)
            if not request.return_handle:
                return tokens
            cache.length = min(cache.length, len(tokens))  # a cut stop sequence is not kept
            read = np.array(tokens[: cache.length], np.int32)
            return tokens, ResumeHandle(self._keep(read, plan.window, cache, stack))

    def score(self, plan: Plan, deeper: int, watch: Watch) -> tuple[Scores, LoopState]:
        """Read the plan's prompt, go on to ``deeper``; return the scores and the deeper state."""
        with self._call() as (stack, clock):
            cache = self._working_cache(plan, watch, stack, clock)
            with clock.phase("extend"):
                scores = self._backend.score(cache, deeper, watch)
            return scores, self._keep(plan.tokens, plan.window, cache, stack)

    def _working_cache(self, plan: Plan, watch: Watch, stack: ExitStack, clock: Stopwatch) -> Cache:
        """Return a cache that holds the plan's prompt at its depth; ``stack`` frees it."""
        capacity = len(plan.tokens) + plan.room
        if capacity > self.max_seq_len:
            raise ContextFull(
                f"{len(plan.tokens)} prompt tokens and {plan.room} for the answer do not fit "
                f"{self.max_seq_len} positions; shorten the prompt or lower max_tokens.",
                prompt=len(plan.tokens), room=plan.room, limit=self.max_seq_len,
            )  # fmt: skip
        reuse = plan.reusable()
        if plan.source is not None and reuse:
            cache = self._backend.clone(plan.source.cache, reuse, capacity, plan.max_loops)
        else:
            cache = self._backend.new_cache(capacity, plan.max_loops, plan.window)
        stack.callback(cache.free)
        cache.window = plan.window
        if reuse < len(plan.tokens):
            depth = cache.depth if reuse else plan.depth
            with clock.phase("prefill"):
                self._backend.prefill(cache, plan.tokens[reuse:], reuse, depth, watch)
        if cache.depth < plan.depth:
            with clock.phase("extend"):
                self._backend.extend(cache, cache.depth, plan.depth, watch)
        return cache

    def _keep(self, tokens: Tokens, window: int, cache: Cache, stack: ExitStack) -> LoopState:
        """Turn a working cache into a state that outlives the call."""
        stack.pop_all()
        tokens = tokens.copy()
        tokens.setflags(write=False)
        state = LoopState(tokens, cache.depth, window, cache, self)
        with self._states_lock:
            self._states.add(state)
        return state

    @contextmanager
    def _call(self) -> Iterator[tuple[ExitStack, Stopwatch]]:
        """Take the model for one call; what is left on the stack is freed at its end."""
        self._refuse_own_callback()
        with self._lock:
            self.check_open()
            self._caller = threading.get_ident()
            clock = Stopwatch()
            self._backend.work = Work()
            self.last_run = LastRun()
            try:
                with ExitStack() as stack:
                    yield stack, clock
            finally:
                self._caller = None
                self._report(clock, self.last_run.finish_reason)

    def _report(self, clock: Stopwatch, finish_reason: str) -> None:
        self.last_run = clock.report(self._backend.work, finish_reason)

    def _refuse_own_callback(self) -> None:
        if self._caller == threading.get_ident():
            raise EngineError("A callback called the model it is running in; call it afterwards.")

    def check_open(self) -> None:
        """Raise ModelClosed after ``close()``."""
        if self._closed:
            raise ModelClosed("The model was closed; open it again.")

    def memory_report(self) -> MemoryReport:
        """Return bytes of weights, K/V and states; safe while another thread runs a call."""
        self.check_open()
        memory = self._backend.memory()
        with self._states_lock:
            caches = [state.cache for state in self._states]
        return MemoryReport(
            weights=memory.weights,
            kv=sum(c.kv_bytes for c in caches),
            states=sum(c.state_bytes for c in caches),
            free=memory.free,
            total=memory.total,
        )

    def close(self) -> None:
        """Free weights and all handles' memory; waits for a running call. Twice is fine."""
        self._refuse_own_callback()
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for state in list(self._states):
                state.cache.free()
            self._backend.close()
