"""The few shapes the page is drawn with: rounded frames, the focus ring, elided lines."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.views.theme import HAIRLINE, RING, Theme


def frame(
    painter: QPainter,
    rect: QRect,
    radius: float,
    fill: QColor | None = None,
    outline: QColor | None = None,
    width: int = HAIRLINE,
) -> None:
    """Draw a rounded rectangle whose outline lies wholly inside ``rect``."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(outline, width) if outline is not None else Qt.PenStyle.NoPen)
    inset = width / 2 if outline is not None else 0
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius)
    painter.restore()


def focus_ring(painter: QPainter, widget: QWidget, radius: float, theme: Theme) -> None:
    """Draw the ring around ``widget`` when it has the focus.

    Buttons take it from the keyboard only (TabFocus): a click leaves it in the text box.
    """
    if widget.hasFocus():
        frame(painter, widget.rect(), radius, outline=theme.colours.accent, width=RING)


def elided(text: str, font: QFont, width: int) -> str:
    """Return ``text``, or as much of it as ``width`` pixels hold and an ellipsis."""
    return QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)


def line(painter: QPainter, rect: QRect, text: str, font: QFont, colour: QColor) -> None:
    """Draw one line, elided at its end, in the reading direction of the application."""
    painter.setFont(font)
    painter.setPen(colour)
    shown = elided(text, font, rect.width())
    painter.drawText(
        rect, int(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter), shown
    )
