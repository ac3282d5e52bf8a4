"""Sliding windows: a ring that wrapped is as good as a full recompute under the same mask."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import (
    GREEDY,
    SEEDED,
    STYLES,
    arrays,
    assert_same_bits,
    model_of,
    prompt_of,
    seeds,
    styles,
)

from engine import EngineError
from engine.kv_layout import kv_bytes
from engine.sampling import Sampling
from engine.watch import Watch

LENGTH, WINDOW, DEPTH = 300, 32, 4


@pytest.mark.parametrize("style", [*sorted(STYLES), "real"])
def test_a_wrapped_ring_deepens_from_every_depth(style: str) -> None:
    model = model_of(style)
    prompt = prompt_of(model, LENGTH, seed=4)
    fresh = model.build_resume_handle(prompt, DEPTH, cache_window=WINDOW)
    assert fresh.state.cache.first_stored > 0
    samplings = (GREEDY, SEEDED)
    answers = [model.generate(prompt, DEPTH, cache_window=WINDOW, max_tokens=5, **s)
               for s in samplings]  # fmt: skip
    for k in range(DEPTH):
        handle = model.build_resume_handle(prompt, k, cache_window=WINDOW)
        assert_same_bits(model, model.extend_handle(handle, DEPTH), fresh)
        for sampling, answer in zip(samplings, answers, strict=True):
            assert model.resume_generate(handle, DEPTH, max_tokens=5, **sampling) == answer


@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_ring_equals_a_mask_over_a_full_cache(style: str) -> None:
    model = model_of(style)
    prompt = prompt_of(model, LENGTH, seed=6)
    backend = model._runner._backend
    ring = model.build_resume_handle(prompt, DEPTH, cache_window=WINDOW)
    full = backend.new_cache(LENGTH, DEPTH, 0)
    full.window = WINDOW  # the same mask, nothing overwritten
    backend.prefill(full, np.array(prompt, np.int32), 0, DEPTH, Watch())
    masked, wrapped = backend.read(full), arrays(model, ring)
    assert masked.state.tobytes() == wrapped.state.tobytes()
    low = ring.state.cache.first_stored
    assert masked.keys[:, low:].tobytes() == wrapped.keys.tobytes()


@given(styles, seeds, st.integers(1, 200), st.integers(1, 100), st.integers(1, 80))
@settings(max_examples=25, deadline=None)
def test_windows_of_any_size_cut_anywhere(
    style: str, seed: int, length: int, more: int, window: int
) -> None:
    model = model_of(style)
    prompt = prompt_of(model, length + more, seed)
    start = model.build_resume_handle(prompt[:length], 2, cache_window=window)
    whole = model.build_resume_handle(prompt, 2, cache_window=window)
    assert_same_bits(
        model, model.build_resume_handle(prompt, 2, cache_window=window, start=start), whole
    )


def test_a_start_whose_positions_are_gone_is_not_used() -> None:
    model = model_of("bundled")
    prompt = prompt_of(model, LENGTH, seed=9)
    long = model.build_resume_handle(prompt, 2, cache_window=WINDOW)
    short = model.build_resume_handle(prompt[:150], 2, cache_window=WINDOW, start=long)
    assert model.last_run.prefilled == 150
    fresh = model.build_resume_handle(prompt[:150], 2, cache_window=WINDOW)
    assert_same_bits(model, short, fresh)


@pytest.mark.parametrize("style", sorted(STYLES))
@pytest.mark.parametrize("built", [0, 40])
def test_a_narrower_window_is_a_mask_over_the_deeper_loops_and_the_answer(
    style: str, built: int
) -> None:
    """Against a full cache on which the mask is narrowed by hand."""
    model = model_of(style)
    backend = model._runner._backend
    prompt = np.array(prompt_of(model, 200, seed=3), np.int32)
    full = backend.new_cache(210, 4, 0)
    full.window = built
    backend.prefill(full, prompt, 0, 2, Watch())
    full.window = 8
    backend.extend(full, 2, 4, Watch())
    expected: list[int] = []
    backend.decode(full, 4, Sampling(), lambda i: (expected.append(i), len(expected) < 6)[1])
    handle = model.build_resume_handle(prompt, 2, cache_window=built)
    got = model.resume_generate(handle, 4, cache_window=8, max_tokens=6)[200:]
    assert got == expected[: len(got)]
    assert len(got) == 6 or got[-1] in model.config.stop_ids


def test_a_window_on_a_handle_may_only_narrow() -> None:
    model = model_of("bundled")
    prompt = prompt_of(model, 100, seed=3)
    handle = model.build_resume_handle(prompt, 2, cache_window=40)
    narrow = model.resume_generate(handle, 2, cache_window=8, max_tokens=8)
    assert narrow != model.resume_generate(handle, 2, max_tokens=8)
    with pytest.raises(EngineError, match="only narrow"):
        model.resume_generate(handle, 2, cache_window=41)
    with pytest.raises(EngineError, match="two masks"):
        model.resume_generate(handle, 2, cache_window=8, return_handle=True)
    fresh = model.build_resume_handle(prompt, 2, cache_window=40)
    assert_same_bits(model, handle, fresh)


TABLE = [(128, 32, 34), (512, 32, 136), (1024, 32, 272), (1024, 64, 528)]


@pytest.mark.parametrize(("seq_len", "max_loops", "mib"), TABLE)
def test_the_sizes_of_the_published_table(seq_len: int, max_loops: int, mib: int) -> None:
    shape = dataclasses.replace(
        model_of("bundled").config, hidden_size=2048, num_heads=16, num_kv_heads=16, head_dim=128
    )
    assert kv_bytes(shape, seq_len, max_loops) == mib * 2**20


@given(styles, st.integers(1, 150), st.integers(1, 9), st.integers(0, 70))
@settings(max_examples=30, deadline=None)
def test_the_bytes_are_those_allocated(style: str, length: int, loops: int, window: int) -> None:
    model = model_of(style)
    prompt = prompt_of(model, length, seed=1)
    handle = model.build_resume_handle(prompt, 1, max_loops=loops, cache_window=window)
    cache = handle.state.cache
    allocated = cache.keys.nbytes + cache.values.nbytes
    assert cache.kv_bytes == allocated == kv_bytes(model.config, length, loops, window)
    assert handle.nbytes() == allocated + cache.state_bytes
