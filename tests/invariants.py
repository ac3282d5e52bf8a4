"""Tools of the invariant tests: small models of every style, and caches compared bit for bit."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tiny_models import tiny_config, write_tiny_model

from engine import Model, PrefixCache, ResumeHandle
from engine.backends.base import CacheArrays
from engine.config import Quantization, RopeScaling
from engine.resources import bundled_model

STYLES: dict[str, dict[str, Any]] = {
    "bundled": {"quantization": Quantization(4, 32)},
    "ouro": {
        "num_pre_layers": 0, "num_loop_layers": 3, "injection": "none", "entry_norm": False,
        "qk_norm": "none", "tied_head": False, "efforts": (2, 3, 4),
    },
    "huginn": {
        "norm_style": "postsum", "injection": "linear", "qk_norm": "none", "qk_bias": True,
        "num_loop_layers": 2, "num_post_layers": 2, "post_entry_norm": True,
        "entry_norm": False, "initial_state": "noise", "initial_std": 0.4, "loop_exit_norm": False,
    },
    "olmo": {
        "norm_style": "postsub", "qk_norm": "full", "injection": "linear", "num_kv_heads": 2,
        "num_post_layers": 1, "initial_state": "zeros", "tied_head": False,
    },
    "llama": {
        "norm_style": "pre", "qk_norm": "none", "injection": "add", "num_kv_heads": 1,
        "num_pre_layers": 1, "num_loop_layers": 2, "initial_state": "zeros",
        "rope_scaling": RopeScaling(8.0, 1.0, 4.0, 64),
    },
}  # fmt: skip

GREEDY: dict[str, Any] = {}
SEEDED: dict[str, Any] = {"temperature": 0.9, "top_k": 40, "top_p": 0.95, "seed": 7,
                          "repetition_penalty": 1.1}  # fmt: skip


@functools.cache
def model_of(style: str) -> Model:
    """Return the model of a style, loaded once per process; ``real`` is the bundled file."""
    if style == "real":
        return Model(bundled_model(), device="cpu")
    folder = Path(tempfile.mkdtemp(prefix="tinyloop-style-"))
    path = write_tiny_model(folder / f"{style}.tinyloop", tiny_config(**STYLES[style]), seed=3)
    return Model(path, device="cpu")


def arrays(model: Model, handle: ResumeHandle | PrefixCache) -> CacheArrays:
    """Copy a handle's cache out."""
    return model._runner._backend.read(handle.state.cache)


def assert_same_bits(model: Model, one: Any, other: Any) -> None:
    """Fail at the first array of two handles in which any bit differs."""
    assert one.tokens() == other.tokens()
    assert (one.state.depth, one.state.window) == (other.state.depth, other.state.window)
    a, b = arrays(model, one), arrays(model, other)
    for field in dataclasses.fields(CacheArrays):
        left, right = getattr(a, field.name), getattr(b, field.name)
        assert left.dtype == right.dtype
        bits = [np.ascontiguousarray(x).view(np.uint8) for x in (left, right)]
        assert np.array_equal(*bits), f"{field.name} differs first at {first(left, right)}"
        assert np.isfinite(left).all()
    if model.config.num_post_layers:
        ends = [exits(h).view(np.uint8) for h in (one, other)]
        assert np.array_equal(*ends)


def exits(handle: Any) -> Any:
    """Return what the head reads of a handle's positions, from either device."""
    cache = handle.state.cache
    return cache.rows("exits") if hasattr(cache, "rows") else cache.exits[: handle.seq_len()]


def first(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> Any:
    """Return the index of the first difference."""
    return left.shape if left.shape != right.shape else tuple(np.argwhere(left != right)[0])


def prompt_of(model: Model, length: int, seed: int) -> list[int]:
    """Return random ids that are text, not control marks."""
    rng = np.random.default_rng(seed)
    return [int(i) for i in rng.integers(6, model.config.vocab_size, length)]


styles = st.sampled_from(sorted(STYLES))
seeds = st.integers(0, 2**16)
lengths = st.sampled_from([1, 2, 7, 8, 9, 31, 63, 64, 65, 90])
samplings = st.sampled_from([GREEDY, SEEDED])
