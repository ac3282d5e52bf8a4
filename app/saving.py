"""The store on the GUI's side: what is saved when, and its answers back on the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.domain.conversation import Conversation, Message
from app.domain.store import (
    ChatStore,
    ImportFailed,
    Opening,
    StoreEvent,
    Timing,
    open_database,
)

T = TypeVar("T")
Then = Callable[[Future[T]], None]


class Saving(QObject):
    """Hands chats to the store, but never a temporary one; all methods run on the GUI thread.

    ``told`` carries the store's events. Futures end on other threads: a queued signal brings
    what follows them back.
    """

    told = Signal(object)
    _event = Signal(object)
    _ended = Signal(object)

    def __init__(self, opening: Opening, timing: Timing | None = None) -> None:
        super().__init__()
        self._event.connect(self._pass_on)
        self._ended.connect(self._call)
        self._files = ThreadPoolExecutor(1, "chat files")
        self._timing = timing
        self.store = ChatStore(opening, self._notify, timing)

    @property
    def opening(self) -> Opening:
        """What was found when the chats were opened."""
        return self.store.opening

    def save(
        self, conversation: Conversation, *messages: Message,
        then: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        """Write a conversation's own row and these messages now.

        ``then`` is called when they are on the disk, or are known not to get there now.
        """
        if not conversation.temporary:
            future = self.store.save(conversation, *messages)
            if then is not None:
                self.when_done(future, lambda _: then())
        elif then is not None:
            then()

    def checkpoint(self, conversation: Conversation, *messages: Message) -> None:
        """Write the same within a second."""
        if not conversation.temporary:
            self.store.checkpoint(conversation, *messages)

    def move_to(self, folder: Path) -> None:
        """Keep all chats in ``folder`` from here on; waits until they are on its disk.

        Raises ImportFailed and ReadFailed; then they stay where they are.
        """
        found = [self.store.load(row.id) for row in self.store.chats()]
        opening = open_database(folder)
        store = ChatStore(opening, self._notify, self._timing)
        try:
            if not opening.durable:
                raise ImportFailed(opening.sentence)
            store.adopt(chat for chat in found if chat is not None).result()
        except ImportFailed:
            store.close()
            raise
        left, self.store = self.store, store
        left.close()

    def in_background(self, work: Callable[[], T], then: Then[T]) -> None:
        """Do ``work`` on a file beside the GUI thread, then call ``then`` with its future."""
        self.when_done(self._files.submit(work), then)

    def when_done(self, future: Future[T], then: Then[T]) -> None:
        """Call ``then`` with a future on the GUI thread, once it has ended."""
        future.add_done_callback(lambda ended: self._ended.emit(partial(then, ended)))

    def close(self, seconds: float = 2.0) -> bool:
        """Write what waits; False when something could not be written in time."""
        self._files.shutdown(wait=False, cancel_futures=True)
        return self.store.close(seconds)

    def _notify(self, event: StoreEvent) -> None:
        self._event.emit(event)  # on the store thread: the signal is queued

    @Slot(object)
    def _pass_on(self, event: StoreEvent) -> None:
        self.told.emit(event)

    @Slot(object)
    def _call(self, then: Callable[[], None]) -> None:
        then()
