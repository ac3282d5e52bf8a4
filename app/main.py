"""Puts the app together: engine, chat and window, from the first line to the last."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from app import frozen, paths, settings, stage
from app.chat import Chat
from app.collector import Collector
from app.diagnostics import diagnostics
from app.domain.store import AlreadyOpen, FolderLock, open_database
from app.engine_link.service import EngineService
from app.faults import Faults
from app.instance import Doorbell, wake
from app.library import Library
from app.receipts import Receipts
from app.saving import Saving
from app.startup import Options, parse, screen_problem
from app.viewmodels.about import AboutModel
from app.viewmodels.composer import ComposerModel
from app.viewmodels.conversations import Conversations
from app.viewmodels.receipt import ReceiptModel
from app.viewmodels.rows import Card
from app.viewmodels.shelf import ShelfModel
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript
from app.views.main_window import MainWindow
from app.views.style import PageStyle
from app.views.theme import SchemeChoice, Theme
from app.views.view_models import ViewModels
from app.wake import WakeWatch

BUNDLED_FACTS = "{size} parameters · on this computer · English · often wrong"
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
        frozen.tell(problem)
        return 1
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Qt's loop would never see Python's
    qt = QApplication(sys.argv[:1])
    qt.setApplicationName(paths.APP)
    qt.setDesktopFileName("tinyloop-chat")
    qt.setWindowIcon(QIcon(str(paths.icon_file())))
    places = paths.places(options.data_dir)
    try:
        lock = FolderLock(places.data)
    except AlreadyOpen as error:
        return _leave_to_the_first(places.data, str(error))
    app = App(qt, options, places)
    app.start()
    if started is not None:
        started(app)
    gc.freeze()  # what is there at the start stays: later collections are short
    code = qt.exec()
    lock.release()
    if app.stuck:  # an ordinary exit aborts while a thread runs
        os._exit(code)
    return code


def _leave_to_the_first(folder: Path, sentence: str) -> int:
    """Raise the window that has the folder open; say so when it does not answer."""
    if wake(folder):
        return 0
    sys.stderr.write(sentence + "\n")
    QMessageBox.information(None, paths.APP, sentence)
    return 1


class App(QObject):
    """Owns everything that lives as long as the window."""

    def __init__(self, qt: QApplication, options: Options, places: paths.Places) -> None:
        super().__init__()
        self.stuck = False
        self._options = options
        self._places = places
        self._settings = settings.load(places.settings)
        self.faults = Faults(places.logs)
        self.faults.install()
        self.theme = Theme(qt)
        self._style = PageStyle(self.theme)
        qt.setStyle(self._style)
        self.theme.set_choice(SchemeChoice(self._settings.scheme))
        self.theme.set_zoom(self._settings.zoom)
        self._make_logic()
        self.window = MainWindow(self.theme, self.models)
        self.window.restore(self._settings.geometry, self._settings.sidebar)
        bundled = options.model == paths.model_file()
        facts = BUNDLED_FACTS.format(size=paths.model_size()) if bundled else OTHER_FACTS
        self.window.empty.show_facts(facts)
        self._listen()
        self._wake = WakeWatch()
        self._collector = Collector()
        self._connect_page()
        self._connect_chats()

    def start(self) -> None:
        """Show the window and the last chat; the model is loaded once it is on screen."""
        self.library.start(self._settings.chat)
        self.window.show()
        QTimer.singleShot(0, self._load)

    def _make_logic(self) -> None:
        status, transcript, composer = StatusModel(), Transcript(read_cards()), ComposerModel()
        conversations = Conversations()
        self.models = ViewModels(transcript, composer, status, conversations)
        self.receipt, self.shelf, self.about = ReceiptModel(), ShelfModel(), AboutModel()
        self.service = EngineService()
        self.saving = Saving(open_database(self._places.data))
        self.chat = Chat(self.service, self.saving, stage.ViewModels(transcript, composer, status))
        self.chat.stage.first_depth = self._settings.depth
        self.library = Library(self.chat, conversations)
        self.receipts = Receipts(self.chat, self.service, self.receipt, self.shelf, self.about)

    def _connect_page(self) -> None:
        window, chat = self.window, self.chat
        window.action_requested.connect(chat.perform)
        window.send_requested.connect(chat.send)
        window.edit_requested.connect(chat.edit)
        window.stop_requested.connect(chat.stop)
        window.draft_changed.connect(chat.draft_changed)
        window.depth_chosen.connect(self._depth_chosen)
        window.variant_stepped.connect(chat.step_variant)
        window.open_model_requested.connect(self._open_model)
        window.closing.connect(self._close)
        window.copy_diagnostics_requested.connect(self._copy_diagnostics)
        self._wake.woke.connect(self.service.probe)
        self.models.status.open_model.connect(self._open_model)
        window.folder_chosen.connect(self._keep_chats_in)
        self.faults.met.connect(window.dialogs.show_crash)

    def _connect_chats(self) -> None:
        window, library, receipts = self.window, self.library, self.receipts
        window.new_chat_requested.connect(library.new_chat)
        window.new_temporary_chat_requested.connect(library.new_temporary_chat)
        window.open_chat_requested.connect(library.open_listed)
        window.rename_chat_requested.connect(library.rename_chat)
        window.pin_chat_requested.connect(library.pin_chat)
        window.delete_chat_requested.connect(library.delete_chat)
        window.delete_all_requested.connect(library.delete_all)
        window.search_requested.connect(library.search)
        window.export_all_requested.connect(library.export_all)
        window.export_chat_requested.connect(library.export_chat)
        window.import_chats_requested.connect(library.import_chats)
        window.show_receipt_requested.connect(receipts.show_receipt)
        window.compare_cold_requested.connect(receipts.compare_cold)
        window.show_shelf_requested.connect(receipts.show_shelf)
        window.free_states_requested.connect(receipts.free_states)
        window.show_about_requested.connect(receipts.show_about)
        self.receipt.changed.connect(window.dialogs.show_receipt)
        self.shelf.changed.connect(window.dialogs.show_shelf)
        self.about.changed.connect(window.dialogs.show_about)
        library.shown_changed.connect(self._shown_changed)
        library.shown_changed.connect(window.page.finder.leave_chat)
        library.found.connect(window.page.finder.show_found)

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

    @Slot(str)
    def _keep_chats_in(self, folder: str) -> None:
        """Use a chosen folder as one of --data-dir: for chats, settings and second starts."""
        if self.library.keeping.keep_in(Path(folder)):
            self._places = paths.Places.under(Path(folder))
            self._doorbell.close()
            self._listen()

    def _listen(self) -> None:
        """Come to the front when the app is started again with the same chats."""
        self._doorbell = Doorbell(self._places.data)
        self._doorbell.rung.connect(self._raise)

    @Slot(int)
    def _depth_chosen(self, depth: int) -> None:
        """New chats begin with the depth that was chosen last."""
        self._settings.depth = self.chat.stage.first_depth = depth
        self.chat.set_depth(depth)

    @Slot(str)
    def _shown_changed(self, chat_id: str) -> None:
        """Remember the chat at once: a process that is killed saves nothing."""
        self._settings.chat = chat_id
        settings.save(self._places.settings, self._settings)

    @Slot()
    def _copy_diagnostics(self) -> None:
        text = diagnostics(
            self.chat.scene, self.saving.opening, self._settings, self.faults.last_lines()
        )
        QGuiApplication.clipboard().setText(text)

    @Slot()
    def _raise(self) -> None:
        """Come to the front: the app was started a second time."""
        self.window.setWindowState(self.window.windowState() & ~Qt.WindowState.WindowMinimized)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    @Slot()
    def _close(self) -> None:
        self._settings.scheme = self.theme.choice.value
        self._settings.zoom = self.theme.zoom
        self._settings.geometry = self.window.geometry_text()
        self._settings.sidebar = self.window.sidebar_wanted
        self.window.hide()
        self._doorbell.close()
        settings.save(self._places.settings, self._settings)
        self.chat.close()
        self.stuck = not self.service.shutdown()
        self.saving.close()
        self.faults.remove()


def read_cards() -> list[Card]:
    """Return the questions that ship with the app."""
    with paths.cards_file().open(encoding="utf-8") as file:
        return [
            Card(**{**card, "choices": tuple(card.get("choices", ()))}) for card in json.load(file)
        ]
