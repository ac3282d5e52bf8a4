"""One quiet line of text that gives way when there is no room for it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views import painting
from app.views.theme import Theme


class Caption(QWidget):
    """A caption, in the placeholder colour when ``quiet``.

    What does not fit is elided and in the tool tip.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, quiet: bool = True) -> None:
        super().__init__(parent)
        self._theme = theme
        self._quiet = quiet
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    @property
    def text(self) -> str:
        """The whole line."""
        return self._text

    @Slot(str)
    def set_text(self, text: str) -> None:
        """Show another line."""
        if text == self._text:
            return
        self._text = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._set_tool_tip()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the whole line."""
        metrics = QFontMetrics(self._theme.caption())
        margins = self.contentsMargins()
        width = metrics.horizontalAdvance(self._text) + self._theme.u(0.25)
        return QSize(width + margins.left() + margins.right(), metrics.height())

    def minimumSizeHint(self) -> QSize:
        """Return a width of nothing: the line may vanish."""
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Keep the tool tip true to what is cut off."""
        self._set_tool_tip()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line."""
        painter = QPainter(self)
        colours = self._theme.colours
        colour = colours.placeholder if self._quiet else colours.text
        painting.line(painter, self.contentsRect(), self._text, self._theme.caption(), colour)

    def _set_tool_tip(self) -> None:
        self.setToolTip(self._text if self.width() < self.sizeHint().width() else "")

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
