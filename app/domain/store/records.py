"""Messages and conversations as fields: of a row in the store, of a line in an export.

Reading is tolerant: what is missing, null, NaN or of another type counts as not set, so that one
bad field never hides a message and one bad message never hides a chat.
"""

from __future__ import annotations

import dataclasses
import json
import math
import struct
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeVar, get_type_hints

from app.domain.answer import AnswerSampling, ModelId, RunReport
from app.domain.conversation import Conversation, Message, Role, Status

Fields = dict[str, Any]  # JSON values by name
Column = str | bytes | int | float | None
T = TypeVar("T")

TITLE = 40  # characters of the first question that name a chat
PARTS = {"sampling": AnswerSampling, "model": ModelId, "report": RunReport}
MESSAGE_FIELDS = tuple(field.name for field in dataclasses.fields(Message))
CHAT_FIELDS = ("id", "title", "pinned", "created", "updated", "head_id", "draft", "depth")
MAX_TOKEN_ID = 2**32 - 1
LARGEST = 2**63 - 1  # integer of SQLite


def title_of(text: str) -> str:
    """Return the name a chat has from its first question until it is renamed."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE else line[: TITLE - 1].rstrip() + "…"


# -- to fields --------------------------------------------------------------------------------


def message_fields(message: Message) -> Fields:
    """Return a message as JSON values."""
    fields = {name: getattr(message, name) for name in MESSAGE_FIELDS}
    fields["role"], fields["status"] = message.role.value, message.status.value
    fields["token_ids"] = list(message.token_ids)
    for name in PARTS:
        if fields[name] is not None:
            fields[name] = {k: _finite(v) for k, v in dataclasses.asdict(fields[name]).items()}
    return fields


def chat_fields(conversation: Conversation) -> Fields:
    """Return what a conversation has beside its messages, as JSON values."""
    return {name: getattr(conversation, name) for name in CHAT_FIELDS}


def message_row(message: Message, chat_id: str) -> dict[str, Column]:
    """Return a message as columns of its row."""
    fields = message_fields(message)
    ids = fields["token_ids"]
    row = {name: _column(value) for name, value in fields.items() if name != "token_ids"}
    return {**row, "token_ids": struct.pack(f"<{len(ids)}I", *ids), "chat_id": chat_id}


def chat_row(conversation: Conversation) -> dict[str, Column]:
    """Return a conversation as columns of its row."""
    return {name: _column(value) for name, value in chat_fields(conversation).items()}


def _column(value: Any) -> Column:
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:  # half a surrogate pair, as a paste may hold: kept as bytes
            return value.encode("utf-8", "surrogatepass")
    return int(value) if isinstance(value, bool) else value


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


# -- from fields ------------------------------------------------------------------------------


def decode_text(raw: bytes) -> str:
    """Return the text of bytes as stored; what no text can be shows as replacement marks."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")


def message_of_row(row: Mapping[str, Any]) -> Message:
    """Return the message a row holds; needs its ``id``."""
    fields: Fields = {name: row.get(name) for name in MESSAGE_FIELDS}
    for name in PARTS:
        fields[name] = _json(fields[name])
    raw = fields["token_ids"]
    whole = isinstance(raw, bytes) and len(raw) % 4 == 0
    fields["token_ids"] = list(struct.unpack(f"<{len(raw) // 4}I", raw)) if whole else []
    fields["again"] = bool(fields["again"])
    return message_of(fields)


def message_of(fields: Mapping[str, Any]) -> Message:
    """Return the message that fields describe; needs its ``id``."""
    ids: Any = fields.get("token_ids")
    role = _member(Role, fields.get("role"), Role.ASSISTANT if fields.get("depth") else Role.USER)
    fallback = Status.DONE if role is Role.USER else Status.INTERRUPTED
    return Message(
        id=text_of(fields["id"]),
        parent_id=text_of(fields.get("parent_id")) or None,
        role=role,
        text=text_of(fields.get("text")),
        token_ids=tuple(ids) if are_token_ids(ids) else (),
        status=_member(Status, fields.get("status"), fallback),
        depth=_integer(fields.get("depth")),
        first_held=text_of(fields.get("first_held")),
        again=fields.get("again") is True,
        deepened_from=text_of(fields.get("deepened_from")),
        error=text_of(fields.get("error")),
        system=text_of(fields.get("system")),
        error_code=text_of(fields.get("error_code")),
        created=_seconds(fields.get("created")),
        sampling=_part(AnswerSampling, fields.get("sampling")),
        model=_part(ModelId, fields.get("model")),
        report=_part(RunReport, fields.get("report")),
    )


def conversation_of(fields: Mapping[str, Any], messages: Iterable[Message]) -> Conversation:
    """Return the conversation of ``messages`` (oldest first); all of them can be shown.

    A question whose parent is lost becomes a first question, an answer without its question
    stands under an empty one. A head that is lost is the newest message.
    """
    head = text_of(fields.get("head_id"))
    conversation = Conversation(
        id=text_of(fields["id"]),
        draft=text_of(fields.get("draft")),
        title=text_of(fields.get("title")),
        pinned=fields.get("pinned") in (True, 1),
        created=_seconds(fields.get("created")),
        updated=_seconds(fields.get("updated")),
        depth=_integer(fields.get("depth")),
    )
    for message in messages:
        _adopt(conversation, message)
    if head in conversation:
        conversation.head_id = head
    return conversation


def _adopt(conversation: Conversation, message: Message) -> None:
    if message.id in conversation:
        return
    if message.parent_id is None or message.parent_id not in conversation:
        message.parent_id = None
        if message.role is Role.ASSISTANT:
            message.parent_id = f"question of {message.id}"
            conversation.add(Message(message.parent_id, None, Role.USER, ""))
    conversation.add(message)


def are_token_ids(value: Any) -> bool:
    """Whether a JSON value is a list of token ids."""
    return isinstance(value, list) and all(
        type(item) is int and 0 <= item <= MAX_TOKEN_ID for item in value
    )


def _json(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return None


def text_of(value: Any) -> str:
    """Return a column's text, "" for what is none."""
    if isinstance(value, bytes):
        return decode_text(value)
    return value if isinstance(value, str) else ""


def _integer(value: Any) -> int:
    return value if type(value) is int and 0 <= value <= LARGEST else 0


def _seconds(value: Any) -> float:
    return float(value) if _is(float, value) and value > 0 else 0.0


def _member(kind: Any, value: Any, otherwise: Any) -> Any:
    return next((member for member in kind if member.value == value), otherwise)


def _part(kind: Callable[..., T], value: Any) -> T | None:
    """Return a dataclass of plain numbers and texts; None when a needed field has no value."""
    if not isinstance(value, dict):
        return None
    good: Fields = {}
    for name, (hint, optional) in _hints(kind).items():
        if _is(hint, value.get(name)):
            good[name] = tuple(value[name]) if hint == tuple[int, int] else value[name]
        elif not optional:
            return None
    return kind(**good)


@cache
def _hints(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Return the fields of a dataclass with their types, and whether they have defaults."""
    types, fields = get_type_hints(kind), dataclasses.fields(kind)
    return {f.name: (types[f.name], f.default is not dataclasses.MISSING) for f in fields}


def _is(hint: Any, value: Any) -> bool:
    if hint is float:
        return type(value) in (int, float) and abs(value) <= LARGEST
    if hint == tuple[int, int]:
        return isinstance(value, list | tuple) and [type(item) for item in value] == [int, int]
    return type(value) is hint
