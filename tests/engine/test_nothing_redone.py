"""Nothing is computed twice, proven by watching every layer that runs and by poisoning K/V."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from invariants import assert_same_bits, model_of, prompt_of

from engine import Model
from engine.kv_layout import num_slots

Ran = tuple[int, int, int, int]  # loop, layer, first position, tokens; loop -1 is pre, -2 post


@contextmanager
def spy(model: Model) -> Iterator[list[Ran]]:
    """Record every layer the reference backend runs."""
    backend: Any = model._runner._backend
    config, ran, real = model.config, [], backend.run_layer
    fixed = config.num_pre_layers + config.num_post_layers

    def record(slot: int, cache: Any, first: int, x: Any) -> Any:
        loop, layer = divmod(slot - fixed, config.num_loop_layers)
        if slot < fixed:
            loop = -1 if slot < config.num_pre_layers else -2
            layer = slot
        ran.append((loop, layer, first, len(x)))
        return real(slot, cache, first, x)

    backend.run_layer = record
    try:
        yield ran
    finally:
        del backend.run_layer


def positions(ran: list[Ran], loop: int, layer: int) -> list[int]:
    return sorted(p for lo, la, f, n in ran if (lo, la) == (loop, layer) for p in range(f, f + n))


@pytest.mark.parametrize("style", ["real", "ouro", "huginn"])
@pytest.mark.parametrize("length", [20, 150])
def test_try_harder_runs_only_the_deeper_loops(style: str, length: int) -> None:
    model = model_of(style)
    low, high = (8, 16) if style == "real" else (2, 4)
    handle = model.build_resume_handle(prompt_of(model, length, seed=1), low)
    with spy(model) as ran:
        before_first_word: list[Ran] = []
        out = model.resume_generate(
            handle, high, max_tokens=2, on_token=lambda _: before_first_word.extend(ran[:])
            if not before_first_word else None,
        )  # fmt: skip
    loops = {loop for loop, *_ in before_first_word}
    post = {-2} if model.config.num_post_layers else set()
    assert loops == set(range(low, high)) | post
    for loop in range(low, high):
        for layer in range(model.config.num_loop_layers):
            assert positions(before_first_word, loop, layer) == list(range(length))
    # afterwards each new token runs every loop once, and nothing else
    after = ran[len(before_first_word) :]
    config = model.config
    layers = config.num_pre_layers + config.num_post_layers + high * config.num_loop_layers
    assert len(after) == (len(out) - length - 1) * layers
    assert {(first, n) for _, _, first, n in after} <= {(length, 1)}


def test_a_second_turn_reads_only_what_is_new() -> None:
    model = model_of("real")
    prompt = prompt_of(model, 70, seed=2)
    tokens, kept = model.generate(prompt, 8, max_tokens=5, return_handle=True)
    assert kept is not None
    turn = [*tokens, *prompt_of(model, 9, seed=3)]
    with spy(model) as ran:
        model.build_resume_handle(turn, 8, start=kept)
    new = list(range(len(tokens) - 1, len(turn)))
    assert {loop for loop, *_ in ran} == set(range(-1, 8))
    for loop in range(8):
        assert positions(ran, loop, 0) == new


@pytest.mark.parametrize("style", ["real", "ouro", "huginn", "olmo", "llama"])
def test_poison_above_the_depth_changes_nothing(style: str) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 40, seed=4)
    handle = model.build_resume_handle(prompt, 3, max_loops=8)
    cache: Any = handle.state.cache
    above = num_slots(model.config, 3)
    cache.keys[above:] = np.nan
    cache.values[above:] = np.nan
    deeper = model.extend_handle(handle, 7)
    assert_same_bits(model, deeper, model.build_resume_handle(prompt, 7))
    assert model.resume_generate(handle, 7, max_tokens=5) == model.generate(prompt, 7, max_tokens=5)


def test_the_counter_counts_what_the_layers_did() -> None:
    model = model_of("bundled")
    prompt = prompt_of(model, 70, seed=5)
    handle = model.build_resume_handle(prompt, 3)
    run = model.last_run
    assert (run.prefilled, run.cells, run.first_loop, run.last_loop) == (70, 210, 0, 2)
    out = model.resume_generate(handle, 5, max_tokens=4)
    run = model.last_run
    written = len(out) - 70
    assert (run.prefilled, run.first_loop, run.last_loop) == (0, 3, 4)
    assert run.cells == 70 * 2 + (written - 1) * 5
    model.resume_generate(handle, 3, max_tokens=1)
    run = model.last_run
    assert (run.cells, run.first_loop, run.last_loop) == (0, None, None)
