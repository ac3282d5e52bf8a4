"""The kernels' weight layouts and integer arithmetic in NumPy, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backends.cuda.shapes import K_SPANS, TILE_ROWS

F32 = NDArray[np.float32]
U32 = NDArray[np.uint32]


def pad(matrix: NDArray[Any], rows: int, columns: int, value: int = 0) -> NDArray[Any]:
    """Return ``matrix`` padded by ``value`` to multiples of ``rows`` and ``columns``."""
    add = [(0, -size % step) for size, step in zip(matrix.shape, (rows, columns), strict=True)]
    return np.pad(matrix, add, constant_values=value)


def interleave(gate: NDArray[Any], up: NDArray[Any], value: int = 0) -> NDArray[Any]:
    """Return gate and up rows alternating by eights, so that one tile has both of a channel."""
    half = TILE_ROWS // 2
    both = [pad(m, half, 1, value).reshape(-1, half, m.shape[1]) for m in (gate, up)]
    return np.stack(both, axis=1).reshape(-1, gate.shape[1])


def nibbles(qweight: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a file's ``qweight`` [out, in/2] as one value a byte, [out, in]."""
    values = np.stack([qweight & 15, qweight >> 4], axis=-1)
    return values.reshape(len(qweight), -1)


def pack_int4(levels: NDArray[np.uint8], block: int) -> U32:
    """Return levels 0…15 [out, in] in fragment order: words [tile, unit, lane, 4].

    A unit is 16 rows by 64 inputs. Word 2s + h of lane l holds inputs 32s + 16h + 4(l%4) + i in
    byte i: row l/4 in the low nibble, row l/4 + 8 in the high one. Padding is level 8, a zero.
    """
    padded = pad(levels, TILE_ROWS, block, 8)
    tiles, units = len(padded) // TILE_ROWS, padded.shape[1] // 64
    # tile, half, row, unit, step, h, quarter, byte -> tile, unit, row, quarter, step, h, byte, half
    fragments = padded.reshape(tiles, 2, 8, units, 2, 2, 4, 4).transpose(0, 3, 2, 6, 4, 5, 7, 1)
    packed = fragments[..., 0] | fragments[..., 1] << 4
    return np.ascontiguousarray(packed).reshape(tiles, units, 32, 16).view(np.uint32)


def pack_scales(scales: NDArray[np.float16], groups: int) -> U32:
    """Return scales [out, in/g] as words [tile, group, 8]: row r low half, row r + 8 high half."""
    padded = pad(scales, TILE_ROWS, 1)
    padded = np.pad(padded, [(0, 0), (0, groups - padded.shape[1])])
    pairs = padded.reshape(-1, 2, 8, groups).transpose(0, 3, 2, 1)
    return np.ascontiguousarray(pairs).view(np.uint32)[..., 0]


def pack_fp16(matrix: NDArray[Any], block: int) -> U32:
    """Return a matrix [out, in] as FP16 in fragment order: words [tile, unit, lane, 4].

    A unit is 16 rows by 16 inputs; word 2k + r of lane l holds inputs 8k + 2(l%4) and the next
    of row l/4 + 8r.
    """
    padded = pad(matrix.astype(np.float16, copy=False), TILE_ROWS, block)
    tiles, units = len(padded) // TILE_ROWS, padded.shape[1] // 16
    # tile, half, row, unit, k, quarter, pair -> tile, unit, row, quarter, k, half, pair
    fragments = padded.reshape(tiles, 2, 8, units, 2, 4, 2).transpose(0, 3, 2, 5, 4, 1, 6)
    return np.ascontiguousarray(fragments).reshape(tiles, units, 32, 8).view(np.uint32)


def quantise(x: F32, group: int, block: int) -> tuple[NDArray[np.int32], F32]:
    """Return rows ``x`` [T, in] as integers [T, padded] and scales [T, groups].

    A scale is the power of two that puts the group's greatest value into [16256, 32512]:
    127 * 256 is the greatest integer whose high digit fits a signed byte.
    """
    padded = pad(x, 1, block)
    grouped = padded.reshape(len(x), -1, group)
    top = np.abs(grouped).max(axis=2)
    exponent = (np.ascontiguousarray(top).view(np.uint32) + np.uint32(0x20000)) >> np.uint32(23)
    empty = exponent < 17
    safe = np.where(empty, np.uint32(127), exponent)
    inverse = np.where(empty, np.uint32(0), (268 - safe) << 23).astype(np.uint32).view(np.float32)
    scales = np.where(empty, np.uint32(0), (safe - 14) << 23).astype(np.uint32).view(np.float32)
    integers = np.rint(grouped * inverse[..., None]).astype(np.int32)
    return integers.reshape(len(x), -1), scales


def digits(integers: NDArray[np.int32]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return (hi, lo) with ``256 * hi + lo`` equal to ``integers``."""
    high = (integers + 128) >> 8
    return high.astype(np.int8), (integers - 256 * high).astype(np.int8)


def int4_linear(x: F32, levels: NDArray[np.uint8], scales: NDArray[np.float16], block: int) -> F32:
    """Return ``x`` [T, in] times the INT4 matrix transposed, [T, out], as the kernels compute it.

    Exact integers a group, FP32 over the groups of a span in order, then over the spans.
    """
    group = levels.shape[1] // scales.shape[1]
    integers, x_scales = quantise(x, group, block)
    weights = pad(levels, 1, block, 8).astype(np.int64).reshape(len(levels), -1, group) - 8
    grouped = integers.astype(np.int64).reshape(len(x), -1, group)
    products = np.einsum("tgi,ogi->tog", grouped, weights).astype(np.float32)
    factors = scales.astype(np.float32)[None, :, :] * x_scales[:, None, : scales.shape[1]]
    blocks = integers.shape[1] // block
    span = -(-blocks // K_SPANS) * (block // group)
    total = np.zeros(products.shape[:2], np.float32)
    for first in range(0, scales.shape[1], span):
        partial = np.zeros_like(total)
        for g in range(first, min(first + span, scales.shape[1])):
            partial = fused_multiply_add(products[:, :, g], factors[:, :, g], partial)
        total = total + partial
    return total


def fused_multiply_add(a: F32, b: F32, c: F32) -> F32:
    """Return ``a * b + c`` rounded once to float32, as the GPU's fma does.

    The product is exact in float64; the sum is rounded to odd there, which makes the second
    rounding right.
    """
    product = a.astype(np.float64) * b.astype(np.float64)
    addend = c.astype(np.float64)
    rounded = product + addend
    rest = rounded - product
    lost = (product - (rounded - rest)) + (addend - rest)
    bits = rounded.view(np.int64)
    even = (bits & 1) == 0
    away = (lost > 0) == (rounded > 0)  # the exact sum lies farther from zero
    moved = np.where((lost != 0) & even, np.where(away, bits + 1, bits - 1), bits)
    return moved.view(np.float64).astype(np.float32)
