"""The arithmetic underneath: rows that ignore their neighbours, attention against float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import model_of

from engine.backends import numerics
from engine.backends.numerics import (
    Matrix,
    attend,
    linear,
    rms_norm,
    rope_table,
    rotate,
    stable_tile,
)
from engine.kv_layout import CHUNK


def test_rows_have_the_same_bits_at_all_offsets_on_every_matrix_of_the_model() -> None:
    backend: Any = model_of("real")._runner._backend
    matrices = [w for w in backend._weights() if isinstance(w, Matrix)]
    config = model_of("real").config
    layers = config.num_pre_layers + config.num_loop_layers + config.num_post_layers
    assert len(matrices) == 7 * layers + 1
    rng = np.random.default_rng(1)
    for inputs, width in sorted({(m.product[0], m.width) for m in matrices}):
        weight = Matrix.of(rng.standard_normal((width, inputs), dtype=np.float32))
        x = rng.standard_normal((19, inputs), dtype=np.float32)
        whole = linear(x, weight, backend._tile)
        for row in range(19):
            for low, high in ((row, row + 1), (row, 19), (max(0, row - 5), row + 1)):
                alone = linear(x[low:high], weight, backend._tile)[row - low]
                assert alone.tobytes() == whole[row].tobytes(), (inputs, width)


def test_an_unstable_blas_falls_back_to_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unstable(np.ndarray[Any, Any]):
        def __matmul__(self, other: Any) -> Any:
            out = np.asarray(self) @ np.asarray(other)
            return out + np.arange(len(out), dtype=np.float32)[:, None]

    real = np.random.default_rng

    class Rng:
        def __init__(self, seed: int) -> None:
            self.rng = real(seed)

        def standard_normal(self, *a: Any, **k: Any) -> Any:
            return self.rng.standard_normal(*a, **k).view(Unstable)

    monkeypatch.setattr(numerics.np.random, "default_rng", Rng)
    assert stable_tile.__wrapped__(((4, 4),)) == 1


@pytest.mark.parametrize("tile", [1, 8])
@given(st.integers(1, 30), st.integers(1, 100))
@settings(max_examples=20, deadline=None)
def test_linear_is_a_matrix_product(tile: int, rows: int, width: int) -> None:
    rng = np.random.default_rng(rows)
    x = rng.standard_normal((rows, 24), dtype=np.float32)
    weight = rng.standard_normal((width, 24), dtype=np.float32)
    expected = x.astype(np.float64) @ weight.T.astype(np.float64)
    got = linear(x, Matrix.of(weight), tile)
    assert got.shape == expected.shape
    assert np.allclose(got, expected, atol=1e-5)


def plain_attention(q: Any, k: Any, v: Any, mask: Any) -> Any:
    """Softmax attention in float64, one query and head at a time."""
    rows, heads, dim = q.shape
    out = np.zeros(q.shape)
    for t in range(rows):
        for h in range(heads):
            kv = h // (heads // k.shape[0])
            scores = k[kv].astype(np.float64) @ q[t, h].astype(np.float64) / np.sqrt(dim)
            weights = np.where(mask[t], np.exp(scores - scores[mask[t]].max()), 0)
            out[t, h] = weights / weights.sum() @ v[kv].astype(np.float64)
    return out


@given(st.integers(1, 20), st.integers(0, 150), st.sampled_from([0, 1, 5, 70]), st.integers(1, 2))
@settings(max_examples=30, deadline=None)
def test_attention_against_float64(rows: int, before: int, window: int, group: int) -> None:
    rng = np.random.default_rng(rows + before)
    length = -(-(before + rows) // CHUNK) * CHUNK
    q = rng.standard_normal((rows, 2 * group, 8), dtype=np.float32) * 3
    k, v = rng.standard_normal((2, 2, length, 8), dtype=np.float32)
    at, positions = np.arange(length)[None], np.arange(before, before + rows)[:, None]
    mask = (at <= positions) & ((at > positions - window) if window else True)
    got = attend(q, k, v, mask)
    assert np.allclose(got, plain_attention(q, k, v, mask), atol=2e-5)
    assert attend(q[-1:], k, v, mask[-1:]).tobytes() == got[-1:].tobytes()
    assert np.allclose(attend(q, k, v, mask, tile=1), got, atol=2e-5)


def test_rms_norm_against_float64() -> None:
    x = np.random.default_rng(0).standard_normal((5, 48)).astype(np.float32)
    weight = np.linspace(0.5, 2, 48, dtype=np.float32)
    wide = x.astype(np.float64)
    expected = weight * wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5)
    assert np.allclose(rms_norm(x, weight, 1e-5), expected, atol=1e-6)
    assert np.array_equal(rms_norm(x[3:4], weight, 1e-5), rms_norm(x, weight, 1e-5)[3:4])


def test_rotation_pairs_halves_and_keeps_lengths() -> None:
    config = model_of("bundled").config
    cos, sin = rope_table(config, 40)
    x = np.random.default_rng(0).standard_normal((40, 3, config.head_dim)).astype(np.float32)
    turned = rotate(x, cos, sin)
    half = config.head_dim // 2
    angle = 7 * config.rope_base ** (-2 * 1 / config.head_dim)
    low, high = x[7, 0, 1], x[7, 0, 1 + half]
    assert turned[7, 0, 1] == pytest.approx(low * np.cos(angle) - high * np.sin(angle), abs=1e-6)
    assert np.array_equal(turned[0], x[0])
    assert np.allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), atol=1e-5)


def test_llama3_scaling_slows_only_long_waves() -> None:
    scaled, plain = model_of("llama").config, model_of("bundled").config
    assert scaled.rope_scaling is not None
    fast = rope_table(scaled, 9)[1][:, 0], rope_table(plain, 9)[1][:, 0]
    assert np.array_equal(*fast)
    slow = rope_table(scaled, 9)[1][8, -1], rope_table(plain, 9)[1][8, -1]
    assert slow[0] == pytest.approx(slow[1] / scaled.rope_scaling.factor, rel=1e-3)
