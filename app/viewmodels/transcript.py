"""The rows of the conversation on screen as one Qt list model, with the footer beside them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.viewmodels.row_model import RowModel, RowRole
from app.viewmodels.rows import AnswerRow, Card, Footer, LineRow, QuestionRow, Row

__all__ = ["RowRole", "Transcript", "accessible_text"]


class Transcript(RowModel[Row]):
    """``footer`` is the last line of the page (loop bar, effort buttons or a sentence).

    It is no row of the model. ``cards`` are the questions an empty chat offers.
    """

    footer_changed = Signal(object)

    def __init__(self, cards: Sequence[Card] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cards: tuple[Card, ...] = tuple(cards)
        self._footer = Footer()

    @property
    def footer(self) -> Footer:
        """What stands under the newest answer."""
        return self._footer

    def text(self, row: Row) -> str:
        """Return a row's text on screen."""
        return row.text

    def spoken(self, row: Row) -> str:
        """Return what a screen reader says for a row."""
        return accessible_text(row)

    def position(self, message_id: str) -> int:
        """Return where the row of a message stands, -1 when it is not on screen."""
        for position in range(len(self._rows) - 1, -1, -1):
            if getattr(self._rows[position], "message_id", "") == message_id:
                return position
        return -1

    def update_row(self, row: AnswerRow) -> None:
        """Replace the one row of the answer's message: a streaming word costs one row."""
        position = self.position(row.message_id)
        if position >= 0:
            self.replace(position, row)

    def set_footer(self, footer: Footer) -> None:
        """Show ``footer`` and tell the views when it differs."""
        if footer != self._footer:
            self._footer = footer
            self.footer_changed.emit(footer)


def accessible_text(row: Row) -> str:
    """Return what a screen reader says for a row: who speaks, at which depth, what is shown."""
    match row:
        case QuestionRow():
            return f"You: {row.text}"
        case AnswerRow():
            shown = next((chip.accessible for chip in row.chips if chip.shown), "")
            parts = (f"Answer: {row.text}", shown, row.caption)
            return ". ".join(part for part in parts if part)
        case LineRow():
            return row.text
