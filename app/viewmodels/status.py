"""The status line and the error bar: one line of facts, one sentence with one action."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.viewmodels.rows import ErrorBar

NOT_SAVED = "not saved yet: this version keeps chats only while it is open"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the status line is made of; None or "" where nothing is known yet.

    ``device`` carries its reason: "CPU (no NVIDIA driver)". ``kept_bytes`` are bytes of all
    kept states.
    """

    model: str = ""
    device: str = ""
    tokens_per_second: float | None = None
    first_word: float | None = None
    kept: int = 0
    kept_bytes: int = 0
    saved: bool = False

    def line(self) -> str:
        """Return the status line's text."""
        parts = [self.model or "no model", self.device]
        if self.tokens_per_second is not None:
            parts.append(
                f"{self.tokens_per_second:.{0 if self.tokens_per_second >= 10 else 1}f} tokens/s"
            )
        if self.first_word is not None:
            parts.append(f"first word {self.first_word:.1f} s")
        parts.append(self.kept_part())
        if not self.saved:
            parts.append(NOT_SAVED)
        return " · ".join(part for part in parts if part)

    def kept_part(self) -> str:
        """Return the part of the line that opens the shelf of kept states; empty for none."""
        return f"kept states {self.kept}, {self.kept_bytes / 1e6:.0f} MB" if self.kept else ""


class StatusModel(QObject):
    """The facts line and the error, if there is one; ``open_model`` asks for a file dialog."""

    changed = Signal(str)
    error_changed = Signal(object)
    open_model = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self.kept = ""  # the part of the text about kept states
        self.error: ErrorBar | None = None

    def show(self, facts: Facts) -> None:
        """Show ``facts`` and tell the view when the text differs."""
        text = facts.line()
        if text != self.text:
            self.text = text
            self.kept = facts.kept_part()
            self.changed.emit(text)

    def set_error(self, error: ErrorBar | None) -> None:
        """Show one error, or none."""
        if error != self.error:
            self.error = error
            self.error_changed.emit(error)
