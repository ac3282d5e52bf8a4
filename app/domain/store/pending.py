"""What is still to be written: the newest state of every record, in the order they came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from app.domain.conversation import Conversation, Message
from app.domain.store.records import CHAT_FIELDS, MESSAGE_FIELDS, Column, chat_row, message_row


class Kind(Enum):
    """What a record is; chats are written before their messages, marks of deletion last."""

    CHAT = 0
    MESSAGE = 1
    DELETION = 2


@dataclass(frozen=True, slots=True)
class Record:
    """One row as it shall be; ``id`` is the chat's or the message's."""

    kind: Kind
    id: str
    chat_id: str
    row: Mapping[str, Column]


Records = dict[tuple[Kind, str], Record]


def records_of(conversation: Conversation, messages: Iterable[Message]) -> list[Record]:
    """Return a snapshot of a conversation's own row and of some of its messages."""
    chat = conversation.id
    return [
        Record(Kind.CHAT, chat, chat, chat_row(conversation)),
        *(Record(Kind.MESSAGE, m.id, chat, message_row(m, chat)) for m in messages),
    ]


def deletion_of(chat_id: str, when: float | None) -> Record:
    """Return the mark that a chat was deleted at ``when``; None takes the mark away."""
    return Record(Kind.DELETION, chat_id, chat_id, {"id": chat_id, "deleted_at": when})


def merged(older: Records, newer: Records) -> Records:
    """Return the newest states; a record keeps the place it first came to."""
    return {**older, **newer}


def in_order(records: Records) -> list[Record]:
    """Return records as they can be written: what others refer to comes first."""
    return sorted(records.values(), key=lambda record: record.kind.value)


def _upsert(table: str, columns: tuple[str, ...], fixed: tuple[str, ...]) -> str:
    """Return the statement that adds a row, or changes all but its ``fixed`` columns."""
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in fixed)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) "
        f"VALUES ({', '.join(f':{name}' for name in columns)}) "
        f"ON CONFLICT (id) DO UPDATE SET {changes}"
    )


MESSAGE_COLUMNS = (*MESSAGE_FIELDS, "chat_id")
STATEMENTS = {
    Kind.CHAT: _upsert("chat", CHAT_FIELDS, ("id", "created")),
    Kind.MESSAGE: _upsert(
        "message", MESSAGE_COLUMNS, ("id", "chat_id", "parent_id", "role", "created")
    ),
    Kind.DELETION: "UPDATE chat SET deleted_at = :deleted_at WHERE id = :id",
}
