"""What stands under the newest answer: the effort buttons, or the loop bar and Stop of a run."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.viewmodels.rows import EffortButton, Footer
from app.views.caption import Caption
from app.views.loop_bar import LoopBar
from app.views.page_layout import STRIP
from app.views.theme import Theme
from app.views.two_line_button import TwoLineButton, TwoLines


class EffortBar(QWidget):
    """The transcript's last row, of real widgets."""

    deepen_requested = Signal(int)
    stop_requested = Signal()
    height_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._footer = Footer()
        self._buttons: list[TwoLineButton] = []
        self._loops = LoopBar(theme)
        self._caption = Caption(theme)
        self._line = Caption(theme)
        self._stop = QPushButton(self.tr("Stop"))
        self._stop.setFlat(True)
        self._stop.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._stop.setAccessibleName(self.tr("Stop the answer"))
        self._stop.setToolTip(self.tr("Stop the answer (Esc)"))
        self._stop.clicked.connect(self.stop_requested)
        self._run = QWidget()
        self._run_line = QHBoxLayout(self._run)
        self._run_line.setContentsMargins(0, 0, 0, 0)
        self._run_line.addWidget(self._loops)
        self._run_line.addWidget(self._caption)
        self._run_line.addStretch(1)
        self._run_line.addWidget(self._stop)
        self._choices = QWidget()
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._choices)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addStretch(1)
        self._column = QVBoxLayout(self)
        for part in (self._run, self._choices, self._line):
            self._column.addWidget(part)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.show_footer(Footer())

    @property
    def footer(self) -> Footer:
        """What is shown."""
        return self._footer

    def controls(self) -> list[QWidget]:
        """Return what can be pressed, in reading order."""
        return [self._stop, *self._buttons]

    @Slot(object)
    def show_footer(self, footer: Footer) -> None:
        """Show another footer; ``height_changed`` says so when the room it needs is different."""
        before = self.sizeHint().height()
        self._footer = footer
        self._run.setVisible(footer.progress is not None)
        if footer.progress is not None:
            self._loops.show_progress(footer.progress)
            self._caption.set_text(footer.progress.caption)
        self._line.set_text(footer.line)
        self._line.setVisible(bool(footer.line))
        self._show_buttons(footer.buttons)
        self._flow()
        if self.sizeHint().height() != before:
            self.height_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons below each other when they do not fit side by side."""
        super().resizeEvent(event)
        before = self.sizeHint().height()
        self._flow()
        if self.sizeHint().height() != before:
            self.height_changed.emit()

    def _show_buttons(self, buttons: tuple[EffortButton, ...]) -> None:
        while len(self._buttons) < len(buttons):
            button = TwoLineButton(self._theme)
            button.clicked.connect(self._button_clicked)
            self._row.insertWidget(len(self._buttons), button)
            self._buttons.append(button)
        for shown, button in zip(buttons, self._buttons, strict=False):
            lines = TwoLines(
                shown.title, shown.price, shown.suggested, shown.from_scratch, shown.hint
            )
            button.show_lines(lines)
            button.setEnabled(shown.enabled)
        for index, button in enumerate(self._buttons):
            button.setVisible(index < len(buttons))
        self._choices.setVisible(bool(buttons))

    def _flow(self) -> None:
        shown = self._buttons[: len(self._footer.buttons)]
        needed = sum(b.sizeHint().width() for b in shown) + self._theme.u(1.5) * len(shown)
        wide = needed <= self.width()
        directions = QBoxLayout.Direction
        self._row.setDirection(directions.LeftToRight if wide else directions.TopToBottom)
        # A turned row tells its new height to the layouts above it only when asked to.
        self._row.invalidate()
        self._choices.updateGeometry()
        self._column.invalidate()

    @Slot()
    def _button_clicked(self) -> None:
        index = self._buttons.index(cast("TwoLineButton", self.sender()))
        self.deepen_requested.emit(self._footer.buttons[index].depth)

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._stop.setFont(self._theme.caption())
        self._run.setFixedHeight(u(STRIP))
        self._run_line.setSpacing(u(2))
        self._row.setSpacing(u(1.5))
        self._column.setSpacing(u(1.75))
        self._column.setContentsMargins(0, 0, 0, u(2))
        self._flow()
        self.height_changed.emit()
