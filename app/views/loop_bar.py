"""The loop bar: one small square a loop, in groups of eight."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.viewmodels.rows import LoopProgress
from app.views import painting
from app.views.theme import HAIRLINE, KEPT_TINT, Theme, blend

GROUP = 8


class LoopBar(QWidget):
    """Paints how far a run is; what was kept from before is full from the first moment."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._progress = LoopProgress(kept=0, done=0, target=0, deepest=0, caption="")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def show_progress(self, progress: LoopProgress) -> None:
        """Show another moment of a run."""
        if progress.deepest != self._progress.deepest:
            self.updateGeometry()
        self._progress = progress
        self.setAccessibleName(progress.caption)
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of all squares up to the deepest loop."""
        return QSize(self._theme.u(self._units()), self._theme.u())

    def minimumSizeHint(self) -> QSize:
        """Return half of that: in a narrow window the squares are smaller, none is missing."""
        return QSize(self._theme.u(self._units() / 2), self._theme.u())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a square a loop; full squares are loops done."""
        painter = QPainter(self)
        unit = min(self._theme.u(), self.width() / max(self._units(), 1))
        top = (self.height() - unit) / 2
        for loop in range(self._progress.deepest):
            x = unit * _offset(loop)
            if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
                x = self.width() - x - unit
            fill, outline = self._colours_of(loop)
            square = QRectF(round(x), round(top), round(unit), round(unit)).toRect()
            painting.frame(painter, square, HAIRLINE, fill, outline)

    def _units(self) -> float:
        """Return the width of all squares in units."""
        deepest = self._progress.deepest
        return _offset(deepest - 1) + 1 if deepest else 0

    def _colours_of(self, loop: int) -> tuple[QColor | None, QColor | None]:
        colours, progress = self._theme.colours, self._progress
        if loop < progress.kept:
            return blend(colours.accent, colours.window, KEPT_TINT), None
        if loop < progress.done:
            return colours.accent, None
        if loop < progress.target:
            return None, colours.accent
        return None, colours.mid

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


def _offset(loop: int) -> float:
    """Where a square begins, in units: one wide, 1/4 apart, 1/2 more between groups."""
    return loop * 1.25 + loop // GROUP * 0.5
