"""The shelf: what the memory holds, the model and every kept state."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.domain.kept import Kept
from app.viewmodels.library_rows import Shelf, ShelfEntry
from app.viewmodels.scene import Scene


class ShelfModel(QObject):
    """The shelf as it was last asked for, None before that."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.shelf: Shelf | None = None

    def show(self, shelf: Shelf) -> None:
        """Show these contents."""
        self.shelf = shelf
        self.changed.emit(shelf)


def shelf_of(scene: Scene) -> Shelf:
    """Return what the memory holds now; the newest state first."""
    facts = scene.facts
    return Shelf(
        model=facts.nbytes if facts is not None else 0,
        entries=tuple(_entry(state) for state in reversed(scene.kept)),
        budget=facts.budget if facts is not None else 0,
    )


def _entry(state: Kept) -> ShelfEntry:
    what = "" if state.message_id else ", not answered yet"
    text = f"{state.title} · {state.depth} loops · {len(state.tokens)} tokens{what}"
    return ShelfEntry(text, state.nbytes, state.used)
