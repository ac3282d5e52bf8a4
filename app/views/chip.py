"""A depth chip: one variant of an answer as a small pill that can be pressed."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.viewmodels.rows import Chip
from app.views import painting
from app.views.theme import CHIP_TINT, Theme, blend


class DepthChip(QAbstractButton):
    """A filled dot says the state is kept, a hollow one that it is not; wordings have none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.chip = Chip(message_id="", text="", shown=False, kept=False, accessible="")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def show_chip(self, chip: Chip) -> None:
        """Show another variant."""
        self.chip = chip
        self.setText(chip.text)
        self.setChecked(chip.shown)
        self.setAccessibleName(chip.accessible)
        self.setToolTip(chip.accessible)
        self.updateGeometry()
        self.update()

    def nextCheckState(self) -> None:
        """Leave the check mark to the view model: it follows the variant shown."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the arrow keys to the line of chips, which walks the variants."""
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """Return the width of dot and text, 2.75u high."""
        text = QFontMetrics(self._theme.caption(strong=self.chip.shown))
        room = 2.5 if self.chip.kept is None else 4
        width = text.horizontalAdvance(self.chip.text) + self._theme.u(room)
        return QSize(width, self._theme.u(2.75))

    minimumSizeHint = sizeHint

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw pill, dot and text."""
        colours = self._theme.colours
        painter = QPainter(self)
        radius = self.height() / 2
        ink = colours.accent if self.chip.shown else colours.placeholder
        fill = blend(colours.accent, colours.window, CHIP_TINT) if self.chip.shown else None
        if fill is None and (self.underMouse() or self.isDown()):
            fill = colours.alternate
        outline = colours.accent if self.chip.shown else colours.mid
        painting.frame(painter, self.rect(), radius, fill, outline)
        text_rect = self._paint_dot(painter, ink)
        font = self._theme.caption(strong=self.chip.shown)
        painting.line(painter, text_rect, self.chip.text, font, ink)
        painting.focus_ring(painter, self, radius, self._theme)

    def _paint_dot(self, painter: QPainter, ink: QColor) -> QRect:
        """Draw the dot, if there is a state to speak of; return the room for the text."""
        u = self._theme.u
        if self.chip.kept is None:
            return self.rect().adjusted(u(1.25), 0, -u(1), 0)
        right_to_left = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        dot = QRect(0, 0, u(0.75), u(0.75))
        dot.moveCenter(self.rect().center())
        dot.moveLeft(self.width() - u(2) if right_to_left else u(1.25))
        painting.frame(painter, dot, dot.width() / 2, ink if self.chip.kept else None, ink)
        left, right = (u(1.5), -u(2.5)) if right_to_left else (u(2.5), -u(1))
        return self.rect().adjusted(left, 0, right, 0)

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
