"""Paints the rows of a conversation: questions as blocks, answers as text on the page."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.viewmodels.rows import AnswerRow, LineRow, QuestionRow, Row
from app.viewmodels.transcript import RowRole
from app.views import painting
from app.views.markdown_look import code_frames
from app.views.page_layout import Page, RowParts
from app.views.row_sizes import RowSizes
from app.views.theme import RING, Theme

Index = QModelIndex | QPersistentModelIndex


class MessageDelegate(QStyledItemDelegate):
    """Sizes come from ``RowSizes``; the row of ``live_row`` has its text in a widget instead."""

    def __init__(self, theme: Theme, sizes: RowSizes, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sizes = sizes
        self.live_row = -1
        self.collapsed_row = -1  # its line of controls makes room for the loop bar
        self.marked = ""  # text that is being looked for
        self.footer_height = 0  # with the gap above it
        self._page = Page(theme, 0)
        self._around: dict[tuple[type[Row], bool], int] = {}  # a row's height beside its text

    def set_page(self, page: Page) -> None:
        """Lay out for another page from now on."""
        self._page = page
        self._around.clear()

    def parts(self, number: int, row: Row) -> RowParts:
        """Return where the row's parts stand, relative to its top left corner."""
        parts = self._page.parts(row, self._sizes.text_height(row), first=number == 0)
        if number != self.collapsed_row:
            return parts
        return RowParts(parts.block, parts.text, QRect(), parts.strip.top())

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the row's height; the last row holds the room for the footer as well."""
        number, row = index.row(), index.data(RowRole)
        last = number == index.model().rowCount() - 1
        if number == 0 or last:
            height = self.parts(number, row).height
            return QSize(0, height + self.footer_height if last else height)
        kind = (type(row), isinstance(row, QuestionRow) and bool(row.chips))
        if kind not in self._around:
            self._around[kind] = self._page.parts(row, 0, first=False).height
        return QSize(0, self._around[kind] + self._sizes.text_height(row))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw block, text and the ring of the current row."""
        row: Row = index.data(RowRole)
        parts = self.parts(index.row(), row)
        origin = option.rect.topLeft()
        if isinstance(row, QuestionRow):
            block = parts.block.translated(origin)
            painting.frame(painter, block, self._theme.u(), self._theme.colours.alternate)
        if not isinstance(row, LineRow):
            text = parts.text.translated(origin).topLeft()
            for code in code_frames(self._sizes.document(row), self._theme):
                lower = self._theme.colours.alternate
                painting.frame(painter, code.translated(text), self._theme.u(), lower)
            if index.row() != self.live_row:
                self._paint_text(painter, row, text, option)
        if option.state & QStyle.StateFlag.State_HasFocus:
            ring = QRect(parts.text if parts.block.isNull() else parts.block).translated(origin)
            if parts.block.isNull():
                ring.adjust(
                    -self._theme.u(), -self._theme.u(0.5), self._theme.u(), self._theme.u(0.5)
                )
            accent = self._theme.colours.accent
            painting.frame(painter, ring, self._theme.u(), outline=accent, width=RING)

    def mark_top(self, row: QuestionRow | AnswerRow) -> int:
        """Return where the row's first marked place is, from the top of its text in pixels."""
        first = next(self._places(row), None)
        if first is None:
            return 0
        layout = self._sizes.document(row).documentLayout()
        return round(layout.blockBoundingRect(first.block()).top())

    def _places(self, row: QuestionRow | AnswerRow) -> Iterator[QTextCursor]:
        """Yield a cursor over each marked place of a row, in any case of letters."""
        document = self._sizes.document(row)
        place = document.find(self.marked) if self.marked else QTextCursor()
        while not place.isNull():
            yield place
            place = document.find(self.marked, place)

    def _mark(self, place: QTextCursor) -> QAbstractTextDocumentLayout.Selection:
        mark = QAbstractTextDocumentLayout.Selection()
        mark.cursor = place
        look = QTextCharFormat()
        look.setBackground(self._theme.colours.accent)
        look.setForeground(self._theme.colours.highlighted_text)
        mark.format = look
        return mark

    def _paint_text(
        self,
        painter: QPainter,
        row: QuestionRow | AnswerRow,
        position: QPoint,
        option: QStyleOptionViewItem,
    ) -> None:
        document = self._sizes.document(row)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = QPalette(option.palette)
        if isinstance(row, AnswerRow) and row.dimmed:
            context.palette.setColor(QPalette.ColorRole.Text, self._theme.colours.placeholder)
        context.selections = [self._mark(cursor) for cursor in self._places(row)]
        painter.save()
        painter.translate(position)
        document.documentLayout().draw(painter, context)
        painter.restore()
