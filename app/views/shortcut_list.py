"""The list of keys (F1)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QWidget

from app.views.shortcuts import ENTRIES, IN_PLACE, translated
from app.views.theme import Theme


class ShortcutList(QDialog):
    """One line a command; Esc closes it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        grid = QGridLayout(self)
        grid.setContentsMargins(*[theme.u(3)] * 4)
        grid.setHorizontalSpacing(theme.u(4))
        grid.setVerticalSpacing(theme.u(0.75))
        native = QKeySequence.SequenceFormat.NativeText
        lines = [
            (QKeySequence(entry.keys[0]).toString(native), entry.text)
            for entry in ENTRIES
            if entry.keys
        ]
        for number, (keys, text) in enumerate([*lines, *IN_PLACE]):
            key_label = QLabel(keys)
            key_label.setFont(theme.font(strong=True))
            grid.addWidget(key_label, number, 0)
            grid.addWidget(QLabel(translated(text)), number, 1)
