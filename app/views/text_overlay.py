"""The selected row's text as a live widget, so that it can be selected, copied and read aloud."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QMouseEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QFrame, QMessageBox, QTextBrowser, QWidget

from app.viewmodels.rows import AnswerRow, QuestionRow
from app.views.document import PageDocument
from app.views.row_sizes import fill
from app.views.theme import Theme

OPENED = {"http", "https", "mailto"}  # never file: or a program's own scheme


class TextOverlay(QTextBrowser):
    """Lies exactly over the painted text and shows the same document."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.viewport().setAutoFillBackground(False)
        self.anchorClicked.connect(self._ask_before_opening)
        self.hide()

    def show_row(self, row: QuestionRow | AnswerRow) -> None:
        """Show the text of ``row``."""
        document = PageDocument(self._theme)
        fill(document, row)
        document.setParent(self)
        self.setDocument(document)
        self.setAccessibleName(
            self.tr("Your message") if isinstance(row, QuestionRow) else self.tr("Answer")
        )
        palette = QPalette(self._theme.colours.palette())
        palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        self.setPalette(palette)

    def pass_on(self, event: QMouseEvent, position: QPoint) -> None:
        """Take a mouse event that the list got at ``position`` (in this widget)."""
        handler = {
            QEvent.Type.MouseButtonPress: self.mousePressEvent,
            QEvent.Type.MouseButtonRelease: self.mouseReleaseEvent,
            QEvent.Type.MouseMove: self.mouseMoveEvent,
        }[event.type()]
        moved = QMouseEvent(
            event.type(),
            QPointF(position),
            event.globalPosition(),
            event.button(),
            event.buttons(),
            event.modifiers(),
        )
        handler(moved)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave scrolling to the list below."""
        event.ignore()

    @Slot(QUrl)
    def _ask_before_opening(self, url: QUrl) -> None:
        if url.scheme() not in OPENED:
            return
        question = self.tr("Open this address in your browser?\n\n{address}")
        answer = QMessageBox.question(
            self, self.tr("Open a link"), question.format(address=url.toString())
        )
        if answer == QMessageBox.StandardButton.Yes:
            QDesktopServices.openUrl(url)
