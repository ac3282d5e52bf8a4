"""Prefix caches found by what they hold: the longest one that begins a prompt is used."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from engine.arguments import Prompt, check_positive
from engine.errors import LoopDepthError
from engine.state import LoopState, PrefixCache
from engine.watch import WatchArgs

if TYPE_CHECKING:
    from engine.model import Model


class PrefixPool:
    """At most ``capacity`` prefix caches; the least recently used one makes room.

    May be shared by threads. Entries of several models can live in one pool; a model sees
    its own only.
    """

    def __init__(self, capacity: int = 16) -> None:
        """Raises ValueError for a capacity below 1."""
        self._capacity = check_positive("capacity", capacity)
        self._entries: OrderedDict[int, PrefixCache] = OrderedDict()  # oldest use first
        self._lock = threading.Lock()

    def register_prefix(
        self,
        model: Model,
        tokens: Prompt,
        n_loops: int = 8,
        cache_window: int = 0,
        **watch: Unpack[WatchArgs],
    ) -> int:
        """Read ``tokens`` and keep them; return the entry's id, a small positive integer.

        The same tokens, depth and window again give the same id, bumped. Raises as
        ``Model.build_prefix_cache`` does.
        """
        known = model.find_in_pool(self, tokens, n_loops, cache_window)
        if known is not None:
            return known
        cache = model.build_prefix_cache(tokens, n_loops, cache_window, **watch)
        with self._lock:
            state = cache.state
            known = self._find(state.owner, state.tokens, state.depth, state.window)
            if known is not None:  # another thread was quicker
                return known
            while len(self._entries) >= self._capacity:
                self._entries.popitem(last=False)[1].close()
            entry = next(i for i in range(1, self._capacity + 1) if i not in self._entries)
            self._entries[entry] = cache
        return entry

    def find(self, owner: object, tokens: NDArray[np.int32], depth: int, window: int) -> int | None:
        """Return and bump the entry that holds exactly these tokens, depth and window."""
        with self._lock:
            return self._find(owner, tokens, depth, window)

    def _find(
        self, owner: object, tokens: NDArray[np.int32], depth: int, window: int
    ) -> int | None:
        for entry, cache in self._entries.items():
            state = cache.state
            same = (state.owner, state.depth, state.window) == (owner, depth, window)
            if same and np.array_equal(state.tokens, tokens):
                self._entries.move_to_end(entry)
                return entry
        return None

    def match(
        self, owner: object, tokens: NDArray[np.int32], depth: int, window: int
    ) -> LoopState | None:
        """Return and bump the longest entry that begins ``tokens`` at this depth and window.

        None when no entry begins the prompt. Raises LoopDepthError when entries do but none
        has the depth.
        """
        with self._lock:
            states = {e: c.state for e, c in self._entries.items() if c.state.owner is owner}
            begins = {e: s for e, s in states.items()
                      if s.common_prefix(tokens) == len(s.tokens)}  # fmt: skip
            depths = sorted({s.depth for s in begins.values()})
            if begins and depth not in depths:
                raise LoopDepthError(
                    f"The pool holds this prefix at {', '.join(map(str, depths))} loops, "
                    f"not at {depth}; register it at that depth or ask for one of these.",
                    depth=depth,
                )
            fits = [e for e, s in begins.items() if (s.depth, s.window) == (depth, window)]
            if not fits:
                return None
            best = max(fits, key=lambda e: len(begins[e].tokens))
            self._entries.move_to_end(best)
            return begins[best]

    def ids(self) -> list[int]:
        """Return the entries' ids, least recently used first."""
        with self._lock:
            return list(self._entries)

    def __contains__(self, entry: object) -> bool:
        with self._lock:
            return entry in self._entries

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def nbytes(self) -> int:
        """Return the bytes all entries hold on the device."""
        with self._lock:
            return sum(cache.nbytes() for cache in self._entries.values())

    def evict(self, entry: int) -> None:
        """Drop one entry; a running call that uses it ends undisturbed. Unknown ids: no-op."""
        with self._lock:
            cache = self._entries.pop(entry, None)
        if cache is not None:
            cache.close()

    def close(self) -> None:
        """Drop all entries; the pool can be filled again."""
        for entry in self.ids():
            self.evict(entry)
