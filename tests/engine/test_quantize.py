"""INT4 groups: packing is exact, rounding is the best of its candidates, scales are never zero."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.quantize import dequantize_int4, quantize_int4


def random_matrix(seed: int, outputs: int = 96, inputs: int = 128) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((outputs, inputs), dtype=np.float32)


def test_shapes_and_dtypes() -> None:
    qweight, scales = quantize_int4(random_matrix(0), 64)
    assert (qweight.shape, qweight.dtype) == ((96, 64), np.uint8)
    assert (scales.shape, scales.dtype) == ((96, 2), np.float16)
    assert dequantize_int4(qweight, scales).dtype == np.float32


@pytest.mark.parametrize("group", [32, 64, 128])
def test_matrices_of_whole_levels_come_back_exactly(group: int) -> None:
    levels = np.random.default_rng(1).integers(-7, 8, (70, 256)).astype(np.float32)
    levels[:, ::group] = 7
    scales = np.repeat(np.float32([[0.5, 0.25]]), 128, axis=1)
    weight = levels * scales
    assert np.array_equal(dequantize_int4(*quantize_int4(weight, group)), weight)


def test_the_low_nibble_is_the_even_input() -> None:
    weight = np.zeros((1, 32), np.float32)
    weight[0, :4] = [7, -7, 1, 0]
    qweight, scales = quantize_int4(weight, 32)
    assert scales[0, 0] == 1
    assert qweight[0, :3].tolist() == [15 | 1 << 4, 9 | 8 << 4, 8 | 8 << 4]


def test_the_search_beats_the_plain_scale() -> None:
    weight = random_matrix(2, 64, 1024)
    grouped = weight.reshape(64, 16, 64)
    plain = (np.abs(grouped).max(axis=2, keepdims=True) / 7).astype(np.float16).astype("f4")
    simple = (np.clip(np.rint(grouped / plain), -8, 7) * plain).reshape(weight.shape)
    searched = dequantize_int4(*quantize_int4(weight, 64))
    errors = [float(((w - weight) ** 2).sum()) for w in (simple, searched)]
    assert errors[1] < 0.9 * errors[0]
    per_group = ((searched - weight) ** 2).reshape(grouped.shape).sum(axis=2)
    plain_error = ((simple - weight) ** 2).reshape(grouped.shape).sum(axis=2)
    assert (per_group <= plain_error * 1.001).all()


@pytest.mark.parametrize("size", [0.0, 1e-30, 1e-8, 1e-6, 1.0, 1e5, 65504 * 7])
def test_scales_are_finite_and_never_zero(size: float) -> None:
    weight = random_matrix(3, 4, 64)
    weight *= np.float32(size) / np.abs(weight).max()
    qweight, scales = quantize_int4(weight, 32)
    assert np.isfinite(scales).all()
    assert (scales > 0).all()
    step = np.maximum(scales.astype(np.float32), 0).max()
    assert np.abs(dequantize_int4(qweight, scales) - weight).max() <= 3 * step


def test_rows_do_not_depend_on_their_neighbours() -> None:
    weight = random_matrix(4, 150)
    whole = quantize_int4(weight, 64)
    single = [quantize_int4(weight[i : i + 1], 64) for i in range(150)]
    assert np.array_equal(whole[0], np.concatenate([q for q, _ in single]))
    assert np.array_equal(whole[1], np.concatenate([s for _, s in single]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e6])
def test_values_that_cannot_be_quantised(bad: float) -> None:
    weight = random_matrix(5)
    weight[3, 5] = bad
    with pytest.raises(ValueError, match="finite and at most"):
        quantize_int4(weight, 64)


def test_inputs_that_are_no_whole_groups() -> None:
    with pytest.raises(ValueError, match="100 inputs cannot be cut into groups of 64"):
        quantize_int4(random_matrix(6, 4, 100), 64)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), group=st.sampled_from([32, 64]), power=st.integers(-18, 14))
def test_a_second_rounding_changes_nothing(seed: int, group: int, power: int) -> None:
    weight = random_matrix(seed, 8, 128) * np.float32(2.0**power)
    first = dequantize_int4(*quantize_int4(weight, group))
    again = dequantize_int4(*quantize_int4(first, group))
    assert np.abs(again - first).sum() <= 0.02 * np.abs(first).sum()
