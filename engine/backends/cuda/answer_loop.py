"""Decode: one captured graph a token, several queued ahead, ids through pinned memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.backends.base import Work
from engine.backends.cuda.cache import CudaCache
from engine.backends.cuda.device import Gpu
from engine.backends.cuda.layers import TokenPass, segments
from engine.backends.cuda.shapes import MAILBOX
from engine.backends.cuda.workspace import Workspace
from engine.errors import ContextFull, DeviceError
from engine.kv_layout import CHUNK
from engine.sampling import Sampling

QUEUED = 4  # tokens on their way: enough that the device never waits for Python
FEWEST_CHUNKS = 4  # of the attention grid (one block a head); doubled until the position fits


@dataclass(slots=True)
class Run:
    """One answer under way: ids queued on the device and ids taken from it."""

    depth: int
    greedy: bool
    start: int  # positions read before the answer
    window: int
    queued: int = 1
    taken: int = 0


class AnswerLoop:
    """Owns the graphs: one for each (depth, greedy or not, chunks of keys), for every cache."""

    def __init__(self, gpu: Gpu, tokens: TokenPass, work: Workspace) -> None:
        self._gpu, self._tokens, self._work = gpu, tokens, work
        self._graphs: dict[tuple[int, bool, int], Any] = {}
        self._events = [gpu.event() for _ in range(QUEUED)]
        self.captures = 0

    def close(self) -> None:
        """Drop the graphs."""
        self._graphs.clear()

    def run(
        self, cache: CudaCache, depth: int, sampling: Sampling, done: Work,
        emit: Callable[[int], bool],
    ) -> None:  # fmt: skip
        """See ``Backend.decode``; ``done`` counts the tokens that were really taken up."""
        greedy = sampling.temperature == 0.0 and sampling.repetition_penalty == 1.0
        run = Run(depth, greedy, cache.length, cache.window)
        self._work.bind(cache, sampling)
        self._work.mark_seen(cache.ids[: cache.length])
        self._tokens.head_of(cache.length - 1)
        self._tokens.sample(greedy=greedy, first=True)
        self._gpu.stream.record(self._events[0])
        # A ring holds only what the window shows: no token may be written before it is wanted.
        ahead = 0 if cache.ring < cache.capacity else QUEUED - 1
        most = 1 + cache.capacity - cache.length
        try:
            while True:
                token = self._take(run)
                self._queue(run, min(run.taken + ahead, most))
                if not emit(token):
                    return
                if run.taken == most:
                    raise ContextFull(f"All {cache.capacity} positions of this cache are taken.")
                self._queue(run, run.taken + 1)
                _took(cache, token, depth)
                done.cells += depth
        finally:
            self._work.stop[0] = 1
            self._gpu.sync()

    def _queue(self, run: Run, wanted: int) -> None:
        """Queue graphs until ``wanted`` ids are on their way."""
        while run.queued < wanted:
            position = run.start + run.queued - 1
            self._gpu.run(self._graph(run, position))
            self._gpu.stream.record(self._events[run.queued % QUEUED])
            run.queued += 1

    def _take(self, run: Run) -> int:
        """Wait for the next id of this answer; the GIL is released meanwhile."""
        self._events[run.taken % QUEUED].sync()
        word = int(self._work.mailbox[run.taken % MAILBOX])
        run.taken += 1
        if word >> 32 != run.taken:
            raise DeviceError(
                "The GPU did not deliver the next word; this answer ends here. Try again."
            )
        return word & 0xFFFFFFFF

    def _graph(self, run: Run, position: int) -> Any:
        """Return the graph of the token at ``position``, captured the first time it is needed."""
        seen = min(position + 1, run.window + CHUNK) if run.window else position + 1
        chunks = FEWEST_CHUNKS
        while chunks * CHUNK < seen:
            chunks *= 2
        graph = self._graphs.get((run.depth, run.greedy, chunks))
        if graph is None:
            parts = segments(self._tokens.config, self._tokens.weights, range(run.depth))
            with self._gpu.capture() as captured:
                self._tokens.run(parts, chunks)
                self._tokens.sample(greedy=run.greedy, first=False)
            graph = self._graphs[run.depth, run.greedy, chunks] = captured[0]
            self.captures += 1
        return graph


def _took(cache: CudaCache, token: int, depth: int) -> None:
    """The device reads ``token``: the cache has one position more."""
    cache.ids[cache.length] = token
    cache.length += 1
    cache.depth = depth
    cache.wrote(cache.length)
