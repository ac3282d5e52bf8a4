"""A sequence's K/V, states and ids in device memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backends.cuda.device import Gpu
from engine.config import ModelConfig
from engine.errors import OutOfMemory
from engine.kv_layout import KV_ITEM_BYTES, kv_bytes, num_slots, ring_length

F32_BYTES = 4


class CudaCache:
    """See ``engine.backends.base.Cache``. Position p of a slot lies at p mod ring.

    Device arrays: keys, values [slots, ring, kv_heads, head_dim] FP16; state, injected and
    exits [capacity, hidden] FP32 (exits is state without post layers); ids [capacity] int32,
    which ``ids`` mirrors on the host.
    """

    def __init__(
        self, gpu: Gpu, config: ModelConfig, capacity: int, max_loops: int, window: int
    ) -> None:
        """Raises OutOfMemory, with nothing kept, when the device cannot hold it."""
        self._gpu, self.config = gpu, config
        self.capacity, self.max_loops, self.window = capacity, max_loops, window
        self.length = self.depth = self.written = 0
        self.ids = np.zeros(capacity, np.int32)
        self._ring = ring_length(capacity, window)
        self._half = kv_bytes(config, capacity, max_loops, window) // 2
        rows = capacity * config.hidden_size * F32_BYTES
        sizes = {"keys": self._half, "values": self._half, "state": rows, "injected": rows,
                 "ids": capacity * 4}  # fmt: skip
        if config.num_post_layers:
            sizes["exits"] = rows
        self._buffers: dict[str, Any] = {}
        needed = sum(sizes.values())
        gpu.require(needed)
        try:
            for name, size in sizes.items():
                self._buffers[name] = gpu.allocate(size)
        except OutOfMemory:
            self.free()
            raise OutOfMemory(needed, gpu.memory()[0]) from None
        self._state_bytes = needed - 2 * self._half

    def address(self, name: str) -> int:
        """Return where an array lies on the device."""
        if name == "exits" and name not in self._buffers:
            name = "state"
        return int(self._buffers[name].handle)

    @property
    def ring(self) -> int:
        """Positions each slot stores."""
        return self._ring

    @property
    def first_stored(self) -> int:
        """The lowest position whose K/V the ring has not overwritten."""
        return max(0, self.written - self._ring)

    @property
    def kv_bytes(self) -> int:
        """Bytes of K and V."""
        return 2 * self._half

    @property
    def state_bytes(self) -> int:
        """Bytes of ids, states, injected inputs and exits."""
        return self._state_bytes

    def free(self) -> None:
        """Give the memory back once the work queued so far is done."""
        self._gpu.release(self._buffers.values())
        self._buffers.clear()

    def wrote(self, stop: int) -> None:
        """Note that K/V up to ``stop`` are there."""
        self.written = max(self.written, stop)

    def copy_from(self, other: CudaCache, length: int) -> None:
        """Take over the first ``length`` positions of ``other``, on the device."""
        gpu, row = self._gpu, self.config.hidden_size * F32_BYTES
        for name in ("state", "injected", "exits"):
            if name in self._buffers:
                gpu.copy_rows((self.address(name), 0), (other.address(name), 0), row * length, 1)
        gpu.copy_rows((self.address("ids"), 0), (other.address("ids"), 0), 4 * length, 1)
        slots = num_slots(self.config, min(self.max_loops, other.depth))
        low = max(other.first_stored, length - self._ring)
        line = self.config.kv_width * KV_ITEM_BYTES
        for first, count in self._runs(other, low, length):
            for name in ("keys", "values"):
                to = self.address(name) + first % self._ring * line
                start = other.address(name) + first % other.ring * line
                pitches = self._ring * line, other.ring * line
                gpu.copy_rows((to, pitches[0]), (start, pitches[1]), count * line, slots)
        self.ids[:length] = other.ids[:length]
        self.length, self.depth = length, other.depth
        self.written = low + self._ring if low > 0 else length

    def _runs(self, other: CudaCache, low: int, length: int) -> Iterator[tuple[int, int]]:
        """Cut positions [low, length) where either ring wraps: (first, count)."""
        while low < length:
            count = min(length - low, self._ring - low % self._ring, other.ring - low % other.ring)
            yield low, count
            low += count

    def arrays(self, name: str) -> NDArray[Any]:
        """Download K or V of the filled slots in order of position, [slots, n, heads, dim]."""
        slots = num_slots(self.config, self.depth)
        shape = (slots, self._ring, self.config.num_kv_heads, self.config.head_dim)
        stored = self._gpu.download(self.address(name), shape, np.float16)
        index = np.arange(self.first_stored, self.length) % self._ring
        return stored[:, index]

    def rows(self, name: str) -> NDArray[np.float32]:
        """Download states or injected inputs, [length, hidden]."""
        shape = (self.length, self.config.hidden_size)
        return self._gpu.download(self.address(name), shape, np.float32)
