"""Puts the app together: engine, chat and window, from the first line to the last."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QFileDialog

from app import paths, settings
from app.chat import Chat
from app.engine_link.service import EngineService
from app.startup import Options, parse, screen_problem
from app.viewmodels.composer import ComposerModel
from app.viewmodels.rows import Card, ComposerState
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript
from app.views.main_window import MainWindow, ViewModels
from app.views.style import PageStyle
from app.views.theme import SchemeChoice, Theme

BUNDLED_FACTS = "27M parameters · on this computer · English · often wrong"
OTHER_FACTS = "on this computer"


def main(
    arguments: Sequence[str] | None = None, started: Callable[[App], object] | None = None
) -> int:
    """Run the app and return its exit code; 1 when there is no screen.

    ``started`` is given the app once its window is shown: the self-test drives it from there.
    """
    options = parse(arguments)
    problem = screen_problem()
    if problem:
        sys.stderr.write(problem + "\n")
        return 1
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Qt's loop would never see Python's
    qt = QApplication(sys.argv[:1])
    qt.setApplicationName(paths.APP)
    qt.setDesktopFileName("tinyloop-chat")
    qt.setWindowIcon(QIcon(str(paths.icon_file())))
    app = App(qt, options, paths.settings_file())
    app.start()
    if started is not None:
        started(app)
    code = qt.exec()
    if app.stuck:  # an ordinary exit aborts while a thread runs
        os._exit(code)
    return code


class App(QObject):
    """Owns everything that lives as long as the window."""

    def __init__(self, qt: QApplication, options: Options, settings_file: Path) -> None:
        super().__init__()
        self.stuck = False
        self._options = options
        self._settings_file = settings_file
        self._settings = settings.load(settings_file)
        self.theme = Theme(qt)
        self._style = PageStyle(self.theme)
        qt.setStyle(self._style)
        self.theme.set_choice(SchemeChoice(self._settings.scheme))
        self.theme.set_zoom(self._settings.zoom)
        self.models = ViewModels(Transcript(read_cards()), ComposerModel(), StatusModel())
        models = self.models
        self.service = EngineService()
        self.chat = Chat(self.service, models.transcript, models.composer, models.status)
        self.window = MainWindow(self.theme, models)
        self.window.restore(self._settings.geometry)
        bundled = options.model == paths.model_file()
        self.window.empty.show_facts(BUNDLED_FACTS if bundled else OTHER_FACTS)
        self._connect()

    def start(self) -> None:
        """Show the window; the model is loaded once it is on screen."""
        self.window.show()
        QTimer.singleShot(0, self._load)

    def _connect(self) -> None:
        window, chat = self.window, self.chat
        window.action_requested.connect(chat.perform)
        window.send_requested.connect(chat.send)
        window.edit_requested.connect(chat.edit)
        window.stop_requested.connect(chat.stop)
        window.new_chat_requested.connect(chat.new_chat)
        window.draft_changed.connect(chat.draft_changed)
        window.depth_chosen.connect(self._depth_chosen)
        window.variant_stepped.connect(chat.step_variant)
        window.open_model_requested.connect(self._open_model)
        window.closing.connect(self._close)
        self.models.status.open_model.connect(self._open_model)
        self.models.composer.changed.connect(self._composer_changed)

    @Slot()
    def _load(self) -> None:
        self.chat.load(str(self._options.model), self._options.device)

    @Slot()
    def _open_model(self) -> None:
        title, kinds = self.tr("Open a model"), self.tr("Models (*.tinyloop)")
        folder = str(self._options.model.parent)
        chosen, _ = QFileDialog.getOpenFileName(self.window, title, folder, kinds)
        if chosen:
            self.window.empty.show_facts(OTHER_FACTS)
            self.chat.load(chosen, self._options.device)

    @Slot(int)
    def _depth_chosen(self, depth: int) -> None:
        self._settings.depth = depth
        self.chat.set_depth(depth)

    @Slot(object)
    def _composer_changed(self, state: ComposerState) -> None:
        """Take the kept depth as soon as a model is there that offers it."""
        if self._settings.depth in state.efforts and state.depth != self._settings.depth:
            self.chat.set_depth(self._settings.depth)

    @Slot()
    def _close(self) -> None:
        self._settings.scheme = self.theme.choice.value
        self._settings.zoom = self.theme.zoom
        self._settings.geometry = self.window.geometry_text()
        self.window.hide()
        settings.save(self._settings_file, self._settings)
        self.chat.close()
        self.stuck = not self.service.shutdown()


def read_cards() -> list[Card]:
    """Return the questions that ship with the app."""
    with paths.cards_file().open(encoding="utf-8") as file:
        return [Card(**card) for card in json.load(file)]
