"""Measures one model where it runs: writing, reading, resuming, and whether the bits agree."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backends import gpu_number, open_backend
from engine.backends.base import Cache
from engine.errors import DeviceError
from engine.file_header import StoredTensor
from engine.kv_layout import num_slots
from engine.random_model import random_model, shape_config
from engine.sampling import Sampling
from engine.watch import Watch
from engine.weights import ModelFile, open_model_file

BUNDLED = "bundled"
DEPTHS = (4, 8, 16, 32)
CONTEXTS = (128, 512, 1024, 4096)
CPU_CONTEXTS = (128, 512)  # longer ones take minutes there
ROOM = 128  # positions for what is written behind a context
PREFIX, ANSWER = 128, 16  # tokens of the resume experiment
CHECKED_PROMPT, CHECKED_ANSWER = 100, 12
COPIED = 1 << 26  # FP32 numbers of a copy in main memory
FP32_BYTES = 4
FIRST_ID = 6  # the ids before it are marks

Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Row:
    """Writing behind ``context`` tokens at ``loops`` loops, and reading those tokens.

    ``us_loop`` is what each loop above the fewest adds to a token. ``bytes_token`` must be read
    for one token: weights of every layer run, the head, K and V; ``share_of_copy`` compares
    their speed with the device's copies. ``host_us_token``: of Python to queue a token (GPU).
    """

    context: int
    loops: int
    us_token: float
    us_loop: float | None
    tokens_per_s: float
    bytes_token: int
    share_of_copy: float
    host_us_token: float | None
    read_us_token: float


@dataclass(frozen=True, slots=True)
class Resuming:
    """Milliseconds of 128 tokens read and 16 written, with ``kept`` loops deepened to ``loops``.

    ``build``: reading at ``kept``. ``resume``: a copy of that state deepened, and the answer.
    ``fresh``: reading at ``loops``, and the answer. The first words are the same two up to one
    token.
    """

    kept: int
    loops: int
    build_ms: float
    resume_ms: float
    fresh_ms: float
    first_word_resumed_ms: float
    first_word_fresh_ms: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was compared before anything was timed; ``differs`` names the first that differs.

    ``tokens`` of a resumed answer against a fresh one's, and ``nbytes`` of K, V and states
    against those of the whole text read at once.
    """

    tokens: int
    nbytes: int
    differs: str = ""


def open_shape(shape: str, model: Path, device: str) -> ModelFile:
    """Return the model file of a shape: ``model``'s for ``bundled``, else random weights.

    Raises ValueError or DeviceError where only a CPU would run a shape too large for it.
    """
    if shape == BUNDLED:
        return open_model_file(model)
    if device == "cpu":
        raise ValueError(
            f"The shape {shape} is for a GPU: expected --device cuda, found cpu. "
            f"On the CPU measure {BUNDLED}."
        )
    from engine.backends.cuda.probe import find_gpu

    try:
        find_gpu(gpu_number(device), 0).close()  # before weights are made in vain
    except DeviceError as error:
        raise DeviceError(f"The shape {shape} is for a GPU. {error}") from error
    return random_model(shape_config(shape), shape)


class Bench:
    """One model on one device, opened for as many positions as ``contexts`` need.

    ``repeats`` times are measured after one that is not, and their median counts; ``written``
    tokens are timed together. A context may be longer than what the model was trained for.
    """

    def __init__(self, file: ModelFile, device: str, contexts: Sequence[int] = ()) -> None:
        """``contexts``: tokens to write behind; none means the device's own choice."""
        positions = max(*(contexts or CONTEXTS), PREFIX) + ROOM
        began = time.perf_counter()
        self.backend, self.note = open_backend(device, file, positions, frozenset())
        self.open_s = time.perf_counter() - began
        self.on_gpu = self.backend.name != "cpu"
        self.repeats, self.written = (5, 64) if self.on_gpu else (1, 16)
        self.contexts = contexts or (CONTEXTS if self.on_gpu else CPU_CONTEXTS)
        fits = DEPTHS[-1] <= file.config.efforts[-1]
        self.depths = DEPTHS if fits else file.config.efforts
        self._file, self._config = file, file.config
        random = np.random.default_rng(0)
        self._ids: Ids = random.integers(FIRST_ID, file.config.vocab_size, positions, np.int32)

    def close(self) -> None:
        """Free the weights."""
        self.backend.close()

    # -- correctness first --------------------------------------------------------------------

    def agreement(self) -> Agreement:
        """Compare a resumed answer with a fresh one, and both states with a single reading."""
        low, high = self.depths[:2]
        prompt = self._ids[:CHECKED_PROMPT]
        room = CHECKED_PROMPT + CHECKED_ANSWER
        with self._read(prompt, high, room) as fresh, self._read(prompt, low, room, high) as kept:
            answer = self._write(fresh, high, CHECKED_ANSWER)
            self.backend.extend(kept, low, high, Watch())
            if self._write(kept, high, CHECKED_ANSWER) != answer:
                return Agreement(0, 0, "the resumed answer")
            whole = np.concatenate([prompt, np.array(answer[:-1], np.int32)])
            with self._read(whole, high, room) as once:
                return self._same_bits(once, {"fresh": fresh, "resumed": kept})

    def _same_bits(self, once: Cache, caches: dict[str, Cache]) -> Agreement:
        wanted, nbytes = self.backend.read(once), 0
        for which, cache in caches.items():
            found = self.backend.read(cache)
            for name in ("keys", "values", "state", "injected"):
                array = getattr(found, name)
                if array.tobytes() != getattr(wanted, name).tobytes():
                    return Agreement(CHECKED_ANSWER, nbytes, f"{name} of the {which} run")
                nbytes += array.nbytes
        return Agreement(CHECKED_ANSWER, nbytes)

    # -- figures ------------------------------------------------------------------------------

    def copy_bandwidth(self) -> float:
        """Return bytes a second, read plus written, of a large copy where the model lies."""
        if self.on_gpu:
            from engine.backends.cuda.instruments import copy_bandwidth

            return copy_bandwidth(self.backend)  # type: ignore[arg-type]
        source, target = np.ones(COPIED, np.float32), np.zeros(COPIED, np.float32)
        seconds = self._median(lambda: np.copyto(target, source))
        return 2 * source.nbytes / seconds

    def rows(self, bandwidth: float) -> Iterator[Row]:
        """Measure each context at each depth; ``bandwidth`` as ``copy_bandwidth`` gives it."""
        for context in self.contexts:
            first: Row | None = None
            for loops in self.depths:
                row = self._row(context, loops, first, bandwidth)
                first = first or row
                yield row

    def _row(self, context: int, loops: int, first: Row | None, bandwidth: float) -> Row:
        prompt = self._ids[:context]
        read_s = self._median(lambda: self._once(prompt, loops))
        with self._read(prompt, loops, context + ROOM) as cache:
            token_us = 1e6 * self._token_seconds(cache, loops)
            host_us = self._queueing_us(cache, loops)
        moved = self.bytes_a_token(loops, context)
        return Row(
            context=context,
            loops=loops,
            us_token=token_us,
            us_loop=(token_us - first.us_token) / (loops - first.loops) if first else None,
            tokens_per_s=1e6 / token_us,
            bytes_token=moved,
            share_of_copy=moved / (token_us * 1e-6) / bandwidth,
            host_us_token=host_us,
            read_us_token=1e6 * read_s / context,
        )

    def resuming(self) -> Resuming:
        """Measure what deepening saves: 128 tokens read, 16 written, the two lowest depths."""
        low, high = self.depths[:2]
        prompt, room = self._ids[:PREFIX], PREFIX + ANSWER

        def fresh(count: int) -> None:
            with self._read(prompt, high, room) as cache:
                self._write(cache, high, count)

        with self._read(prompt, low, room, high) as kept:

            def resume(count: int) -> None:
                with self._freed(self.backend.clone(kept, PREFIX, room, high)) as cache:
                    self.backend.extend(cache, low, high, Watch())
                    self._write(cache, high, count)

            return Resuming(
                low,
                high,
                build_ms=1e3 * self._median(lambda: self._once(prompt, low, high)),
                resume_ms=1e3 * self._median(lambda: resume(ANSWER)),
                fresh_ms=1e3 * self._median(lambda: fresh(ANSWER)),
                first_word_resumed_ms=1e3 * self._median(lambda: resume(1)),
                first_word_fresh_ms=1e3 * self._median(lambda: fresh(1)),
            )

    def bytes_a_token(self, loops: int, context: int) -> int:
        """Return the bytes that must be read to write one token."""
        head = "embed" if self._config.tied_head else "head"
        kv = num_slots(self._config, loops) * context * 2 * self._config.kv_width * 2
        fixed = sum(self._weight_bytes(part) for part in ("pre.", "post.", head))
        return fixed + loops * self.loop_bytes() + kv

    def loop_bytes(self) -> int:
        """Return the bytes of the weights of one loop as the device holds them."""
        return self._weight_bytes("loop.")

    def _weight_bytes(self, prefix: str) -> int:
        tensors = self._file.header.tensors
        return sum(self._held_bytes(n, t) for n, t in tensors.items() if n.startswith(prefix))

    def _held_bytes(self, name: str, tensor: StoredTensor) -> int:
        """Return a tensor's bytes on the device: as stored on a GPU, FP32 on the CPU."""
        if self.on_gpu:
            return tensor.end - tensor.begin
        if name.endswith(".scales"):
            return 0
        levels = 2 if name.endswith(".qweight") else 1  # two to a byte
        return FP32_BYTES * levels * int(np.prod(tensor.shape))

    # -- the work that is timed ---------------------------------------------------------------

    @contextmanager
    def _freed(self, cache: Cache) -> Iterator[Cache]:
        try:
            yield cache
        finally:
            cache.free()

    @contextmanager
    def _read(
        self, prompt: Ids, loops: int, capacity: int, max_loops: int | None = None
    ) -> Iterator[Cache]:
        """Give a cache that holds ``prompt``; it is freed at the end of the block."""
        with self._freed(self.backend.new_cache(capacity, max_loops or loops, 0)) as cache:
            self.backend.prefill(cache, prompt, 0, loops, Watch())
            yield cache

    def _once(self, prompt: Ids, loops: int, max_loops: int | None = None) -> None:
        with self._read(prompt, loops, len(prompt), max_loops):
            pass

    def _write(self, cache: Cache, loops: int, count: int) -> list[int]:
        answer: list[int] = []

        def emit(token: int) -> bool:
            answer.append(token)
            return len(answer) < count

        self.backend.decode(cache, loops, Sampling(), emit)
        return answer

    def _token_seconds(self, cache: Cache, loops: int) -> float:
        """Return the seconds from word to word; graphs are captured in words before these."""
        times: list[float] = []
        self._write(cache, loops, 2)

        def emit(_: int) -> bool:
            times.append(time.perf_counter())
            return len(times) <= self.written

        self.backend.decode(cache, loops, Sampling(), emit)
        return (times[-1] - times[0]) / self.written

    def _queueing_us(self, cache: Cache, loops: int) -> float | None:
        if not self.on_gpu:
            return None
        from engine.backends.cuda.instruments import queueing_us

        return queueing_us(self.backend, cache, loops)  # type: ignore[arg-type]

    def _median(self, work: Callable[[], Any]) -> float:
        seconds = []
        for _ in range(self.repeats + 1):
            began = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - began)
        return statistics.median(seconds[1:])
