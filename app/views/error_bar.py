"""The bar above the composer: one sentence and one button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QPushButton, QWidget

from app.viewmodels.rows import ErrorBar
from app.viewmodels.status import StatusModel
from app.views import painting
from app.views.announce import announce
from app.views.page_layout import NARROW
from app.views.theme import Theme


class ErrorBarView(QWidget):
    """Hidden while there is no error."""

    def __init__(self, theme: Theme, status: StatusModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._error: ErrorBar | None = None
        self._sentence = QLabel()
        self._sentence.setWordWrap(True)
        self._action = QPushButton()
        self._action.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._action.clicked.connect(self._act)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.addWidget(self._sentence, 1)
        self._line.addWidget(self._action)
        status.error_changed.connect(self._show)
        theme.changed.connect(self._restyle)
        self._show(status.error)
        self._restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the button below the sentence where both would be narrow."""
        super().resizeEvent(event)
        narrow = self.width() < self._theme.u(NARROW)
        ways = QBoxLayout.Direction
        self._line.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a card with an outline in the error colour."""
        colours = self._theme.colours
        painter = QPainter(self)
        painting.frame(painter, self.rect(), self._theme.u(), colours.base, colours.error)

    @Slot(object)
    def _show(self, error: ErrorBar | None) -> None:
        self._error = error
        self.setVisible(error is not None)
        if error is not None:
            announce(self, error.sentence)
            self._sentence.setText(error.sentence)
            self._sentence.setAccessibleName(error.sentence)
            self._action.setText(error.action)
            self._action.setAccessibleName(error.action)
            self._action.setVisible(bool(error.action))

    @Slot()
    def _act(self) -> None:
        if self._error is not None:
            self._error.act()

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._line.setContentsMargins(u(2), u(1), u(1), u(1))
        self._line.setSpacing(u(2))
        palette = QPalette(self._theme.colours.palette())
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colours.error)
        self._sentence.setPalette(palette)
        self._sentence.setFont(self._theme.font())
        self._action.setFont(self._theme.font())
        self.update()
