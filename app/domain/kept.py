"""Kept states: which one a run can start from, and why a variant has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from app.domain.answer import ModelId


@dataclass(frozen=True, slots=True)
class Kept:
    """One state the worker keeps: what it holds decides what it is good for.

    ``message_id`` is the variant that left it ("" for a prompt that was never answered),
    ``tokens`` the ids it has read, ``nbytes`` its memory, ``title`` its question in short,
    ``used`` the time of day it was used last.
    """

    message_id: str
    depth: int
    tokens: tuple[int, ...]
    nbytes: int
    title: str = ""
    used: str = ""


@dataclass(frozen=True, slots=True)
class Freed:
    """A state that is gone. ``evicted``: it made room; else it was lost. ``cause`` is a phrase."""

    message_id: str
    evicted: bool
    cause: str


class HandleState(Enum):
    """What a click on an effort button finds."""

    LIVE = "live"
    EVICTED = "evicted"
    STALE = "stale"
    LOST = "lost"
    BUSY = "busy"
    CEILING = "ceiling"
    UNSUPPORTED = "unsupported"


RESTARTED = "the app was restarted"  # every state that nobody saw go


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many ids are equal from the start."""
    pairs = zip(left, right, strict=False)
    shortest = min(len(left), len(right))
    return next((i for i, (a, b) in enumerate(pairs) if a != b), shortest)


def for_send(kept: Sequence[Kept], prompt: Sequence[int], depth: int) -> int | None:
    """Return which state a new prompt starts from: its own depth, the longest common prefix."""
    shared = [common_prefix(k.tokens, prompt) if k.depth == depth else 0 for k in kept]
    best = max(shared, default=0)
    return shared.index(best) if best > 0 else None


def for_deepening(kept: Sequence[Kept], prompt: Sequence[int], target: int) -> int | None:
    """Return which state a deepening resumes: the deepest up to ``target`` over the prompt."""
    best: int | None = None
    for i, state in enumerate(kept):
        if state.depth > target or (best is not None and state.depth <= kept[best].depth):
            continue
        if len(state.tokens) >= len(prompt) and state.tokens[: len(prompt)] == tuple(prompt):
            best = i
    return best


def without_state(
    written_by: ModelId | None, current: ModelId, freed: Freed | None
) -> tuple[HandleState, str]:
    """Return the state of a variant that no kept state serves, and the reason as a phrase."""
    if written_by is not None and written_by != current:
        return HandleState.STALE, _difference(written_by, current)
    if freed is None:
        return HandleState.LOST, RESTARTED
    return (HandleState.EVICTED if freed.evicted else HandleState.LOST), freed.cause


def _difference(written_by: ModelId, current: ModelId) -> str:
    if written_by.file != current.file:
        return "another model file wrote it"
    if written_by.device != current.device:
        return f"it was written on {written_by.device}, the model now runs on {current.device}"
    return f"its state was kept as {written_by.kv_mode}, now {current.kv_mode} is used"
