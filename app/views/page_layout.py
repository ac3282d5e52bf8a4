"""Where the parts of a row stand: the centred column, its text and its line of controls."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect

from app.viewmodels.rows import LineRow, QuestionRow, Row
from app.views.theme import FLAT_PADDING, Theme

COLUMN = 90  # u: the widest a column of text becomes
NARROW = 60  # u: below this what stands side by side stands below each other
MARGIN = 3  # u: left and right of the column
STRIP = 2.75  # u: the line of chips and controls, a chip high


@dataclass(frozen=True, slots=True)
class RowParts:
    """Rectangles relative to the row's own top left corner; ``height`` is without the footer."""

    block: QRect  # the question's coloured block; empty for other rows
    text: QRect
    strip: QRect
    height: int


def column(theme: Theme, width: int) -> tuple[int, int]:
    """Return (left, width) of the centred column in a window part of ``width`` pixels."""
    inner = max(min(theme.u(COLUMN), width - 2 * theme.u(MARGIN)), theme.u(10))
    return (width - inner) // 2, inner


def text_width(theme: Theme, width: int, row: Row, edit_width: int) -> int:
    """Return how wide the text of ``row`` may be; questions leave room for their Edit button."""
    inner = column(theme, width)[1] - 4 * theme.u()
    return inner - edit_width if isinstance(row, QuestionRow) and row.actions else inner


def row_parts(theme: Theme, width: int, row: Row, text_height: int, first: bool) -> RowParts:
    """Lay out one row for a text of ``text_height`` pixels."""
    left, wide = column(theme, width)
    u = theme.u
    inner_left, inner = left + u(2), wide - 2 * u(2)
    strip = u(STRIP)
    strip_width = inner + u(FLAT_PADDING)  # so that the last button's text ends with the column
    if isinstance(row, QuestionRow):
        top = u(3 if first else 4)
        padding = u(1.4)
        block = QRect(left, top, wide, text_height + 2 * padding)
        text = QRect(inner_left, top + padding, inner, text_height)
        line = QRect(inner_left, top + padding, strip_width, strip)
        line.moveTop(top + (2 * padding + theme.body_height() - strip) // 2)
        return RowParts(block, text, line, block.bottom() + 1)
    if isinstance(row, LineRow):
        line = QRect(inner_left, u(1.5), strip_width, strip)
        return RowParts(QRect(), QRect(), line, u(1.5) + strip)
    text = QRect(inner_left, u(2), inner, text_height)
    line = QRect(inner_left, text.bottom() + 1 + u(1.75), strip_width, strip)
    return RowParts(QRect(), text, line, line.bottom() + 1)
