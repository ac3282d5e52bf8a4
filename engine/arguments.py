"""The checks of every public argument: each refusal names the argument and what was expected."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.config import MAX_LOOPS
from engine.errors import LoopDepthError
from engine.sampling import Sampling, SamplingArgs
from engine.watch import Watch, WatchArgs

Prompt = Sequence[int] | NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Request:
    """The keywords of one generating call, checked."""

    sampling: Sampling
    watch: Watch
    window: int
    return_handle: bool
    max_loops: int | None
    on_token: Callable[[int], None] | None


def check_request(options: Mapping[str, Any], return_handle: bool, vocab_size: int) -> Request:
    """Turn the keywords of a generating call into a Request.

    Raises TypeError for an unknown keyword, ValueError for a bad value and
    NotImplementedError for features of a later version.
    """
    refuse_unknown(options, {**SamplingArgs.__annotations__, **WatchArgs.__annotations__})
    for name in ("grammar", "draft"):
        if options.get(name) is not None:
            raise NotImplementedError(f"{name}= comes with a later version of TinyLoop.")
    names = set(Sampling.__dataclass_fields__) & set(options)
    chosen = {name: options[name] for name in names}
    if chosen.get("decode_loops") is not None:
        chosen["decode_loops"] = check_depth("decode_loops", chosen["decode_loops"])
    if "stop_sequences" in chosen:
        chosen["stop_sequences"] = _stop_sequences(chosen["stop_sequences"], vocab_size)
    max_loops = options.get("max_loops")
    if max_loops is not None and not return_handle:
        raise ValueError("max_loops sizes the returned handle: give return_handle=True with it.")
    if return_handle and chosen.get("decode_loops") is not None:
        raise ValueError("decode_loops cannot be combined with return_handle: give one of them.")
    return Request(
        sampling=Sampling(**chosen),
        watch=_watch(options),
        window=check_window(options.get("cache_window", 0)),
        return_handle=return_handle,
        max_loops=None if max_loops is None else check_max_loops(max_loops),
        on_token=options.get("on_token"),
    )


def check_watch(options: Mapping[str, Any]) -> Watch:
    """Turn the keywords of a build into a Watch."""
    refuse_unknown(options, WatchArgs.__annotations__)
    return _watch(options)


def _watch(options: Mapping[str, Any]) -> Watch:
    return Watch(options.get("on_progress"), options.get("should_stop"))


def refuse_unknown(options: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Raise TypeError naming an unknown keyword and the nearest known one."""
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise TypeError(f"unknown keyword {name!r}{hint}")


def check_tokens(
    name: str, prompt: ArrayLike, vocab_size: int, *, may_be_empty: bool = False
) -> NDArray[np.int32]:
    """Return ``prompt`` as int32 ids [T], T >= 1. ValueError says what was found instead."""
    if not isinstance(prompt, np.ndarray) and any(
        isinstance(t, bool | np.bool_) for t in _listed(prompt)
    ):
        raise ValueError(f"{name} must hold integer token ids, found booleans.")
    try:
        ids = np.asarray(prompt)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be a list of token ids ({error}).") from None
    if ids.ndim != 1:
        raise ValueError(f"{name} must have one dimension, found {ids.ndim}.")
    if len(ids) == 0 and isinstance(prompt, list | tuple) and may_be_empty:
        return ids.astype(np.int32)
    if len(ids) == 0 and not may_be_empty:
        raise ValueError(f"{name} must not be empty.")
    if ids.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integer token ids, found {ids.dtype}.")
    low, high = int(ids.min(initial=0)), int(ids.max(initial=0))
    if low < 0 or high >= vocab_size:
        bad = low if low < 0 else high
        raise ValueError(f"{name}: id {bad} lies outside the vocabulary (0 to {vocab_size - 1}).")
    return ids.astype(np.int32)


def _listed(prompt: ArrayLike) -> Sequence[Any]:
    return prompt if isinstance(prompt, list | tuple) else ()


def _integer(name: str, value: object, low: int, high: int | None) -> int:
    """Return ``value`` as int within [low, high]; bool and float are no integers."""
    bounds = f"at least {low}" if high is None else f"{low} to {high}"
    ok = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not ok or value < low or (high is not None and value > high):  # type: ignore[operator]
        raise ValueError(f"{name} must be an integer, {bounds}, found {value!r}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def check_depth(name: str, value: object) -> int:
    """Return a number of loops, 0 to 64."""
    return _integer(name, value, 0, MAX_LOOPS)


def check_max_loops(value: object) -> int:
    """Return the loops to reserve, 1 to 64."""
    return _integer("max_loops", value, 1, MAX_LOOPS)


def check_window(value: object) -> int:
    """Return a window in tokens, 0 for none."""
    return _integer("cache_window", value, 0, (1 << 31) - 1)


def check_positive(name: str, value: object) -> int:
    """Return an integer of at least 1."""
    return _integer(name, value, 1, None)


def check_room(depth: int, max_loops: int, name: str) -> None:
    """Refuse a depth that a handle has no room for."""
    if depth > max_loops:
        raise LoopDepthError(
            f"{name} is {depth}, but max_loops reserves only {max_loops}.",
            depth=depth, max_loops=max_loops,
        )  # fmt: skip


def _stop_sequences(value: object, vocab_size: int) -> tuple[str | tuple[int, ...], ...]:
    """Return stop sequences as strings and tuples of ids, none of them empty."""
    expected = "stop_sequences must be a list of strings or lists of token ids"
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise ValueError(f"{expected}, found {value!r:.60}.")
    checked: list[str | tuple[int, ...]] = []
    for item in value:
        if isinstance(item, str):
            checked.append(item)
        elif isinstance(item, list | tuple | np.ndarray):
            ids = check_tokens("a stop sequence", item, vocab_size)
            checked.append(tuple(int(t) for t in ids))
        else:
            raise ValueError(f"{expected}, found {item!r:.60}.")
        if len(checked[-1]) == 0:
            raise ValueError("stop_sequences must not hold an empty string.")
    return tuple(checked)


def check_kv_mode(kv_mode: str | None) -> None:
    """Accept fp16; the lossy modes and their variables belong to a later version."""
    modes = ("fp16", "int8", "int4", "h", "h_int4")
    if kv_mode is not None and kv_mode not in modes:
        raise ValueError(f"kv_mode must be one of {', '.join(modes)}, found {kv_mode!r}.")
    asked = kv_mode not in (None, "fp16")
    variables = ("TINYLOOP_KV_H_MODE", "TINYLOOP_KV_INT4")
    if kv_mode is None:
        asked = any(os.environ.get(name, "0") not in ("", "0") for name in variables)
    if asked:
        raise NotImplementedError("Only kv_mode='fp16' exists; the lossy modes come later.")
