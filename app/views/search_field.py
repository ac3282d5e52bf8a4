"""The search box of the sidebar: what is typed is searched for when the typing pauses."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

PAUSE_MS = 120


class SearchField(QLineEdit):
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

    def event(self, event: QEvent) -> bool:
        """Take Esc before the window's own Esc does, as long as there is something to empty."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.text()
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Empty the box, or go on to what was found."""
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.clear()
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._search()
            self.left.emit()
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
