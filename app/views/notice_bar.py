"""A notice in the place of the status line: one sentence, one action."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.viewmodels.library_rows import Notice
from app.viewmodels.status import StatusModel
from app.views.announce import announce
from app.views.caption import Caption
from app.views.theme import HAIRLINE, Theme


class NoticeBar(QWidget):
    """``shown`` says whether there is a notice; it comes and goes without moving the page."""

    shown = Signal(bool)

    def __init__(self, theme: Theme, status: StatusModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._status = status
        self._notice: Notice | None = None
        self._sentence = Caption(theme, quiet=False)
        self._action = QPushButton()
        self._action.setFlat(True)
        self._action.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._action.clicked.connect(self._act)
        self._line = QHBoxLayout(self)
        self._line.addWidget(self._sentence)
        self._line.addWidget(self._action)
        self._line.addStretch(1)
        status.notice_changed.connect(self._show)
        theme.changed.connect(self._restyle)
        self._show(status.notice)
        self._restyle()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw another ground than the status line's, and a hairline above it."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colours.alternate)
        painter.fillRect(0, 0, self.width(), HAIRLINE, self._theme.colours.mid)

    @Slot(object)
    def _show(self, notice: Notice | None) -> None:
        self._notice = notice
        if notice is not None:
            self._sentence.set_text(notice.sentence)
            self._action.setText(notice.action)
            self._action.setAccessibleName(notice.action)
            self._action.setVisible(bool(notice.action))
            announce(self, notice.sentence)
        self.shown.emit(notice is not None)

    @Slot()
    def _act(self) -> None:
        notice = self._notice
        self._status.set_notice(None)
        if notice is not None:
            notice.act()

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._line.setContentsMargins(u(1), 0, u(1), 0)
        self._line.setSpacing(u(1))
        self._action.setFont(self._theme.caption(strong=True))
        self.update()
