"""The self-test of the window: types, presses and clicks as a user would, in the real app."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QWidget,
)

from app.main import App
from app.main import main as run_app
from app.viewmodels.library_rows import ChatRow
from app.viewmodels.rows import AnswerRow
from app.views.two_line_button import TwoLineButton
from engine.self_test import FAILED, PASSED, QUESTION, Report

POLL_MS = 20
PATIENCE = 90.0  # seconds for one step; the slowest takes a few on two cores


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is done beyond asking: save a picture, choose a folder for chats kept in memory."""

    picture: Path | None = None
    folder: Path | None = None


def check_window(report: Report, start: list[str], wishes: Wishes) -> None:
    """Start the app with the options ``start``, ask, try harder, close; add a check for each."""
    drivers: list[Driver] = []
    code = run_app(start, lambda app: drivers.append(Driver(app, report, wishes)))
    finished = bool(drivers) and drivers[0].finished
    note = "" if finished else "the window closed before the end" if drivers else "no window"
    report.add("the app ends", FAILED if code or not finished else PASSED, note, 0.0)


@dataclass(frozen=True, slots=True)
class Step:
    """``act`` once, then wait for ``reached`` to return a note ("" while it is not so yet)."""

    name: str
    act: Callable[[], None]
    reached: Callable[[], str]


class Driver(QObject):
    """Takes one step after the other; the first that takes too long ends the test."""

    def __init__(self, app: App, report: Report, wishes: Wishes) -> None:
        super().__init__()
        self.finished = False
        self._app, self._report, self._wishes = app, report, wishes
        self._steps = [
            Step("the window is shown", lambda: None, self._shown),
            Step("the model loads", lambda: None, self._loaded),
            Step("a question is sent", self._ask, self._question),
            Step("an answer begins", lambda: None, self._first_words),
            Step("an answer is written", lambda: None, lambda: self._whole(1)),
            Step("Try harder writes another", self._try_harder, lambda: self._whole(2)),
        ]
        if wishes.folder is not None:
            self._steps += [
                Step("a dialog asks for a folder", self._press_choose_folder, self._dialog_title),
                Step("chats move into a chosen folder", self._type_folder, self._moved),
            ]
        self._begin()
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _begin(self) -> None:
        self._started = time.monotonic()
        self._steps[0].act()

    @Slot()
    def _look(self) -> None:
        """See whether the step is done, met an objection, or has taken too long."""
        step, spent = self._steps[0], time.monotonic() - self._started
        note = step.reached()
        if not note and not _objection() and spent < PATIENCE:
            return
        self._report.add(step.name, PASSED if note else FAILED, note or self._problem(), spent)
        self._steps.pop(0)
        if note and self._steps:
            self._begin()
            return
        self.finished = bool(note)
        self._timer.stop()
        if self._wishes.picture is not None:
            self._app.window.grab().save(str(self._wishes.picture))
        self._app.window.close()

    # -- what a user does ---------------------------------------------------------------------

    def _ask(self) -> None:
        """Type the question and press Enter."""
        edit = self._app.window.composer.edit
        for character in QUESTION:
            _press(edit, Qt.Key.Key_unknown, character)
        _press(edit, Qt.Key.Key_Return, "\r")

    def _try_harder(self) -> None:
        """Click the first effort button."""
        self._effort_buttons()[0].click()

    def _press_choose_folder(self) -> None:
        """Click the error bar's button; its dialog is then a loop of its own, with our timer."""
        buttons = self._app.window.error.findChildren(QPushButton)
        QTimer.singleShot(0, next(b for b in buttons if b.isVisible()).click)

    def _type_folder(self) -> None:
        """Type the folder and press Enter; what the dialog may object is a loop of its own, too."""
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QFileDialog):
            dialog.findChildren(QLineEdit)[0].setText(str(self._wishes.folder))
            QTimer.singleShot(0, dialog.accept)

    # -- what a user sees ---------------------------------------------------------------------

    def _shown(self) -> str:
        if not self._app.window.isVisible() or not self._app.window.windowHandle().isExposed():
            return ""
        return f"by Qt's {QApplication.platformName()}"

    def _loaded(self) -> str:
        if not self._app.models.composer.state.efforts:
            return ""
        chats = [row for row in self._app.models.conversations.rows() if isinstance(row, ChatRow)]
        return f"{self._app.models.status.text}; earlier chats: {len(chats)}"

    def _question(self) -> str:
        rows = self._app.models.transcript.rows()
        return repr(rows[-1].text) if rows else ""

    def _first_words(self) -> str:
        row = self._answer()
        return repr(row.text) if row is not None and row.text else ""

    def _whole(self, variants: int) -> str:
        """Return the newest answer when it has that many variants and nothing runs."""
        row = self._answer()
        if row is None or self._app.models.composer.state.running or not self._effort_buttons():
            return ""
        found = max(1, len(row.chips))
        return f"{row.text!r}, {row.caption}".rstrip(", ") if found >= variants else ""

    def _dialog_title(self) -> str:
        dialog = QApplication.activeModalWidget()
        return dialog.windowTitle() if isinstance(dialog, QFileDialog) else ""

    def _moved(self) -> str:
        notice = self._app.models.status.notice
        return notice.sentence if notice is not None else ""

    def _answer(self) -> AnswerRow | None:
        rows = self._app.models.transcript.rows()
        return next((row for row in reversed(rows) if isinstance(row, AnswerRow)), None)

    def _effort_buttons(self) -> list[TwoLineButton]:
        controls = self._app.window.transcript.effort_bar.controls()
        return [c for c in controls if isinstance(c, TwoLineButton) and c.isVisible()]

    def _problem(self) -> str:
        bar = self._app.models.status.error
        said = bar.sentence if bar else f"nothing after {PATIENCE:.0f} s"
        return _objection() or said


def _objection() -> str:
    """Return what a message box says that is open over the window, or ""."""
    box = QApplication.activeModalWidget()
    return box.text() if isinstance(box, QMessageBox) else ""


def _press(widget: QWidget, key: Qt.Key, text: str) -> None:
    """Press and release a key."""
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text)
        QApplication.sendEvent(widget, event)
