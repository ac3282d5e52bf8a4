"""Loss on conversations by loops: how well a model foresees what the assistant really said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.accuracy import Z
from engine.backends import open_backend
from engine.backends.base import Backend
from engine.errors import ModelFileError
from engine.evaluate import json_lines
from engine.tokenizer import Tokenizer
from engine.watch import Watch
from engine.weights import ModelFile, open_model_file

ROWS = 256  # positions whose logits are made at once


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as ids [T]; ``at`` are the positions before each of the assistant's ids."""

    ids: NDArray[np.int32]
    at: NDArray[np.int64]


def load_talks(path: Path) -> list[list[str]]:
    """Read one JSON object a line whose ``turns`` go user, assistant, …, user, assistant.

    Raises OSError, or ValueError that names the first line which is no conversation.
    """
    talks = []
    for entry, where in json_lines(path):
        turns = entry.get("turns") if isinstance(entry, dict) else None
        if not isinstance(turns, list) or len(turns) < 2 or any(type(t) is not str for t in turns):
            raise ValueError(f'{where}: expected {{"turns": [user, assistant, …]}}, '
                             f"found {str(entry)[:60]!r}.")  # fmt: skip
        talks.append(turns)
    if not talks:
        raise ValueError(f"{path} holds no conversations; it needs one JSON object a line.")
    return talks


def encode(turns: Sequence[str], tokenizer: Tokenizer, end: Sequence[int], most: int) -> Talk:
    """Return the first ``most`` ids of a conversation; ``end`` are those that end an answer."""
    ids: list[int] = []
    at: list[int] = []
    roles = [("user", "assistant")[i % 2] for i in range(len(turns))]
    messages = list(zip(roles, turns, strict=True))
    for i in range(1, len(turns), 2):
        prompt = tokenizer.encode_chat(messages[:i])
        ids = [*prompt, *tokenizer.encode(turns[i]), *end]
        at += range(len(prompt) - 1, len(ids) - 1)
    kept = [position for position in at if position + 1 < most]
    return Talk(np.array(ids[:most], np.int32), np.array(kept, np.int64))


class ChatLoss:
    """A model opened to be read at every position, which a ``Model`` does only at the last one.

    The logits are computed here in FP32 from the states that the device has left.
    """

    def __init__(self, path: Path, device: str) -> None:
        """Open the file; raises ModelFileError for a model with post layers, and as Model does."""
        file = open_model_file(path)
        if file.config.num_post_layers:
            raise ModelFileError(f"{path}: the loss on chat is for models without post layers.")
        self._file: ModelFile = file
        self._tokenizer = Tokenizer(file.tokenizer, file.config, path)
        self._most = file.config.max_seq_len
        self._backend: Backend = open_backend(device, file, self._most, frozenset())[0]
        tied = file.config.tied_head
        self._head = file.matrix("embed.weight" if tied else "head.weight").T
        self._norm = file.vector("final_norm.weight")

    def losses(self, turns: Sequence[str], depths: Sequence[int]) -> tuple[int, dict[int, float]]:
        """Return how many ids the assistant says, and the sum of their losses in nats by depth."""
        talk = encode(turns, self._tokenizer, self._file.config.chat_template.end, self._most)
        cache = self._backend.new_cache(len(talk.ids), depths[-1], 0)
        found = {}
        try:
            self._backend.prefill(cache, talk.ids, 0, depths[0], Watch())
            for depth in depths:
                if depth > cache.depth:
                    self._backend.extend(cache, cache.depth, depth, Watch())
                found[depth] = self._loss(self._backend.read(cache).state, talk)
        finally:
            cache.free()
        return len(talk.at), found

    def _loss(self, state: NDArray[np.float32], talk: Talk) -> float:
        total = 0.0
        for at in (talk.at[i : i + ROWS] for i in range(0, len(talk.at), ROWS)):
            rows = state[at]
            mean = np.mean(rows * rows, axis=1, keepdims=True)
            logits = (self._norm * rows / np.sqrt(mean + self._file.config.norm_eps)) @ self._head
            logits -= logits.max(axis=1, keepdims=True)
            said = logits[np.arange(len(at)), talk.ids[at + 1]]
            total += float((np.log(np.exp(logits).sum(axis=1)) - said).sum())
        return total

    def close(self) -> None:
        """Free the weights."""
        self._backend.close()


def summary(found: Sequence[tuple[int, dict[int, float]]], depths: Sequence[int]) -> dict[str, Any]:
    """Return mean losses in nats by depth from what ``losses`` gave for each conversation.

    ``change`` is the relative change from the first depth with its 95 % interval; conversations
    are what was drawn at random, so their spread is what makes it wide.
    """
    count = np.array([tokens for tokens, _ in found], np.float64)
    sums = {depth: np.array([losses[depth] for _, losses in found]) for depth in depths}
    base = sums[depths[0]].sum()
    changes = {}
    for depth in depths[1:]:
        change = float(sums[depth].sum() / base - 1)
        rest = sums[depth] - (1 + change) * sums[depths[0]]
        half = Z * math.sqrt(float((rest**2).sum())) / base
        ends = [round(change - half, 5), round(change + half, 5)]
        changes[str(depth)] = {"mean": round(change, 5), "interval": ends}
    return {
        "conversations": len(found),
        "tokens": int(count.sum()),
        "loss": {str(depth): round(float(sums[depth].sum() / count.sum()), 4) for depth in depths},
        "change": changes,
    }
