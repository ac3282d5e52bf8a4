"""The line of facts at the bottom; its part about kept states opens the shelf."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.viewmodels.status import StatusModel
from app.views.caption import Caption
from app.views.theme import FLAT_PADDING, Theme

BETWEEN = " · "


class StatusLine(QWidget):
    """Facts, the kept states as a button among them, and what is not saved."""

    shelf_requested = Signal()

    def __init__(self, theme: Theme, status: StatusModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._status = status
        self._before, self._after = Caption(theme), Caption(theme)
        self._kept = QPushButton()
        self._kept.setFlat(True)
        self._kept.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._kept.setToolTip(self.tr("What the memory holds"))
        self._kept.clicked.connect(self.shelf_requested)
        self._line = QHBoxLayout(self)
        for part in (self._before, self._kept, self._after):
            self._line.addWidget(part)
        self._line.addStretch(1)
        status.changed.connect(self._show)
        theme.changed.connect(self._restyle)
        self._show(status.text)
        self._restyle()

    @Slot(str)
    def _show(self, text: str) -> None:
        kept = self._status.kept
        before, found, after = text.partition(kept) if kept else (text, "", "")
        self._before.set_text(before.rstrip())
        self._kept.setText(kept)
        self._kept.setAccessibleName(kept)
        self._kept.setVisible(bool(found))
        self._after.set_text(after.removeprefix(BETWEEN))
        self._after.setVisible(bool(after))
        self.setAccessibleName(text)

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._line.setContentsMargins(u(1), 0, u(1), 0)
        self._line.setSpacing(u(1 - FLAT_PADDING))
        self._kept.setFont(self._theme.caption())
