"""Memory as one bar: the model, a segment a kept state, and the room that is left for more."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.viewmodels.library_rows import Shelf
from app.views import painting
from app.views.theme import HAIRLINE, Theme

GAP = 0.25  # u: between segments
LEAST = 0.5  # u: so that the smallest state is seen


class MemoryBar(QWidget):
    """Segments are as wide as their bytes; the list below the bar names them in this order."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shelf = Shelf(0, (), 0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def show_shelf(self, shelf: Shelf, accessible: str) -> None:
        """Show other contents, said in words as ``accessible``."""
        self._shelf = shelf
        self.setAccessibleName(accessible)
        self.update()

    def sizeHint(self) -> QSize:
        """Return a wide bar, 2u high."""
        return QSize(self._theme.u(50), self._theme.u(2))

    minimumSizeHint = sizeHint

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the segments from the leading edge."""
        painter = QPainter(self)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        for left, width, fill, outline in self._segments():
            x = self.width() - left - width if mirrored else left
            place = QRect(round(x), 0, round(width), self.height())
            painting.frame(painter, place, self._theme.u(0.25), fill, outline, HAIRLINE)

    def _segments(self) -> list[tuple[float, float, QColor | None, QColor | None]]:
        """Return (left, width, fill, outline) of each segment in pixels."""
        shelf, colours, u = self._shelf, self._theme.colours, self._theme.u
        used = sum(entry.nbytes for entry in shelf.entries)
        kinds: list[tuple[int, QColor | None, QColor | None]] = [(shelf.model, colours.mid, None)]
        kinds += [(entry.nbytes, colours.accent, None) for entry in shelf.entries]
        kinds.append((max(shelf.budget - used, 0), None, colours.mid))
        kinds = [kind for kind in kinds if kind[0] > 0]
        total = sum(kind[0] for kind in kinds)
        room = self.width() - (u(LEAST) + u(GAP)) * len(kinds)
        segments, left = [], 0.0
        for nbytes, fill, outline in kinds:
            width = u(LEAST) + room * nbytes / total
            segments.append((left, width, fill, outline))
            left += width + u(GAP)
        return segments

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
