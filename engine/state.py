"""What is kept of a prompt that was read, and the two views of it that callers hold."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import Cache
from engine.errors import HandleClosed, LoopDepthError


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class LoopState:
    """A prompt after ``depth`` loops: all that deeper loops or further tokens need.

    ``tokens`` [T] int32; ``window`` the mask it was read with; ``cache`` holds K/V, the FP32
    state and the injected input of every position on the device; ``owner`` is the model.
    Never changed after it is made; memory goes with the last reference, so closing a handle
    while a call uses it is safe.
    """

    tokens: NDArray[np.int32]
    depth: int
    window: int
    cache: Cache
    owner: object

    def common_prefix(self, tokens: NDArray[np.int32]) -> int:
        """Return how many leading ids ``tokens`` shares with this state."""
        n = min(len(tokens), len(self.tokens))
        differs = np.flatnonzero(self.tokens[:n] != tokens[:n])
        return int(differs[0]) if len(differs) else n

    def serves(self, length: int, window: int) -> bool:
        """Return whether all K/V that position ``length`` may look at are still in the ring."""
        lowest = max(0, length - window + 1) if window else 0
        return self.cache.first_stored <= lowest

    def narrowed(self, window: int) -> int:
        """Return the window of a call on this state: 0 means as built, else it may only narrow.

        Raises LoopDepthError for a wider one.
        """
        if window and self.window and window > self.window:
            raise LoopDepthError(
                f"cache_window {window} is wider than the {self.window} the handle was built "
                "with; it may only narrow.",
                window=window,
            )
        return window or self.window


class View:
    """A caller's grip on a LoopState, until ``close()``."""

    def __init__(self, state: LoopState) -> None:
        self._state: LoopState | None = state

    @property
    def state(self) -> LoopState:
        """The state itself; raises HandleClosed after ``close()``."""
        state = self._state
        if state is None:
            raise HandleClosed(f"This {type(self).__name__} was closed; build a new one.")
        return state

    def tokens(self) -> list[int]:
        """Return the ids that were read."""
        return [int(t) for t in self.state.tokens]

    def seq_len(self) -> int:
        """Return how many ids were read."""
        return len(self.state.tokens)

    def nbytes(self) -> int:
        """Return the bytes held on the device."""
        return self.state.cache.kv_bytes + self.state.cache.state_bytes

    def close(self) -> None:
        """Let go of the memory; in a running call it is freed when that ends. Twice is fine."""
        self._state = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class ResumeHandle(View):
    """A prompt read at some depth, with room to take it deeper. Immutable and reusable."""

    def loops_used(self) -> int:
        """Return the depth it was read at."""
        return self.state.depth

    def max_loops(self) -> int:
        """Return the deepest loop count it has room for."""
        return self.state.cache.max_loops

    def cache_window(self) -> int:
        """Return the window it was read with (0: everything is seen)."""
        return self.state.window


class PrefixCache(View):
    """A prompt read at a fixed depth, to be continued many times. Immutable."""

    def n_loops(self) -> int:
        """Return the depth it was read at, which is the depth it serves."""
        return self.state.depth

    def cache_window(self) -> int:
        """Return the window it was read with (0: everything is seen)."""
        return self.state.window
