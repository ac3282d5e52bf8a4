"""The store thread: it owns the only connection that writes, and does every write."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass

from app.domain.conversation import Conversation
from app.domain.store.adding import Added, ImportFailed, add
from app.domain.store.database import Opening, code_of, reason
from app.domain.store.events import AllSaved, Notify, NotSaved
from app.domain.store.pending import STATEMENTS, Kind, Record, Records, in_order, merged
from app.domain.store.removal import empty_deleted, is_unclean, rebuild_index, scrub
from app.domain.store.schema import transaction

CLOSED = "Nothing was imported, the app is closing."
STOPPED = "Saving stopped because of a fault in the app"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds until a checkpoint is written, a deletion is final, a failed write is repeated."""

    checkpoint: float = 0.8
    undo: float = 10.0
    retry: float = 5.0


Job = tuple[list[Conversation], Future[Added]]


class Writer:
    """Writes records in batches, one transaction each; what fails stays in memory and is retried.

    ``notify`` is called on the store thread and must neither raise nor wait. All methods may be
    called from any thread and return at once, only ``close`` waits.
    """

    def __init__(self, opening: Opening, notify: Notify, timing: Timing) -> None:
        self._opening = opening
        self._connection = opening.connection
        self._notify = notify
        self._timing = timing
        self._wake = threading.Condition()
        self._records: Records = {}
        self._writing: Records = {}  # taken by the thread, not yet committed
        self._futures: list[Future[bool]] = []
        self._due = math.inf
        self._jobs: deque[Job] = deque()
        self._chores: deque[Iterator[None]] = deque()
        self._closing_at = math.inf  # when chores must end
        self._ended = False
        # Only the thread itself uses what follows.
        self._failing = False
        self._repaired = False
        self._removed: set[str] = set()
        self._removals: deque[float] = deque()  # when deletions become final
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    # -- from any thread ----------------------------------------------------------------------

    def write(self, records: Iterable[Record], within: float = 0.0) -> Future[bool]:
        """Write records, ``within`` so many seconds at the latest, together with all that waits.

        The future says whether they are on the disk; False when they are kept in memory only.
        """
        future: Future[bool] = Future()
        future.set_running_or_notify_cancel()  # it cannot be cancelled
        with self._wake:
            self._records = merged(self._records, {(r.kind, r.id): r for r in records})
            if self._ended:
                future.set_result(False)
                return future
            self._futures.append(future)
            self._due = min(self._due, time.monotonic() + within)
            self._wake.notify()
        return future

    def add(self, conversations: list[Conversation]) -> Future[Added]:
        """Add whole conversations in a transaction of their own; may raise ImportFailed."""
        future: Future[Added] = Future()
        future.set_running_or_notify_cancel()
        with self._wake:
            if self._ended:
                future.set_exception(ImportFailed(CLOSED))
                return future
            self._jobs.append((conversations, future))
            self._due = min(self._due, time.monotonic())
            self._wake.notify()
        return future

    def add_chore(self, chore: Iterator[None]) -> None:
        """Do a long piece of work in slices, whenever nothing else is to be written."""
        with self._wake:
            self._chores.append(chore)
            self._wake.notify()

    def unsaved(self) -> Records:
        """Return the newest states that are not in the file yet, in the order they came."""
        with self._wake:
            return merged(self._writing, self._records)

    def close(self, deadline: float) -> bool:
        """Write what waits and close the file; False when that took longer, or failed."""
        with self._wake:
            self._closing_at = min(self._closing_at, time.monotonic() + deadline / 2)
            self._due = -math.inf
            self._wake.notify()
        self._thread.join(deadline)
        return not self._thread.is_alive() and not self.unsaved()

    # -- on the store thread ------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._finish_removals()
            while self._turn():
                pass
        finally:
            self._end()

    def _turn(self) -> bool:
        """Do what is due, most urgent first; False when the store is closed."""
        with self._wake:
            self._wake.wait(self._idle_seconds())
            closing = self._closing_at < math.inf
            due = time.monotonic() >= self._due
            futures, jobs = self._take() if due else ([], [])
        saved = False
        try:
            saved = self._flush() and self._opening.durable
        finally:
            for future in futures:
                future.set_result(saved)
        for conversations, added in jobs:
            self._add(conversations, added)
        if closing:
            self._remove_deleted(math.inf)
        elif self._removals and time.monotonic() >= self._removals[0]:
            self._removals.popleft()
            self._remove_deleted(time.time() - self._timing.undo)
        if self._chores and not due:
            self._work_on_chore()
        return not closing or (bool(self._chores) and time.monotonic() < self._closing_at)

    def _idle_seconds(self) -> float | None:
        if self._chores or self._closing_at < math.inf:
            return 0.0
        until = min([self._due, *self._removals])
        return None if until == math.inf else max(0.0, until - time.monotonic())

    def _take(self) -> tuple[list[Future[bool]], list[Job]]:
        futures, jobs = self._futures, list(self._jobs)
        self._writing, self._records = self._records, {}
        self._futures, self._due = [], math.inf
        self._jobs.clear()
        return futures, jobs

    def _flush(self) -> bool:
        """Write what was taken in one transaction; on failure it waits for the next one."""
        if not self._writing:
            return True
        records = [r for r in in_order(self._writing) if r.chat_id not in self._removed]
        try:
            self._write(records)
        except sqlite3.Error as error:
            self._keep(error)
            return False
        with self._wake:
            self._writing = {}
        if any(record.kind is Kind.DELETION for record in records):
            self._removals.append(time.monotonic() + self._timing.undo)
        if self._failing:
            self._failing = False
            self._notify(AllSaved())
        return True

    def _write(self, records: list[Record]) -> None:
        try:
            with transaction(self._connection):
                for record in records:
                    self._connection.execute(STATEMENTS[record.kind], record.row)
        except sqlite3.DatabaseError as error:
            if code_of(error) != sqlite3.SQLITE_CORRUPT or self._repaired:
                raise
            self._repaired = True  # the index is the one part that can be made anew
            rebuild_index(self._connection)
            self._write(records)

    def _keep(self, error: sqlite3.Error) -> None:
        with self._wake:
            self._records, self._writing = merged(self._writing, self._records), {}
            self._due = min(self._due, time.monotonic() + self._timing.retry)
            messages = tuple(r.id for r in self._records.values() if r.kind is Kind.MESSAGE)
        self._failing = True
        self._notify(NotSaved(_not_saved(len(messages), reason(error)), messages))

    def _add(self, conversations: list[Conversation], future: Future[Added]) -> None:
        try:
            with transaction(self._connection):
                added = add(self._connection, conversations)
        except sqlite3.Error as error:
            future.set_exception(ImportFailed(f"Nothing was imported, {reason(error)}."))
        except ImportFailed as error:
            future.set_exception(error)
        else:
            self._removed -= set(added.ids)
            future.set_result(added)
        finally:
            if not future.done():
                future.set_exception(ImportFailed(CLOSED))

    def _finish_removals(self) -> None:
        """Go on where an earlier run of the app ended; what it hid nobody can undo."""
        with suppress(sqlite3.Error):
            if is_unclean(self._connection):
                self.add_chore(scrub(self._connection))
        self._remove_deleted(math.inf)

    def _remove_deleted(self, before: float) -> None:
        """Empty the chats whose deletion can no longer be undone, then clean up after them."""
        try:
            with transaction(self._connection):
                removed = empty_deleted(self._connection, before)
        except sqlite3.Error:
            return  # they stay hidden; the next deletion or start tries again
        self._removed |= removed
        if removed:
            self.add_chore(scrub(self._connection))

    def _work_on_chore(self) -> None:
        chore = self._chores[0]
        try:
            next(chore)
        except (StopIteration, sqlite3.Error):  # the next start finds what was left undone
            self._chores.popleft()

    def _end(self) -> None:
        with self._wake:
            self._ended = True
            futures, jobs = self._futures, list(self._jobs)
            self._futures = []
            self._jobs.clear()
        for future in futures:
            future.set_result(False)
        for _, job in jobs:
            job.set_exception(ImportFailed(CLOSED))
        if self._closing_at == math.inf:
            self._notify(NotSaved(f"{STOPPED}: save your chats with “Save as…” and start it again.",
                                  ()))  # fmt: skip
        with suppress(sqlite3.Error):
            self._connection.close()


def _not_saved(messages: int, why: str) -> str:
    what = {0: "The last change is", 1: "1 message is"}.get(messages, f"{messages} messages are")
    return f"{what} not saved because {why}; this is tried again every few seconds."
