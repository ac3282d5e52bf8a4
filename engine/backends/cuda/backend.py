"""The model on an NVIDIA GPU: the nine methods of Backend over kernels and device memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import Cache, CacheArrays, DeviceMemory, Work
from engine.backends.cuda.answer_loop import AnswerLoop
from engine.backends.cuda.cache import CudaCache
from engine.backends.cuda.compiler import cached_cubin, sources
from engine.backends.cuda.device import Gpu, device_errors
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
        self, gpu: Gpu, file: ModelFile, max_seq_len: int, banned_ids: frozenset[int]
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
        gpu.enter()
        with device_errors():
            self._weights = DeviceWeights(gpu, file, shapes, max_seq_len)
        try:
            with device_errors():
                self._prepare(shapes, max_seq_len, banned_ids)
        except (DeviceError, OutOfMemory):
            self._weights.close()
            raise

    def _prepare(self, shapes: Shapes, max_seq_len: int, banned_ids: frozenset[int]) -> None:
        """Load the kernels and allocate what every call shares."""
        gpu = self._gpu
        for source in sources(shapes, gpu.arch, kinds(self._weights)):
            gpu.load(cached_cubin(source), entries(source), stream_bytes(source))
        self._space = Workspace(gpu, shapes, max_seq_len, banned_ids)
        self._rows = RowPass(gpu, shapes, self._weights, self._space)
        self._tokens = TokenPass(gpu, shapes, self._weights, self._space)
        self._answers = AnswerLoop(gpu, self._tokens, self._space)
        gpu.sync()

    # -- the nine methods ---------------------------------------------------------------------

    def new_cache(self, capacity: int, max_loops: int, window: int) -> CudaCache:
        """Return an empty cache."""
        self._gpu.enter()
        with device_errors():
            return CudaCache(self._gpu, self.config, capacity, max_loops, window)

    def clone(self, cache: Cache, length: int, capacity: int, max_loops: int) -> CudaCache:
        """Return a copy of the first ``length`` positions, made on the device."""
        source = _own(cache)
        copy = self.new_cache(capacity, max_loops, source.window)
        with device_errors():
            copy.copy_from(source, length)
        return copy

    def prefill(
        self, cache: Cache, ids: NDArray[np.int32], start: int, loops: int, watch: Watch
    ) -> None:
        """Read ``ids`` at positions ``start``…, all layers, ``loops`` loops."""
        own = _own(cache)
        self._gpu.enter()
        stop = start + len(ids)
        own.ids[start:stop] = ids
        watch.progress(0, loops)
        with device_errors():
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
        self._gpu.enter()
        watch.progress(from_loop, to_loop)
        with device_errors():
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
        self._gpu.enter()
        with device_errors():
            self._answers.run(_own(cache), depth, sampling, self.work, emit)

    def logits(self, cache: Cache, loops: int) -> NDArray[np.float32]:
        """Return the logits [vocab] of the last position."""
        own = _own(cache)
        assert loops == own.depth
        self._gpu.enter()
        with device_errors():
            self._space.bind(own)
            self._tokens.head_of(own.length - 1)
            shape = (self.config.vocab_size,)
            return self._gpu.download(self._space.address("logits"), shape, np.float32)

    def read(self, cache: Cache) -> CacheArrays:
        """Copy the filled part of a cache out, in order of position."""
        own = _own(cache)
        self._gpu.enter()
        with device_errors():
            return CacheArrays(
                keys=own.arrays("keys"),
                values=own.arrays("values"),
                state=own.rows("state"),
                injected=own.rows("injected"),
            )

    def memory(self) -> DeviceMemory:
        """Return the bytes of weights and workspace, and what the device has free."""
        self._gpu.enter()
        with device_errors():
            free, total = self._gpu.memory()
        return DeviceMemory(self._weights.nbytes + self._space.nbytes, free, total)

    def close(self) -> None:
        """Free the weights, the workspace and the graphs."""
        self._gpu.enter()
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
