"""An answer's source: its characters as the model wrote them, without any formatting."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.views.page_dialog import PageDialog
from app.views.theme import Theme


class SourceDialog(PageDialog):
    """Read only; Copy takes all of it."""

    def __init__(self, theme: Theme, text: str, parent: QWidget) -> None:
        super().__init__(theme, "", parent)
        self.setWindowTitle(self.tr("Source of the answer"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._text = text
        box = QPlainTextEdit(text)
        box.setReadOnly(True)
        box.setFont(theme.code())
        box.setTabChangesFocus(True)
        box.setAccessibleName(self.tr("Source of the answer"))
        box.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._content.addWidget(box)
        self.add_button(self.tr("Copy")).clicked.connect(self._copy)
        self.add_close()
        self.resize(theme.u(70), theme.u(45))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
