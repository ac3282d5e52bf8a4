"""A text box of one line that keeps Enter and Esc to itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class LineEdit(QLineEdit):
    """Esc and Enter become signals; neither reaches the window, where they stop and send."""

    escaped = Signal()
    entered = Signal(bool)  # whether Shift was held

    def takes_escape(self) -> bool:
        """Return whether Esc means something here now."""
        return True

    def event(self, event: QEvent) -> bool:
        """Take Esc before the window's own Esc does."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.takes_escape()
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell about Esc and Enter."""
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() in ENTER:
            self.entered.emit(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)
