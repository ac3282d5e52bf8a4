"""The tables of the chats file, and how an older file becomes today's: one entry a version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

APPLICATION_ID = 0x544C4350  # "TLCP" in the file's header: this file is ours
BUSY_MS = 5000

# Each entry leads from the version before it (its place in the tuple) to the next. Entries are
# never changed: files written by them exist. A new one comes with a fixture of the old schema,
# see tests/store_schemas.py.
#
# message.parent_id has no foreign key: deleting a chat would then recurse once a turn, and
# SQLite stops such chains at 1000. Answers in writing are left out of the index, they change
# every second.
MIGRATIONS: tuple[str, ...] = (
    f"""
    PRAGMA application_id = {APPLICATION_ID};
    CREATE TABLE chat (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL,
        pinned INTEGER NOT NULL,
        created REAL NOT NULL,
        updated REAL NOT NULL,
        head_id TEXT,
        draft TEXT NOT NULL,
        depth INTEGER NOT NULL,
        deleted_at REAL
    );
    CREATE INDEX chat_by_date ON chat (pinned DESC, updated DESC);
    CREATE TABLE message (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT UNIQUE NOT NULL,
        chat_id TEXT NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
        parent_id TEXT,
        role TEXT NOT NULL,
        text TEXT NOT NULL,
        token_ids BLOB,
        status TEXT NOT NULL,
        depth INTEGER NOT NULL,
        first_held TEXT NOT NULL,
        sampling TEXT,
        model TEXT,
        again INTEGER NOT NULL,
        deepened_from TEXT NOT NULL,
        error TEXT NOT NULL,
        report TEXT,
        system TEXT NOT NULL,
        error_code TEXT NOT NULL,
        created REAL NOT NULL
    );
    CREATE INDEX message_of_chat ON message (chat_id, seq);
    CREATE INDEX message_in_writing ON message (status) WHERE status = 'writing';
    CREATE VIEW finished AS SELECT seq, text FROM message WHERE status <> 'writing';
    CREATE VIRTUAL TABLE found USING fts5 (
        text, content = 'finished', content_rowid = 'seq', tokenize = 'trigram'
    );
    CREATE TRIGGER message_added AFTER INSERT ON message WHEN new.status <> 'writing' BEGIN
        INSERT INTO found (rowid, text) VALUES (new.seq, new.text);
    END;
    CREATE TRIGGER message_removed AFTER DELETE ON message WHEN old.status <> 'writing' BEGIN
        INSERT INTO found (found, rowid, text) VALUES ('delete', old.seq, old.text);
    END;
    CREATE TRIGGER message_changed AFTER UPDATE ON message
    WHEN old.text IS NOT new.text OR old.status IS NOT new.status BEGIN
        INSERT INTO found (found, rowid, text)
            SELECT 'delete', old.seq, old.text WHERE old.status <> 'writing';
        INSERT INTO found (rowid, text)
            SELECT new.seq, new.text WHERE new.status <> 'writing';
    END;
    """,
)
VERSION = len(MIGRATIONS)
TABLES = frozenset({"chat", "message", "finished", "found"})


def configure(connection: sqlite3.Connection) -> None:
    """Set up the writing connection; deleted text is overwritten, a commit is on the disk."""
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        f"busy_timeout = {BUSY_MS}",
        "secure_delete = ON",
        "cell_size_check = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def user_version(connection: sqlite3.Connection) -> int:
    """Return the schema version of a file, 0 for one without tables."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to ``VERSION`` in one transaction; sqlite3.Error leaves it as it was."""
    version = user_version(connection)
    if version == VERSION:
        return
    steps = "".join(MIGRATIONS[version:])
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {VERSION}; COMMIT"
        )
    except sqlite3.Error:
        roll_back(connection)
        raise


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what the block did, or leave the file as it was and raise."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        roll_back(connection)


def roll_back(connection: sqlite3.Connection) -> None:
    """End a transaction that is still open; SQLite may have ended it itself."""
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
