"""Lists, search and whole conversations, over short connections that cannot write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from app.domain.conversation import Message
from app.domain.store.database import connect, reason
from app.domain.store.records import message_of_row, text_of

INDEXED = 3  # characters a word needs to be in the index
MOST = 2000  # newest matching messages looked at; "the" stands in all of them
AROUND = 40  # characters shown on each side of what was found


class ReadFailed(Exception):
    """The chats file could not be read; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class ChatSummary:
    """A row of the sidebar; ``updated`` is the time of the newest message, seconds since 1970."""

    id: str
    title: str
    pinned: bool
    updated: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that was found (the newest of its chat that matches); "" when the title was.

    ``words`` stand in the message as they are: all that was looked for, else its first word.
    """

    chat_id: str
    title: str
    message_id: str
    excerpt: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads what is committed; every method raises ReadFailed."""

    address: str

    def chats(self) -> list[ChatSummary]:
        """Return all chats with a message or a draft: pinned ones first, then by date."""
        query = (
            "SELECT id, title, pinned, updated FROM chat WHERE deleted_at IS NULL "
            "AND (head_id IS NOT NULL OR draft <> '') ORDER BY pinned DESC, updated DESC"
        )
        with self._connection() as connection:
            rows = connection.execute(query)
            return [ChatSummary(r[0], text_of(r[1]), bool(r[2]), r[3]) for r in rows]

    def load(self, chat_id: str) -> tuple[dict[str, Any], list[Message]] | None:
        """Return a chat's row and its messages, oldest first; None for one that is not there."""
        with self._connection() as connection:
            query = "SELECT * FROM chat WHERE id = ? AND deleted_at IS NULL"
            chat = connection.execute(query, (chat_id,)).fetchone()
            if chat is None:
                return None
            return dict(chat), list(messages_of(connection, chat_id))

    def search(self, text: str, limit: int = 50) -> list[Hit]:
        """Return chats in which a message (or the title) has all words of ``text``, newest first.

        Upper and lower case are the same. Words of three and more characters are looked up in
        the index, in any script; shorter ones are looked for in every message.
        """
        words = text.encode("utf-8", "ignore").decode().replace("\0", "").split()
        if not words:
            return []
        with self._connection() as connection:
            titles = _titles(connection, words, limit)
            found = _messages(connection, words, limit)
        known = {hit.chat_id for hit in found}
        return ([hit for hit in titles if hit.chat_id not in known] + found)[:limit]

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(connect(self.address)) as connection:
                connection.execute("PRAGMA read_uncommitted = ON")  # chats in memory have no log
                yield connection
        except sqlite3.Error as error:
            raise ReadFailed(f"Your chats cannot be read now, {reason(error)}.") from error


def messages_of(connection: sqlite3.Connection, chat_id: str) -> Iterator[Message]:
    """Yield a chat's messages, oldest first; sqlite3.Error where a page cannot be read."""
    query = "SELECT * FROM message WHERE chat_id = ? ORDER BY seq"
    for row in connection.execute(query, (chat_id,)):
        yield message_of_row(dict(row))


def _titles(connection: sqlite3.Connection, words: list[str], limit: int) -> list[Hit]:
    like = " AND ".join("title LIKE ? ESCAPE '\\'" for _ in words)
    query = (
        f"SELECT id, title FROM chat WHERE deleted_at IS NULL AND {like} "
        "ORDER BY updated DESC LIMIT ?"
    )
    rows = connection.execute(query, (*map(_pattern, words), limit))
    return [Hit(row[0], text_of(row[1]), "", "") for row in rows]


def _messages(connection: sqlite3.Connection, words: list[str], limit: int) -> list[Hit]:
    """Return the newest matching message of each chat."""
    indexed = [word for word in words if len(word) >= INDEXED]
    short = [word for word in words if len(word) < INDEXED]
    conditions = ["m.text LIKE ? ESCAPE '\\'" for _ in short]
    values = [_pattern(word) for word in short]
    source = "message m"
    if indexed:
        source = "found JOIN message m ON m.seq = found.rowid"
        conditions.append("found MATCH ?")
        values.append(" AND ".join(_phrase(word) for word in indexed))
    query = (
        "SELECT c.id, c.title, m.id, m.text, max(m.seq) FROM ("
        f"SELECT m.seq, m.id, m.chat_id, m.text FROM {source} WHERE {' AND '.join(conditions)} "
        f"ORDER BY {'found.rowid' if indexed else 'm.seq'} DESC LIMIT {MOST}"
        ") m JOIN chat c ON c.id = m.chat_id WHERE c.deleted_at IS NULL "
        "GROUP BY c.id ORDER BY c.updated DESC LIMIT ?"
    )
    rows = connection.execute(query, (*values, limit))
    return [_hit(r[0], text_of(r[1]), r[2], text_of(r[3]), words) for r in rows]


def _hit(chat_id: str, title: str, message_id: str, text: str, words: list[str]) -> Hit:
    together = " ".join(words)
    place = together if together.casefold() in text.casefold() else words[0]
    return Hit(chat_id, title, message_id, _excerpt(text, place), place)


def _phrase(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _pattern(word: str) -> str:
    for special in "\\%_":
        word = word.replace(special, "\\" + special)
    return f"%{word}%"


def _excerpt(text: str, word: str) -> str:
    """Return one line with the first place of ``word``."""
    at = max(0, text.lower().find(word.lower()))
    start, end = max(0, at - AROUND), at + len(word) + AROUND
    line = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{line}{'…' if end < len(text) else ''}"
