"""Device buffers that every call shares, allocated once and never moved (graphs hold them)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backends.cuda.cache import CudaCache
from engine.backends.cuda.device import Gpu
from engine.backends.cuda.shapes import BAND_CHANNELS, LIVE, MAILBOX, PREFILL_ROWS, Shapes
from engine.errors import OutOfMemory
from engine.kv_layout import CHUNK
from engine.sampling import Sampling

BANNED, SEEN = 1, 2  # bits of a vocabulary entry's flags (cuda_src/sample.cu)
GREEDY = Sampling()


class Workspace:
    """Addresses by name; the live struct and the words shared with the host."""

    def __init__(
        self, gpu: Gpu, shapes: Shapes, max_seq_len: int, banned_ids: frozenset[int]
    ) -> None:
        config = shapes.config
        self._gpu = gpu
        self.max_chunks = -(-max_seq_len // CHUNK)
        rows, hidden, vocab = PREFILL_ROWS, config.hidden_size, config.vocab_size
        padded_head = -(-config.head_dim // 32) * 32
        groups = shapes.widest // shapes.group
        bands = -(-config.head_dim // BAND_CHANNELS)
        sizes = {
            "x": 4 * rows * hidden,
            "x_other": 4 * hidden,
            "branch": 4 * rows * hidden,
            "qkv": 4 * rows * (config.q_width + 2 * config.kv_width),
            "heads": 4 * rows * config.q_width,
            "inner": 4 * rows * config.intermediate_size,
            "digits": 2 * rows * shapes.widest,
            "scales": 4 * rows * groups,
            "sums": 4 * rows * groups,
            "queries": 4 * rows * config.num_heads * padded_head,
            "partials": 4 * config.num_heads * self.max_chunks * (2 * bands + config.head_dim),
            "counters": 4 * config.num_heads * bands,
            "logits": 4 * vocab,
            "shallow": 4 * vocab,
            "divergence": 4,
            "scores": 4 * vocab,
            "flags": vocab,
            "banned": vocab,
            "live": LIVE.itemsize,
        }
        self.nbytes = sum(sizes.values())
        gpu.require(self.nbytes)
        self._buffers: dict[str, Any] = {}
        try:
            for name, size in sizes.items():
                self._buffers[name] = gpu.allocate(size)
        except OutOfMemory:
            gpu.release(self._buffers.values())
            raise OutOfMemory(self.nbytes, gpu.memory()[0]) from None
        for name, size in sizes.items():
            gpu.clear(self.address(name), size)
        self._banned = np.zeros(vocab, np.uint8)
        self._banned[sorted(banned_ids)] = BANNED
        gpu.upload(self.address("banned"), self._banned)
        self._mailbox, self.mailbox = gpu.pinned(MAILBOX, np.uint64)
        self._stop, self.stop = gpu.pinned(1, np.uint32)

    def address(self, name: str) -> int:
        """Return where a buffer lies."""
        return int(self._buffers[name].handle)

    def bind(self, cache: CudaCache, sampling: Sampling = GREEDY) -> None:
        """Point the live struct at ``cache``: what a graph or kernel runs on from now on."""
        self.stop[0] = 0
        self.mailbox[:] = 0
        live = np.zeros(1, LIVE)
        for name in ("keys", "values", "state", "injected", "exits", "ids"):
            live[name] = cache.address(name)
        live["mailbox"], live["stop"] = int(self._mailbox.handle), int(self._stop.handle)
        live["capacity"], live["ring"], live["window"] = cache.capacity, cache.ring, cache.window
        live["position"] = cache.length
        live["seed"], live["top_k"], live["top_p"] = sampling.seed, sampling.top_k, sampling.top_p
        live["temperature"], live["penalty"] = sampling.temperature, sampling.repetition_penalty
        self._gpu.upload(self.address("live"), live)

    def mark_seen(self, ids: NDArray[np.int32]) -> None:
        """Start an answer after ``ids``: flags say what is banned and what was seen."""
        flags = self._banned.copy()
        flags[ids] |= SEEN
        self._gpu.upload(self.address("flags"), flags)

    def keep_logits(self) -> None:
        """Copy the logits to ``shallow``, to be compared with deeper ones."""
        size = self._banned.size * 4
        self._gpu.copy_rows((self.address("shallow"), 0), (self.address("logits"), 0), size, 1)

    def close(self) -> None:
        """Give the memory back."""
        self._gpu.release([*self._buffers.values(), self._mailbox, self._stop])
        self._buffers.clear()
