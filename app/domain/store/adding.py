"""Whole conversations into the file: those of an import, or of a damaged file. Idempotent by id."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.conversation import Conversation, Message, Status
from app.domain.store.pending import MESSAGE_COLUMNS
from app.domain.store.records import CHAT_FIELDS, chat_row, message_row


class ImportFailed(ValueError):
    """A file that cannot be imported; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Added:
    """What was new: the ids of all conversations handed in, and counts of what they brought."""

    ids: tuple[str, ...]
    chats: int
    messages: int


def _insert(table: str, columns: tuple[str, ...]) -> str:
    names, values = ", ".join(columns), ", ".join(f":{name}" for name in columns)
    return f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({values})"


ADD_CHAT = _insert("chat", CHAT_FIELDS)
ADD_MESSAGE = _insert("message", MESSAGE_COLUMNS)


def add(connection: sqlite3.Connection, conversations: Iterable[Conversation]) -> Added:
    """Add what is not there yet; a chat or message that is there stays as it is.

    A deleted chat comes back as it is handed in. Raises ImportFailed for a message that belongs to
    another chat, sqlite3.Error; the caller's transaction is then rolled back.
    """
    ids, chats, messages = [], 0, 0
    for conversation in conversations:
        ids.append(conversation.id)
        connection.execute(
            "DELETE FROM chat WHERE id = ? AND deleted_at IS NOT NULL", (conversation.id,)
        )
        chats += connection.execute(ADD_CHAT, chat_row(conversation)).rowcount
        messages += sum(_add_message(connection, m, conversation) for m in conversation)
    return Added(tuple(ids), chats, messages)


def _add_message(
    connection: sqlite3.Connection, message: Message, conversation: Conversation
) -> int:
    """Add one message and return how many that were, 0 when it is there already."""
    if message.status is Status.WRITING:  # nobody writes it any more
        message.status = Status.INTERRUPTED
    if connection.execute(ADD_MESSAGE, message_row(message, conversation.id)).rowcount:
        return 1
    query = "SELECT chat_id FROM message WHERE id = ?"
    owner = connection.execute(query, (message.id,)).fetchone()[0]
    if owner != conversation.id:
        raise ImportFailed(
            f"The chat “{conversation.title or conversation.id}” has a message that belongs to "
            "another chat here: nothing was imported. Export it again where it came from."
        )
    return 0
