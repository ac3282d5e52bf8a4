"""How the next token is chosen: the options, their checks, and the reference sampler."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.watch import WatchArgs


class SamplingArgs(WatchArgs, total=False):
    """Keywords of every generating call; defaults and ranges stand in ``Sampling``."""

    max_tokens: int
    temperature: float
    top_k: int
    top_p: float
    repetition_penalty: float
    cache_window: int
    seed: int
    stop_sequences: Sequence[str | Sequence[int]]
    grammar: object
    draft: object
    decode_loops: int | None
    max_loops: int | None
    on_token: Callable[[int], None] | None


@dataclass(frozen=True, slots=True)
class Sampling:
    """Checked options of one answer. Raises ValueError, naming the option and its range."""

    max_tokens: int = 128
    temperature: float = 0.0
    top_k: int = 50
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    seed: int = 0
    stop_sequences: tuple[str | tuple[int, ...], ...] = ()
    decode_loops: int | None = None

    def __post_init__(self) -> None:
        """Check every range; not-finite numbers are outside all of them."""
        rules: list[tuple[str, Any, type, Callable[[Any], bool], str]] = [
            ("max_tokens", self.max_tokens, int, lambda v: v >= 1, "an integer of at least 1"),
            ("temperature", self.temperature, float, lambda v: v >= 0,
             "at least 0 and finite in float32"),
            ("top_k", self.top_k, int, lambda v: v >= 0, "an integer of at least 0 (0 = off)"),
            ("top_p", self.top_p, float, lambda v: 0 < v <= 1, "above 0 and at most 1"),
            ("repetition_penalty", self.repetition_penalty, float, lambda v: v > 0,
             "above 0 and finite in float32"),
            ("seed", self.seed, int, lambda v: 0 <= v < 1 << 64, "an integer from 0 to 2^64 - 1"),
        ]  # fmt: skip
        for name, value, kind, holds, expected in rules:
            numbers = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
            ok = isinstance(value, numbers) and not isinstance(value, bool)
            if ok and kind is float:  # the arithmetic is float32
                ok = math.isfinite(_single(value)) and holds(_single(value))
            if not ok or not math.isfinite(value) or not holds(value):
                raise ValueError(f"{name} must be {expected}, found {value!r}.")
            object.__setattr__(self, name, kind(value))


def _single(value: float) -> float:
    """Return ``value`` as float32 has it; infinite above its range."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def philox4x32(counter: NDArray[np.uint32], key: int) -> NDArray[np.uint32]:
    """Return Philox4x32-10 of ``counter`` [n, 4] under a 64-bit ``key`` as [n, 4].

    Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011); not
    ``numpy.random.Philox``, which is the 4x64 variant.
    """
    c0, c1, c2, c3 = (counter[:, i].astype(np.uint64) for i in range(4))
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    k0, k1 = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        product0 = c0 * np.uint64(0xD2511F53)
        product1 = c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (
            (product1 >> shift) ^ c1 ^ np.uint64(k0),
            product1 & low,
            (product0 >> shift) ^ c3 ^ np.uint64(k1),
            product0 & low,
        )
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], axis=1).astype(np.uint32)


def uniforms(ids: NDArray[np.int64], position: int, seed: int) -> NDArray[np.float32]:
    """Return one number in (0, 1) for each token id at ``position``, [n] float32.

    Only 23 bits are used: more would round to 1.0 in float32, whose logarithm is 0.
    """
    counter = np.zeros((len(ids), 4), np.uint32)
    counter[:, 0] = position
    counter[:, 1] = ids // 4
    words = philox4x32(counter, seed)[np.arange(len(ids)), ids % 4]
    numbers = ((words >> np.uint32(9)).astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-23)
    return numbers.astype(np.float32)


def sample(
    logits: NDArray[np.float32], history: NDArray[np.int32], position: int, sampling: Sampling
) -> int:
    """Return the token id for ``position`` from raw ``logits`` [vocab] float32.

    ``history`` are the ids of prompt and answer so far (for the repetition penalty). The
    order is: penalty, temperature, top-k, top-p, then arg-max of l/T - ln(-ln u).
    """
    scores = logits.astype(np.float32, copy=True)
    if sampling.repetition_penalty != 1.0:
        seen = np.unique(history)
        penalty = np.float32(sampling.repetition_penalty)
        with np.errstate(over="ignore"):  # an absurd penalty ends at infinity
            scaled = np.where(scores[seen] > 0, scores[seen] / penalty, scores[seen] * penalty)
        scores[seen] = scaled
    greedy = int(np.argmax(scores))
    if sampling.temperature == 0.0:
        return greedy
    with np.errstate(over="ignore"):
        scores = scores / np.float32(max(sampling.temperature, 1e-30))
    if not np.isfinite(scores.max()):  # a tiny temperature or penalty: greedy is the limit
        return greedy
    kept = np.flatnonzero(scores > -np.inf)
    if 0 < sampling.top_k < len(kept):
        kept = kept[np.lexsort((kept, -scores[kept]))[: sampling.top_k]]
    if sampling.top_p < 1.0:
        kept = _nucleus(scores, kept, sampling.top_p)
    kept = np.sort(kept)
    gumbel = -np.log(-np.log(uniforms(kept, position, sampling.seed)))
    return int(kept[np.argmax(scores[kept] + gumbel)])


def _nucleus(scores: NDArray[np.float32], kept: NDArray[Any], top_p: float) -> NDArray[Any]:
    """Return the smallest part of ``kept``, by probability then id, that reaches ``top_p``."""
    order = kept[np.lexsort((kept, -scores[kept]))]
    weights = np.exp(scores[order] - scores[order[0]])
    reached = np.cumsum(weights / weights.sum())
    return order[: int(np.searchsorted(reached, np.float32(top_p))) + 1]
