"""Pure arithmetic of the K/V cache: slots, ring length and bytes."""

from __future__ import annotations

from engine.config import ModelConfig

CHUNK = 64  # positions in one attention chunk, at absolute multiples; also the prefill chunk
KV_ITEM_BYTES = 2  # K and V are kept in FP16


def num_slots(config: ModelConfig, max_loops: int) -> int:
    """Return how many K/V slots a cache for ``max_loops`` has: pre, post, then loop by loop."""
    fixed = config.num_pre_layers + config.num_post_layers
    return fixed + max_loops * config.num_loop_layers


def pre_slot(layer: int) -> int:
    """Return the slot of pre layer ``layer``."""
    return layer


def post_slot(config: ModelConfig, layer: int) -> int:
    """Return the slot of post layer ``layer``."""
    return config.num_pre_layers + layer


def loop_slot(config: ModelConfig, loop: int, layer: int) -> int:
    """Return the slot of layer ``layer`` in loop ``loop``; growing ``max_loops`` only appends."""
    fixed = config.num_pre_layers + config.num_post_layers
    return fixed + loop * config.num_loop_layers + layer


def ring_length(capacity: int, window: int) -> int:
    """Return how many positions each slot stores.

    Without a window all ``capacity`` positions; with one, the window rounded up to whole
    chunks plus one chunk, so that a chunk can be written before its first query reads.
    """
    if window == 0:
        return capacity
    return min(capacity, -(-window // CHUNK) * CHUNK + CHUNK)


def kv_bytes(config: ModelConfig, seq_len: int, max_loops: int, window: int = 0) -> int:
    """Return the bytes of K and V for ``seq_len`` positions at ``max_loops`` loops."""
    per_position = 2 * config.kv_width * KV_ITEM_BYTES
    return num_slots(config, max_loops) * ring_length(seq_len, window) * per_position
