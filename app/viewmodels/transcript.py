"""The rows of the conversation on screen as one Qt list model, with the footer beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.viewmodels.rows import AnswerRow, Card, Footer, LineRow, QuestionRow, Row

Index = QModelIndex | QPersistentModelIndex
RowRole = int(Qt.ItemDataRole.UserRole) + 1
_TEXT_ROLES = (int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.AccessibleTextRole))


class Transcript(QAbstractListModel):
    """Rows painted by the views; a change touches only the rows that differ.

    ``footer`` is the last line of the page (loop bar, effort buttons or a sentence); it is no
    row of the model. ``cards`` are the questions an empty chat offers.
    """

    footer_changed = Signal(object)

    def __init__(self, cards: Sequence[Card] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cards: tuple[Card, ...] = tuple(cards)
        self._rows: list[Row] = []
        self._footer = Footer()

    @property
    def footer(self) -> Footer:
        """What stands under the newest answer."""
        return self._footer

    def row(self, position: int) -> Row:
        """Return the row at ``position``; IndexError outside."""
        return self._rows[position]

    def rows(self) -> tuple[Row, ...]:
        """Return all rows, top to bottom."""
        return tuple(self._rows)

    def position(self, message_id: str) -> int:
        """Return where the row of a message stands, -1 when it is not on screen."""
        for position in range(len(self._rows) - 1, -1, -1):
            if getattr(self._rows[position], "message_id", "") == message_id:
                return position
        return -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of rows (Qt)."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Return the row under RowRole, its text under the display and accessible roles (Qt)."""
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == RowRole:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return accessible_text(row)
        return None

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show ``rows``: equal rows at both ends stay, the middle is changed in place."""
        old, new = self._rows, list(rows)
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        middle_old, middle_new = len(old) - head - tail, len(new) - head - tail
        shared = min(middle_old, middle_new)
        for position in range(head, head + shared):
            self._replace(position, new[position])
        first = head + shared
        if middle_old > shared:
            self.beginRemoveRows(QModelIndex(), first, head + middle_old - 1)
            del self._rows[first : head + middle_old]
            self.endRemoveRows()
        if middle_new > shared:
            self.beginInsertRows(QModelIndex(), first, head + middle_new - 1)
            self._rows[first:first] = new[first : head + middle_new]
            self.endInsertRows()

    def update_row(self, row: AnswerRow) -> None:
        """Replace the one row of the answer's message: a streaming word costs one row."""
        position = self.position(row.message_id)
        if position >= 0:
            self._replace(position, row)

    def set_footer(self, footer: Footer) -> None:
        """Show ``footer`` and tell the views when it differs."""
        if footer != self._footer:
            self._footer = footer
            self.footer_changed.emit(footer)

    def _replace(self, position: int, row: Row) -> None:
        if self._rows[position] != row:
            self._rows[position] = row
            index = self.index(position)
            self.dataChanged.emit(index, index, [RowRole, *_TEXT_ROLES])


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


def _common(left: Sequence[Row], right: Sequence[Row]) -> int:
    """Return how many rows are equal from the start."""
    count = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        count += 1
    return count
