"""The one place where uncaught errors end: in the log, and on screen once.

The log names where an error came from and what kind it was. Its own words are written only for
errors of the system and of the engine, which carry codes and numbers: others may quote a text.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from copy import copy
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

from app.domain import private

FILE = "tinyloop-chat.log"
FILES, FILE_BYTES = 5, 2_000_000
LAST_LINES = 200
LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}

log = logging.getLogger("app")
qt_log = logging.getLogger("qt")


class NoTexts(logging.Formatter):
    """Writes an error as its frames and its kind."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record anew: another formatter's traceback, kept in it, quotes values."""
        record = copy(record)
        record.exc_text = None
        return super().format(record)

    def formatException(self, ei: Any) -> str:
        """Return a traceback without the values an unknown error may quote."""
        kind, error, trace = ei
        frames = "".join(traceback.format_tb(trace)).rstrip()
        said = str(error) if isinstance(error, OSError) or hasattr(error, "code") else ""
        return f"{frames}\n{kind.__name__}{': ' if said else ''}{said}"


class LastLines(logging.Handler):
    """Keeps the newest lines for the diagnostics."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[str] = deque(maxlen=LAST_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record's lines."""
        self.lines.extend(self.format(record).splitlines())


class Faults(QObject):
    """Catches what nobody caught, on any thread; ``met`` is emitted for the first one only.

    ``install`` takes over the process's hooks, ``remove`` gives them back.
    """

    met = Signal()

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._told = False
        self._last = LastLines()
        terminal = logging.StreamHandler()
        terminal.setLevel(logging.ERROR)
        self._handlers: list[logging.Handler] = [self._last, terminal]
        try:
            private.make_folder(folder)
            self._handlers.append(RotatingFileHandler(
                folder / FILE, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8",
                delay=True,
            ))  # fmt: skip
        except OSError:
            pass  # without a folder the newest lines are still kept
        self._undo: list[Callable[[], object]] = []

    def install(self) -> None:
        """Log everything from here on, and catch what is caught nowhere else."""
        root, level = logging.getLogger(), logging.getLogger().level
        for handler in self._handlers:
            handler.setFormatter(NoTexts("%(asctime)s %(levelname)s %(name)s: %(message)s"))
            root.addHandler(handler)
        root.setLevel(logging.INFO)
        old_hook, old_thread_hook = sys.excepthook, threading.excepthook
        old_qt = qInstallMessageHandler(_from_qt)
        sys.excepthook = self._caught
        threading.excepthook = self._caught_on_thread
        self._undo = [
            lambda: setattr(sys, "excepthook", old_hook),
            lambda: setattr(threading, "excepthook", old_thread_hook),
            lambda: qInstallMessageHandler(old_qt),
            lambda: root.setLevel(level),
        ]

    def remove(self) -> None:
        """Give the hooks back and close the log."""
        for undo in self._undo:
            undo()
        for handler in self._handlers:
            logging.getLogger().removeHandler(handler)
            handler.close()

    def last_lines(self) -> list[str]:
        """Return the newest lines of the log."""
        return list(self._last.lines)

    def _caught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Log an error; Qt calls this on the thread whose slot raised it."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        log.error("Nobody caught this error.", exc_info=(kind, error, trace))
        if not self._told:
            self._told = True
            self.met.emit()

    def _caught_on_thread(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self._caught(caught.exc_type, caught.exc_value, caught.exc_traceback)


def _from_qt(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    qt_log.log(LEVELS.get(kind, logging.WARNING), "%s", message)
