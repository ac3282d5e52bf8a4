"""A chat's title while it is being rewritten, in its place in the sidebar."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget

from app.views.line_edit import LineEdit
from app.views.theme import Theme

LONGEST = 200  # characters of a title


class RenameEdit(LineEdit):
    """Enter and leaving the box keep the new title, Esc the old one."""

    renamed = Signal(str, str)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._before = ""
        self.chat_id = ""
        self.setMaxLength(LONGEST)
        self.setAccessibleName(self.tr("New title of the chat"))
        self.entered.connect(self._keep)
        self.escaped.connect(self.leave)
        self.hide()

    def begin(self, chat_id: str, title: str) -> None:
        """Show the title, all of it selected."""
        self.chat_id, self._before = chat_id, title
        self.setText(title)
        self.selectAll()
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def place(self, title: QRect) -> None:
        """Lie over the title's rectangle, the letters where they were."""
        u = self._theme.u
        self.setFont(self._theme.font())
        height = self.sizeHint().height()
        place = title.adjusted(-u(1), 0, u(1), 0)
        place.setTop(title.center().y() - height // 2)
        place.setHeight(height)
        self.setGeometry(place)

    @Slot()
    def leave(self) -> None:
        """Close without a change."""
        if self.chat_id:
            self.chat_id = ""
            self.hide()
            self.closed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keep what was written when the focus goes elsewhere, but not to a menu of this box."""
        super().focusOutEvent(event)
        if event.reason() not in (
            Qt.FocusReason.PopupFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        ):
            self._keep()

    @Slot()
    def _keep(self) -> None:
        chat_id, title = self.chat_id, " ".join(self.text().split())
        changed = bool(chat_id) and bool(title) and title != self._before
        self.leave()
        if changed:
            self.renamed.emit(chat_id, title)
