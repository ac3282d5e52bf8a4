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


@dataclass(frozen=True, slots=True)
class Page:
    """The page a conversation is laid out on.

    ``width`` is that of the whole view, with the scroll bar, which lies in the margin; the
    part that scrolls begins at ``offset``. ``edit_width`` is kept free beside questions.
    """

    theme: Theme
    width: int
    offset: int = 0
    edit_width: int = 0
    mirrored: bool = False

    def strip(self, top: int = 0) -> QRect:
        """Return a line of controls; its last button's text ends where the column's text does."""
        left, wide = column(self.theme, self.width)
        u = self.theme.u
        inner = wide - 2 * u(2) + u(FLAT_PADDING)
        return self._mirror(QRect(left + u(2), top, inner, u(STRIP)))

    def text(self, row: Row, top: int = 0, height: int = 0) -> QRect:
        """Return where a row's text stands; questions leave room for their Edit button."""
        left, wide = column(self.theme, self.width)
        indent = self.theme.u(2)
        beside = isinstance(row, QuestionRow) and row.actions and not row.chips
        edit = self.edit_width if beside else 0
        return self._mirror(QRect(left + indent, top, wide - 2 * indent - edit, height))

    def parts(self, row: Row, text_height: int, *, first: bool) -> RowParts:
        """Lay out one row for a text of ``text_height`` pixels."""
        u = self.theme.u
        if isinstance(row, QuestionRow):
            return self._question(row, text_height, u(3 if first else 4))
        if isinstance(row, LineRow):
            strip = self.strip(u(1.5))
            return RowParts(QRect(), QRect(), strip, strip.bottom() + 1)
        text = self.text(row, u(2), text_height)
        strip = self.strip(text.bottom() + 1 + u(1.75))
        return RowParts(QRect(), text, strip, strip.bottom() + 1)

    def _question(self, row: QuestionRow, text_height: int, top: int) -> RowParts:
        """Lay out a question: Edit in its first line, or beside its wordings below the text."""
        padding = self.theme.u(1.4)
        if row.chips:
            strip = self.strip(top + padding + text_height + self.theme.u(1))
            left, wide = column(self.theme, self.width)
            block = self._mirror(QRect(left, top, wide, strip.bottom() + 1 + padding - top))
            return RowParts(block, self.text(row, top + padding, text_height), strip,
                            block.bottom() + 1)  # fmt: skip
        left, wide = column(self.theme, self.width)
        block = self._mirror(QRect(left, top, wide, text_height + 2 * padding))
        text = self.text(row, top + padding, text_height)
        first_line = self.theme.body_height()
        strip = self.strip(top + padding + (first_line - self.theme.u(STRIP)) // 2)
        return RowParts(block, text, strip, block.bottom() + 1)

    def _mirror(self, rect: QRect) -> QRect:
        if self.mirrored:
            rect.moveLeft(self.width - rect.right() - 1)
        return rect.translated(-self.offset, 0)
