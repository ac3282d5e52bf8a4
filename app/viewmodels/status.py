"""The status line and the error bar: one line of facts, one sentence with one action."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.viewmodels.library_rows import Notice
from app.viewmodels.rows import ErrorBar


@dataclass(frozen=True, slots=True)
class Facts:
    """What the status line is made of; None or "" where nothing is known yet.

    ``device`` carries its reason: "CPU (no NVIDIA driver)". ``kept_bytes`` are bytes of all
    kept states, ``storing`` says when chats are not on the disk.
    """

    model: str = ""
    device: str = ""
    tokens_per_second: float | None = None
    first_word: float | None = None
    kept: int = 0
    kept_bytes: int = 0
    storing: str = ""

    def line(self) -> str:
        """Return the status line's text."""
        parts = [self.model or "no model", self.device]
        if self.tokens_per_second is not None:
            parts.append(
                f"{self.tokens_per_second:.{0 if self.tokens_per_second >= 10 else 1}f} tokens/s"
            )
        if self.first_word is not None:
            parts.append(f"first word {self.first_word:.1f} s")
        parts += [self.kept_part(), self.storing]
        return " · ".join(part for part in parts if part)

    def model_part(self) -> str:
        """Return the part of the line that tells about the model; empty until it is open."""
        return self.model if self.device else ""

    def kept_part(self) -> str:
        """Return the part of the line that opens the shelf of kept states; empty for none."""
        return f"kept states {self.kept}, {self.kept_bytes / 1e6:.0f} MB" if self.kept else ""


class StatusModel(QObject):
    """The facts line, the error and the notice, if there is one.

    An error of the moment stands before what is wrong with the chats on the disk: that one comes
    back until it is settled. ``open_model``, ``save_as`` and
    ``choose_folder`` ask for a dialog.
    """

    changed = Signal(str)
    error_changed = Signal(object)
    notice_changed = Signal(object)
    open_model = Signal()
    save_as = Signal()
    choose_folder = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self.model = ""  # the part of the text that names the open model, at its beginning
        self.kept = ""  # the part of the text about kept states
        self.error: ErrorBar | None = None
        self._moment: ErrorBar | None = None
        self._unsaved: ErrorBar | None = None
        self.notice: Notice | None = None
        self._fading = QTimer(self)
        self._fading.setSingleShot(True)
        self._fading.timeout.connect(self._fade)

    def show(self, facts: Facts) -> None:
        """Show ``facts`` and tell the view when the text differs."""
        text = facts.line()
        if text != self.text:
            self.text = text
            self.model, self.kept = facts.model_part(), facts.kept_part()
            self.changed.emit(text)

    def set_error(self, error: ErrorBar | None) -> None:
        """Show one error of the moment, or none."""
        self._moment = error
        self._show_error()

    def set_unsaved(self, error: ErrorBar | None) -> None:
        """Say what is wrong with the chats on the disk, or that nothing is any more."""
        self._unsaved = error
        self._show_error()

    def _show_error(self) -> None:
        shown = self._moment or self._unsaved
        if shown != self.error:
            self.error = shown
            self.error_changed.emit(shown)

    def set_notice(self, notice: Notice | None) -> None:
        """Show a notice for its seconds, or none."""
        self.notice = notice
        self._fading.stop()
        if notice is not None:
            self._fading.start(round(notice.seconds * 1000))
        self.notice_changed.emit(notice)

    def fail(self, error: Exception) -> None:
        """Show what went wrong, with nothing to do but to have read it."""
        self.set_error(ErrorBar(str(error), "OK", self._no_error))

    def tell(self, sentence: str) -> None:
        """Show a notice with nothing to do but to have read it."""
        self.set_notice(Notice(sentence, "OK", self._fade))

    @Slot()
    def _no_error(self) -> None:
        self.set_error(None)

    @Slot()
    def _fade(self) -> None:
        self.set_notice(None)
