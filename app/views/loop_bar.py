"""The loop bar: one small square a loop, in groups of eight."""

from __future__ import annotations

from dataclasses import dataclass

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
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        place = LoopPlace(QRectF(self.rect()), self._theme.u(), mirrored)
        paint_loops(QPainter(self), self._progress, place, self._theme)

    def _units(self) -> float:
        return _units(self._progress)

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


@dataclass(frozen=True, slots=True)
class LoopPlace:
    """Where squares are drawn: at most ``largest`` pixels each, from the leading edge."""

    area: QRectF
    largest: float
    mirrored: bool


def paint_loops(painter: QPainter, progress: LoopProgress, place: LoopPlace, theme: Theme) -> None:
    """Draw a square a loop; those that do not fit at their size are smaller, none is missing."""
    area = place.area
    unit = min(place.largest, area.width() / max(_units(progress), 1))
    top = area.top() + (area.height() - unit) / 2
    for loop in range(progress.deepest):
        x = area.left() + unit * _offset(loop)
        if place.mirrored:
            x = area.right() - unit * _offset(loop) - unit
        fill, outline = _colours_of(loop, progress, theme)
        square = QRectF(round(x), round(top), round(unit), round(unit)).toRect()
        painting.frame(painter, square, HAIRLINE * unit / theme.u(), fill, outline)


def _colours_of(
    loop: int, progress: LoopProgress, theme: Theme
) -> tuple[QColor | None, QColor | None]:
    colours = theme.colours
    if loop < progress.kept:
        return blend(colours.accent, colours.window, KEPT_TINT), None
    if loop < progress.done:
        return colours.accent, None
    if loop < progress.target:
        return None, colours.accent
    return None, colours.mid


def _units(progress: LoopProgress) -> float:
    """Return the width of all squares in units."""
    return _offset(progress.deepest - 1) + 1 if progress.deepest else 0


def _offset(loop: int) -> float:
    """Where a square begins, in units: one wide, 1/4 apart, 1/2 more between groups."""
    return loop * 1.25 + loop // GROUP * 0.5
