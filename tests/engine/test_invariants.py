"""The product's promise: every way to reach a depth gives the same bits and the same answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import (
    SEEDED,
    STYLES,
    assert_same_bits,
    lengths,
    model_of,
    prompt_of,
    samplings,
    seeds,
    styles,
)

from engine import PrefixPool

quick = settings(max_examples=25, deadline=None)
ALL = [*sorted(STYLES), "real"]


@pytest.mark.parametrize("style", ALL)
@pytest.mark.parametrize("sampling", [{}, SEEDED], ids=["greedy", "seeded"])
def test_resume_equals_fresh_from_every_depth(style: str, sampling: dict[str, Any]) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 11, seed=5)
    deepest = 6
    answer = model.generate(prompt, deepest, max_tokens=6, **sampling)
    fresh = model.build_resume_handle(prompt, deepest)
    for k in range(deepest + 1):
        handle = model.build_resume_handle(prompt, k)
        assert model.resume_generate(handle, deepest, max_tokens=6, **sampling) == answer
        assert_same_bits(model, model.extend_handle(handle, deepest), fresh)


@given(styles, lengths, seeds, st.integers(0, 8), st.integers(0, 8), samplings)
@quick
def test_resume_equals_fresh(
    style: str, length: int, seed: int, low: int, high: int, sampling: dict[str, Any]
) -> None:
    model = model_of(style)
    low, high = min(low, high), max(low, high)
    prompt = prompt_of(model, length, seed)
    handle = model.build_resume_handle(prompt, low)
    expected = model.generate(prompt, high, max_tokens=4, **sampling)
    assert model.resume_generate(handle, high, max_tokens=4, **sampling) == expected
    assert_same_bits(
        model, model.extend_handle(handle, high), model.build_resume_handle(prompt, high)
    )


@given(styles, lengths, seeds, st.lists(st.integers(0, 8), min_size=3, max_size=3))
@quick
def test_extending_twice_equals_once(style: str, length: int, seed: int, d: list[int]) -> None:
    model = model_of(style)
    low, middle, high = sorted(d)
    handle = model.build_resume_handle(prompt_of(model, length, seed), low)
    twice = model.extend_handle(model.extend_handle(handle, middle), high)
    assert_same_bits(model, twice, model.extend_handle(handle, high))


@given(styles, lengths, st.integers(0, 70), seeds, samplings)
@quick
def test_a_prefix_cache_equals_plain(
    style: str, length: int, more: int, seed: int, sampling: dict[str, Any]
) -> None:
    model = model_of(style)
    prompt = prompt_of(model, length + more, seed)
    cache = model.build_prefix_cache(prompt[:length], 3)
    expected = model.generate(prompt, 3, max_tokens=4, **sampling)
    for _ in range(2):  # the cache is unchanged by its use
        got, kept = model.generate_from_prefix_cache(
            cache, 3, prompt[length:], max_tokens=4, return_handle=True, **sampling
        )
        assert got == expected
        assert_same_bits(model, kept, model.build_resume_handle(expected[:-1], 3))


@given(styles, seeds, st.lists(st.integers(1, 80), min_size=2, max_size=5), samplings)
@quick
def test_a_pool_equals_plain(
    style: str, seed: int, cuts: list[int], sampling: dict[str, Any]
) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 81, seed)
    expected = model.generate(prompt, 2, max_tokens=3, **sampling)
    with_eviction = PrefixPool(capacity=2)
    for cut in cuts:  # overlapping prefixes; the third and later ones evict
        with_eviction.register_prefix(model, prompt[:cut], 2)
        got, kept = model.generate_with_pool(
            with_eviction, prompt, 2, max_tokens=3, return_handle=True, **sampling
        )
        assert got == expected
        assert model.last_run.prefilled < len(prompt)
        assert_same_bits(model, kept, model.build_resume_handle(expected[:-1], 2))
    with_eviction.register_prefix(model, [prompt[0] ^ 1, 9], 2)
    assert model.generate_with_pool(with_eviction, prompt, 2, max_tokens=3, **sampling) == expected
    with_eviction.close()


@given(styles, lengths, st.integers(0, 90), seeds)
@quick
def test_prefill_may_be_cut_anywhere(style: str, length: int, cut: int, seed: int) -> None:
    model = model_of(style)
    prompt = prompt_of(model, length, seed)
    whole = model.build_resume_handle(prompt, 3)
    start = model.build_resume_handle(prompt[: max(1, cut % length)], 3)
    assert_same_bits(model, model.build_resume_handle(prompt, 3, start=start), whole)


@pytest.mark.parametrize("style", ALL)
@pytest.mark.parametrize("cut", [1, 5, 8, 20, 63, 64, 65, 89])
def test_prefill_of_90_tokens_cut_once(style: str, cut: int) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 90, seed=cut)
    start = model.build_resume_handle(prompt[:cut], 2)
    cut_once = model.build_resume_handle(prompt, 2, start=start)
    assert model.last_run.prefilled == 90 - cut
    assert_same_bits(model, cut_once, model.build_resume_handle(prompt, 2))


@pytest.mark.parametrize("style", ALL)
def test_token_by_token_equals_one_prefill(style: str) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 20, seed=2)
    handle = model.build_resume_handle(prompt[:1], 2)
    for n in range(2, 21):
        handle = model.build_resume_handle(prompt[:n], 2, start=handle)
    assert_same_bits(model, handle, model.build_resume_handle(prompt, 2))


@given(styles, lengths, seeds, samplings, st.integers(1, 12))
@quick
def test_a_second_turn_equals_the_same_prompt_from_nothing(
    style: str, length: int, seed: int, sampling: dict[str, Any], words: int
) -> None:
    model = model_of(style)
    prompt = prompt_of(model, length, seed)
    tokens, kept = model.generate(prompt, 3, max_tokens=words, return_handle=True, **sampling)
    assert kept is not None
    assert kept.tokens() == tokens[:-1]
    turn = [*tokens, *prompt_of(model, 5, seed + 1)]
    second = model.build_resume_handle(turn, 3, start=kept)
    assert model.last_run.prefilled == len(turn) - len(tokens) + 1
    assert_same_bits(model, second, model.build_resume_handle(turn, 3))


@given(styles, lengths, seeds, st.integers(3, 8), samplings, st.sampled_from([0, 1, 20]))
@quick
def test_a_returned_handle_extends_like_a_fresh_one(
    style: str, length: int, seed: int, deeper: int, sampling: dict[str, Any], window: int
) -> None:
    model = model_of(style)
    prompt = prompt_of(model, length, seed)
    _, kept = model.generate(
        prompt, 3, max_tokens=9, return_handle=True, max_loops=8, cache_window=window, **sampling
    )
    assert kept is not None
    fresh = model.build_resume_handle(kept.tokens(), deeper, cache_window=window)
    assert_same_bits(model, model.extend_handle(kept, deeper), fresh)


@given(styles, seeds, st.integers(3, 6), st.sampled_from([0, 20]))
@quick
def test_a_handle_cut_at_a_stop_sequence_extends_like_a_fresh_one(
    style: str, seed: int, deeper: int, window: int
) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 30, seed)
    options: dict[str, Any] = {"max_tokens": 12, "cache_window": window, **SEEDED}
    answer = model.generate(prompt, 3, **options)[30:]
    stop = answer[len(answer) // 2 :][:2]
    _, kept = model.generate(
        prompt, 3, stop_sequences=[stop], return_handle=True, max_loops=6, **options
    )
    assert kept is not None
    assert len(kept.tokens()) < 30 + len(answer)
    fresh = model.build_resume_handle(kept.tokens(), deeper, cache_window=window)
    assert_same_bits(model, model.extend_handle(kept, deeper), fresh)


@given(styles, lengths, st.integers(1, 90), seeds)
@quick
def test_a_longer_start_is_cut_and_runs_no_layer(
    style: str, length: int, shorter: int, seed: int
) -> None:
    model = model_of(style)
    prompt = prompt_of(model, length, seed)
    long = model.build_resume_handle(prompt, 3)
    part = prompt[: min(shorter, length)]
    cut = model.build_resume_handle(part, 3, start=long)
    assert (model.last_run.prefilled, model.last_run.cells) == (0, 0)
    assert_same_bits(model, cut, model.build_resume_handle(part, 3))
    assert model.resume_generate(cut, 5, max_tokens=3) == model.generate(part, 5, max_tokens=3)


@pytest.mark.parametrize("style", ["bundled", "huginn", "real"])
def test_ten_resumes_leave_a_handle_unchanged(style: str) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 13, seed=1)
    handle, untouched = (model.build_resume_handle(prompt, 2) for _ in range(2))
    answers = {tuple(model.resume_generate(handle, 5, max_tokens=4)) for _ in range(10)}
    assert len(answers) == 1
    assert_same_bits(model, handle, untouched)


@pytest.mark.parametrize("style", ALL)
def test_uncertainty_is_one_pass_and_equals_two(style: str) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 9, seed=8)
    logits, kl = model.score_with_uncertainty(prompt, 2, 5)
    assert model.last_run.cells == 5 * len(prompt)
    same, none = model.score_with_uncertainty(prompt, 5, 5)
    assert logits.tobytes() == same.tobytes()
    assert none == 0.0
    assert kl > 0
    handle = model.build_resume_handle(prompt, 2)
    again, kl_again, deep = model.score_with_uncertainty(handle, 2, 5, return_handle=True)
    assert model.last_run.cells == 3 * len(prompt)
    assert (again.tobytes(), kl_again) == (logits.tobytes(), kl)
    assert_same_bits(model, deep, model.build_resume_handle(prompt, 5))
