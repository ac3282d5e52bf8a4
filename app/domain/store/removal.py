"""Deleted chats: really gone, from their rows, from the index and from the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

SLICE = 500  # index pages merged at a time: 0.1 s for 60 000 messages
EMPTIED = 0.0  # deleted_at of a chat whose content is gone, until the index is clean too


def empty_deleted(connection: sqlite3.Connection, before: float) -> set[str]:
    """Remove the content of chats deleted before a time (seconds since 1970); return their ids.

    Their rows stay, empty and hidden, until ``scrub`` has ended.
    """
    query = "SELECT id FROM chat WHERE deleted_at <= ? AND deleted_at <> ?"
    ids = [row[0] for row in connection.execute(query, (before, EMPTIED))]
    for chat_id in ids:
        connection.execute("DELETE FROM message WHERE chat_id = ?", (chat_id,))
        connection.execute(
            "UPDATE chat SET title = '', draft = '', head_id = NULL, deleted_at = ? WHERE id = ?",
            (EMPTIED, chat_id),
        )
    return set(ids)


def is_unclean(connection: sqlite3.Connection) -> bool:
    """Whether the app died between ``empty_deleted`` and the end of ``scrub``."""
    query = "SELECT 1 FROM chat WHERE deleted_at = ?"
    return connection.execute(query, (EMPTIED,)).fetchone() is not None


def scrub(connection: sqlite3.Connection) -> Iterator[None]:
    """Leave nothing of deleted text in the index or the log, one slice of work a step.

    The index only marks its entries as deleted; they go when its parts are merged into one.
    """
    _merge(connection, -SLICE)
    yield
    while _merge(connection, SLICE):
        yield
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if not busy:
        connection.execute("DELETE FROM chat WHERE deleted_at = ?", (EMPTIED,))


def _merge(connection: sqlite3.Connection, pages: int) -> bool:
    """Merge so many pages of the index; False when nothing was left to merge."""
    before = connection.total_changes
    connection.execute("INSERT INTO found (found, rank) VALUES ('merge', ?)", (pages,))
    return connection.total_changes - before >= 2


def rebuild_index(connection: sqlite3.Connection) -> None:
    """Make the search index anew from the messages."""
    connection.execute("INSERT INTO found (found) VALUES ('rebuild')")
