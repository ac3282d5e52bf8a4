"""The line of controls of one row: chips and caption at the left, real buttons at the right."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from app.viewmodels.rows import Action, ActionId, AnswerRow, Chip, LineRow, QuestionRow, Row
from app.views.caption import Caption
from app.views.chip import DepthChip
from app.views.theme import Theme

# What stands in the line itself; everything else is in the More menu.
IN_LINE = {ActionId.COPY, ActionId.ANSWER_AGAIN, ActionId.CONTINUE, ActionId.ANSWER}

CAPTION_ROOM = 18  # u: what a caption is given before buttons are


class RowStrip(QWidget):
    """Shows the controls of whatever row it is given; rows scrolled away lend theirs."""

    action_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row: Row | None = None
        self._chips: list[DepthChip] = []
        self._buttons: list[QPushButton] = []
        self._shown_actions: tuple[Action, ...] = ()
        self._caption = Caption(theme)
        self._more = QPushButton(self.tr("More"))
        self._more.setFlat(True)
        self._more.setAccessibleName(self.tr("More about this message"))
        self._more.clicked.connect(self._open_menu)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.addWidget(self._caption)
        self._line.addStretch(1)
        self._line.addWidget(self._more)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def row(self) -> Row | None:
        """The row whose controls these are."""
        return self._row

    def show_row(self, row: Row, *, current: bool) -> None:
        """Show the controls of ``row``; Tab stops only at those of the current one."""
        if row != self._row:
            self._row = row
            chips = _chips_of(row)
            self._show_chips(chips)
            text = row.text if isinstance(row, LineRow) else getattr(row, "caption", "")
            self._caption.set_text(text)
            self._caption.setVisible(bool(text))
            indent = self._theme.u(0.75) if chips else 0
            self._caption.setContentsMargins(indent, 0, 0, 0)
            self._show_actions()
        policy = Qt.FocusPolicy.TabFocus if current else Qt.FocusPolicy.NoFocus
        for button in self.controls():
            button.setFocusPolicy(policy)

    def controls(self) -> list[QWidget]:
        """Return what can be pressed, in reading order."""
        return [*self._chips, *self._buttons, self._more]

    def menu(self) -> QMenu:
        """Return a menu of all the row's actions."""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for action in (*self._actions(), *self._own_actions()):
            entry = menu.addAction(action.text)
            entry.setEnabled(action.enabled)
            entry.setToolTip(action.hint)
            entry.setData(action)
        menu.triggered.connect(self._menu_triggered)
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move buttons into the More menu where there is no room for them."""
        super().resizeEvent(event)
        self._show_actions()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the variants with the arrow keys."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            step = -step
        if not step or not self.step_variant(step):
            super().keyPressEvent(event)

    def step_variant(self, step: int) -> bool:
        """Ask for the variant beside the shown one; False when there is none."""
        chips = _chips_of(self._row)
        shown = next((i for i, chip in enumerate(chips) if chip.shown), -1)
        if shown < 0 or not 0 <= shown + step < len(chips):
            return False
        self._select(chips[shown + step].message_id)
        return True

    def _actions(self) -> tuple[Action, ...]:
        return self._row.actions if self._row is not None else ()

    def _own_actions(self) -> tuple[Action, ...]:
        """Return what the window can show of any finished answer."""
        if not isinstance(self._row, AnswerRow) or self._row.streaming:
            return ()
        about, source = self.tr("How this answer came about"), self.tr("View the source")
        return (
            Action(ActionId.RECEIPT, about, message_id=self._row.message_id),
            Action(ActionId.RAW, source, message_id=self._row.message_id),
        )

    def _show_chips(self, chips: tuple[Chip, ...]) -> None:
        while len(self._chips) < len(chips):
            chip = DepthChip(self._theme)
            chip.clicked.connect(self._chip_clicked)
            self._line.insertWidget(len(self._chips), chip)
            self._chips.append(chip)
        for shown, widget in zip(chips, self._chips, strict=False):
            widget.show_chip(shown)
        focused = any(widget.hasFocus() for widget in self._chips)
        for number, widget in enumerate(self._chips):
            widget.setVisible(number < len(chips))
            if focused and widget.chip.shown and number < len(chips):
                widget.setFocus()

    def _show_actions(self) -> None:
        """Put actions in the line as far as they fit beside the chips; the rest is in More."""
        wanted = [a for a in self._actions() if self._belongs_in_line(a)]
        chips = _chips_of(self._row)
        room = self.width() - sum(c.sizeHint().width() for c in self._chips[: len(chips)])
        room -= self._more.sizeHint().width() + self._theme.u(4)
        room -= min(self._caption.sizeHint().width(), self._theme.u(CAPTION_ROOM))
        self._fill_buttons(wanted)
        while wanted and sum(b.sizeHint().width() for b in self._buttons[: len(wanted)]) > room:
            wanted.pop()
            self._fill_buttons(wanted)
        self._shown_actions = tuple(wanted)
        every = (*self._actions(), *self._own_actions())
        self._more.setVisible(len(wanted) < len(every) and not self._is_question())

    def _belongs_in_line(self, action: Action) -> bool:
        if self._is_question():
            return action.id is ActionId.EDIT
        return isinstance(self._row, LineRow) or action.id in IN_LINE

    def _is_question(self) -> bool:
        return isinstance(self._row, QuestionRow)

    def _fill_buttons(self, actions: list[Action]) -> None:
        while len(self._buttons) < len(actions):
            button = QPushButton()
            button.setFlat(True)
            button.setFont(self._theme.caption())
            button.clicked.connect(self._button_clicked)
            self._line.insertWidget(self._line.indexOf(self._more), button)
            self._buttons.append(button)
        for action, button in zip(actions, self._buttons, strict=False):
            button.setText(action.text)
            button.setAccessibleName(action.text)
            button.setEnabled(action.enabled)
            button.setToolTip(action.hint)
            button.setAccessibleDescription(action.hint)
        for number, button in enumerate(self._buttons):
            button.setVisible(number < len(actions))

    def _select(self, message_id: str) -> None:
        self.action_requested.emit(Action(ActionId.SELECT, "", message_id=message_id))

    @Slot()
    def _chip_clicked(self) -> None:
        chip = self.sender()
        if isinstance(chip, DepthChip):
            self._select(chip.chip.message_id)

    @Slot()
    def _button_clicked(self) -> None:
        pressed = self._buttons.index(cast("QPushButton", self.sender()))
        self.action_requested.emit(self._shown_actions[pressed])

    @Slot()
    def _open_menu(self) -> None:
        self.menu().popup(self._more.mapToGlobal(QPoint(0, self._more.height())))

    @Slot(QAction)
    def _menu_triggered(self, entry: QAction) -> None:
        self.action_requested.emit(entry.data())

    @Slot()
    def _restyle(self) -> None:
        font = self._theme.caption()
        for button in (*self._buttons, self._more):
            button.setFont(font)
        self._line.setSpacing(self._theme.u(0.75))
        self._show_actions()


def _chips_of(row: Row | None) -> tuple[Chip, ...]:
    """Return an answer's variants or a question's wordings."""
    return row.chips if isinstance(row, AnswerRow | QuestionRow) else ()
