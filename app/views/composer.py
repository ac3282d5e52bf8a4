"""The card at the bottom: the text box, the next answer's depth, the token meter, Send or Stop."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.composer import ComposerModel
from app.viewmodels.rows import ComposerState
from app.views import painting
from app.views.caption import Caption
from app.views.message_edit import MessageEdit
from app.views.theme import FLAT_PADDING, HAIRLINE, RING, Theme


class Composer(QWidget):
    """Emits what the user wants; what it shows comes from the composer's view model."""

    send_requested = Signal(str)
    edit_requested = Signal(str, str)
    stop_requested = Signal()
    draft_changed = Signal(str)
    depth_chosen = Signal(int)
    edit_last_requested = Signal()
    variant_stepped = Signal(int)

    def __init__(self, theme: Theme, model: ComposerModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = ComposerState()
        self._refusal = ""
        self._editing = ""  # the message whose text is in the box, or ""
        self._draft = ""  # what stood in the box before
        self.edit = MessageEdit(theme)
        self._depth = QPushButton()
        self._depth.setFlat(True)
        self._meter = Caption(theme)
        self._not_stored = Caption(theme)
        self._not_stored.set_text(self.tr("not stored"))
        self._not_stored.hide()
        self._send = QPushButton()
        for button in (self._depth, self._send):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        line = QHBoxLayout()
        line.addWidget(self._depth)
        line.addWidget(self._not_stored)
        line.addWidget(self._meter, 1)
        line.addWidget(self._send)
        self._line = line
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.edit)
        self._column.addLayout(line)
        self._connect(model)
        theme.changed.connect(self._restyle)
        self._show(model.state)
        self._restyle()

    def _connect(self, model: ComposerModel) -> None:
        model.changed.connect(self._show)
        model.accepted.connect(self._accepted)
        model.refused.connect(self._refused)
        model.draft_shown.connect(self._show_draft)
        self.edit.send_requested.connect(self._ask)
        self.edit.edit_last_requested.connect(self.edit_last_requested)
        self.edit.variant_stepped.connect(self.variant_stepped)
        self.edit.textChanged.connect(self._text_changed)
        self.edit.focus_changed.connect(self.update)
        self._send.clicked.connect(self._send_or_stop)
        self._depth.clicked.connect(self._choose_depth)

    def show_temporary(self, temporary: bool) -> None:
        """Say whether what is written here is stored."""
        ask, warn = self.tr("Ask something"), self.tr("Ask something that is not stored")
        self.edit.setPlaceholderText(warn if temporary else ask)
        self._not_stored.setVisible(temporary)

    def set_text(self, text: str) -> None:
        """Put ``text`` into the box, the cursor behind it."""
        self._fill(text)
        self.edit.setFocus()

    def _fill(self, text: str) -> None:
        self.edit.setPlainText(text)
        cursor = self.edit.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        self.edit.setTextCursor(cursor)

    def begin_editing(self, message_id: str, text: str) -> None:
        """Put a sent question back into the box; sending it makes a new version of it."""
        if not self._editing:
            self._draft = self.edit.toPlainText()
        self._editing = message_id
        self.set_text(text)
        self._show_meter()

    def leave_editing(self) -> bool:
        """Put the draft back; False when nothing was being edited."""
        if not self._editing:
            return False
        self._editing = ""
        self.set_text(self._draft)
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card: a hairline, or the accent while the box has the focus."""
        colours = self._theme.colours
        focused = self.edit.hasFocus()
        outline = colours.accent if focused else colours.mid
        width = RING if focused else HAIRLINE
        painter = QPainter(self)
        painting.frame(painter, self.rect(), self._theme.u(), colours.base, outline, width)

    def depth_menu(self) -> QMenu:
        """Return the menu of depths the next answers can have."""
        menu = QMenu(self)
        group = QActionGroup(menu)
        for depth in self._state.efforts:
            entry = QAction(self.tr("{n} loops").format(n=depth), menu)
            entry.setCheckable(True)
            entry.setChecked(depth == self._state.depth)
            entry.setData(depth)
            group.addAction(entry)
            menu.addAction(entry)
        menu.triggered.connect(self._depth_triggered)
        return menu

    @Slot(object)
    def _show(self, state: ComposerState) -> None:
        if self._state.running and not state.running:
            self._refusal = ""  # what it said about the run is over
        self._state = state
        self._send.setText(self.tr("Stop  Esc") if state.running else self.tr("Send"))
        self._send.setAccessibleName(
            self.tr("Stop the answer") if state.running else self.tr("Send")
        )
        self._depth.setVisible(bool(state.efforts))
        text = self.tr("Answers at {n} loops").format(n=state.depth)
        self._depth.setText(f"{text}  ▾")
        self._depth.setAccessibleName(text)
        self._depth.setToolTip(self.tr("How many loops the next answers take"))
        self._show_meter()
        self._set_send_enabled()

    @Slot()
    def _accepted(self) -> None:
        if not self.leave_editing():
            self.edit.clear()

    @Slot(str)
    def _show_draft(self, text: str) -> None:
        """Show another chat's draft; the focus stays where it is."""
        self._editing = ""
        self._fill(text)

    @Slot(str)
    def _refused(self, sentence: str) -> None:
        self._refusal = sentence
        self._show_meter()

    @Slot()
    def _ask(self) -> None:
        text = self.edit.toPlainText()
        if text.strip() and self._editing:
            self.edit_requested.emit(self._editing, text)
        elif text.strip():
            self.send_requested.emit(text)

    @Slot()
    def _send_or_stop(self) -> None:
        if self._state.running:
            self.stop_requested.emit()
        else:
            self._ask()

    @Slot()
    def _text_changed(self) -> None:
        self._refusal = ""
        self._show_meter()
        self._set_send_enabled()
        self.draft_changed.emit(self.edit.toPlainText())

    def _show_meter(self) -> None:
        how = self.tr("Enter sends a new version, later turns stay with the old; Esc cancels")
        editing = how if self._editing else ""
        shown = self._refusal or self._state.hint or editing or self._state.meter
        self._meter.set_text(shown)

    def _set_send_enabled(self) -> None:
        has_text = bool(self.edit.toPlainText().strip())
        self._send.setEnabled(self._state.running or has_text)

    @Slot()
    def _choose_depth(self) -> None:
        menu = self.depth_menu()
        above = QPoint(0, -menu.sizeHint().height())
        menu.popup(self._depth.mapToGlobal(above))

    @Slot(QAction)
    def _depth_triggered(self, entry: QAction) -> None:
        self.depth_chosen.emit(entry.data())

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._column.setContentsMargins(u(2 - FLAT_PADDING), u(1.5), u(1), u(1))
        self._column.setSpacing(u(2))
        self.edit.setViewportMargins(u(FLAT_PADDING), 0, 0, 0)
        self._line.setSpacing(u(1.5))
        self._depth.setFont(self._theme.caption())
        self._send.setFont(self._theme.font())
        self._send.setMinimumWidth(u(10))
        self.update()
