"""The conversation on screen: painted rows with real controls and one live text among them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.rows import Action, ActionId, AnswerRow, LineRow, Row
from app.viewmodels.transcript import Transcript
from app.views.announce import announce
from app.views.row_list import RowList
from app.views.row_strip import RowStrip
from app.views.text_overlay import TextOverlay
from app.views.theme import HAIRLINE, Theme

Index = QModelIndex | QPersistentModelIndex


class TranscriptView(RowList):
    """Emits what the user asks for; ← and → walk the variants of the current answer."""

    action_requested = Signal(object)
    variant_stepped = Signal(int)

    def __init__(self, theme: Theme, transcript: Transcript, parent: QWidget | None = None) -> None:
        super().__init__(theme, transcript, parent)
        self._strips: list[RowStrip] = []
        self._overlay = TextOverlay(theme, self.viewport())
        self._overlaid: Row | None = None
        self._selecting = False
        self._tab_order: list[QWidget] = []
        self._written = ""  # the answer that is being written
        self.setAccessibleName(self.tr("Conversation"))
        self.viewport().setMouseTracking(True)
        self.effort_bar.deepen_requested.connect(self._deepen)
        self.effort_bar.stop_requested.connect(self._stop)
        self.arranged.connect(self._place_controls)
        theme.changed.connect(self._restyle)
        self.setModel(transcript)

    # Controls on the rows in sight

    def strip_of(self, number: int) -> RowStrip | None:
        """Return the controls of a row in sight."""
        if not 0 <= number < self._transcript.rowCount():
            return None
        row = self._transcript.row(number)
        return next((s for s in self._strips if not s.isHidden() and s.row is row), None)

    @Slot()
    def _place_controls(self) -> None:
        """Lay strips and the live text over the painted rows."""
        visible = [n for n in self.visible_rows() if n != self._delegate.collapsed_row]
        while len(self._strips) < len(visible):
            strip = RowStrip(self._theme, self.viewport())
            strip.action_requested.connect(self.action_requested)
            self._strips.append(strip)
        attended = (self.currentIndex().row(), self._transcript.rowCount() - 1)
        for number, strip in zip(visible, self._strips, strict=False):
            row = self._transcript.row(number)
            place = self._delegate.parts(number, row).strip
            strip.setGeometry(place.translated(self.rect_of(number).topLeft()))
            strip.show_row(row, current=number in attended)
            strip.show()
        for strip in self._strips[len(visible) :]:
            strip.hide()
        self._order_tabs(sorted({*attended}))
        self._place_overlay()

    def _order_tabs(self, attended: list[int]) -> None:
        """Let Tab go from the list through the controls in reading order."""
        strips = [strip for number in attended if (strip := self.strip_of(number))]
        order = [c for strip in strips for c in strip.controls()] + self.effort_bar.controls()
        if order != self._tab_order:
            self._tab_order = order
            for one, following in pairwise([self, *order]):
                QWidget.setTabOrder(one, following)

    @Slot(int)
    def _deepen(self, depth: int) -> None:
        self.action_requested.emit(Action(ActionId.DEEPEN, "", depth=depth))

    @Slot()
    def _stop(self) -> None:
        self.action_requested.emit(Action(ActionId.STOP, ""))

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Have an answer spoken when it is finished: a screen reader hears it once, whole."""
        super().dataChanged(first, last, roles)
        for number in range(first.row(), last.row() + 1):
            row = self._transcript.row(number)
            if not isinstance(row, AnswerRow):
                continue
            if row.streaming:
                self._written = row.message_id
            elif row.message_id == self._written:
                self._written = ""
                announce(self, self._transcript.spoken(row))

    # Found text

    def mark(self, text: str) -> None:
        """Mark ``text`` wherever it stands; "" marks nothing."""
        self._delegate.marked = text
        self.viewport().update()

    def show_mark(self, number: int) -> None:
        """Bring a row's first marked place into sight."""
        row = self._transcript.row(number)
        if isinstance(row, LineRow):
            return
        inside = self._delegate.mark_top(row) + self._delegate.parts(number, row).text.top()
        self.go_to(number, self.viewport().height() // 3 - inside)

    # The live text of one row

    def _place_overlay(self) -> None:
        number = self._delegate.live_row
        if number < 0:
            return
        rows = self._transcript.rows()
        if number >= len(rows) or rows[number] is not self._overlaid:
            self._close_overlay()
            return
        text = self._delegate.parts(number, rows[number]).text
        lines_end = text.adjusted(0, 0, 0, self._theme.leading())
        self._overlay.setGeometry(lines_end.translated(self.rect_of(number).topLeft()))

    def _open_overlay(self, number: int, reason: Qt.FocusReason) -> None:
        row = self._transcript.row(number)
        if isinstance(row, LineRow):
            return
        self._overlaid = row
        self._delegate.live_row = number
        self._overlay.show_row(row)
        self._place_overlay()
        by_mouse = reason is Qt.FocusReason.MouseFocusReason
        self._overlay.setCursorWidth(0 if by_mouse else HAIRLINE)
        self._overlay.show()
        self._overlay.setFocus(reason)
        self.viewport().update()

    def _close_overlay(self) -> None:
        self._delegate.live_row = -1
        self._overlaid = None
        self._overlay.hide()
        self.viewport().update()

    def _text_at(self, position: QPoint) -> int:
        """Return the row whose text is at ``position``, or -1."""
        index = self.indexAt(position)
        if not index.isValid():
            return -1
        text = self._delegate.parts(index.row(), self._transcript.row(index.row())).text
        inside = text.translated(self.visualRect(index).topLeft()).contains(position)
        return index.row() if inside else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection in the row's text."""
        super().mousePressEvent(event)
        self._close_overlay()
        position = event.position().toPoint()
        number = self._text_at(position)
        if number >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._open_overlay(number, Qt.FocusReason.MouseFocusReason)
            self._selecting = True
            self._overlay.pass_on(event, position - self._overlay.pos())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with a selection; show where text can be selected."""
        position = event.position().toPoint()
        if self._selecting:
            self._overlay.pass_on(event, position - self._overlay.pos())
            return
        over_text = self._text_at(position) >= 0
        shape = Qt.CursorShape.IBeamCursor if over_text else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a selection."""
        if self._selecting:
            self._selecting = False
            self._overlay.pass_on(event, event.position().toPoint() - self._overlay.pos())
        else:
            super().mouseReleaseEvent(event)

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk variants with ← and →, enter or copy the current row, else move between rows."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        current = self.currentIndex().row()
        if step:
            self._step(-step if self.isRightToLeft() else step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current >= 0:
            self._open_overlay(current, Qt.FocusReason.TabFocusReason)
        elif event.matches(QKeySequence.StandardKey.Copy) and current >= 0:
            row = self._transcript.row(current)
            if not isinstance(row, LineRow):
                copy = Action(ActionId.COPY, "", message_id=row.message_id)
                self.action_requested.emit(copy)
        else:
            super().keyPressEvent(event)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Bring the controls of the current row into the Tab order."""
        super().currentChanged(current, previous)
        self._place_controls()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer all the actions of the row."""
        strip = self.strip_of(self.indexAt(event.pos()).row())
        if strip is not None:
            strip.menu().popup(event.globalPos())

    def _step(self, step: int) -> None:
        strip = self.strip_of(self.currentIndex().row())
        if strip is None or not strip.step_variant(step):
            self.variant_stepped.emit(step)

    @Slot()
    def _restyle(self) -> None:
        self._sizes.forget()
        self._close_overlay()
        self.doItemsLayout()
        self.viewport().update()
