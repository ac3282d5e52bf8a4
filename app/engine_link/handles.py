"""The shelf of kept states on the engine thread: found by what they hold, within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.domain.kept import Freed, Kept, for_deepening, for_send

BY_USER = "freed by you, {time}"
WITH_CHAT = "freed when its chat was deleted"
GPU_BUDGET = 2 << 30
CPU_BUDGET = 512 << 20


def budget(free: int, on_gpu: bool) -> int:
    """Return the bytes for kept states: a quarter of ``free``, at most 512 MiB (GPU: 2 GiB)."""
    most = GPU_BUDGET if on_gpu else CPU_BUDGET
    return min(free // 4, most) if free > 0 else most


@dataclass(frozen=True, slots=True)
class _Entry:
    kept: Kept
    handle: Any


class Shelf:
    """Owns handles, oldest use first; whatever leaves is closed and its cause noted."""

    def __init__(
        self, budget: int, clock: Callable[[], str] = lambda: time.strftime("%H:%M")
    ) -> None:
        self.shown = ""  # the message whose state goes last: the newest answer on screen
        self._budget = budget
        self._clock = clock
        self._entries: list[_Entry] = []
        self._freed: list[Freed] = []

    def kept(self) -> tuple[Kept, ...]:
        """Return what is kept, oldest use first."""
        return tuple(entry.kept for entry in self._entries)

    def take_freed(self) -> tuple[Freed, ...]:
        """Return what went since the last call."""
        freed, self._freed = tuple(self._freed), []
        return freed

    def for_send(self, prompt: Sequence[int], depth: int) -> Any | None:
        """Return the handle a new prompt at ``depth`` starts from, now the newest in use."""
        return self._use(for_send(self.kept(), prompt, depth))

    def for_deepening(self, prompt: Sequence[int], target: int) -> Any | None:
        """Return the deepest handle up to ``target`` that covers ``prompt``, now the newest."""
        return self._use(for_deepening(self.kept(), prompt, target))

    def add(self, handle: Any, message_id: str, title: str) -> None:
        """Keep ``handle`` as the state of a message ("" for a prompt nobody answered yet).

        Older states of the same message and unanswered prompts it covers go; then the least
        used ones, until the budget holds. ``title`` names what they made room for.
        """
        tokens = tuple(handle.tokens())
        nbytes = handle.nbytes()
        kept = Kept(message_id, handle.loops_used(), tokens, nbytes, title, self._clock())
        for entry in list(self._entries):
            if _replaces(kept, entry.kept):
                self._remove(entry)
        self._entries.append(_Entry(kept, handle))
        while self.nbytes() > self._budget and self._entries:
            if len(self._entries) == 1:
                self.clear("it is larger than the memory for kept states")
            else:
                self._evict(self._by_use()[0], title)

    def nbytes(self) -> int:
        """Return the bytes of all kept states."""
        return sum(entry.kept.nbytes for entry in self._entries)

    def make_room(self, needed: int, title: str, spare: Any = None) -> bool:
        """Evict least used states until ``needed`` bytes went, never ``spare``.

        Returns whether any went.
        """
        room, count = 0, 0
        for entry in [e for e in self._by_use() if e.handle is not spare]:
            if room >= needed and count:
                break
            self._evict(entry, title)
            room, count = room + entry.kept.nbytes, count + 1
        return count > 0

    def forget(self, message_ids: Collection[str]) -> None:
        """Free the states of deleted messages, and prompts nobody answered.

        The cause is noted: the deletion may be undone.
        """
        for entry in list(self._entries):
            if entry.kept.message_id in message_ids or not entry.kept.message_id:
                self._remove(entry)
                self._note(entry, Freed(entry.kept.message_id, evicted=False, cause=WITH_CHAT))

    def free(self) -> None:
        """Free everything because the user wants the memory."""
        self.clear(BY_USER.format(time=self._clock()))

    def clear(self, cause: str) -> None:
        """Free everything; the states count as lost for ``cause``."""
        for entry in list(self._entries):
            self._remove(entry)
            self._note(entry, Freed(entry.kept.message_id, evicted=False, cause=cause))

    def _use(self, position: int | None) -> Any | None:
        if position is None:
            return None
        entry = self._entries.pop(position)
        used = replace(entry.kept, used=self._clock())
        self._entries.append(_Entry(used, entry.handle))
        return entry.handle

    def _by_use(self) -> list[_Entry]:
        """Return the entries in the order they may go; the last one of all was just added."""
        *others, newest = self._entries
        others.sort(key=lambda entry: entry.kept.message_id == self.shown)
        return [*others, newest]

    def _evict(self, entry: _Entry, title: str) -> None:
        self._remove(entry)
        cause = f"freed to make room for “{title}”, {self._clock()}"
        self._note(entry, Freed(entry.kept.message_id, evicted=True, cause=cause))

    def _note(self, entry: _Entry, freed: Freed) -> None:
        if entry.kept.message_id:
            self._freed.append(freed)

    def _remove(self, entry: _Entry) -> None:
        self._entries.remove(entry)
        entry.handle.close()


def _replaces(new: Kept, old: Kept) -> bool:
    """Return whether ``new`` makes ``old`` superfluous."""
    if old.message_id:
        return old.message_id == new.message_id
    return old.depth == new.depth and new.tokens[: len(old.tokens)] == old.tokens
