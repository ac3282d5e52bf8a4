"""What is shown when the app itself made a mistake: one sentence, and what helps to mend it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.views.page_dialog import PageDialog
from app.views.theme import Theme


class CrashDialog(PageDialog):
    """``diagnostics_requested`` asks to put the diagnostics on the clipboard."""

    diagnostics_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, "", parent)
        self.setWindowTitle(self.tr("Something went wrong"))
        sentence = QLabel(
            self.tr(
                "Something went wrong in TinyLoop Chat. Your chats are kept and you can go on; if "
                "it happens again, copy the diagnostics into a report. They hold none of your text."
            )
        )
        sentence.setWordWrap(True)
        sentence.setMinimumWidth(theme.u(52))
        sentence.setMinimumHeight(sentence.heightForWidth(theme.u(52)))
        self._content.addWidget(sentence)
        copy = self.add_button(self.tr("Copy diagnostics"))
        copy.clicked.connect(self.diagnostics_requested)
        self.add_close()
