"""The engine's one public class: checks and policy, no arithmetic."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Literal, Self, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from engine.arguments import (
    Prompt,
    Request,
    check_depth,
    check_kv_mode,
    check_max_loops,
    check_positive,
    check_request,
    check_room,
    check_tokens,
    check_watch,
    check_window,
)
from engine.backends import open_backend
from engine.backends.base import OnCompile
from engine.errors import ContextFull, LoopDepthError, WrongModel
from engine.prefix_pool import PrefixPool
from engine.report import LastRun, MemoryReport
from engine.runner import Generated, Plan, Runner, WithHandle
from engine.sampling import SamplingArgs
from engine.state import LoopState, PrefixCache, ResumeHandle, View
from engine.tokenizer import Tokenizer
from engine.watch import WatchArgs
from engine.weights import open_model_file


class Model:
    """A looped model on one device. Calls from several threads are taken one after another.

    Calling a model from one of its own callbacks raises EngineError.
    """

    def __init__(
        self,
        path: str | Path,
        max_seq_len: int | None = None,
        device: str = "auto",
        kv_mode: str | None = None,
        on_compile: OnCompile | None = None,
    ) -> None:
        """Load a `.tinyloop` file.

        Args:
            path: the model file.
            max_seq_len: positions to allow; None or at most the file's.
            device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
            kv_mode: ``fp16`` (None: the same); the lossy modes come later.
            on_compile: called as (done, total) while the GPU's programs are compiled, which the
                first use of a model's shape on a GPU takes seconds for; not called otherwise.

        Raises:
            ModelFileError: the file is unreadable or wrong.
            DeviceError: a GPU asked for by name cannot be used.
            ValueError, EngineError, NotImplementedError: bad arguments.
        """
        check_kv_mode(kv_mode)
        file = open_model_file(path)
        self.config = file.config
        self.name, self.license, self.source = file.name, file.license, file.source
        self.loops_eval = file.loops_eval
        self.file_bytes, self.parameters = file.header.file_size, file.parameters
        self.fingerprint = file.fingerprint
        self.max_seq_len = self._positions(max_seq_len)
        self.tokenizer = Tokenizer(file.tokenizer, file.config, str(path))
        banned = self.tokenizer.control_ids - self.tokenizer.stop_ids
        backend, self.device_note = open_backend(device, file, self.max_seq_len, banned, on_compile)
        self.device = backend.name
        self._runner = Runner(backend, self.tokenizer, self.max_seq_len)

    def _positions(self, wanted: int | None) -> int:
        limit = self.config.max_seq_len
        if wanted is not None and check_positive("max_seq_len", wanted) > limit:
            raise ContextFull(
                f"max_seq_len is {wanted}, but the model was trained for {limit} positions.",
                wanted=wanted, limit=limit,
            )  # fmt: skip
        return limit if wanted is None else int(wanted)

    # -- building -----------------------------------------------------------------------------

    def build_resume_handle(
        self,
        prompt: Prompt,
        L_used: int = 8,
        max_loops: int = 32,
        cache_window: int = 0,
        start: ResumeHandle | PrefixCache | None = None,
        **watch: Unpack[WatchArgs],
    ) -> ResumeHandle:
        """Read ``prompt`` at ``L_used`` loops, with room for ``max_loops``.

        ``start`` (same model, depth and window) is cut at the longest common prefix and only
        the rest is read; no layer runs when it covers the prompt. Raises LoopDepthError,
        ContextFull, OutOfMemory, Stopped, ValueError.
        """
        depth, most = check_depth("L_used", L_used), check_max_loops(max_loops)
        check_room(depth, most, "L_used")
        plan = self._plan(prompt, depth, check_window(cache_window), most, start)
        return ResumeHandle(self._runner.build(plan, check_watch(watch)))

    def build_prefix_cache(
        self, prompt: Prompt, n_loops: int = 8, cache_window: int = 0, **watch: Unpack[WatchArgs]
    ) -> PrefixCache:
        """Read ``prompt`` at ``n_loops`` loops, to be continued many times at that depth."""
        depth = check_depth("n_loops", n_loops)
        plan = self._plan(prompt, depth, check_window(cache_window), max(depth, 1), None)
        return PrefixCache(self._runner.build(plan, check_watch(watch)))

    def extend_handle(
        self, handle: ResumeHandle, new_L: int, **watch: Unpack[WatchArgs]
    ) -> ResumeHandle:
        """Return a new handle at ``new_L`` loops; only loops [loops_used, new_L) run."""
        state = self._own_state(handle, ResumeHandle)
        depth = self._deeper(state, new_L)
        plan = Plan(state.tokens, depth, state.window, state.cache.max_loops, state)
        return ResumeHandle(self._runner.build(plan, check_watch(watch)))

    # -- generating ---------------------------------------------------------------------------

    @overload
    def generate(
        self,
        prompt: Prompt,
        loops: int = 8,
        *,
        return_handle: Literal[False] = False,
        **sampling: Unpack[SamplingArgs],
    ) -> list[int]: ...

    @overload
    def generate(
        self,
        prompt: Prompt,
        loops: int = 8,
        *,
        return_handle: Literal[True],
        **sampling: Unpack[SamplingArgs],
    ) -> WithHandle: ...

    def generate(
        self,
        prompt: Prompt,
        loops: int = 8,
        *,
        return_handle: bool = False,
        **sampling: Unpack[SamplingArgs],
    ) -> Generated:
        """Return prompt + answer as token ids, read and written at ``loops`` loops.

        With ``return_handle``: (ids, ResumeHandle or None when stopped before all was read).
        See ``Sampling`` for the keywords.
        """
        depth, request = check_depth("loops", loops), self._request(sampling, return_handle)
        return self._answer(self._plan(prompt, depth, request.window, depth, None), request)

    @overload
    def resume_generate(
        self,
        handle: ResumeHandle,
        new_L: int,
        *,
        return_handle: Literal[False] = False,
        **sampling: Unpack[SamplingArgs],
    ) -> list[int]: ...

    @overload
    def resume_generate(
        self,
        handle: ResumeHandle,
        new_L: int,
        *,
        return_handle: Literal[True],
        **sampling: Unpack[SamplingArgs],
    ) -> WithHandle: ...

    def resume_generate(
        self,
        handle: ResumeHandle,
        new_L: int,
        *,
        return_handle: bool = False,
        **sampling: Unpack[SamplingArgs],
    ) -> Generated:
        """Take a handle to ``new_L`` loops and answer; loops below its depth do not run again.

        The handle is unchanged and can be resumed any number of times.
        """
        request = self._request(sampling, return_handle)
        state = self._own_state(handle, ResumeHandle)
        depth = self._deeper(state, new_L)
        window = state.narrowed(request.window)
        return self._answer(Plan(state.tokens, depth, window, depth, state), request)

    @overload
    def generate_from_prefix_cache(
        self,
        cache: PrefixCache,
        loops: int = 8,
        suffix: Prompt = (),
        *,
        return_handle: Literal[False] = False,
        **sampling: Unpack[SamplingArgs],
    ) -> list[int]: ...

    @overload
    def generate_from_prefix_cache(
        self,
        cache: PrefixCache,
        loops: int = 8,
        suffix: Prompt = (),
        *,
        return_handle: Literal[True],
        **sampling: Unpack[SamplingArgs],
    ) -> WithHandle: ...

    def generate_from_prefix_cache(
        self,
        cache: PrefixCache,
        loops: int = 8,
        suffix: Prompt = (),
        *,
        return_handle: bool = False,
        **sampling: Unpack[SamplingArgs],
    ) -> Generated:
        """Answer prefix + ``suffix``, reading the suffix only. ``loops`` must be the cache's."""
        request = self._request(sampling, return_handle)
        state = self._own_state(cache, PrefixCache)
        depth = check_depth("loops", loops)
        if depth != state.depth:
            raise LoopDepthError(
                f"loops is {depth}, but the prefix cache was read at {state.depth}.",
                depth=depth, n_loops=state.depth,
            )  # fmt: skip
        ids = check_tokens("suffix", suffix, self.config.vocab_size, may_be_empty=True)
        tokens = np.concatenate([state.tokens, ids])
        window = state.narrowed(request.window)
        return self._answer(Plan(tokens, depth, window, depth, state), request)

    @overload
    def generate_with_pool(
        self,
        pool: PrefixPool,
        prompt: Prompt,
        loops: int = 8,
        *,
        return_handle: Literal[False] = False,
        **sampling: Unpack[SamplingArgs],
    ) -> list[int]: ...

    @overload
    def generate_with_pool(
        self,
        pool: PrefixPool,
        prompt: Prompt,
        loops: int = 8,
        *,
        return_handle: Literal[True],
        **sampling: Unpack[SamplingArgs],
    ) -> WithHandle: ...

    def generate_with_pool(
        self,
        pool: PrefixPool,
        prompt: Prompt,
        loops: int = 8,
        *,
        return_handle: bool = False,
        **sampling: Unpack[SamplingArgs],
    ) -> Generated:
        """Answer ``prompt`` from the longest fitting entry of ``pool``, or from nothing."""
        depth, request = check_depth("loops", loops), self._request(sampling, return_handle)
        plan = self._plan(prompt, depth, request.window, depth, None)
        if not isinstance(pool, PrefixPool):
            raise TypeError(f"expected a PrefixPool, found {type(pool).__name__}.")
        source = pool.match(self._runner, plan.tokens, depth, request.window)
        return self._answer(Plan(plan.tokens, depth, request.window, depth, source), request)

    def score_with_uncertainty(
        self,
        prompt_or_handle: Prompt | ResumeHandle,
        L_lo: int = 8,
        L_hi: int = 16,
        return_handle: bool = False,
        **watch: Unpack[WatchArgs],
    ) -> tuple[NDArray[np.float32], float] | tuple[NDArray[np.float32], float, ResumeHandle]:
        """Return (logits [vocab] at ``L_hi``, KL(p_hi || p_lo) in nats) for the next token.

        One pass: read at ``L_lo``, go on to ``L_hi``. From a handle only the loops above its
        depth run. With ``return_handle`` the deeper handle comes third.
        """
        low, high = check_depth("L_lo", L_lo), check_depth("L_hi", L_hi)
        if low > high:
            raise ValueError(f"L_lo must not exceed L_hi, found {low} and {high}.")
        if isinstance(prompt_or_handle, ResumeHandle):
            state = self._own_state(prompt_or_handle)
            self._deeper(state, low)
            self._deeper(state, high)
            plan = Plan(state.tokens, low, state.window, state.cache.max_loops, state)
        else:
            most = max(high, self.config.efforts[-1])
            plan = self._plan(prompt_or_handle, low, 0, most, None)
        scores, kept = self._runner.score(plan, high, check_watch(watch))
        found = scores.logits, scores.divergence
        return (*found, ResumeHandle(kept)) if return_handle else found

    # -- shared by the calls ------------------------------------------------------------------

    def _answer(self, plan: Plan, request: Request) -> Generated:
        return self._runner.answer(plan.with_answer(request, self.config.efforts[-1]), request)

    def _plan(
        self,
        prompt: Prompt,
        depth: int,
        window: int,
        max_loops: int,
        start: ResumeHandle | PrefixCache | None,
    ) -> Plan:
        tokens = check_tokens("prompt", prompt, self.config.vocab_size)
        state = None if start is None else self._own_state(start)
        if state is not None and (state.depth, state.window) != (depth, window):
            raise LoopDepthError(
                f"start was read at {state.depth} loops with window {state.window}; "
                f"this call wants {depth} loops with window {window}.",
                depth=depth, start_depth=state.depth,
            )  # fmt: skip
        return Plan(tokens, depth, window, max_loops, state)

    def _request(self, options: SamplingArgs, return_handle: bool) -> Request:
        return check_request(options, return_handle, self.config.vocab_size)

    def _own_state(self, view: View, kind: type[View] = View) -> LoopState:
        self._runner.check_open()
        if not isinstance(view, kind):
            raise TypeError(f"expected a {kind.__name__}, found {type(view).__name__}.")
        if view.state.owner is not self._runner:
            raise WrongModel(f"This {type(view).__name__} belongs to another model.")
        return view.state

    def _deeper(self, state: LoopState, new_L: object) -> int:
        depth = check_depth("new_L", new_L)
        most = state.cache.max_loops
        if not state.depth <= depth <= most:
            raise LoopDepthError(
                f"new_L is {depth}, but this handle serves {state.depth} to {most} loops.",
                depth=depth, loops_used=state.depth, max_loops=most,
            )  # fmt: skip
        return depth

    def find_in_pool(
        self, pool: PrefixPool, tokens: Prompt, n_loops: int, cache_window: int
    ) -> int | None:
        """Check a registration's arguments and return the entry that holds it already."""
        self._runner.check_open()
        ids = check_tokens("tokens", tokens, self.config.vocab_size)
        depth, window = check_depth("n_loops", n_loops), check_window(cache_window)
        return pool.find(self._runner, ids, depth, window)

    @property
    def last_run(self) -> LastRun:
        """What the last call really ran."""
        return self._runner.last_run

    def memory_report(self) -> MemoryReport:
        """Return the bytes used by weights and live handles, and what the device has left."""
        return self._runner.memory_report()

    def close(self) -> None:
        """Free weights and all handles' memory; waits for a running call. Twice is fine."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
