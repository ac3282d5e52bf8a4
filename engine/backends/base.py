"""The contract between the engine's policy and the arithmetic that runs on a device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.sampling import Sampling
from engine.watch import Watch

OnCompile = Callable[[int, int], None]
"""Called as ``on_compile(done, total)`` while a GPU's programs are compiled."""


class Cache(Protocol):
    """Ids, K/V of every slot, FP32 state and injected input of every position, on the device.

    ``length`` positions are filled up to depth ``depth``; each slot has room for
    ``capacity`` positions (fewer with a ring) and there are slots for ``max_loops`` loops.
    ``window`` is the mask of the next pass: 0, or a token sees itself and the window-1 before.
    Memory is given back when the last reference goes, or at once by ``free``.
    """

    length: int
    depth: int
    window: int

    @property
    def capacity(self) -> int:
        """Positions it can hold."""

    @property
    def max_loops(self) -> int:
        """Loops it has slots for."""

    @property
    def first_stored(self) -> int:
        """The lowest position whose K/V a ring has not overwritten yet."""

    @property
    def kv_bytes(self) -> int:
        """Bytes allocated for K and V."""

    @property
    def state_bytes(self) -> int:
        """Bytes allocated for everything else: ids, states, injected inputs."""

    def free(self) -> None:
        """Give the memory back now; the cache must not be used afterwards."""


@dataclass(slots=True)
class Work:
    """What the layer loop really did since the last reset; counted there, never computed.

    ``prefilled``: tokens read by ``prefill``. ``cells``: tokens x loops over all passes, decode
    included. ``loops``: the loops that ``prefill`` and ``extend`` ran.
    """

    prefilled: int = 0
    cells: int = 0
    loops: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CacheArrays:
    """A cache copied out for tests and hashes: only what is filled, in order of position.

    ``keys``, ``values``: [slots up to the depth, length - first_stored, kv_heads, head_dim]
    float16; ``state``, ``injected``: [length, hidden] float32 (``injected`` is the pre layers'
    output after the entry norm).
    """

    keys: NDArray[np.float16]
    values: NDArray[np.float16]
    state: NDArray[np.float32]
    injected: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scores:
    """What the model makes of the next token: ``logits`` [vocab] float32 at the deeper reading.

    ``divergence``: KL(p_deeper || p_shallower) in nats (``engine.uncertainty`` defines it).
    """

    logits: NDArray[np.float32]
    divergence: float


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Bytes: ``weights`` as the backend holds them, ``free`` and ``total`` of the device."""

    weights: int
    free: int
    total: int


class Backend(Protocol):
    """A device that runs the model. Nine methods; everything else about it is invisible.

    Methods that run layers add to ``work``. All but ``close`` may raise DeviceError.
    """

    name: str
    work: Work

    def new_cache(self, capacity: int, max_loops: int, window: int) -> Cache:
        """Return an empty cache; raises OutOfMemory with needed and free bytes."""

    def clone(self, cache: Cache, length: int, capacity: int, max_loops: int) -> Cache:
        """Return a copy of the first ``length`` positions with room for ``capacity``.

        ``cache`` is not changed. ``max_loops`` may be smaller or larger than the original's
        but not below its depth. Raises OutOfMemory.
        """

    def prefill(
        self, cache: Cache, ids: NDArray[np.int32], start: int, loops: int, watch: Watch
    ) -> None:
        """Run all layers over ``ids`` at positions ``start``… at depth ``loops``.

        ``start`` equals ``cache.length``; afterwards the length has grown by ``len(ids)`` and
        ``cache.depth`` is ``loops``. Raises Stopped.
        """

    def extend(self, cache: Cache, from_loop: int, to_loop: int, watch: Watch) -> None:
        """Run loops [from_loop, to_loop) over all positions from their stored states.

        ``from_loop`` equals ``cache.depth``; post layers are run again. Raises Stopped.
        """

    def decode(
        self, cache: Cache, loops: int, sampling: Sampling, emit: Callable[[int], bool]
    ) -> None:
        """Write an answer: sample where the logits are and call ``emit(id)`` in order.

        The first token is read at depth ``loops`` (= ``cache.depth``), later ones run
        ``sampling.decode_loops or loops`` loops. Ends when ``emit`` returns False; the last id
        emitted is not in the cache, all before it are.
        """

    def score(self, cache: Cache, deeper: int, watch: Watch) -> Scores:
        """Read the last position at the cache's depth, ``extend`` it to ``deeper``, read again.

        No loop runs, and nothing diverges, when ``deeper`` is the depth. Raises Stopped.
        """

    def read(self, cache: Cache) -> CacheArrays:
        """Copy a cache out for tests and hashes."""

    def memory(self) -> DeviceMemory:
        """Return what the device holds and has left."""

    def close(self) -> None:
        """Free the weights; caches are freed by their owners."""
