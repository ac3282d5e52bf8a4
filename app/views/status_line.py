"""The line of facts at the bottom; the model's name and the kept states open their dialogs."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.viewmodels.status import StatusModel
from app.views.caption import Caption
from app.views.theme import FLAT_PADDING, Theme

BETWEEN = " · "
MODEL = 20  # u: the widest name of a model


class StatusLine(QWidget):
    """Facts, the model and the kept states as buttons among them, and what is not saved."""

    about_requested = Signal()
    shelf_requested = Signal()

    def __init__(self, theme: Theme, status: StatusModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._status = status
        self._before, self._after = Caption(theme), Caption(theme)
        self._model, self._kept = QPushButton(), QPushButton()
        for button in (self._model, self._kept):
            button.setFlat(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._model.clicked.connect(self.about_requested)
        self._kept.setToolTip(self.tr("What the memory holds"))
        self._kept.clicked.connect(self.shelf_requested)
        self._line = QHBoxLayout(self)
        for part in (self._model, self._before, self._kept, self._after):
            self._line.addWidget(part)
        self._line.addStretch(1)
        status.changed.connect(self._show)
        theme.changed.connect(self._restyle)
        self._show(status.text)
        self._restyle()

    @Slot(str)
    def _show(self, text: str) -> None:
        model, kept = self._status.model, self._status.kept
        self._show_model(model)
        rest = text.removeprefix(model).removeprefix(BETWEEN) if model else text
        before, found, after = rest.partition(kept) if kept else (rest, "", "")
        self._before.set_text(before.rstrip())
        self._kept.setText(kept)
        self._kept.setAccessibleName(kept)
        self._kept.setVisible(bool(found))
        self._after.set_text(after.removeprefix(BETWEEN))
        self._after.setVisible(bool(after))
        self.setAccessibleName(text)

    def _show_model(self, name: str) -> None:
        """Show the model's name; a long one is cut off and whole in the tool tip."""
        metrics = QFontMetrics(self._theme.caption())
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, self._theme.u(MODEL))
        about = self.tr("About this model")
        self._model.setText(shown.replace("&", "&&"))
        self._model.setAccessibleName(self.tr("{name}, about this model").format(name=name))
        self._model.setToolTip(about if shown == name else f"{name}\n{about}")
        self._model.setVisible(bool(name))

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._line.setContentsMargins(u(1), 0, u(1), 0)
        self._line.setSpacing(u(1 - FLAT_PADDING))
        for button in (self._model, self._kept):
            button.setFont(self._theme.caption())
        self._show_model(self._status.model)
