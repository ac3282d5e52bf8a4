"""What the composer offers: Send or Stop, the next answer's depth, the token meter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.viewmodels.rows import ComposerState


class ComposerModel(QObject):
    """The state under the text box; ``app.chat`` writes it, the view paints it.

    ``accepted``: the text was taken, clear the box. ``refused``: it stays, with this sentence.
    ``draft_shown``: this text comes into the box, a chat's draft.
    """

    changed = Signal(object)
    accepted = Signal()
    refused = Signal(str)
    draft_shown = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = ComposerState()

    def update(self, **changes: Any) -> None:
        """Change fields of the state and tell the view when one differs."""
        state = replace(self.state, **changes)
        if state != self.state:
            self.state = state
            self.changed.emit(state)

    def accept(self) -> None:
        """Say that the text was taken."""
        self.accepted.emit()

    def refuse(self, sentence: str) -> None:
        """Say that the text was not taken, and why."""
        self.refused.emit(sentence)

    def show_draft(self, text: str) -> None:
        """Put a chat's draft into the box."""
        self.draft_shown.emit(text)
