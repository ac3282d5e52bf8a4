"""A dialog in the look of the page: a title, content with even margins, buttons below it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.views.theme import Theme


class PageDialog(QDialog):
    """Esc and Close leave it; everything else is added by its kinds."""

    def __init__(self, theme: Theme, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setWindowTitle(title)
        u = theme.u
        self._content = QVBoxLayout()
        self._content.setSpacing(u(1.5))
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(u(1))
        self._buttons.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(u(3), u(3), u(3), u(2))
        whole.setSpacing(u(2.5))
        whole.addLayout(self._content, 1)
        whole.addLayout(self._buttons)

    def room(self) -> QSize:
        """Return the size of the screen without its bars.

        QWidget.screen() would do, but for PySide the screen is then the dialog's own, and goes
        with it: the next window finds none (a crash, seen with 6.11).
        """
        return QGuiApplication.primaryScreen().availableSize()

    def add_button(self, text: str) -> QPushButton:
        """Add a button at the end of the line of buttons."""
        button = QPushButton(text)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._buttons.addWidget(button)
        return button

    def add_close(self) -> QPushButton:
        """Add the button that closes; Enter presses it."""
        button = self.add_button(self.tr("Close"))
        button.setDefault(True)
        button.clicked.connect(self.close)
        return button
