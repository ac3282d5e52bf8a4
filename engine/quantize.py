"""INT4 weights in symmetric groups: quantise, pack, unpack."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SLAB_ROWS = 64  # rows searched at once: small enough to stay in the processor's cache
SMALLEST_SCALE = np.float32(2.0**-24)  # the smallest positive float16, so that no scale is zero
LARGEST_SCALE = np.float32(65504.0)
# A group's largest value lands at this many scales from zero; 7 keeps it just inside the range,
# more cuts it off for finer steps elsewhere, less spreads the steps. 97 candidates: past that
# the squared error falls by less than 0.1 %.
CANDIDATE_REACHES = np.linspace(5.0, 11.0, 97, dtype=np.float32)


def quantize_int4(
    weight: NDArray[np.float32], group: int
) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Round ``weight`` [out, in] to four bits, one scale for each ``group`` inputs.

    Returns ``qweight`` uint8 [out, in/2] (low nibble = even input) and ``scales`` float16
    [out, in/group] with ``w = (q - 8) * scale``. Each scale is the one of 97 candidates with the
    least squared error over its group, never zero. Raises ValueError for values that are not
    finite or too large, and for inputs that are not whole groups.
    """
    outputs, inputs = weight.shape
    if inputs % group or group % 2:
        raise ValueError(f"{inputs} inputs cannot be cut into groups of {group}.")
    largest = float(LARGEST_SCALE) * 7
    if not (np.isfinite(weight).all() and np.abs(weight).max(initial=0) <= largest):
        raise ValueError(f"Weights must be finite and at most {largest:.0f} to be quantised.")
    grouped = weight.astype(np.float32).reshape(outputs, inputs // group, group)
    scales = np.concatenate(
        [_best_scales(grouped[row : row + SLAB_ROWS]) for row in range(0, outputs, SLAB_ROWS)]
    )
    levels = _levels(grouped, scales.astype(np.float32))
    return pack_int4(levels.reshape(outputs, inputs)), scales


def pack_int4(levels: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return levels -8 … 7 [out, in] packed as uint8 [out, in/2]; low nibble = even input."""
    nibbles = (levels + 8).astype(np.uint8)
    return (nibbles[:, 0::2] | nibbles[:, 1::2] << 4).astype(np.uint8)


def dequantize_int4(qweight: NDArray[np.uint8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return the float32 matrix [out, in] that ``qweight`` and ``scales`` stand for."""
    outputs, half = qweight.shape
    levels = np.empty((outputs, half, 2), dtype=np.int8)
    levels[..., 0] = qweight & 15
    levels[..., 1] = qweight >> 4
    levels -= 8
    grouped = levels.reshape(outputs, scales.shape[1], -1).astype(np.float32)
    grouped *= scales[..., np.newaxis]
    return grouped.reshape(outputs, 2 * half)


def _best_scales(grouped: NDArray[np.float32]) -> NDArray[np.float16]:
    """Return the scale [rows, groups] of least squared error for ``grouped`` [rows, groups, g]."""
    peak = np.abs(grouped).max(axis=2)
    best_error = np.full(peak.shape, np.inf, dtype=np.float32)
    best = np.zeros(peak.shape, dtype=np.float16)
    for reach in CANDIDATE_REACHES:
        scale = np.clip(peak / reach, SMALLEST_SCALE, LARGEST_SCALE).astype(np.float16)
        wide = scale.astype(np.float32)
        error = ((_levels(grouped, wide) * wide[..., np.newaxis] - grouped) ** 2).sum(axis=2)
        better = error < best_error
        best_error[better] = error[better]
        best[better] = scale[better]
    return best


def _levels(grouped: NDArray[np.float32], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the nearest whole multiples of the scales, -8 … 7, in float32."""
    levels: NDArray[np.float32] = np.rint(grouped / scales[..., np.newaxis]).clip(-8, 7)
    return levels
