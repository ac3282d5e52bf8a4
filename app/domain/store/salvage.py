"""What can still be read of a damaged file, chat by chat, into the new one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from app.domain.conversation import Conversation, Message
from app.domain.store.adding import ImportFailed, add
from app.domain.store.database import address_of, connect, todo_of
from app.domain.store.events import Recovered
from app.domain.store.reader import messages_of
from app.domain.store.records import conversation_of
from app.domain.store.schema import transaction

CHAT_IDS = ("SELECT id FROM chat", "SELECT DISTINCT chat_id FROM message")


def salvage(
    aside: Path, connection: sqlite3.Connection, done: Callable[[Recovered], None]
) -> Iterator[None]:
    """Take over every chat that can be read, one a step; ``done`` is told when there was any.

    Raises sqlite3.Error where a file cannot be opened or written: the next start tries again.
    """
    taken = 0
    with closing(connect(address_of(aside, "ro"))) as damaged:
        damaged.execute("PRAGMA writable_schema = ON")  # or SQLite reads no truncated file at all
        ids = _chat_ids(damaged)
        for chat_id in ids:
            conversation = _read(damaged, chat_id)
            if conversation is not None:
                with suppress(sqlite3.IntegrityError, ImportFailed), transaction(connection):
                    add(connection, [conversation])
                    taken += 1
            yield
    with suppress(OSError):
        todo_of(aside).unlink()
    if taken:
        done(Recovered(
            f"{taken} of {len(ids)} chats were taken over from the damaged {aside}, as far as it "
            "can be read."
        ))  # fmt: skip


def _chat_ids(damaged: sqlite3.Connection) -> list[str]:
    ids: dict[str, None] = {}
    for query in CHAT_IDS:
        with suppress(sqlite3.Error):
            for row in damaged.execute(query):
                if isinstance(row[0], str):
                    ids[row[0]] = None
    return list(ids)


def _read(damaged: sqlite3.Connection, chat_id: str) -> Conversation | None:
    """Return a chat as far as it can be read; None when nothing can, or when it was deleted."""
    chat: dict[str, Any] = {"id": chat_id}
    with suppress(sqlite3.Error):
        row = damaged.execute("SELECT * FROM chat WHERE id = ?", (chat_id,)).fetchone()
        chat = dict(row) if row is not None else chat
    if chat.get("deleted_at") is not None:
        return None
    conversation = conversation_of(chat, _messages(damaged, chat_id))
    return conversation if len(conversation) else None


def _messages(damaged: sqlite3.Connection, chat_id: str) -> Iterator[Message]:
    with suppress(sqlite3.Error):
        yield from messages_of(damaged, chat_id)
