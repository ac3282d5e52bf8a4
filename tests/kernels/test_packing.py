"""The packed layouts by their definition, and the integer arithmetic against exact numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.backends.cuda.packing import (
    digits,
    fused_multiply_add,
    int4_linear,
    interleave,
    nibbles,
    pack_fp16,
    pack_int4,
    pack_scales,
    quantise,
)
from engine.quantize import dequantize_int4, quantize_int4

SHAPES = [(16, 64), (37, 192), (64, 128), (1, 64)]


@pytest.mark.parametrize("shape", SHAPES)
def test_int4_fragments_hold_what_the_kernel_reads(shape: tuple[int, int]) -> None:
    levels = np.random.default_rng(0).integers(0, 16, shape, np.uint8)
    packed = pack_int4(levels, 64)
    for (tile, unit, lane, word), value in np.ndenumerate(packed):
        step, half = divmod(word, 2)
        for i in range(4):
            column = unit * 64 + 32 * step + 16 * half + 4 * (lane % 4) + i
            byte = int(value) >> (8 * i) & 255
            for nibble, row in ((byte & 15, lane // 4), (byte >> 4, lane // 4 + 8)):
                at = tile * 16 + row
                assert nibble == (levels[at, column] if at < shape[0] else 8)


@pytest.mark.parametrize("shape", SHAPES)
def test_fp16_fragments_hold_what_the_kernel_reads(shape: tuple[int, int]) -> None:
    matrix = np.random.default_rng(0).standard_normal(shape).astype(np.float16)
    packed = pack_fp16(matrix, 64).view(np.float16)
    packed = packed.reshape(*packed.shape[:-1], 4, 2)
    for (tile, unit, lane, word, pair), value in np.ndenumerate(packed):
        k, r = divmod(word, 2)
        row, column = tile * 16 + lane // 4 + 8 * r, unit * 16 + 8 * k + 2 * (lane % 4) + pair
        assert value == (matrix[row, column] if row < shape[0] else 0)


def test_scales_pair_rows_eight_apart() -> None:
    scales = np.random.default_rng(0).random((20, 3)).astype(np.float16)
    packed = pack_scales(scales, 4).view(np.float16).reshape(2, 4, 8, 2)
    for (tile, group, row, high), value in np.ndenumerate(packed):
        at = tile * 16 + row + 8 * high
        assert value == (scales[at, group] if at < 20 and group < 3 else 0)


def test_gate_and_up_alternate_by_eights() -> None:
    gate, up = np.arange(10)[:, None], 100 + np.arange(10)[:, None]
    wanted = [*range(8), *range(100, 108), 8, 9, *[0] * 6, 108, 109, *[0] * 6]
    assert interleave(gate, up)[:, 0].tolist() == wanted


def test_nibbles_undo_the_files_packing() -> None:
    matrix = np.random.default_rng(0).standard_normal((5, 64), np.float32)
    qweight, scales = quantize_int4(matrix, 32)
    levels = nibbles(qweight).astype(np.float32) - 8
    assert np.array_equal(levels * np.repeat(scales, 32, 1), dequantize_int4(qweight, scales))


@given(st.integers(0, 2**32 - 1), st.sampled_from([32, 64, 128]), st.floats(-100, 100))
@settings(max_examples=50, deadline=None)
def test_two_digits_are_exact_and_fit_a_byte(seed: int, group: int, exponent: float) -> None:
    x = np.random.default_rng(seed).standard_normal((3, 256), np.float32)
    x *= np.float32(2.0**exponent)
    x[0, :group] = 0
    integers, scales = quantise(x, group, 128)
    high, low = digits(integers)
    assert np.array_equal(256 * high.astype(np.int32) + low, integers)
    error = np.abs(integers * np.repeat(scales, group, 1) - x)
    assert (error <= np.repeat(scales, group, 1) / 2).all()
    assert (np.abs(integers).reshape(3, -1, group).max(2)[1:] >= 16256).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_the_fma_rounds_once(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.standard_normal((2, 50)).astype(np.float32)
    c = (-a * b * (1 + random.integers(-3, 4, 50) * 2.0**-23)).astype(np.float32)
    for x, y, z, found in zip(a, b, c, fused_multiply_add(a, b, c), strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        near = np.nextafter(found, -np.inf), found, np.nextafter(found, np.inf)
        errors = [abs(Fraction(float(n)) - exact) for n in near]
        assert errors[1] == min(errors)


@pytest.mark.parametrize("inputs", [128, 384, 2048, 5632])
def test_the_integer_linear_is_close_to_float64(inputs: int) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((4, inputs), np.float32)
    x[1, 3] *= 500  # one channel far above the rest
    qweight, scales = quantize_int4(random.standard_normal((24, inputs), np.float32), 128)
    wanted = x.astype(np.float64) @ dequantize_int4(qweight, scales).astype(np.float64).T
    found = int4_linear(x, nibbles(qweight), scales, 128)
    errors = np.linalg.norm(found - wanted, axis=1) / np.linalg.norm(wanted, axis=1)
    assert (errors < 3e-4).all()
    assert errors[0] < 1e-4
