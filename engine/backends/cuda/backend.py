"""The model on an NVIDIA GPU: the nine methods of Backend over kernels and device memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import Cache, CacheArrays, DeviceMemory, OnCompile, Scores, Work
from engine.backends.cuda.answer_loop import AnswerLoop
from engine.backends.cuda.cache import CudaCache
from engine.backends.cuda.compiler import Source, cubins, sources
from engine.backends.cuda.device import Gpu
from engine.backends.cuda.kernels import entries, stream_bytes
from engine.backends.cuda.layers import (
    RowPass,
    Rows,
    Segment,
    TokenPass,
    loop_segment,
    post_segments,
    read_segment,
)
from engine.backends.cuda.shapes import PREFILL_ROWS, Shapes
from engine.backends.cuda.weights import DeviceWeights, kinds
from engine.backends.cuda.workspace import Workspace
from engine.errors import DeviceError, OutOfMemory
from engine.kv_layout import CHUNK
from engine.sampling import Sampling
from engine.watch import Watch
from engine.weights import ModelFile


class CudaBackend:
    """See ``engine.backends.base.Backend`` for the contract."""

    def __init__(
        self,
        gpu: Gpu,
        file: ModelFile,
        max_seq_len: int,
        banned_ids: frozenset[int],
        on_compile: OnCompile | None = None,
    ) -> None:
        """Compile (or read from disk) the kernels and upload the weights.

        Raises DeviceError for a shape the kernels do not know, OutOfMemory when the weights do
        not fit; nothing stays on the device then.
        """
        shapes = Shapes(file.config, file.tensor("embed.weight").dtype == np.float32)
        shapes.check()
        self.name = f"cuda ({gpu.name})"
        self.work = Work()
        self.config = file.config
        self._gpu = gpu
        with gpu.use():
            self._weights = DeviceWeights(gpu, file, shapes, max_seq_len)
        try:
            with gpu.use():
                self._load(sources(shapes, gpu.arch, kinds(self._weights)), on_compile)
                self._prepare(shapes, max_seq_len, banned_ids)
        except (DeviceError, OutOfMemory):
            self._weights.close()
            raise

    def _load(self, programs: list[Source], on_compile: OnCompile | None) -> None:
        """Load the kernels, compiled where that was not done before."""
        for source, cubin in zip(programs, cubins(programs, on_compile), strict=True):
            self._gpu.load(cubin, entries(source), stream_bytes(source))

    def _prepare(self, shapes: Shapes, max_seq_len: int, banned_ids: frozenset[int]) -> None:
        """Allocate what every call shares."""
        gpu = self._gpu
        self._space = Workspace(gpu, shapes, max_seq_len, banned_ids)
        self._rows = RowPass(gpu, shapes, self._weights, self._space)
        self._tokens = TokenPass(gpu, shapes, self._weights, self._space)
        self._answers = AnswerLoop(gpu, self._tokens, self._space)
        gpu.sync()

    # -- the nine methods ---------------------------------------------------------------------

    def new_cache(self, capacity: int, max_loops: int, window: int) -> CudaCache:
        """Return an empty cache."""
        with self._gpu.use():
            return CudaCache(self._gpu, self.config, capacity, max_loops, window)

    def clone(self, cache: Cache, length: int, capacity: int, max_loops: int) -> CudaCache:
        """Return a copy of the first ``length`` positions, made on the device."""
        source = _own(cache)
        copy = self.new_cache(capacity, max_loops, source.window)
        with self._gpu.use():
            copy.copy_from(source, length)
        return copy

    def prefill(
        self, cache: Cache, ids: NDArray[np.int32], start: int, loops: int, watch: Watch
    ) -> None:
        """Read ``ids`` at positions ``start``…, all layers, ``loops`` loops."""
        own = _own(cache)
        stop = start + len(ids)
        own.ids[start:stop] = ids
        watch.progress(0, loops)
        with self._gpu.use():
            self._space.bind(own)
            self._gpu.upload(own.address("ids") + 4 * start, own.ids[start:stop])
            for rows in self._passes(read_segment(self._weights), own, (start, stop), watch):
                self.work.prefilled += rows.count
            self._run_loops(own, (start, stop), range(loops), watch)
            own.length, own.depth = stop, loops
            self._run_post(own, (start, stop), watch)
            self._gpu.sync()

    def extend(self, cache: Cache, from_loop: int, to_loop: int, watch: Watch) -> None:
        """Run loops [from_loop, to_loop) over all positions from their stored states."""
        own = _own(cache)
        watch.progress(from_loop, to_loop)
        with self._gpu.use():
            self._space.bind(own)
            self._run_loops(own, (0, own.length), range(from_loop, to_loop), watch)
            self._run_post(own, (0, own.length), watch)
            self._gpu.sync()
        own.depth = to_loop

    def decode(
        self, cache: Cache, loops: int, sampling: Sampling, emit: Callable[[int], bool]
    ) -> None:
        """Write an answer token by token."""
        depth = loops if sampling.decode_loops is None else sampling.decode_loops
        with self._gpu.use():
            self._answers.run(_own(cache), depth, sampling, self.work, emit)

    def score(self, cache: Cache, deeper: int, watch: Watch) -> Scores:
        """Read the logits, extend, read them again and compare them on the device."""
        own = _own(cache)
        with self._gpu.use():
            self._space.bind(own)
            self._tokens.head_of(own.length - 1)
            self._space.keep_logits()
        if deeper > own.depth:
            self.extend(own, own.depth, deeper, watch)
        with self._gpu.use():
            self._tokens.head_of(own.length - 1)
            self._tokens.compare()
            logits = self._gpu.download(
                self._space.address("logits"), (self.config.vocab_size,), np.float32
            )
            divergence = self._gpu.download(self._space.address("divergence"), (1,), np.float32)
        return Scores(logits, float(divergence[0]))

    def read(self, cache: Cache) -> CacheArrays:
        """Copy the filled part of a cache out, in order of position."""
        own = _own(cache)
        with self._gpu.use():
            return CacheArrays(
                keys=own.arrays("keys"),
                values=own.arrays("values"),
                state=own.rows("state"),
                injected=own.rows("injected"),
            )

    def memory(self) -> DeviceMemory:
        """Return the bytes of weights and workspace, and what the device has free."""
        with self._gpu.use():
            free, total = self._gpu.memory()
        return DeviceMemory(self._weights.nbytes + self._space.nbytes, free, total)

    def close(self) -> None:
        """Free the weights, the workspace and the graphs."""
        with suppress(DeviceError), self._gpu.use():
            self._answers.close()
        self._space.close()
        self._weights.close()
        self._gpu.close()

    # -- passes over many rows ----------------------------------------------------------------

    def _runs(self, cache: CudaCache, start: int, stop: int) -> list[Rows]:
        """Cut [start, stop) into passes. A ring is written a chunk at a time: see kv_layout."""
        wraps = cache.ring < cache.capacity
        most = CHUNK if wraps else PREFILL_ROWS
        runs = []
        while start < stop:
            count = min(stop - start, most - (start % CHUNK if wraps else 0))
            runs.append(Rows(start, count))
            start += count
        return runs

    def _run_loops(
        self, cache: CudaCache, span: tuple[int, int], loops: range, watch: Watch
    ) -> None:
        """Take the states of positions ``span`` through ``loops``, loop by loop."""
        for loop in loops:
            segment = loop_segment(self.config, self._weights, loop)
            for rows in self._passes(segment, cache, span, watch):
                self.work.cells += rows.count
                self.work.loops.add(loop)
            watch.progress(loop + 1, loops.stop)

    def _run_post(self, cache: CudaCache, span: tuple[int, int], watch: Watch) -> None:
        """Run the post layers over positions ``span`` from their states."""
        for segment in post_segments(self.config, self._weights):
            for _ in self._passes(segment, cache, span, watch):
                pass

    def _passes(
        self, segment: Segment, cache: CudaCache, span: tuple[int, int], watch: Watch
    ) -> Iterator[Rows]:
        """Run a segment over ``span``, pass by pass.

        Somebody who watches hears of what is done, not of what is queued, and can stop before
        any layer; else everything is queued at once.
        """
        watched = watch.on_progress is not None or watch.should_stop is not None

        def poll() -> None:
            if watched:
                self._gpu.sync()
            watch.check()

        for rows in self._runs(cache, *span):
            self._rows.run(segment, rows, poll)
            if watched:
                self._gpu.sync()
            yield rows
        cache.wrote(span[1])


def _own(cache: Cache) -> CudaCache:
    assert isinstance(cache, CudaCache)
    return cache
