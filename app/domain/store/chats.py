"""The store as the app uses it: save, load, list, search, delete, export, import."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

from app.domain.conversation import Conversation, Message, Role
from app.domain.store.adding import Added
from app.domain.store.database import Opening
from app.domain.store.events import Notify
from app.domain.store.pending import Kind, deletion_of, records_of
from app.domain.store.reader import ChatSummary, Hit, Reader
from app.domain.store.records import conversation_of, message_of_row, title_of
from app.domain.store.salvage import salvage
from app.domain.store.transfer import read_chats, write_chats
from app.domain.store.writer import Timing, Writer


class ChatStore:
    """All chats of one folder; the package's docstring says what is durable when.

    ``notify`` is called with StoreEvents on the store's own thread: it must hand them over
    without waiting, as a queued Qt signal does.
    """

    def __init__(self, opening: Opening, notify: Notify, timing: Timing | None = None) -> None:
        self.opening = opening
        self._timing = timing or Timing()
        self._reader = Reader(opening.address)
        self._writer = Writer(opening, notify, self._timing)
        if opening.aside is not None:
            self._writer.add_chore(salvage(opening.aside, opening.connection, notify))

    # -- saving -------------------------------------------------------------------------------

    def save(self, conversation: Conversation, *messages: Message) -> Future[bool]:
        """Write a conversation's own fields and these messages now, in one transaction.

        Parents must be saved before what follows them. The future says whether they are on the
        disk; its callbacks run on the store thread.
        """
        _stamp(conversation, messages)
        return self._writer.write(records_of(conversation, messages))

    def checkpoint(self, conversation: Conversation, *messages: Message) -> None:
        """Write the same within a second; only the newest state of each is written."""
        _stamp(conversation, messages)
        self._writer.write(records_of(conversation, messages), self._timing.checkpoint)

    def unsaved(self) -> list[str]:
        """Return the ids of messages that are kept in memory only, oldest first."""
        records = self._writer.unsaved().values()
        return [record.id for record in records if record.kind is Kind.MESSAGE]

    # -- reading: raises ReadFailed -----------------------------------------------------------

    def load(self, chat_id: str) -> Conversation | None:
        """Return a conversation as it was last handed in; None for one that is not there."""
        waiting = [r for r in self._writer.unsaved().values() if r.chat_id == chat_id]
        fields, stored = self._reader.load(chat_id) or ({}, [])
        messages = {message.id: message for message in stored}
        for record in waiting:
            if record.kind is Kind.CHAT:
                fields = dict(record.row)
            elif record.kind is Kind.MESSAGE:
                messages[record.id] = message_of_row(record.row)
            elif record.row["deleted_at"] is not None:
                return None
        return conversation_of(fields, messages.values()) if fields else None

    def chats(self) -> list[ChatSummary]:
        """Return the sidebar's rows: pinned ones first, then by date."""
        waiting = self._writer.unsaved().values()
        rows = {row.id: row for row in self._reader.chats()}
        for record in waiting:
            if record.kind is Kind.CHAT and (record.row["head_id"] or record.row["draft"]):
                chat = conversation_of(record.row, ())
                rows[chat.id] = ChatSummary(chat.id, chat.title, chat.pinned, chat.updated)
        for record in waiting:
            if record.kind is Kind.DELETION and record.row["deleted_at"] is not None:
                rows.pop(record.id, None)
        return sorted(rows.values(), key=lambda row: (row.pinned, row.updated), reverse=True)

    def search(self, text: str, limit: int = 50) -> list[Hit]:
        """Return chats with a message or title that has all words of ``text``, newest first."""
        return self._reader.search(text, limit)

    # -- deleting -----------------------------------------------------------------------------

    def delete(self, chat_ids: Iterable[str]) -> Future[bool]:
        """Hide chats at once; after ten seconds, or at the end, they are really removed."""
        now = time.time()
        return self._writer.write([deletion_of(chat_id, now) for chat_id in chat_ids])

    def undo_delete(self, chat_ids: Iterable[str]) -> Future[bool]:
        """Bring hidden chats back; those that were removed already stay away."""
        return self._writer.write([deletion_of(chat_id, None) for chat_id in chat_ids])

    # -- files --------------------------------------------------------------------------------

    def export(self, file: Path, chat_ids: Iterable[str]) -> int:
        """Write whole chats, also what is not saved yet, and return how many.

        Raises ExportFailed and ReadFailed; may be called from any thread.
        """
        loaded = (self.load(chat_id) for chat_id in chat_ids)
        return write_chats(file, (chat for chat in loaded if chat is not None))

    def import_file(self, file: Path) -> Future[Added]:
        """Add the chats of an exported file that are not there yet, all or none.

        Reads the file on the calling thread and raises ImportFailed, as the future may.
        """
        return self.adopt(read_chats(file))

    def adopt(self, conversations: Iterable[Conversation]) -> Future[Added]:
        """Add whole conversations that are not there yet, all or none; may raise ImportFailed."""
        return self._writer.add(list(conversations))

    def close(self, deadline: float = 2.0) -> bool:
        """Write what waits and end the thread; False when something could not be written."""
        return self._writer.close(deadline)


def _stamp(conversation: Conversation, messages: Iterable[Message]) -> None:
    """Give a conversation and its new messages their times, and a first title."""
    now = time.time()
    conversation.created = conversation.created or now
    for message in messages:
        if not message.created:
            message.created = conversation.updated = now
        if not conversation.title and message.role is Role.USER:
            conversation.title = title_of(message.text)
