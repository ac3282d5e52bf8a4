"""Uncaught errors end in one place: the log, once on screen, in diagnostics without any text."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from app_rig import Rig
from PySide6.QtCore import QThread, QTimer, qWarning

from app import faults
from app.diagnostics import diagnostics
from app.faults import Faults
from app.settings import Settings
from engine.errors import EngineError

SECRET = "a question nobody else should read"


@pytest.fixture
def caught(tmp_path: Path) -> Iterator[Faults]:
    made = Faults(tmp_path)
    made.install()
    yield made
    made.remove()


def raise_error() -> None:
    raise KeyError(SECRET)


def text_of(folder: Path) -> str:
    return (folder / faults.FILE).read_text(encoding="utf-8")


def test_an_error_is_logged_where_it_was_and_shown_once(caught: Faults, tmp_path: Path) -> None:
    met: list[bool] = []
    caught.met.connect(lambda: met.append(True))
    for _ in range(3):
        try:
            raise_error()
        except KeyError as error:
            sys.excepthook(KeyError, error, error.__traceback__)
    log = text_of(tmp_path)
    assert log.count("Nobody caught this error.") == 3
    assert "in raise_error" in log
    assert "KeyError" in log
    assert SECRET not in log.replace("raise KeyError(SECRET)", "")
    assert met == [True]


def test_errors_on_every_kind_of_thread_are_caught(
    rig: Rig, caught: Faults, tmp_path: Path
) -> None:
    thread = threading.Thread(target=raise_error)
    thread.start()
    thread.join()
    assert text_of(tmp_path).count("\nKeyError\n") == 1
    worker = QThread()
    timer = QTimer()
    timer.setSingleShot(True)
    timer.moveToThread(worker)
    timer.timeout.connect(raise_error)
    worker.started.connect(timer.start)
    worker.start()
    rig.until(lambda: text_of(tmp_path).count("\nKeyError\n") == 2)
    worker.quit()
    worker.wait()


def test_errors_that_carry_codes_keep_their_words(caught: Faults, tmp_path: Path) -> None:
    for error in (EngineError("The GPU fell off the bus."), OSError(28, "No space left")):
        try:
            raise error
        except type(error):
            logging.getLogger("app").warning("It failed.", exc_info=True)
    assert "EngineError: The GPU fell off the bus." in text_of(tmp_path)
    assert "OSError: [Errno 28] No space left" in text_of(tmp_path)


@pytest.mark.qt_log_ignore("a word of Qt")
def test_what_qt_says_is_logged(caught: Faults, tmp_path: Path) -> None:
    qWarning("a word of Qt")
    assert "WARNING qt: a word of Qt" in text_of(tmp_path)


def test_logs_are_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "FILE_BYTES", 2000)
    caught = Faults(tmp_path)
    caught.install()
    for number in range(400):
        logging.getLogger("app").warning("line %d of a long day", number)
    caught.remove()
    files = sorted(tmp_path.iterdir())
    assert len(files) == faults.FILES == 5
    assert all(file.stat().st_size <= 2000 for file in files)
    assert caught.last_lines()[-1].endswith("line 399 of a long day")
    assert len(caught.last_lines()) == faults.LAST_LINES


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    caught = Faults(tmp_path / "file" / "logs")
    caught.install()
    logging.getLogger("app").warning("still kept")
    caught.remove()
    assert caught.last_lines()[-1].endswith("still kept")


def test_hooks_are_given_back(tmp_path: Path) -> None:
    before = (sys.excepthook, threading.excepthook, logging.getLogger().level)
    caught = Faults(tmp_path)
    caught.install()
    assert sys.excepthook is not before[0]
    caught.remove()
    assert (sys.excepthook, threading.excepthook, logging.getLogger().level) == before


def test_diagnostics_help_and_hold_no_text(rig: Rig, caught: Faults) -> None:
    rig.load()
    rig.script.faults["build"] = [RuntimeError(f"cannot read {SECRET}")]
    rig.chat.send(SECRET)
    rig.idle()
    settings = Settings(zoom=130, geometry="AAA", chat="c1")
    text = diagnostics(rig.scene, rig.saving.opening, settings, caught.last_lines())
    for word in ("tinyloop-chat 0", "pyside6-essentials 6", "Python 3.", "chats: in memory",
                 "some-model on CPU (no NVIDIA driver), 512 tokens", "settings: zoom=130\n",
                 "Opened some-model on CPU", "The engine failed.", "RuntimeError",
                 "in build_resume_handle"):  # fmt: skip
        assert word in text, text
    assert SECRET not in text
    assert "AAA" not in text
