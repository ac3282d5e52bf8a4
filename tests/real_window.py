"""The app as it is started, with a real model, driven through its window only."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_rig import click, wait

from app.main import App
from app.paths import Places
from app.startup import parse
from app.viewmodels.library_rows import ChatRow
from app.viewmodels.rows import AnswerRow


class Running:
    """An app with its model loaded, looked at through its window."""

    def __init__(self, qapp: QApplication, model: Path, folder: Path) -> None:
        options = parse(["--model", str(model), "--device", "cpu"])
        self.app = App(qapp, options, Places.under(folder))
        self.window = self.app.window
        self.app.start()
        assert self.window.isVisible()
        assert self.scene.facts is None  # the window comes before the model

    @property
    def scene(self) -> Any:
        return self.app.chat.scene

    @property
    def answers(self) -> list[AnswerRow]:
        return [r for r in self.app.models.transcript.rows() if isinstance(r, AnswerRow)]

    def until(self, condition: Callable[[], Any], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "waited too long"
            wait(10)

    def idle(self) -> None:
        self.until(lambda: self.scene.run is None and not self.app.service.busy)
        wait(20)

    def ask(self, text: str) -> None:
        """Type and press Enter."""
        self.window.composer.edit.setFocus()
        QTest.keyClicks(self.window.composer.edit, text)
        QTest.keyClick(self.window.composer.edit, Qt.Key.Key_Return)
        self.idle()

    def click(self, name: str) -> None:
        click(self.window, name)

    def close(self) -> None:
        self.window.close()
        assert not self.app.stuck

    @property
    def chats(self) -> list[ChatRow]:
        """The chats of the sidebar."""
        rows = self.app.models.conversations.rows()
        return [row for row in rows if isinstance(row, ChatRow)]

    def row_of(self, title: str) -> Any:
        """Where the row of a chat stands in the sidebar's list."""
        rows = self.app.models.conversations.rows()
        number = next(n for n, row in enumerate(rows) if getattr(row, "title", "") == title)
        return self.window.sidebar.chats.visualRect(self.app.models.conversations.index(number))

    def open(self, title: str) -> None:
        """Click on a chat of the sidebar."""
        viewport = self.window.sidebar.chats.viewport()
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=self.row_of(title).center())
        wait(10)
