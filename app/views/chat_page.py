"""The page of one chat: the conversation or an empty page, errors, the composer, one line of facts.

Everything stands in one centred column.
"""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.views.composer import Composer
from app.views.empty_chat import EmptyChat
from app.views.error_bar import ErrorBarView
from app.views.find_bar import FindBar
from app.views.notice_bar import NoticeBar
from app.views.page_layout import column
from app.views.status_line import StatusLine
from app.views.theme import Theme
from app.views.transcript_view import TranscriptView
from app.views.view_models import ViewModels


class ChatPage(QWidget):
    """Shows the conversation when there is one, else the questions of an empty chat."""

    def __init__(self, theme: Theme, models: ViewModels, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._models = models
        self.transcript = TranscriptView(theme, models.transcript)
        self.empty = EmptyChat(theme)
        self.error = ErrorBarView(theme, models.status)
        self.composer = Composer(theme, models.composer)
        self.status = StatusLine(theme, models.status)
        self.notice = NoticeBar(theme, models.status)
        self.finder = FindBar(theme, models.transcript, self.transcript)
        self._lay_out()
        self.empty.show_cards(models.transcript.cards)
        transcript = models.transcript
        for changed in (transcript.rowsInserted, transcript.rowsRemoved, transcript.modelReset):
            changed.connect(self._choose_page)
        self.notice.shown.connect(self._choose_foot)
        self.finder.shown.connect(self._choose_foot)
        self.finder.left.connect(self.composer.edit.setFocus)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._choose_page()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep composer and error bar in the column."""
        super().resizeEvent(event)
        self._align()

    def main_part(self) -> QWidget:
        """Return the part above the composer: the conversation or the empty page."""
        return self.transcript if self._models.transcript.rowCount() else self.empty

    def _lay_out(self) -> None:
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.transcript)
        self._below = QVBoxLayout()
        self._below.addWidget(self.error)
        self._below.addWidget(self.composer)
        self._foot = QStackedWidget()
        self._foot.addWidget(self.status)
        self._foot.addWidget(self.finder)
        self._foot.addWidget(self.notice)
        column_of_all = QVBoxLayout(self)
        column_of_all.setContentsMargins(0, 0, 0, 0)
        column_of_all.setSpacing(0)
        column_of_all.addWidget(self._pages, 1)
        column_of_all.addLayout(self._below)
        column_of_all.addWidget(self._foot)

    def _align(self) -> None:
        left, wide = column(self._theme, self.width())
        right = self.width() - left - wide
        u = self._theme.u
        self._below.setContentsMargins(left, u(1), right, u(1))

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._below.setSpacing(u(1))
        self._foot.setFixedHeight(u(3))
        self._align()

    @Slot()
    def _choose_page(self) -> None:
        empty = self._models.transcript.rowCount() == 0
        self._pages.setCurrentWidget(self.empty if empty else self.transcript)

    @Slot()
    def _choose_foot(self) -> None:
        """Show a notice before the find bar, and that before the facts."""
        below = self.finder if self.finder.open else self.status
        noticed = self._models.status.notice is not None
        self._foot.setCurrentWidget(self.notice if noticed else below)
