"""Frozen rows as one Qt list model; a change touches only the rows that differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
RowRole = int(Qt.ItemDataRole.UserRole) + 1
_TEXT_ROLES = (int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.AccessibleTextRole))
R = TypeVar("R")


class RowModel(QAbstractListModel, Generic[R]):
    """Rows painted by the views; subclasses say what a row's texts are."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[R] = []

    def text(self, row: R) -> str:
        """Return a row's text on screen."""
        raise NotImplementedError

    def spoken(self, row: R) -> str:
        """Return what a screen reader says for a row."""
        raise NotImplementedError

    def row(self, position: int) -> R:
        """Return the row at ``position``; IndexError outside."""
        return self._rows[position]

    def rows(self) -> tuple[R, ...]:
        """Return all rows, top to bottom."""
        return tuple(self._rows)

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
            return self.text(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken(row)
        return None

    def set_rows(self, rows: Sequence[R]) -> None:
        """Show ``rows``: equal rows at both ends stay, the middle is changed in place."""
        old, new = self._rows, list(rows)
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        middle_old, middle_new = len(old) - head - tail, len(new) - head - tail
        shared = min(middle_old, middle_new)
        self._replace_all(head, new[head : head + shared])
        first = head + shared
        if middle_old > shared:
            self.beginRemoveRows(QModelIndex(), first, head + middle_old - 1)
            del self._rows[first : head + middle_old]
            self.endRemoveRows()
        if middle_new > shared:
            self.beginInsertRows(QModelIndex(), first, head + middle_new - 1)
            self._rows[first:first] = new[first : head + middle_new]
            self.endInsertRows()

    def replace(self, position: int, row: R) -> None:
        """Put another row in one place."""
        self._replace_all(position, [row])

    def _replace_all(self, first: int, rows: Sequence[R]) -> None:
        """Put other rows from ``first`` on, and tell of all that differ at once.

        At the start of a run every row changes; a view that is told 800 times stands still.
        """
        places = enumerate(rows, start=first)
        changed = [position for position, row in places if self._rows[position] != row]
        if changed:
            self._rows[first : first + len(rows)] = rows
            top, bottom = self.index(changed[0]), self.index(changed[-1])
            self.dataChanged.emit(top, bottom, [RowRole, *_TEXT_ROLES])


def _common(left: Sequence[R], right: Sequence[R]) -> int:
    """Return how many rows are equal from the start."""
    count = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        count += 1
    return count
