"""The sidebar: New chat, the search box and the list of chats."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.viewmodels.conversations import Conversations
from app.views.conversation_list import ConversationList
from app.views.search_field import SearchField
from app.views.theme import Theme

WIDTH = 30  # u


class Sidebar(QWidget):
    """Its signals are those of its parts."""

    new_chat_requested = Signal()

    def __init__(self, theme: Theme, model: Conversations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._new = QPushButton(self.tr("New chat"))
        self._new.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._new.clicked.connect(self.new_chat_requested)
        self.search = SearchField(theme)
        self.chats = ConversationList(theme, model)
        self._column = QVBoxLayout(self)
        for part in (self._new, self.search, self.chats):
            self._column.addWidget(part)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.AlternateBase)
        self.search.left.connect(self.chats.focus_first)
        theme.changed.connect(self._restyle)
        self._restyle()

    def rename(self) -> None:
        """Rename the chat the keyboard is at, or the shown one."""
        chat = self.chats.chat()
        if chat is not None:
            self.chats.rename(chat.chat_id)

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self.setMinimumWidth(u(WIDTH))
        self._column.setContentsMargins(u(1.5), u(1.5), u(1.5), 0)
        self._column.setSpacing(u(0.75))
        self._new.setFont(self._theme.font())
