"""The chats of the sidebar: opened, renamed in place, pinned, exported and deleted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QWidget

from app.viewmodels.conversations import Conversations
from app.viewmodels.library_rows import ChatRow
from app.viewmodels.row_model import RowRole
from app.views.conversation_delegate import ConversationDelegate
from app.views.rename_edit import RenameEdit
from app.views.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ConversationList(QListView):
    """Emits what the user wants of a chat; Enter and a click open it, F2 renames it."""

    open_requested = Signal(str)
    rename_requested = Signal(str, str)
    pin_requested = Signal(str, bool)
    export_requested = Signal(str)
    delete_requested = Signal(str)

    def __init__(self, theme: Theme, model: Conversations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._current = ""  # the chat the keyboard is at, kept when rows are made anew
        self._changing = False  # Qt moves the current row off rows that go
        self._conversations = model
        self._noted: list[bool] = []  # which rows have a note, and so two lines
        self._delegate = ConversationDelegate(theme, self)
        self._editor = RenameEdit(theme, self.viewport())
        self._editor.renamed.connect(self._renamed)
        self._editor.closed.connect(self._editor_closed)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)  # the row below the pointer is tinted
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(self.tr("Chats"))
        self.clicked.connect(self._clicked)
        self.doubleClicked.connect(self._rename_at)
        self.setLayoutMode(QListView.LayoutMode.Batched)  # thousands of chats, no waiting
        model.rowsAboutToBeRemoved.connect(self._rows_change)  # before the view's own
        self.setModel(model)
        model.changed.connect(self._rows_changed)
        theme.changed.connect(self._restyle)
        self._rows_changed()

    # What the user is at

    def chat(self) -> ChatRow | None:
        """Return the chat the keyboard is at, or the shown one while the focus is elsewhere."""
        row = self.currentIndex().data(RowRole) if self.hasFocus() else None
        if isinstance(row, ChatRow):
            return row
        return next((chat for _, chat in self._chats() if chat.shown), None)

    def rename(self, chat_id: str) -> None:
        """Open the title of a chat for writing."""
        number = self._number(chat_id)
        if number < 0:
            return
        index = self.model().index(number, 0)
        row: ChatRow = index.data(RowRole)
        if row.temporary:
            return
        self.scrollTo(index)
        self._editor.begin(row.chat_id, row.title)
        self._place_editor()

    def menu(self, row: ChatRow) -> QMenu:
        """Return what can be done with a chat."""
        menu = QMenu(self)
        rename = menu.addAction(self.tr("Rename"), lambda: self.rename(row.chat_id))
        pin = QAction(self.tr("Unpin") if row.pinned else self.tr("Pin"), menu)
        pin.triggered.connect(lambda: self.pin_requested.emit(row.chat_id, not row.pinned))
        menu.addAction(pin)
        for entry in (rename, pin):
            entry.setEnabled(not row.temporary)
        menu.addAction(self.tr("Export…"), lambda: self.export_requested.emit(row.chat_id))
        menu.addAction(self.tr("Delete"), lambda: self.delete_requested.emit(row.chat_id))
        return menu

    def focus_first(self) -> None:
        """Give the keyboard the list, at its first chat or where it was."""
        if self._number(self._current) < 0 and self._chats():
            self._go_to(self._chats()[0][0])
        self.setFocus(Qt.FocusReason.TabFocusReason)

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between chats, open and delete the current one."""
        chats = [number for number, _ in self._chats()]
        here = self.currentIndex().row()
        position = chats.index(here) if here in chats else -1
        wanted = {
            Qt.Key.Key_Up: max(position - 1, 0),
            Qt.Key.Key_Down: min(position + 1, len(chats) - 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(chats) - 1,
        }.get(Qt.Key(event.key()))
        if wanted is not None and chats:
            self._go_to(chats[wanted])
        elif event.key() in ENTER and position >= 0:
            self._open(self.currentIndex())
        elif event.key() == Qt.Key.Key_Delete and position >= 0:
            self.delete_requested.emit(self.currentIndex().data(RowRole).chat_id)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with a chat: the one below the pointer, or the current one."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        row = index.data(RowRole)
        if isinstance(row, ChatRow):
            place = self.visualRect(index).center()
            self.menu(row).popup(
                event.globalPos() if by_mouse else self.viewport().mapToGlobal(place)
            )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows, or one line when there are none."""
        super().paintEvent(event)
        if self._conversations.rowCount() == 0:
            painter = QPainter(self.viewport())
            painter.setFont(self._theme.caption())
            painter.setPen(self._theme.colours.placeholder)
            u = self._theme.u
            place = self.viewport().rect().adjusted(u(1), u(1), -u(1), 0)
            flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeading
            painter.drawText(place, int(flags), self._why_empty())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the title that is being written over its row."""
        super().resizeEvent(event)
        self._place_editor()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Keep the title that is being written over its row."""
        super().scrollContentsBy(dx, dy)
        self._place_editor()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Repaint changed rows; QListView's own would lay out all rows at every loop of a run."""
        QAbstractItemView.dataChanged(self, first, last, roles)

    # Rows

    def _chats(self) -> list[tuple[int, ChatRow]]:
        """Return the chats among the rows with their numbers."""
        rows = enumerate(self._conversations.rows())
        return [(number, row) for number, row in rows if isinstance(row, ChatRow)]

    def _why_empty(self) -> str:
        if self._conversations.searching:
            return self.tr("No chat has these words.")
        return self.tr("What you ask is kept here.")

    def _number(self, chat_id: str) -> int:
        return next((number for number, row in self._chats() if row.chat_id == chat_id), -1)

    def _go_to(self, number: int) -> None:
        self.setCurrentIndex(self.model().index(number, 0))

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Remember the chat, not its place."""
        super().currentChanged(current, previous)
        row = current.data(RowRole)
        if isinstance(row, ChatRow) and not self._changing:
            self._current = row.chat_id

    @Slot()
    def _rows_change(self) -> None:
        self._changing = True

    @Slot()
    def _rows_changed(self) -> None:
        self._changing = False
        number = self._number(self._current)
        if number < 0:
            number = next((n for n, chat in self._chats() if chat.shown), -1)
        if number >= 0 and number != self.currentIndex().row():
            self._go_to(number)
        self.setAccessibleDescription("" if self._chats() else self._why_empty())
        noted = [bool(getattr(row, "note", "")) for row in self._conversations.rows()]
        if noted != self._noted:
            self._noted = noted
            self.scheduleDelayedItemsLayout()
        self._place_editor()

    @Slot(QModelIndex)
    def _open(self, index: QModelIndex) -> None:
        row = index.data(RowRole)
        if isinstance(row, ChatRow):
            self.open_requested.emit(row.chat_id)

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        row = index.data(RowRole)
        if isinstance(row, ChatRow) and row.chat_id != self._editor.chat_id:  # a second click
            self._open(index)

    # Renaming

    @Slot(QModelIndex)
    def _rename_at(self, index: QModelIndex) -> None:
        row = index.data(RowRole)
        if isinstance(row, ChatRow):
            self.rename(row.chat_id)

    def _place_editor(self) -> None:
        if not self._editor.chat_id:
            return
        number = self._number(self._editor.chat_id)
        if number < 0:
            self._editor.leave()
            return
        index = self.model().index(number, 0)
        self._editor.place(self._delegate.title_rect(index.data(RowRole), self.visualRect(index)))

    @Slot(str, str)
    def _renamed(self, chat_id: str, title: str) -> None:
        self.rename_requested.emit(chat_id, title)

    @Slot()
    def _editor_closed(self) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _restyle(self) -> None:
        self._delegate.forget()
        self.scheduleDelayedItemsLayout()
        self._place_editor()
        self.viewport().update()
