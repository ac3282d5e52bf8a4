"""Find in this chat, in the place of the status line: a text box, where it was found, two ways."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.viewmodels.rows import LineRow
from app.viewmodels.transcript import Transcript
from app.views.announce import announce
from app.views.caption import Caption
from app.views.line_edit import LineEdit
from app.views.theme import Theme
from app.views.transcript_view import TranscriptView

FIELD = 24  # u: the width of the text box


class FindBar(QWidget):
    """Goes from message to message that holds the text.

    ``shown`` says that it was opened or closed, ``left`` that the user closed it.
    """

    shown = Signal()
    left = Signal()

    def __init__(
        self,
        theme: Theme,
        transcript: Transcript,
        view: TranscriptView,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._transcript = transcript
        self._view = view
        self.at = -1  # the row of the message that is shown, -1 for none
        self.open = False
        self._led_here = False  # by a search of all chats: nobody asked for the bar itself
        self.field = LineEdit()
        self.field.setPlaceholderText(self.tr("Find in this chat"))
        self.field.setAccessibleName(self.tr("Find in this chat"))
        self._count = Caption(theme)
        self._line = QHBoxLayout(self)
        self._line.addWidget(self.field)
        self._line.addWidget(self._count)
        self._line.addStretch(1)
        self._buttons = [
            self._button(self.tr("Previous"), self.previous),
            self._button(self.tr("Next"), self.next),
            self._button(self.tr("Close"), self.close_bar),
        ]
        self.field.textChanged.connect(self._text_changed)
        self.field.entered.connect(self._entered)
        self.field.escaped.connect(self.close_bar)
        theme.changed.connect(self._restyle)
        self._restyle()

    @Slot()
    def open_bar(self) -> None:
        """Show the bar with what was looked for last, ready to be typed over."""
        self._show(led_here=False)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._text_changed()

    @Slot(str, str)
    def show_found(self, message_id: str, text: str) -> None:
        """Show the bar at a message that a search of all chats found; the focus stays."""
        number = self._transcript.position(message_id)
        if number not in self._rows_with(text):  # while a turn is read, the page ends with it
            return
        with QSignalBlocker(self.field):  # typed text is looked for from the rows in sight on
            self.field.setText(text)
        self._show(led_here=True)
        self._view.mark(text)
        self._go(number)

    @Slot()
    def leave_chat(self) -> None:
        """Hide a bar that a search has opened: what was found is in the chat that goes."""
        if self.open and self._led_here:
            self._hide()

    @Slot()
    def close_bar(self) -> None:
        """Hide the bar and what it marked."""
        self._hide()
        self.left.emit()

    @Slot()
    def next(self) -> None:
        """Go to the next message below, from the last one to the first."""
        found = self._found()
        self._go(next((n for n in found if n > self.at), found[0] if found else -1))

    @Slot()
    def previous(self) -> None:
        """Go to the next message above, from the first one to the last."""
        found = self._found()[::-1]
        self._go(next((n for n in found if n < self.at), found[0] if found else -1))

    def _show(self, led_here: bool) -> None:
        self.open, self._led_here = True, led_here
        self.shown.emit()

    def _hide(self) -> None:
        self.open = False
        self._view.mark("")
        self.shown.emit()

    def _button(self, text: str, call: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        button.setFlat(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(call)
        self._line.addWidget(button)
        return button

    def _found(self) -> list[int]:
        return self._rows_with(self.field.text())

    def _rows_with(self, text: str) -> list[int]:
        """Return the rows that hold the text, in any case of letters."""
        wanted = text.casefold()
        rows = self._transcript.rows() if wanted else ()
        return [
            number
            for number, row in enumerate(rows)
            if not isinstance(row, LineRow) and wanted in row.text.casefold()
        ]

    def _go(self, number: int) -> None:
        self.at = number
        found = self._found()
        if number >= 0:
            self._view.show_mark(number)
            place = self.tr("message {n} of {count}")
            said = place.format(n=found.index(number) + 1, count=len(found))
        else:
            said = self.tr("not found") if self.field.text() else ""
        self._count.set_text(said)
        announce(self, said)

    @Slot()
    def _text_changed(self) -> None:
        """Mark the text everywhere and go to the first message that holds it from here on."""
        self._view.mark(self.field.text())
        visible = self._view.visible_rows()
        self.at = (visible[0] if visible else 0) - 1
        self.next()

    @Slot(bool)
    def _entered(self, backwards: bool) -> None:
        if backwards:
            self.previous()
        else:
            self.next()

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._line.setContentsMargins(u(1), 0, u(1), 0)
        self._line.setSpacing(u(1))
        self.field.setFont(self._theme.font())
        self.field.setFixedWidth(u(FIELD))
        for button in self._buttons:
            button.setFont(self._theme.caption())
