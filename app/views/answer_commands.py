"""The commands about an answer or a question: which row they mean, and whether it offers them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.viewmodels.rows import Action, ActionId, AnswerRow, QuestionRow
from app.views.chat_page import ChatPage
from app.views.source_dialog import SourceDialog
from app.views.theme import Theme
from app.views.view_models import ViewModels


class AnswerCommands(QObject):
    """Emits actions that a row really offers; what needs no more than the window is done here."""

    action_requested = Signal(object)
    receipt_requested = Signal(str)

    def __init__(self, theme: Theme, page: ChatPage, models: ViewModels, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._page = page
        self._models = models
        self._window = parent
        page.transcript.action_requested.connect(self.perform)
        page.composer.edit_last_requested.connect(self.edit_last)

    @Slot(object)
    def perform(self, action: Action) -> None:
        """Do what a row's control asks for, or hand it on."""
        match action.id:
            case ActionId.EDIT:
                self._edit(action.message_id)
            case ActionId.RECEIPT:
                self.receipt_requested.emit(action.message_id)
            case ActionId.RAW:
                self._show_source(action.message_id)
            case _:
                self.action_requested.emit(action)

    @Slot()
    def try_harder(self) -> None:
        """Take the current answer to the second effort."""
        self._deepen(1)

    @Slot()
    def try_really_hard(self) -> None:
        """Take the current answer to the third effort."""
        self._deepen(2)

    @Slot()
    def answer_again(self) -> None:
        """Write another variant of the current answer."""
        self._perform_if_offered(ActionId.ANSWER_AGAIN)

    @Slot()
    def copy_answer(self) -> None:
        """Copy the current answer."""
        self._perform_if_offered(ActionId.COPY)

    @Slot()
    def show_receipt(self) -> None:
        """Show how the current answer came about."""
        row = self._answer_in_hand()
        if row is not None and not row.streaming:
            self.receipt_requested.emit(row.message_id)

    @Slot()
    def edit_last(self) -> None:
        """Put the last question back into the composer."""
        rows = self._models.transcript.rows()
        last = next((row for row in reversed(rows) if isinstance(row, QuestionRow)), None)
        if last is not None and any(a.id is ActionId.EDIT and a.enabled for a in last.actions):
            self._page.composer.begin_editing(last.message_id, last.text)

    def _edit(self, message_id: str) -> None:
        text = self._text_of(message_id)
        if text is not None:
            self._page.composer.begin_editing(message_id, text)

    def _show_source(self, message_id: str) -> None:
        text = self._text_of(message_id)
        if text is not None:
            SourceDialog(self._theme, text, self._window).open()

    def _text_of(self, message_id: str) -> str | None:
        position = self._models.transcript.position(message_id)
        return self._models.transcript.row(position).text if position >= 0 else None

    def _deepen(self, effort: int) -> None:
        """Take the current answer to an effort; a newest answer's buttons are in the footer."""
        efforts = self._models.composer.state.efforts
        if effort >= len(efforts):
            return
        depth = efforts[effort]
        chosen = self._find(ActionId.DEEPEN, depth)
        if chosen is not None:
            self.action_requested.emit(chosen)
        elif any(b.depth == depth and b.enabled for b in self._models.transcript.footer.buttons):
            self.action_requested.emit(Action(ActionId.DEEPEN, "", depth=depth))

    def _perform_if_offered(self, wanted: ActionId) -> None:
        action = self._find(wanted)
        if action is not None:
            self.action_requested.emit(action)

    def _find(self, wanted: ActionId, depth: int = 0) -> Action | None:
        """Return an enabled action of the answer the user is at."""
        row = self._answer_in_hand()
        for action in row.actions if row is not None else ():
            if action.id is wanted and action.enabled and depth in (0, action.depth):
                return action
        return None

    def _answer_in_hand(self) -> AnswerRow | None:
        """Return the current row when it is an answer, else the newest answer."""
        current = self._page.transcript.currentIndex().row()
        rows = self._models.transcript.rows()
        chosen = rows[current] if 0 <= current < len(rows) else None
        if isinstance(chosen, AnswerRow):
            return chosen
        return next((row for row in reversed(rows) if isinstance(row, AnswerRow)), None)
