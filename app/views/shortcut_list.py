"""The list of keys (F1)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QWidget

from app.views.page_dialog import PageDialog
from app.views.shortcuts import ENTRIES, IN_PLACE, translated
from app.views.theme import Theme


class ShortcutList(PageDialog):
    """One line a command; it scrolls where the screen is too low for all of them."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, "", parent)
        self.setWindowTitle(self.tr("Keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        lines = self._lines()
        scroll = QScrollArea()
        scroll.setWidget(lines)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(lines.sizeHint().width() + theme.u(2))
        scroll.setAccessibleName(self.tr("Keys"))
        self._content.addWidget(scroll)
        self.add_close()
        height = lines.sizeHint().height() + theme.u(12)
        self.resize(self.sizeHint().width(), min(height, self.room().height()))

    def _lines(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(self._theme.u(4))
        grid.setVerticalSpacing(self._theme.u(0.75))
        native = QKeySequence.SequenceFormat.NativeText
        lines = [
            (QKeySequence(entry.keys[0]).toString(native), entry.text)
            for entry in ENTRIES
            if entry.keys
        ]
        for number, (keys, text) in enumerate([*lines, *IN_PLACE]):
            key_label = QLabel(keys)
            key_label.setFont(self._theme.font(strong=True))
            grid.addWidget(key_label, number, 0)
            grid.addWidget(QLabel(translated(text)), number, 1)
        return page
