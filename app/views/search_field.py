"""The search box of the sidebar: what is typed is searched for when the typing pauses."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.views.line_edit import LineEdit
from app.views.theme import Theme

PAUSE_MS = 120


class SearchField(LineEdit):
    """Esc empties it; Enter and Down go on to the chats found."""

    search_requested = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._searched = ""
        self._clear = QPushButton(self.tr("Clear"), self)
        self._clear.setFlat(True)
        self._clear.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # by keyboard it is Esc
        self._clear.setCursor(Qt.CursorShape.ArrowCursor)
        self._clear.setAccessibleName(self.tr("Clear the search"))
        self._clear.clicked.connect(self.clear)
        self._clear.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._search)
        self.setPlaceholderText(self.tr("Search chats"))
        self.setAccessibleName(self.tr("Search chats"))
        self.textChanged.connect(self._text_changed)
        self.escaped.connect(self.clear)
        self.entered.connect(self._leave)
        theme.changed.connect(self._restyle)
        self._restyle()

    def takes_escape(self) -> bool:
        """Return whether there is something to empty; else Esc is the window's."""
        return bool(self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go on to what was found."""
        if event.key() == Qt.Key.Key_Down:
            self._leave()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep Clear at the end of the line."""
        super().resizeEvent(event)
        self._place_clear()

    def _place_clear(self) -> None:
        size = self._clear.sizeHint()
        self._clear.resize(size.width(), self.height())
        left = self._theme.u(0.25)
        if self.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            left = self.width() - size.width() - left
        self._clear.move(left, 0)

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font())
        self._clear.setFont(self._theme.caption())
        # Its room is always kept: the text does not move when it comes.
        room = self._clear.sizeHint().width()
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        self.setTextMargins(room if mirrored else 0, 0, 0 if mirrored else room, 0)
        self._place_clear()

    @Slot()
    def _text_changed(self) -> None:
        self._clear.setVisible(bool(self.text()))
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
