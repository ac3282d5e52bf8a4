"""Matrix product, norm, rotary embedding and attention whose rows never depend on each other.

BLAS chooses its kernel by the number of rows, so the same row can come out with other bits
beside other rows. Here every product has tiles of a fixed number of rows, and attention adds
fixed chunks of keys at absolute positions: a row's bits depend on that row alone, which is
what makes a resumed answer equal a fresh one bit for bit.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.config import ModelConfig
from engine.kv_layout import CHUNK

F32 = NDArray[np.float32]

TILE = 8  # rows of one product; 16 were not stable on every CPU
PANEL = 32  # columns of one product: small enough that OpenBLAS does not repack the weights


@dataclass(frozen=True, slots=True)
class Matrix:
    """A weight [in, out] cut into panels [out / PANEL, in, PANEL], the last filled with zeros.

    A product of 8 rows with a whole matrix spends most of its time on BLAS repacking the
    matrix; with panels the writing of an answer is more than twice as fast.
    """

    panels: F32
    width: int

    @classmethod
    def of(cls, weight: F32) -> Matrix:
        """Cut ``weight`` [out, in], as model files have it."""
        width, inputs = weight.shape
        count = -(-width // PANEL)
        full = np.zeros((count * PANEL, inputs), np.float32)
        full[:width] = weight
        panels = full.reshape(count, PANEL, inputs).transpose(0, 2, 1)
        return cls(np.ascontiguousarray(panels), width)

    @property
    def product(self) -> tuple[int, int]:
        """The (in, out) shape of one product."""
        return self.panels.shape[1], PANEL

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.panels.nbytes


def linear(x: F32, weight: Matrix, tile: int = TILE) -> F32:
    """Return the product of ``x`` [T, in] with ``weight`` as [T, out], tile by tile."""
    rows = len(x)
    padded = -(-rows // tile) * tile
    if padded != rows:
        full = np.zeros((padded, x.shape[1]), np.float32)
        full[:rows] = x
        x = full
    count = len(weight.panels)
    out = np.empty((padded, count, PANEL), np.float32)
    for first in range(0, padded, tile):
        products = np.matmul(x[first : first + tile], weight.panels)
        out[first : first + tile] = products.transpose(1, 0, 2)
    return out.reshape(padded, count * PANEL)[:rows, : weight.width]


@functools.cache
def stable_tile(shapes: tuple[tuple[int, int], ...]) -> int:
    """Return the tile for products of these (in, out) shapes on this CPU: 8, or 1 if need be.

    A row must have the same bits at all 8 offsets, whatever stands in the other rows.
    """
    rng = np.random.default_rng(0)
    for shape in shapes:
        weight = rng.standard_normal(shape, dtype=np.float32)
        row = rng.standard_normal(shape[0], dtype=np.float32)
        results = []
        for offset in range(TILE):
            x = rng.standard_normal((TILE, shape[0]), dtype=np.float32)
            x[offset] = row
            results.append((x @ weight)[offset])
            x[:] = 0
            x[offset] = row
            results.append((x @ weight)[offset])
        if any(not np.array_equal(r, results[0]) for r in results):
            return 1
    return TILE


def rms_norm(x: F32, weight: F32, eps: float) -> F32:
    """Return ``weight * x / sqrt(mean(x^2) + eps)`` over the last axis."""
    mean = np.mean(x * x, axis=-1, keepdims=True)
    return np.asarray(x / np.sqrt(mean + np.float32(eps)) * weight)


def swiglu(gate: F32, up: F32) -> F32:
    """Return ``silu(gate) * up``."""
    with np.errstate(over="ignore"):  # exp(-gate) may be infinite: the quotient is then 0
        return np.asarray(gate / (1 + np.exp(-gate)) * up)


def rope_table(config: ModelConfig, positions: int) -> tuple[F32, F32]:
    """Return cosines and sines [positions, head_dim / 2] of the rotary embedding."""
    half = config.head_dim // 2
    frequency = config.rope_base ** (-2.0 * np.arange(half) / config.head_dim)
    scaling = config.rope_scaling
    if scaling is not None:
        original = scaling.original_max_position_embeddings
        wavelength = 2 * np.pi / frequency
        ramp = (original / wavelength - scaling.low_freq_factor) / (
            scaling.high_freq_factor - scaling.low_freq_factor
        )
        keep = np.clip(ramp, 0.0, 1.0)
        frequency = frequency * (keep + (1 - keep) / scaling.factor)
    angle = np.arange(positions)[:, None] * frequency[None, :]
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def rotate(x: F32, cos: F32, sin: F32) -> F32:
    """Rotate heads ``x`` [T, heads, head_dim]; channel i pairs with i + head_dim / 2."""
    half = x.shape[-1] // 2
    low, high = x[..., :half], x[..., half:]
    cos, sin = cos[:, None, :], sin[:, None, :]
    return np.concatenate([low * cos - high * sin, high * cos + low * sin], axis=-1)


def attend(q: F32, keys: F32, values: F32, mask: NDArray[np.bool_], tile: int = TILE) -> F32:
    """Return causal attention [T, heads, head_dim] over whole chunks of keys.

    Args:
        q: [T, heads, head_dim], not yet scaled.
        keys: [kv_heads, chunks * CHUNK, head_dim], zero where nothing may be seen.
        values: the same shape.
        mask: [T, chunks * CHUNK], True where a query sees a key.
        tile: query rows of one product.

    Each chunk's (maximum, sum, output) is relative to its own maximum; chunks combine in
    ascending order, and a chunk of which a row sees nothing leaves that row untouched.
    """
    rows, heads, dim = q.shape
    kv_heads, length, _ = keys.shape
    tiles, chunks = -(-rows // tile), length // CHUNK
    padded = np.zeros((tiles * tile, heads, dim), np.float32)
    padded[:rows] = q * np.float32(dim**-0.5)
    # [kv_heads, group, tiles, 1, tile, dim] against [kv_heads, 1, 1, chunks, CHUNK, dim]
    queries = np.ascontiguousarray(padded.transpose(1, 0, 2))
    queries = queries.reshape(kv_heads, heads // kv_heads, tiles, 1, tile, dim)
    keys = keys.reshape(kv_heads, 1, 1, chunks, CHUNK, dim)
    values = values.reshape(kv_heads, 1, 1, chunks, CHUNK, dim)
    seen = np.zeros((tiles * tile, length), np.bool_)
    seen[:rows] = mask
    seen = seen.reshape(tiles, tile, chunks, CHUNK).transpose(0, 2, 1, 3)
    scores = np.where(seen, queries @ keys.swapaxes(-1, -2), np.float32(-np.inf))
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(top == -np.inf, np.float32(0), top))
    out = _combine(top, weights.sum(axis=-1, keepdims=True), weights @ values)
    return out.reshape(heads, tiles * tile, dim).transpose(1, 0, 2)[:rows]


def _combine(top: F32, total: F32, out: F32) -> F32:
    """Merge chunks (axis 3 of [kv_heads, group, tiles, chunks, tile, ·]) in ascending order."""
    best = np.full_like(top[:, :, :, 0], -np.inf)
    denominator = np.zeros_like(total[:, :, :, 0])
    result = np.zeros_like(out[:, :, :, 0])
    for chunk in range(top.shape[3]):
        highest = top[:, :, :, chunk]
        live = highest > -np.inf
        merged = np.maximum(best, highest)
        safe = np.where(merged == -np.inf, np.float32(0), merged)
        old, new = np.exp(best - safe), np.exp(highest - safe)
        denominator = np.where(live, denominator * old + total[:, :, :, chunk] * new, denominator)
        result = np.where(live, result * old + out[:, :, :, chunk] * new, result)
        best = merged
    with np.errstate(invalid="ignore"):  # padding rows see nothing: 0 / 0
        return np.asarray(result / denominator)
