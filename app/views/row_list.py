"""The scrolling list under the conversation: lazy row heights, a place that stays, a footer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QPushButton, QWidget

from app.viewmodels.rows import AnswerRow, Footer, LineRow, QuestionRow
from app.viewmodels.transcript import Transcript
from app.views.effort_bar import EffortBar
from app.views.message_delegate import MessageDelegate
from app.views.page_layout import Page
from app.views.row_sizes import RowSizes
from app.views.theme import Theme

Index = QModelIndex | QPersistentModelIndex
PASSES = 10  # a measured row may bring another one into sight, seldom more than twice
FOOTER_GAP = 1.75  # u: between the newest answer's line of controls and the footer


class RowList(QListView):
    """Follows the end while text is written, unless the user scrolled away from it.

    Heights are estimates until a row comes into sight; then the list is laid out again and
    what is on screen stays where it was. ``arranged`` says that rows stand somewhere else.
    """

    arranged = Signal()

    def __init__(self, theme: Theme, transcript: Transcript, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._transcript = transcript
        self._sizes = RowSizes(theme)
        self._delegate = MessageDelegate(theme, self._sizes, self)
        self._following = True
        self._arranging = False
        self._place: tuple[int, int] | None = None  # first row in sight, y of its top
        self.effort_bar = EffortBar(theme, self.viewport())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setItemDelegate(self._delegate)
        self.viewport().setAutoFillBackground(False)
        self.effort_bar.show_footer(transcript.footer)
        self.effort_bar.height_changed.connect(self._footer_resized)
        transcript.footer_changed.connect(self._show_footer)

    def visible_rows(self) -> range:
        """Return the numbers of the rows in sight."""
        count = self._transcript.rowCount()
        first = last = bisect_left(range(count), 0, key=lambda n: self.rect_of(n).bottom())
        bottom = self.viewport().height()
        while last < count and self.rect_of(last).top() < bottom:
            last += 1
        return range(first, last)

    def rect_of(self, number: int) -> QRect:
        """Return where a row stands in the viewport."""
        return self.visualRect(self._transcript.index(number))

    def go_to(self, number: int, top: int) -> None:
        """Scroll so that a row begins ``top`` pixels below the top of the viewport."""
        self._following = False
        self._place = (number, top)
        self.doItemsLayout()

    # Qt's layout

    def doItemsLayout(self) -> None:
        """Lay out all rows and keep what is on screen where it was."""
        if self._arranging:
            return
        self._arranging = True
        self._prepare_delegate()
        for _ in range(PASSES):
            super().doItemsLayout()
            self._go_back()
            if not self._measure_visible():
                break
        self._arranging = False
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for the new width."""
        super().resizeEvent(event)
        self.doItemsLayout()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Measure the rows that came into sight."""
        super().scrollContentsBy(dx, dy)
        if self._arranging:
            return
        bar = self.verticalScrollBar()
        self._following = bar.value() >= bar.maximum() - self._theme.u()
        if self._measure_visible():
            self.scheduleDelayedItemsLayout()
        self._arrange()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Repaint changed rows; lay out again only when a height is another one."""
        # QListView's own would lay out all rows at every change.
        QAbstractItemView.dataChanged(self, first, last, roles)
        if self._collapsed_row() != self._delegate.collapsed_row or self._measure_visible():
            self.doItemsLayout()
        else:
            self._arrange()

    def rowsInserted(self, parent: Index, first: int, last: int) -> None:
        """Go to the end when a question was asked."""
        super().rowsInserted(parent, first, last)
        new = self._transcript.rows()[first:]
        self._following = self._following or any(isinstance(row, QuestionRow) for row in new)

    def _arrange(self) -> None:
        """Remember the place, put the footer below the newest row, tell who has controls there."""
        visible = self.visible_rows()
        self._place = (visible[0], self.rect_of(visible[0]).top()) if visible else None
        newest = self._transcript.rowCount() - 1
        self.effort_bar.setVisible(newest >= 0)
        if newest >= 0:
            top = self.rect_of(newest).bottom() + 1 - self.effort_bar.height()
            self.effort_bar.move(self.effort_bar.x(), top)
        self.arranged.emit()

    def _go_back(self) -> None:
        bar = self.verticalScrollBar()
        if self._following:
            bar.setValue(bar.maximum())
        elif self._place is not None and self._place[0] < self._transcript.rowCount():
            number, top = self._place
            bar.setValue(bar.value() + self.rect_of(number).top() - top)

    def _measure_visible(self) -> bool:
        """Lay out the texts of the rows in sight; True when a height was not the one in use."""
        changed = False
        for number in self.visible_rows():
            row = self._transcript.row(number)
            if isinstance(row, LineRow):
                continue
            self._sizes.document(row)
            height = self.sizeHintForIndex(self._transcript.index(number)).height()
            changed = changed or height != self._laid_height(number)
        return changed

    def _laid_height(self, number: int) -> int:
        """Return the room the last layout gave a row: Qt's visualRect knows only the size hint."""
        top = self.rect_of(number).top()
        if number + 1 < self._transcript.rowCount():
            return self.rect_of(number + 1).top() - top
        return self.contentsSize().height() - self.verticalOffset() - top

    def _prepare_delegate(self) -> None:
        """Tell the delegate what page it is, and the room the footer takes at its end."""
        probe = QPushButton(self.tr("Edit"))
        probe.setFont(self._theme.caption())
        edit_width = probe.sizeHint().width()
        offset, mirrored = self.viewport().x(), self.isRightToLeft()
        page = Page(self._theme, self.width(), offset, edit_width, mirrored)
        self._sizes.set_page(page)
        self._delegate.set_page(page)
        self._delegate.collapsed_row = self._collapsed_row()
        place = page.strip()
        self.effort_bar.resize(place.width(), self.effort_bar.height())  # buttons may wrap now
        height = self.effort_bar.sizeHint().height()
        place.setRect(place.x(), self.effort_bar.y(), place.width(), height)
        self.effort_bar.setGeometry(place)
        gap = self._theme.u(FOOTER_GAP) if self._delegate.collapsed_row < 0 else 0
        self._delegate.footer_height = height + gap

    def _collapsed_row(self) -> int:
        """Return the row whose controls make room for the loop bar, or -1.

        While a run is on, the newest answer's line is shown only when it has variants to walk.
        """
        last = self._transcript.rowCount() - 1
        if last < 0 or self._transcript.footer.progress is None:
            return -1
        row = self._transcript.row(last)
        return last if isinstance(row, AnswerRow) and len(row.chips) < 2 else -1

    @Slot(object)
    def _show_footer(self, footer: Footer) -> None:
        self.effort_bar.show_footer(footer)
        if self._collapsed_row() != self._delegate.collapsed_row:
            self.doItemsLayout()

    @Slot()
    def _footer_resized(self) -> None:
        if not self._arranging:
            self.scheduleDelayedItemsLayout()
