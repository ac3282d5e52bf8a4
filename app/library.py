"""The use cases of chats as a whole: open, new, rename, pin, delete and undo, search, files."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.chat import Chat
from app.domain.conversation import Conversation
from app.domain.run import Run
from app.domain.store import (
    Added,
    ChatSummary,
    ExportFailed,
    Hit,
    ImportFailed,
    ReadFailed,
    Recovered,
    StoreEvent,
    title_of,
    write_markdown,
)
from app.domain.store.transfer import write_chats
from app.keeping import Keeping
from app.viewmodels.conversations import Conversations
from app.viewmodels.library_rows import Notice
from app.viewmodels.scene import Scene
from app.viewmodels.sidebar import chat_row, found_rows, library_rows

UNDO_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class _Deleted:
    """What Undo brings back; ``shown`` is the chat that was on screen, if it was one of them."""

    stored: tuple[str, ...]
    temporary: dict[str, Conversation]
    shown: str


class Library(QObject):
    """All chats: the list beside the page, and what is done to a chat from outside.

    ``shown_changed`` names the chat on screen; ``found`` follows it when a search led there, with
    the message and the words that were found in it. All methods run on the GUI thread.
    """

    shown_changed = Signal(str)
    found = Signal(str, str)

    def __init__(self, chat: Chat, conversations: Conversations) -> None:
        super().__init__()
        self._chat = chat
        self._stage = chat.stage
        self._saving = chat.stage.saving
        self._status = chat.stage.views.status
        self._conversations = conversations
        self._chats: dict[str, ChatSummary] = {}
        self._temporary: dict[str, Conversation] = {}
        self._deleted = _Deleted((), {}, "")
        self._hidden: set[str] = set()  # every chat that was deleted and not brought back
        self._last_active: Run | None = None
        self._search = ""
        self._hits: list[Hit] = []
        self._stage.touched.connect(self._touched)
        self._stage.moved.connect(self._moved)
        self._saving.told.connect(self._told)
        self.keeping = Keeping(self._saving, self._status)
        self.keeping.moved.connect(self._moved_house)

    @property
    def scene(self) -> Scene:
        """The conversation on screen and all around it."""
        return self._stage.scene

    def start(self, last: str = "") -> None:
        """List the chats and show the one with the id ``last``, else the newest one."""
        self.keeping.say_how_it_opened()
        self._read()
        newest = max(self._chats.values(), key=lambda chat: chat.updated, default=None)
        if last in self._chats:
            self.open_chat(last)
        elif newest is not None:
            self.open_chat(newest.id)

    # -- which chat is on screen --------------------------------------------------------------

    @Slot(str)
    def open_chat(self, chat_id: str) -> None:
        """Put a chat on screen; a run in another one goes on."""
        if chat_id == self.scene.conversation.id:
            return
        conversation = self._find(chat_id)
        if conversation is not None:
            self._turn_to(conversation)

    @Slot(str)
    def open_listed(self, chat_id: str) -> None:
        """Open a chat that was chosen in the list: after a search, at what was found in it.

        A wording or an answer that is not on the page is shown instead of the one that is.
        """
        self.open_chat(chat_id)
        chat = self.scene.conversation
        hit = next((hit for hit in self._hits if hit.chat_id == chat_id), None)
        if hit is None or hit.message_id not in chat:  # a title was found, or no search is on
            return
        if chat[hit.message_id] not in chat.path():
            self._chat.select_variant(hit.message_id)
        self.found.emit(hit.message_id, hit.words)

    @Slot()
    def new_chat(self) -> None:
        """Begin an empty chat."""
        self._turn_to(Conversation())

    @Slot()
    def new_temporary_chat(self) -> None:
        """Begin a chat that is never stored."""
        self._turn_to(Conversation(temporary=True))

    def _turn_to(self, conversation: Conversation) -> None:
        left = self.scene.conversation
        if left.temporary and not len(left) and not left.draft:
            self._temporary.pop(left.id, None)
        if conversation.temporary:
            self._temporary[conversation.id] = conversation
        self._stage.turn_to(conversation)
        self._show()
        self.shown_changed.emit(conversation.id)

    def _find(self, chat_id: str) -> Conversation | None:
        """Return a chat: the one that is in use already, else as it is stored."""
        scene = self.scene
        in_use = [scene.conversation, *self._temporary.values()]
        if scene.active is not None:
            in_use.append(scene.active.conversation)
        if scene.waiting is not None:
            in_use.append(scene.waiting.conversation)
        for conversation in in_use:
            if conversation.id == chat_id:
                return conversation
        return self._load(chat_id)

    def _load(self, chat_id: str) -> Conversation | None:
        """Return a chat as it is stored; what cannot be read is said in the bar."""
        try:
            return self._saving.store.load(chat_id)
        except ReadFailed as error:
            self._status.fail(error)
            return None

    # -- one chat -----------------------------------------------------------------------------

    @Slot(str, str)
    def rename_chat(self, chat_id: str, title: str) -> None:
        """Give a chat another title; an empty one is made from its first question again."""
        conversation = self._find(chat_id)
        if conversation is not None:
            first = next((message.text for message in conversation), "")
            conversation.title = " ".join(title.split()) or title_of(first)
            self._changed(conversation)

    @Slot(str, bool)
    def pin_chat(self, chat_id: str, pinned: bool) -> None:
        """Keep a chat at the top of the list, or no longer."""
        conversation = self._find(chat_id)
        if conversation is not None:
            conversation.pinned = pinned
            self._changed(conversation)

    def _changed(self, conversation: Conversation) -> None:
        self._saving.save(conversation)
        self._touched(conversation)

    # -- deleting -----------------------------------------------------------------------------

    @Slot(str)
    def delete_chat(self, chat_id: str) -> None:
        """Hide a chat, stop its run and free its kept states; Undo stands there for ten seconds."""
        conversation = self._find(chat_id)
        if conversation is not None:
            self._delete([chat_id], {message.id for message in conversation})
            self._offer_undo("Chat deleted.")

    @Slot()
    def delete_all(self) -> None:
        """Delete every chat in the same way."""
        ids = [*self._chats, *self._temporary]
        if ids:
            self._delete(ids, {state.message_id for state in self.scene.kept})
            count = "1 chat" if len(ids) == 1 else f"{len(ids)} chats"
            self._offer_undo(f"{count} deleted.")

    def _delete(self, chat_ids: list[str], messages: set[str]) -> None:
        scene, shown = self.scene, self.scene.conversation.id
        hidden = {i: self._temporary.pop(i) for i in chat_ids if i in self._temporary}
        stored = tuple(i for i in chat_ids if self._chats.pop(i, None) is not None)
        self._deleted = _Deleted(stored, hidden, shown if shown in chat_ids else "")
        self._hidden.update(chat_ids)
        if scene.waiting is not None and scene.waiting.conversation.id in chat_ids:
            self._stage.stop_waiting()
        if scene.active is not None and scene.active.conversation.id in chat_ids:
            messages.add(scene.active.id.message)
            self._stage.stop(then=partial(self._stage.forget, messages))
        else:
            self._stage.forget(messages)
        self._saving.store.delete(stored)
        self._hits = [hit for hit in self._hits if hit.chat_id not in chat_ids]
        if shown in chat_ids:
            self.new_chat()
        self._show()

    @Slot()
    def undo_delete(self) -> None:
        """Bring back what was deleted last; what was kept of it is gone and says so."""
        deleted, self._deleted = self._deleted, _Deleted((), {}, "")
        self._hidden.difference_update(deleted.stored, deleted.temporary)
        self._status.set_notice(None)
        self._temporary.update(deleted.temporary)
        done = self._saving.store.undo_delete(deleted.stored)
        self._saving.when_done(done, lambda _: self._undone(deleted.shown))

    def _undone(self, shown: str) -> None:
        self._read()
        if shown in self._chats or shown in self._temporary:
            self.open_chat(shown)

    # -- the list -----------------------------------------------------------------------------

    @Slot(str)
    def search(self, text: str) -> None:
        """List the chats with these words; all of them for no words."""
        self._search = text.strip()
        try:
            self._hits = self._saving.store.search(self._search) if self._search else []
        except ReadFailed as error:
            self._status.fail(error)
        self._show()

    def _read(self) -> None:
        try:
            self._chats = {chat.id: chat for chat in self._saving.store.chats()}
        except ReadFailed as error:
            self._status.fail(error)
        self._show()

    def _show(self) -> None:
        if self._search:
            rows = found_rows(self.scene, self._hits)
        else:
            temporary = [_summary(chat) for chat in self._temporary.values()]
            chats = [*self._chats.values(), *temporary]
            rows = library_rows(self.scene, chats, tuple(self._temporary), date.today())
        self._conversations.show(rows, self._search)

    @Slot(object)
    def _touched(self, conversation: Conversation) -> None:
        """A chat's title, date, pin or draft changed: it may stand elsewhere in the list."""
        known = self._temporary if conversation.temporary else self._chats
        worth = conversation.head_id is not None or bool(conversation.draft)
        hidden = conversation.id in self._hidden
        if hidden or not (worth or conversation.id in known):
            return
        old = self._chats.get(conversation.id)
        if conversation.temporary:
            self._temporary[conversation.id] = conversation
        else:
            self._chats[conversation.id] = _summary(conversation)
        if conversation.temporary or old != self._chats[conversation.id]:
            self._show()

    @Slot()
    def _moved(self) -> None:
        """A run went on: its chat's small loop bar, and who waits for it."""
        scene = self.scene
        chats = [run.conversation for run in (scene.active, self._last_active) if run is not None]
        if scene.waiting is not None:
            chats.append(scene.waiting.conversation)
        self._last_active = scene.active
        if not self._search:
            for chat in chats:
                self._conversations.update_chat(chat_row(scene, _summary(chat), chat.temporary))

    # -- files --------------------------------------------------------------------------------

    @Slot(str)
    def export_all(self, file: str) -> None:
        """Write every chat into a file of JSON lines."""
        path, ids = Path(file), tuple(self._chats)
        self._saving.in_background(
            lambda: self._saving.store.export(path, ids), partial(self._exported, path)
        )

    @Slot(str, str)
    def export_chat(self, chat_id: str, file: str) -> None:
        """Write a chat: its shown path as Markdown for ``.md``, else all of it as JSON lines."""
        path, conversation = Path(file), self._find(chat_id)
        if conversation is None:
            return
        try:
            if path.suffix.lower() == ".md":
                write_markdown(path, conversation)
            else:
                write_chats(path, [conversation])
        except ExportFailed as error:
            self._status.fail(error)
        else:
            self._status.tell(f"Saved as {path}.")

    @Slot(str)
    def import_chats(self, file: str) -> None:
        """Add the chats of an exported file that are not here yet."""
        path = Path(file)
        self._saving.in_background(
            lambda: self._saving.store.import_file(path).result(), self._imported
        )

    def _exported(self, path: Path, done: Future[int]) -> None:
        try:
            count = done.result()
        except (ExportFailed, ReadFailed) as error:
            self._status.fail(error)
        else:
            chats = "1 chat" if count == 1 else f"{count} chats"
            self._status.tell(f"{chats} saved as {path}.")

    def _imported(self, done: Future[Added]) -> None:
        try:
            added = done.result()
        except ImportFailed as error:
            self._status.fail(error)
            return
        self._read()
        scene = self.scene
        if scene.conversation.id in added.ids and scene.run is None and scene.waiting is None:
            again = self._load(scene.conversation.id)
            if again is not None:
                self._turn_to(again)
        elif added.chats:
            self.open_chat(added.ids[0])
        what = f"{added.chats} chats and {added.messages} messages were added."
        self._status.tell(what if added.messages else "Nothing new in this file.")

    # -- what the user is told ----------------------------------------------------------------

    @Slot(object)
    def _told(self, event: StoreEvent) -> None:
        if isinstance(event, Recovered):
            self._read()
            self._status.tell(event.sentence)

    @Slot()
    def _moved_house(self) -> None:
        """Other chats may lie in the new folder, and the status line says what is kept."""
        self._read()
        self._stage.show()

    def _offer_undo(self, sentence: str) -> None:
        self._status.set_notice(Notice(sentence, "Undo", self.undo_delete, UNDO_SECONDS))


def _summary(conversation: Conversation) -> ChatSummary:
    return ChatSummary(
        conversation.id, conversation.title, conversation.pinned, conversation.updated
    )
