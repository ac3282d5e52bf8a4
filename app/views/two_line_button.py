"""A button of two lines, a title and a caption: effort buttons and the cards of an empty chat."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.views import painting
from app.views.theme import SUGGESTED_TINT, Theme, blend


@dataclass(frozen=True, slots=True)
class TwoLines:
    """What the button shows; ``warn`` puts the caption in the warning colour."""

    title: str
    caption: str
    suggested: bool = False
    warn: bool = False
    hint: str = ""


class TwoLineButton(QAbstractButton):
    """6u high; the suggested one has an accent outline on a tint."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines = TwoLines("", "")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def show_lines(self, lines: TwoLines) -> None:
        """Show other words."""
        self._lines = lines
        self.setText(lines.title)
        self.setAccessibleName(lines.title)
        self.setAccessibleDescription(". ".join(filter(None, (lines.caption, lines.hint))))
        self.setToolTip(lines.hint or lines.caption)  # the caption may be elided
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for both lines, 6u high."""
        title = QFontMetrics(self._theme.font(strong=True)).horizontalAdvance(self._lines.title)
        price = QFontMetrics(self._theme.caption()).horizontalAdvance(self._lines.caption)
        return QSize(max(title, price) + self._theme.u(4.25), self._theme.u(6))

    def minimumSizeHint(self) -> QSize:
        """Return the width of the title: the caption may be elided, the title never."""
        title = QFontMetrics(self._theme.font(strong=True)).horizontalAdvance(self._lines.title)
        return QSize(title + self._theme.u(4.25), self._theme.u(6))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Swallow the second press: what it meant may have moved away from under the mouse."""
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame and both lines."""
        u, colours = self._theme.u, self._theme.colours
        painter = QPainter(self)
        prominent = self._lines.suggested and self.isEnabled()
        fill = colours.base
        if prominent:
            fill = blend(colours.accent, colours.window, SUGGESTED_TINT)
        if self.isDown() or (self.underMouse() and self.isEnabled() and not prominent):
            fill = colours.alternate
        outline = colours.accent if prominent else colours.mid
        painting.frame(painter, self.rect(), u(), fill, outline)
        ink = colours.accent if prominent else colours.text
        ink = ink if self.isEnabled() else colours.placeholder
        below = colours.warning if self._lines.warn and self.isEnabled() else colours.placeholder
        inner = self.rect().adjusted(u(2), u(0.75), -u(2), -u(0.75))
        half = inner.height() // 2
        upper = QRect(inner.left(), inner.top(), inner.width(), half)
        lower = QRect(inner.left(), inner.top() + half, inner.width(), inner.height() - half)
        painting.line(painter, upper, self._lines.title, self._theme.font(strong=True), ink)
        painting.line(painter, lower, self._lines.caption, self._theme.caption(), below)
        painting.focus_ring(painter, self, u(), self._theme)

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
