"""Chats as files: the whole tree as lines of JSON, the shown path as Markdown.

The export format, version 1. A file is UTF-8 text, one JSON object a line. The first line is

    {"kind": "tinyloop-chats", "version": 1}

then comes, for every chat, a line of kind "chat" and a line of kind "message" for each of its
messages, parents before what follows them:

    {"kind": "chat", "id", "title", "pinned", "created", "updated", "head_id", "draft", "depth"}
    {"kind": "message", "id", "parent_id", "role", "text", "token_ids", "status", "depth",
     "first_held", "sampling", "model", "again", "deepened_from", "error", "report", "system",
     "error_code", "created"}

``head_id`` is the newest message on screen, ``parent_id`` null for a first question, ``role`` user
or assistant, times are seconds since 1970. Answers with the same parent are variants of each
other; ``depth`` is their number of loops. What a reader does not know it ignores; what is missing
counts as not set, except ``id`` (of both), ``role`` and ``text``. A later version that a reader of
this one would misread has another number.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from app.domain.conversation import Conversation, Message, Role, Status
from app.domain.store.adding import ImportFailed
from app.domain.store.records import (
    Fields,
    are_token_ids,
    chat_fields,
    conversation_of,
    message_fields,
    message_of,
)

FORMAT = "tinyloop-chats"
FORMAT_VERSION = 1
LONGEST_LINE = 64 * 2**20  # bytes; a message of a model's context is far shorter
LONGEST_ID = 200


class ExportFailed(Exception):
    """A file could not be written; the message is one sentence."""


def write_chats(file: Path, conversations: Iterable[Conversation]) -> int:
    """Write whole conversations and return how many; raises ExportFailed.

    The file appears, or is replaced, only when it is complete.
    """
    count = 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        yield _line({"kind": FORMAT, "version": FORMAT_VERSION})
        for conversation in conversations:
            count += 1
            yield _line({"kind": "chat", **chat_fields(conversation)})
            for message in conversation:
                yield _line({"kind": "message", **message_fields(message)})

    _write(file, lines())
    return count


def write_markdown(file: Path, conversation: Conversation) -> None:
    """Write the shown path of a conversation; raises ExportFailed."""
    _write(file, [markdown(conversation).encode("utf-8", "replace")])


def markdown(conversation: Conversation) -> str:
    """Return the shown path as Markdown, each answer with its depth and seed."""
    parts = [f"# {conversation.title or 'Chat'}"]
    for message in conversation.path():
        if message.role is Role.USER:
            parts += ["## Question", message.text]
        else:
            parts += ["## Answer", message.text, f"*{_how(message)}*"]
    return "\n\n".join(parts) + "\n"


def read_chats(file: Path) -> list[Conversation]:
    """Return the conversations of an exported file; raises ImportFailed, for all or none."""
    try:
        with file.open("rb") as stream:
            return list(_conversations(_lines(stream)))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ImportFailed(f"{file} cannot be read, {why}: nothing was imported.") from error
    except _BadLine as error:
        raise ImportFailed(
            f"{file} is not a chats export, line {error.number} {error.problem}: nothing was "
            "imported. Choose a file that “Export” wrote."
        ) from error


def _how(message: Message) -> str:
    facts = [f"{message.depth} loops"]
    if message.sampling is not None:
        facts += [f"seed {message.sampling.seed}", f"temperature {message.sampling.temperature:g}"]
    if message.status is not Status.DONE:
        facts.append(message.status.value)
    return " · ".join(facts)


def _line(fields: Fields) -> bytes:
    try:
        return (json.dumps(fields, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8, but an escape
        return (json.dumps(fields) + "\n").encode()


def _write(file: Path, parts: Iterable[bytes]) -> None:
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        try:
            with unfinished.open("wb") as stream:
                stream.writelines(parts)
                stream.flush()
                os.fsync(stream.fileno())
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ExportFailed(f"{file} could not be written, {why}: choose another place.") from error


# -- reading what others wrote ----------------------------------------------------------------


class _BadLine(Exception):
    def __init__(self, number: int, problem: str) -> None:
        super().__init__(problem)
        self.number = number
        self.problem = problem


Lines = Iterator[tuple[int, Fields]]


def _lines(stream: Any) -> Lines:
    """Yield the objects of a file with their line numbers, the first one checked."""
    number = 0
    while raw := stream.readline(LONGEST_LINE):
        number += 1
        try:
            fields = json.loads(raw.decode())
        except (ValueError, RecursionError) as error:
            raise _BadLine(number, "is not JSON") from error
        if not isinstance(fields, dict):
            raise _BadLine(number, "is not an object")
        if number == 1:
            _check_header(fields)
        else:
            yield number, fields
    if number == 0:
        raise _BadLine(1, "is missing")


def _check_header(fields: Fields) -> None:
    if fields.get("kind") != FORMAT:
        raise _BadLine(1, f'has not the kind "{FORMAT}"')
    if fields.get("version") != FORMAT_VERSION:
        found = json.dumps(fields.get("version"))[:20]
        raise _BadLine(1, f"has version {found}, this app reads {FORMAT_VERSION}")


def _conversations(lines: Lines) -> Iterator[Conversation]:
    chat: Fields | None = None
    messages: dict[str, Message] = {}
    chats: set[str] = set()
    for number, fields in lines:
        if fields.get("kind") == "chat":
            if chat is not None:
                yield conversation_of(chat, messages.values())
            _check_id(number, fields, chats)
            chats.add(fields["id"])
            chat, messages = fields, {}
        elif fields.get("kind") == "message":
            if chat is None:
                raise _BadLine(number, "has a message before any chat")
            _check_message(number, fields, messages)
            messages[fields["id"]] = message_of(fields)
        else:
            raise _BadLine(number, 'has neither the kind "chat" nor "message"')
    if chat is not None:
        yield conversation_of(chat, messages.values())


def _check_id(number: int, fields: Fields, known: Iterable[str]) -> None:
    own = fields.get("id")
    if not isinstance(own, str) or not 0 < len(own) <= LONGEST_ID or not own.isprintable():
        raise _BadLine(number, f"has no id (1 to {LONGEST_ID} printable characters)")
    if own in known:
        raise _BadLine(number, f"has the id {own}, which was there before")


def _check_message(number: int, fields: Fields, known: dict[str, Message]) -> None:
    _check_id(number, fields, known)
    if not isinstance(fields.get("text"), str):
        raise _BadLine(number, "has no text")
    if fields.get("role") not in [role.value for role in Role]:
        raise _BadLine(number, "has not the role user or assistant")
    parent = fields.get("parent_id")
    if parent is not None and (not isinstance(parent, str) or parent not in known):
        raise _BadLine(number, "follows a message that is not above it")
    if parent is None and fields["role"] == Role.ASSISTANT.value:
        raise _BadLine(number, "is an answer to no question")
    if fields.get("token_ids") is not None and not are_token_ids(fields["token_ids"]):
        raise _BadLine(number, "has token ids that are none")
