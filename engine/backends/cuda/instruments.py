"""What the bench asks of a CUDA backend beside answers: the bandwidth, and what Python costs."""

from __future__ import annotations

import statistics
import time

from engine.backends.cuda.answer_loop import QUEUED, Run
from engine.backends.cuda.backend import CudaBackend
from engine.backends.cuda.cache import CudaCache

COPIED = 1 << 30  # bytes: far more than any cache on the device holds
REPEATS = 10


def copy_bandwidth(backend: CudaBackend) -> float:
    """Return bytes a second, read plus written, of a large copy on the device."""
    gpu = backend._gpu
    seconds = []
    with gpu.use():
        pair = [gpu.allocate(COPIED) for _ in range(2)]
        to, start = (int(buffer.handle) for buffer in pair)
        for _ in range(REPEATS):
            gpu.sync()
            began = time.perf_counter()
            gpu.copy_rows((to, 0), (start, 0), COPIED, 1)
            gpu.sync()
            seconds.append(time.perf_counter() - began)
        gpu.release(pair)
    return 2 * COPIED / statistics.median(seconds)


def queueing_us(backend: CudaBackend, cache: CudaCache, loops: int) -> float:
    """Return the microseconds Python takes to queue one token at ``loops`` loops.

    As many are queued at a time as an answer keeps on their way: a full queue would make
    Python wait. The cache needs room for them all; its content is spoilt.
    """
    gpu, answers = backend._gpu, backend._answers
    count, spent = QUEUED - 1, []
    with gpu.use():
        graph = answers._graph(Run(loops, True, cache.length, 0), cache.length + REPEATS * count)
        backend._space.bind(cache)
        done = gpu.event()
        for _ in range(REPEATS):
            gpu.sync()
            began = time.perf_counter()
            for _ in range(count):
                gpu.run(graph)
                gpu.stream.record(done)
            spent.append((time.perf_counter() - began) / count)
        gpu.sync()
    return statistics.median(spent) * 1e6
