"""Whether chats get to the disk: what is said when they do not, and the folder chosen instead."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.domain.store import (
    AllSaved,
    AlreadyOpen,
    FolderLock,
    ImportFailed,
    NotSaved,
    ReadFailed,
    State,
    StoreEvent,
)
from app.saving import Saving
from app.viewmodels.rows import ErrorBar
from app.viewmodels.status import StatusModel


class Keeping(QObject):
    """Keeps the bar about the disk true. ``moved``: the chats are in another folder now."""

    moved = Signal()

    def __init__(self, saving: Saving, status: StatusModel) -> None:
        super().__init__()
        self._saving = saving
        self._status = status
        self._lock: FolderLock | None = None  # of a folder chosen while the app runs
        saving.told.connect(self._told)

    def say_how_it_opened(self) -> None:
        """Say what was found when the chats were opened, if anything is wrong."""
        opening = self._saving.opening
        action, act = {
            State.SET_ASIDE: ("OK", self._settled),
            State.IN_MEMORY: ("Choose folder…", self._ask_for_folder),
        }.get(opening.state, ("Save as…", self._ask_where))
        bar = ErrorBar(opening.sentence, action, act) if opening.sentence else None
        self._status.set_unsaved(bar)

    def keep_in(self, folder: Path) -> bool:
        """Keep all chats in ``folder`` from here on, beside those that are there.

        False when that cannot be, which is said: the chats stay where they are.
        """
        try:
            lock = FolderLock(folder)
            self._saving.move_to(folder)
        except (AlreadyOpen, ImportFailed, ReadFailed) as error:
            self._status.fail(error)
            return False
        self._lock = lock
        self.say_how_it_opened()
        self.moved.emit()
        self._status.tell(f"Chats are kept in {folder} from now on.")
        return True

    @Slot(object)
    def _told(self, event: StoreEvent) -> None:
        if isinstance(event, NotSaved):
            self._status.set_unsaved(ErrorBar(event.sentence, "Save as…", self._ask_where))
        elif isinstance(event, AllSaved):
            self._settled()

    @Slot()
    def _ask_where(self) -> None:
        self._status.save_as.emit()

    @Slot()
    def _ask_for_folder(self) -> None:
        self._status.choose_folder.emit()

    @Slot()
    def _settled(self) -> None:
        self._status.set_unsaved(None)
