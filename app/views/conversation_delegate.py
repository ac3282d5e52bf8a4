"""Paints the rows of the sidebar: headings, titles with a note, the loop bar of a running chat."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from app.viewmodels.library_rows import ChatRow, LibraryRow
from app.viewmodels.row_model import RowRole
from app.views import painting
from app.views.loop_bar import LoopPlace, paint_loops
from app.views.theme import RING, Theme

Index = QModelIndex | QPersistentModelIndex
PADDING = 1  # u: left and right of a title, inside the row's frame
ABOVE, BELOW = 0.75, 1  # u: around the lines; below them the loop bar has its place
SQUARE = 0.5  # u: the loop bar's squares are half as large as on the page
HEADING_ABOVE = 1.25  # u


class ConversationDelegate(QStyledItemDelegate):
    """A row's height depends on its note alone: a run that begins or ends moves nothing."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._heights: dict[tuple[bool, bool], int] = {}  # (is a chat, has a note) → pixels

    def forget(self) -> None:
        """Measure again: fonts are others now."""
        self._heights.clear()

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the room of one or two lines."""
        row: LibraryRow = index.data(RowRole)
        kind = (isinstance(row, ChatRow), isinstance(row, ChatRow) and bool(row.note))
        if kind not in self._heights:
            self._heights[kind] = self._room(*kind)
        return QSize(0, self._heights[kind])

    def _room(self, chat: bool, note: bool) -> int:
        u = self._theme.u
        if not chat:
            return self._height(self._heading_font()) + u(HEADING_ABOVE) + u(0.5)
        lines = self._height(self._theme.font())
        if note:
            lines += self._height(self._theme.caption())
        return lines + u(ABOVE) + u(BELOW)

    def title_rect(self, row: ChatRow, rect: QRect) -> QRect:
        """Return where the title of the row at ``rect`` stands."""
        u = self._theme.u
        inner = rect.adjusted(u(PADDING), u(ABOVE), -u(PADDING), 0)
        inner.setHeight(self._height(self._title_font(row)))
        return inner

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        row: LibraryRow = index.data(RowRole)
        u, colours = self._theme.u, self._theme.colours
        if not isinstance(row, ChatRow):
            place = option.rect.adjusted(u(PADDING), u(HEADING_ABOVE), -u(PADDING), 0)
            painting.line(painter, place, row.text, self._heading_font(), colours.text)
            return
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        fill = colours.window if row.shown else colours.base if hovered else None
        outline = colours.mid if row.shown else None
        painting.frame(painter, option.rect, u(0.5), fill, outline)
        title = self.title_rect(row, option.rect)
        painting.line(painter, title, row.title, self._title_font(row), colours.text)
        if row.note:
            painting.line(painter, self._note_rect(title), row.note, self._theme.caption(),
                          colours.placeholder)  # fmt: skip
        if row.progress is not None:
            mirrored = option.direction == Qt.LayoutDirection.RightToLeft
            below = QRectF(title.left(), option.rect.bottom() + 1 - u(BELOW), title.width(),
                           u(BELOW))  # fmt: skip
            paint_loops(painter, row.progress, LoopPlace(below, u(SQUARE), mirrored), self._theme)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painting.frame(painter, option.rect, u(0.5), outline=colours.accent, width=RING)

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Show in full what is elided."""
        row = index.data(RowRole)
        if not isinstance(row, ChatRow):
            return False
        width = self.title_rect(row, option.rect).width()
        lines = ((row.title, self._title_font(row)), (row.note, self._theme.caption()))
        cut = [text for text, font in lines if painting.elided(text, font, width) != text]
        QToolTip.showText(event.globalPos(), "\n".join(cut), view)
        return bool(cut)

    def _note_rect(self, title: QRect) -> QRect:
        below = QRect(title)
        below.moveTop(title.bottom() + 1)
        below.setHeight(self._height(self._theme.caption()))
        return below

    def _title_font(self, row: ChatRow) -> QFont:
        return self._theme.font(strong=row.shown)

    def _heading_font(self) -> QFont:
        return self._theme.caption(strong=True)

    def _height(self, font: QFont) -> int:
        return QFontMetrics(font).height()
