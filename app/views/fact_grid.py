"""Facts line by line, label and value: each value can be selected, and wraps when it is long."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QLabel

from app.viewmodels.library_rows import ReceiptLine
from app.views.theme import Theme

SELECTABLE = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)
VALUE = 45  # u: the widest value that stands in one line


class FactGrid(QGridLayout):
    """Two columns of labels; other lines take the place of those before."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._labels: list[QLabel] = []
        self.setHorizontalSpacing(theme.u(3))
        self.setVerticalSpacing(theme.u(0.75))
        self.setColumnStretch(1, 1)

    def show_lines(self, lines: Sequence[ReceiptLine]) -> None:
        """Show these lines."""
        for label in self._labels:
            self.removeWidget(label)
            label.deleteLater()
        self._labels = []
        for number, line in enumerate(lines):
            name, value = QLabel(line.label), QLabel(line.value)
            name.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setTextInteractionFlags(SELECTABLE)
            # A label that wraps asks for more lines than it fills: only a long one may.
            wide = value.fontMetrics().horizontalAdvance(line.value)
            value.setWordWrap(wide > self._theme.u(VALUE))
            for label in (name, value):
                label.setAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignTop)
            value.setAccessibleName(f"{line.label}: {line.value}")
            self.addWidget(name, number, 0)
            self.addWidget(value, number, 1)
            self._labels += [name, value]
