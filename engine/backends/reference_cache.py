"""The reference backend's cache: plain NumPy arrays, allocated by bytes that are checked first."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.config import ModelConfig
from engine.errors import OutOfMemory
from engine.kv_layout import kv_bytes, num_slots, ring_length

F32 = NDArray[np.float32]


def host_memory() -> tuple[int, int]:
    """Return (free, total) bytes of the computer's memory; zeros where it does not say.

    Free is what the system could give without swapping, its file cache included.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            kib = {name: int(rest.split()[0]) for name, rest in (x.split(":") for x in lines)}
        return kib["MemAvailable"] * 1024, kib["MemTotal"] * 1024
    except (OSError, KeyError, ValueError):
        pass
    names = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" in names and "SC_PAGE_SIZE" in names:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return total, total
    return 0, 0


@dataclass(slots=True)
class ReferenceCache:
    """Arrays of one sequence; position p of a slot lies at p mod ring.

    ``keys``, ``values``: [slots, kv_heads, ring, head_dim] float16. ``state``, ``injected``,
    ``exits``: [capacity, hidden] float32; ``injected`` is the pre layers' output after the
    entry norm, ``exits`` what the head reads when there are post layers (else ``state``).
    """

    ids: NDArray[np.int32]
    keys: NDArray[np.float16]
    values: NDArray[np.float16]
    state: F32
    injected: F32
    exits: F32
    max_loops: int
    window: int
    length: int = 0
    depth: int = 0
    written: int = 0

    @classmethod
    def allocate(
        cls, config: ModelConfig, capacity: int, max_loops: int, window: int
    ) -> ReferenceCache:
        """Return an empty cache; raises OutOfMemory before the system would have to swap."""
        ring = ring_length(capacity, window)
        slots = (num_slots(config, max_loops), config.num_kv_heads, ring, config.head_dim)
        rows = (capacity, config.hidden_size)
        states = 3 if config.num_post_layers else 2
        needed = kv_bytes(config, capacity, max_loops, window) + states * 4 * capacity * rows[1]
        free, total = host_memory()
        if total and needed > free:
            raise OutOfMemory(needed, free)
        try:
            state, injected = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
            return cls(
                ids=np.zeros(capacity, np.int32),
                keys=np.zeros(slots, np.float16),
                values=np.zeros(slots, np.float16),
                state=state,
                injected=injected,
                exits=np.zeros(rows, np.float32) if config.num_post_layers else state,
                max_loops=max_loops,
                window=window,
            )
        except MemoryError:
            raise OutOfMemory(needed, free) from None

    @property
    def capacity(self) -> int:
        """Positions it can hold."""
        return len(self.ids)

    @property
    def ring(self) -> int:
        """Positions each slot stores."""
        return int(self.keys.shape[2])

    @property
    def first_stored(self) -> int:
        """The lowest position whose K/V the ring has not overwritten."""
        return max(0, self.written - self.ring)

    @property
    def kv_bytes(self) -> int:
        """Bytes of K and V."""
        return self.keys.nbytes + self.values.nbytes

    @property
    def state_bytes(self) -> int:
        """Bytes of ids, states, injected inputs and exits."""
        exits = 0 if self.exits is self.state else self.exits.nbytes
        return self.ids.nbytes + self.state.nbytes + self.injected.nbytes + exits

    def free(self) -> None:
        """Drop the arrays."""
        self.ids = np.zeros(0, np.int32)
        self.keys = self.values = np.zeros((0, 0, 0, 0), np.float16)
        self.state = self.injected = self.exits = np.zeros((0, 0), np.float32)

    def copy_from(self, other: ReferenceCache, length: int, slots: int) -> None:
        """Take over the first ``length`` positions and ``slots`` slots of ``other``."""
        self.ids[:length] = other.ids[:length]
        self.state[:length] = other.state[:length]
        self.injected[:length] = other.injected[:length]
        if self.exits is not self.state:
            self.exits[:length] = other.exits[:length]
        low = max(other.first_stored, length - self.ring)
        to: slice | NDArray[np.int64] = slice(0, length)
        start: slice | NDArray[np.int64] = to
        if low > 0:  # a ring has wrapped: go by position
            positions = np.arange(low, length)
            to, start = positions % self.ring, positions % other.ring
        self.keys[:slots, :, to] = other.keys[:slots, :, start]
        self.values[:slots, :, to] = other.values[:slots, :, start]
        self.length, self.depth = length, other.depth
        self.written = low + self.ring if low > 0 else length

    def store(self, slot: int, first: int, keys: F32, values: F32) -> None:
        """Round K and V [T, kv_heads, head_dim] to FP16 — here only — and keep them."""
        index = np.arange(first, first + len(keys)) % self.ring
        self.keys[slot][:, index] = keys.transpose(1, 0, 2)
        self.values[slot][:, index] = values.transpose(1, 0, 2)
        self.written = max(self.written, first + len(keys))

    def gather(self, slot: int, low: int, high: int, padded: tuple[int, int]) -> tuple[F32, F32]:
        """Return K and V of positions [low, high) as float32, zero in the rest of ``padded``.

        Both are [kv_heads, padded[1] - padded[0], head_dim].
        """
        _, heads, _, dim = self.keys.shape
        index = np.arange(low, high) % self.ring
        to = slice(low - padded[0], high - padded[0])
        keys = np.zeros((heads, padded[1] - padded[0], dim), np.float32)
        values = np.zeros_like(keys)
        keys[:, to] = self.keys[slot][:, index]
        values[:, to] = self.values[slot][:, index]
        return keys, values
