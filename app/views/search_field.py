"""The search box of the sidebar: what is typed is searched for when the typing pauses."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.views.line_edit import LineEdit

PAUSE_MS = 120


class SearchField(LineEdit):
    """Esc empties it; Enter and Down go on to the chats found."""

    search_requested = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._searched = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._search)
        self.setClearButtonEnabled(True)
        self.setPlaceholderText(self.tr("Search chats"))
        self.setAccessibleName(self.tr("Search chats"))
        self.textChanged.connect(self._text_changed)
        self.escaped.connect(self.clear)
        self.entered.connect(self._leave)

    def takes_escape(self) -> bool:
        """Return whether there is something to empty; else Esc is the window's."""
        return bool(self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go on to what was found."""
        if event.key() == Qt.Key.Key_Down:
            self._leave()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _text_changed(self) -> None:
        if self.text().strip():
            self._timer.start()
        else:
            self._search()  # all chats are back at once

    @Slot()
    def _search(self) -> None:
        self._timer.stop()
        text = self.text().strip()
        if text != self._searched:
            self._searched = text
            self.search_requested.emit(text)

    @Slot()
    def _leave(self) -> None:
        self._search()
        self.left.emit()
