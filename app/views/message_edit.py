"""The text box of the composer: one to eight lines, Enter sends, Shift+Enter breaks the line."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFontMetrics, QInputMethodEvent, QKeyEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from app.views.theme import Theme

MOST_LINES = 8


class MessageEdit(QPlainTextEdit):
    """Grows with its text; an input method's own Enter never sends."""

    send_requested = Signal()
    edit_last_requested = Signal()
    variant_stepped = Signal(int)
    focus_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.setPlaceholderText(self.tr("Ask something"))
        self.setAccessibleName(self.tr("Your message"))
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        theme.changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        """Return the height of the text, at least one line and at most eight."""
        lines = round(self.document().documentLayout().documentSize().height())
        shown = min(max(lines, 1), MOST_LINES)
        # Without room for the cursor beside the text, Qt scrolls the first line away.
        spare = 2 * self.cursorWidth()
        return QSize(self._theme.u(20), shown * QFontMetrics(self.font()).lineSpacing() + spare)

    minimumSizeHint = sizeHint

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send on Enter; in an empty box edit the last question on Up, walk variants on ← →."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier  # of any arrow on macOS
        if enter and not shift:
            if not self._composing:
                self.send_requested.emit()
        elif self.toPlainText() or held or not self._walks(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _walks(self, key: Qt.Key) -> bool:
        """Do what a key means in an empty box; False when it means nothing there."""
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(key, 0)
        if key == Qt.Key.Key_Up:
            self.edit_last_requested.emit()
        elif step:
            self.variant_stepped.emit(-step if mirrored else step)
        return bool(step) or key == Qt.Key.Key_Up

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method is in the middle of a word."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text only, whatever the clipboard holds beside it."""
        if source.hasText():
            self.textCursor().insertText(source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the card around the box, which shows the focus."""
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell the card around the box."""
        super().focusOutEvent(event)
        self.focus_changed.emit()

    @Slot()
    def _grow(self) -> None:
        needs_bar = self.document().documentLayout().documentSize().height() > MOST_LINES
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if needs_bar else policy.ScrollBarAlwaysOff
        )
        self.updateGeometry()

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.body())
        self.updateGeometry()
