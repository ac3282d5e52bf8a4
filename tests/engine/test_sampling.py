"""The sampler: published random numbers, each filter, and its order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sampling import Sampling, philox4x32, sample, uniforms

NONE = np.zeros(0, np.int32)


# Known answers of Philox4x32-10 from the Random123 distribution (kat_vectors).
@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ("00000000 00000000 00000000 00000000", 0x0,
         "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", 0xFFFFFFFFFFFFFFFF,
         "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", 0x299F31D0_A4093822,
         "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)  # fmt: skip
def test_philox_known_answers(counter: str, key: int, expected: str) -> None:
    words = np.array([[int(w, 16) for w in counter.split()]], np.uint32)
    assert [f"{w:08x}" for w in philox4x32(words, key)[0]] == expected.split()


def test_uniforms_are_inside_the_open_interval_and_addressed_by_id() -> None:
    ids = np.arange(8192)
    u = uniforms(ids, position=9, seed=3)
    assert u.dtype == np.float32
    assert u.min() > 0
    assert u.max() < 1
    assert abs(float(u.mean()) - 0.5) < 0.02
    assert np.array_equal(uniforms(ids[5:6], 9, 3), u[5:6])
    words = philox4x32(np.array([[9, 1, 0, 0]], np.uint32), 3)[0]
    assert u[5] == np.float32(((words[1] >> 9) + 0.5) * 2.0**-23)


def test_greedy_takes_the_lowest_of_equals() -> None:
    logits = np.array([0, 3, 3, 1], np.float32)
    assert sample(logits, NONE, 5, Sampling()) == 1


def test_the_penalty_divides_positive_and_multiplies_negative_logits() -> None:
    logits = np.array([2.0, 1.9, -1.0, -1.5], np.float32)
    assert sample(logits, np.array([0], np.int32), 0, Sampling(repetition_penalty=1.2)) == 1
    low = np.array([-1.0, -1.1], np.float32)
    assert sample(low, np.array([0], np.int32), 0, Sampling(repetition_penalty=1.2)) == 1


def picks(logits: np.ndarray, sampling: dict[str, float], n: int = 300) -> set[int]:
    options = {"temperature": 1.0, "top_k": 0, **sampling}
    return {sample(logits, NONE, p, Sampling(**options)) for p in range(n)}  # type: ignore[arg-type]


def test_top_k_keeps_the_lower_id_on_ties() -> None:
    logits = np.array([1, 2, 2, 2, 0], np.float32)
    assert picks(logits, {"top_k": 2}) == {1, 2}
    assert picks(logits, {"top_k": 0}) == {0, 1, 2, 3, 4}


def test_top_p_keeps_the_smallest_set_that_reaches_p() -> None:
    logits = np.log(np.array([0.1, 0.5, 0.25, 0.15], np.float32))
    assert picks(logits, {"top_p": 0.5}) == {1}
    assert picks(logits, {"top_p": 0.6}) == {1, 2}
    assert picks(logits, {"top_p": 0.76}) == {1, 2, 3}
    assert picks(logits, {"top_p": 1.0}) == {0, 1, 2, 3}


def test_frequencies_follow_the_probabilities() -> None:
    p = np.array([0.1, 0.2, 0.3, 0.4])
    logits = np.log(p).astype(np.float32)
    options = Sampling(temperature=1.0, top_k=0, seed=11)
    counts = np.bincount([sample(logits, NONE, i, options) for i in range(8000)], minlength=4)
    assert np.allclose(counts / 8000, p, atol=0.02)


def test_banned_ids_are_never_drawn() -> None:
    logits = np.array([0, -np.inf, 0], np.float32)
    assert picks(logits, {"temperature": 100.0}) == {0, 2}


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**31), st.floats(1e-38, 1e30))
@settings(max_examples=60, deadline=None)
def test_any_seed_position_and_temperature_gives_a_token(seed: int, at: int, t: float) -> None:
    logits = np.random.default_rng(0).standard_normal(33).astype(np.float32) * 20
    options = Sampling(temperature=t, seed=seed, top_p=0.9)
    first = sample(logits, NONE, at, options)
    assert 0 <= first < 33
    assert sample(logits, NONE, at, options) == first
    if t < 1e-6:
        assert first == int(np.argmax(logits))
