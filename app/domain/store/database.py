"""Opening the chats file whatever state it is in: the app always starts.

A damaged file is set aside and an empty one begun, a file of a newer app is left alone, and where
nothing can be written the chats live in memory. Each of these says so in one sentence.
"""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from app.domain import private
from app.domain.store.records import decode_text
from app.domain.store.schema import (
    APPLICATION_ID,
    BUSY_MS,
    TABLES,
    VERSION,
    configure,
    migrate,
    transaction,
    user_version,
)

FILE = "chats.db"
DAMAGE = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_READONLY: "the file cannot be written",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_BUSY: "another program holds the file",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is damaged",
}


class State(Enum):
    """What opening found; in the last two nothing is written to the disk."""

    READY = "ready"
    SET_ASIDE = "set aside"
    TOO_NEW = "too new"
    IN_MEMORY = "in memory"


@dataclass(frozen=True, slots=True)
class Opening:
    """An open store: the one connection that may write, and ``address`` for readers.

    ``sentence`` is what the user must know, "" when all is well; ``aside`` a damaged file whose
    chats are still to be taken over.
    """

    connection: sqlite3.Connection
    address: str
    state: State
    sentence: str = ""
    aside: Path | None = None

    @property
    def durable(self) -> bool:
        """Whether what is committed is on the disk."""
        return self.state in (State.READY, State.SET_ASIDE)


class _Damaged(Exception):
    """The file is not a chats file, or not a whole one."""

    def __init__(self) -> None:
        super().__init__("the file is damaged")


class _TooNew(Exception):
    """A newer app wrote the file; the argument is its version."""


def open_database(folder: Path | None) -> Opening:
    """Open or create ``chats.db`` in ``folder``; None opens an empty store in memory.

    Never fails because of what lies there. Answers that were being written when the app died
    are interrupted from here on, chats in the middle of an undo stay hidden.
    """
    if folder is None:
        return _in_memory(State.IN_MEMORY)
    file = folder / FILE
    try:
        private.make_folder(folder)
        return _open_or_set_aside(file)
    except _TooNew as error:
        version = error.args[0]
        return _in_memory(State.TOO_NEW, (
            f"{file} was written by a newer TinyLoop Chat (version {version} of the file, this "
            f"app knows {VERSION}): it is left as it is and new chats are kept in memory only. "
            "Update the app to see your chats."
        ))  # fmt: skip
    except (_Damaged, OSError, sqlite3.Error) as error:
        return _in_memory(State.IN_MEMORY, (
            f"Chats cannot be saved in {folder}, {reason(error)}: what is written now is kept in "
            "memory only, until you choose another folder."
        ), file)  # fmt: skip


def reason(error: Exception) -> str:
    """Return why the disk refused, as a phrase."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return REASONS.get(code_of(error), str(error))


def code_of(error: Exception) -> int:
    """Return SQLite's primary result code, SQLITE_ERROR for errors of the Python module."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF


def connect(address: str) -> sqlite3.Connection:
    """Open a connection in autocommit mode; texts that are no UTF-8 are read as best they can."""
    connection = sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000
    )
    connection.text_factory = decode_text
    connection.row_factory = sqlite3.Row
    return connection


def address_of(file: Path, mode: str) -> str:
    """Return SQLite's URI of a file; any character may stand in its path."""
    return f"{file.absolute().as_uri()}?mode={mode}"


def _open_or_set_aside(file: Path) -> Opening:
    address = address_of(file, "ro")
    try:
        return Opening(_open(file), address, State.READY, aside=_unfinished(file.parent))
    except _Damaged:
        _in_memory(State.READY).connection.close()  # raises where this SQLite is at fault
        aside = _set_aside(file)
        sentence = (
            f"The file with your chats was damaged: it is kept as {aside} and a new one was begun."
        )
        todo = _unfinished(file.parent)
        return Opening(_open(file), address, State.SET_ASIDE, sentence, todo)


def _open(file: Path) -> sqlite3.Connection:
    """Open, check and bring up to date; raises _Damaged, _TooNew, OSError, sqlite3.Error."""
    if file.exists():
        if not file.is_file():
            raise _Damaged
        with _damage():
            _look(file)
    private.make_file(file)  # SQLite's own files beside it take its rights
    with ExitStack() as stack:
        connection = stack.enter_context(closing(connect(address_of(file, "rwc"))))
        with _damage():
            configure(connection)
            _check(connection)
        _copy_before_migration(connection, file)
        migrate(connection)  # its errors are no damage: the file stays as it is
        with _damage(), transaction(connection):
            connection.execute("UPDATE message SET status = 'interrupted' WHERE status = 'writing'")
        stack.pop_all()  # all went well: it stays open
    return connection


@contextmanager
def _damage() -> Iterator[None]:
    """Raise _Damaged for those errors of SQLite that the file's content is to blame for."""
    try:
        yield
    except sqlite3.Error as error:
        if code_of(error) in DAMAGE:
            raise _Damaged from error
        raise


def _look(file: Path) -> None:
    """Read the version without writing a byte; raises _Damaged for no file of ours."""
    size = file.stat().st_size
    with closing(connect(address_of(file, "ro"))) as connection:
        version = user_version(connection)
        ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        page = connection.execute("PRAGMA page_size").fetchone()[0]
    if ours and version > VERSION:
        raise _TooNew(version)
    whole = _has_log(file) or (size % page == 0 and (ours or not size))
    if not whole or (tables and not ours):
        raise _Damaged


def _has_log(file: Path) -> bool:
    """Whether newer pages than the file's stand in the write-ahead log."""
    log = Path(f"{file}-wal")
    return log.exists() and log.stat().st_size > 0


def _check(connection: sqlite3.Connection) -> None:
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    if found != "ok" or (user_version(connection) and not names >= TABLES):
        raise _Damaged


def _copy_before_migration(connection: sqlite3.Connection, file: Path) -> None:
    """Keep an older file as it was, beside the one that is about to change."""
    if not 0 < user_version(connection) < VERSION:
        return
    copy = file.with_name(f"chats.before-v{VERSION}.db")
    copy.unlink(missing_ok=True)
    private.make_file(copy)
    with closing(sqlite3.connect(copy)) as target:
        connection.backup(target)


def todo_of(aside: Path) -> Path:
    """Return the mark beside a damaged file that its chats are still to be taken over."""
    return Path(f"{aside}-todo")


def _unfinished(folder: Path) -> Path | None:
    """Return a damaged file that an earlier run of the app did not come to the end of."""
    marks = sorted(folder.glob("chats.damaged-*-todo"))
    return marks[0].with_name(marks[0].name.removesuffix("-todo")) if marks else None


def _set_aside(file: Path) -> Path:
    """Rename a damaged file with its log, mark it and return its new name."""
    date = time.strftime("%Y-%m-%d")
    names = (f"chats.damaged-{date}{f'-{n}' if n else ''}.db" for n in range(10_000))
    aside = next(path for path in map(file.with_name, names) if not path.exists())
    if file.is_file():  # a pipe would never let go of its reader
        todo_of(aside).touch()
    file.rename(aside)
    for ending in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{file}{ending}").rename(f"{aside}{ending}")
    return aside


def _in_memory(state: State, sentence: str = "", source: Path | None = None) -> Opening:
    """Open an empty store in memory, with the chats of ``source`` if they can be read."""
    address = f"file:chats-{uuid.uuid4().hex}?mode=memory&cache=shared"
    connection = connect(address)
    if source is not None:
        if _copied(source, connection):
            sentence += " Older chats can be read."
        else:
            connection.close()  # with what a failed copy left
            connection = connect(address)
    configure(connection)
    migrate(connection)
    return Opening(connection, address, state, sentence)


def _copied(source: Path, connection: sqlite3.Connection) -> bool:
    """Copy a file that can only be read; a folder that takes no log file is read as it is."""
    for mode in ("ro", "ro&immutable=1"):
        with suppress(sqlite3.Error, OSError), closing(connect(address_of(source, mode))) as file:
            if 0 < user_version(file) <= VERSION:
                file.backup(connection)
                migrate(connection)
                return True
    return False
