"""The chats of the sidebar as one Qt list model, with what is being searched for."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.library_rows import ChatRow, LibraryRow, SectionRow
from app.viewmodels.row_model import RowModel


class Conversations(RowModel[LibraryRow]):
    """Headings and chats; ``searching`` is the text that was searched for, "" for all chats.

    ``changed`` follows every change of rows or search.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.searching = ""

    def text(self, row: LibraryRow) -> str:
        """Return a heading or a chat's title."""
        return row.text if isinstance(row, SectionRow) else row.title

    def spoken(self, row: LibraryRow) -> str:
        """Return what a screen reader says: title, what goes on there, whether it is open."""
        if isinstance(row, SectionRow):
            return row.text
        parts = [row.title, row.note]
        if row.progress is not None:
            parts.append(row.progress.caption)
        if row.shown:
            parts.append("open")
        return ", ".join(part for part in parts if part)

    def show(self, rows: list[LibraryRow], searching: str) -> None:
        """Show these rows as what was found for ``searching``."""
        self.searching = searching
        self.set_rows(rows)
        self.changed.emit()

    def update_chat(self, row: ChatRow) -> None:
        """Replace the row of one chat, if it is in the list."""
        for position, old in enumerate(self._rows):
            if isinstance(old, ChatRow) and old.chat_id == row.chat_id:
                if old != row:
                    self.replace(position, row)
                    self.changed.emit()
                return
