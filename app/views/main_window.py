"""The window: puts sidebar and page together and turns commands into requests."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QPushButton, QWidget

from app.viewmodels.library_rows import ChatRow
from app.viewmodels.rows import Card, ComposerState
from app.views.answer_commands import AnswerCommands
from app.views.chat_files import ChatFiles
from app.views.chat_page import ChatPage
from app.views.dialogs import Dialogs
from app.views.menus import Handler, fill_menus
from app.views.shortcuts import Command
from app.views.sidebar import WIDTH, Sidebar
from app.views.theme import ZOOM_STEP, Theme
from app.views.view_models import ViewModels

TITLE = "TinyLoop Chat"
SIDEBAR_FROM = 95  # u: narrower windows show the sidebar only when asked
LEAST = 46  # u: the narrowest page, and window


class MainWindow(QMainWindow):
    """Knows no conversation and no engine: it shows view models and emits what the user wants."""

    action_requested = Signal(object)
    send_requested = Signal(str)
    edit_requested = Signal(str, str)
    stop_requested = Signal()
    draft_changed = Signal(str)
    depth_chosen = Signal(int)
    variant_stepped = Signal(int)
    open_model_requested = Signal()
    new_chat_requested = Signal()
    new_temporary_chat_requested = Signal()
    open_chat_requested = Signal(str)
    rename_chat_requested = Signal(str, str)
    pin_chat_requested = Signal(str, bool)
    delete_chat_requested = Signal(str)
    delete_all_requested = Signal()
    search_requested = Signal(str)
    export_all_requested = Signal(str)
    export_chat_requested = Signal(str, str)
    import_chats_requested = Signal(str)
    folder_chosen = Signal(str)
    show_receipt_requested = Signal(str)
    compare_cold_requested = Signal(str)
    show_shelf_requested = Signal()
    free_states_requested = Signal()
    show_about_requested = Signal()
    copy_diagnostics_requested = Signal()
    closing = Signal()

    def __init__(self, theme: Theme, models: ViewModels) -> None:
        super().__init__()
        self._theme = theme
        self._models = models
        self._sidebar_wanted = True  # in a wide window
        self._sidebar_asked = False  # in a narrow one
        self.sidebar = Sidebar(theme, models.conversations)
        self.page = ChatPage(theme, models)
        self.transcript, self.empty = self.page.transcript, self.page.empty
        self.error, self.composer = self.page.error, self.page.composer
        self._answers = AnswerCommands(theme, self.page, models, self)
        self._files = ChatFiles(self)
        self.dialogs = Dialogs(theme, self)
        self._lay_out()
        self._connect_page()
        self._connect_sidebar()
        self._connect_dialogs()
        self._restyle()
        self._show_titles()
        self.composer.edit.setFocus()

    # Parts

    def _lay_out(self) -> None:
        whole = QWidget()
        line = QHBoxLayout(whole)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        line.addWidget(self.sidebar)
        line.addWidget(self.page, 1)
        self.setCentralWidget(whole)
        fill_menus(self.menuBar(), self._handlers(), self._theme)
        self._new_chat = QPushButton(self.tr("New chat"))
        self._new_chat.setFlat(True)
        self._new_chat.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._new_chat.clicked.connect(self._new_chat_chosen)
        self.menuBar().setCornerWidget(self._new_chat, Qt.Corner.TopRightCorner)

    def _handlers(self) -> dict[Command, Handler]:
        answers = self._answers
        return {
            Command.NEW_CHAT: self._new_chat_chosen,
            Command.NEW_TEMPORARY: self._new_temporary_chosen,
            Command.SEARCH: self._search,
            Command.RENAME: self._rename,
            Command.DELETE_CHAT: self._delete_shown,
            Command.EXPORT_CHAT: self._export_shown,
            Command.EXPORT_ALL: self._files.export_all,
            Command.IMPORT: self._files.import_chats,
            Command.DELETE_ALL: self._files.delete_all,
            Command.OPEN_MODEL: self.open_model_requested,
            Command.QUIT: self.close,
            Command.STOP: self._escape,
            Command.HARDER: answers.try_harder,
            Command.REALLY_HARD: answers.try_really_hard,
            Command.ANSWER_AGAIN: answers.answer_again,
            Command.EDIT_LAST: answers.edit_last,
            Command.COPY_ANSWER: answers.copy_answer,
            Command.RECEIPT: answers.show_receipt,
            Command.FIND: self._find,
            Command.SIDEBAR: self._toggle_sidebar,
            Command.SHELF: self.dialogs.ask_for_shelf,
            Command.ZOOM_IN: self._zoom_in,
            Command.ZOOM_OUT: self._zoom_out,
            Command.ZOOM_RESET: self._zoom_reset,
            Command.NEXT_PANE: self._next_pane,
            Command.SHORTCUTS: self.dialogs.show_shortcuts,
            Command.ABOUT: self.dialogs.ask_for_about,
            Command.DIAGNOSTICS: self.copy_diagnostics_requested,
        }

    def _connect_page(self) -> None:
        models, composer = self._models, self.composer
        models.composer.changed.connect(self._composer_changed)
        self.transcript.variant_stepped.connect(self.variant_stepped)
        self._answers.action_requested.connect(self.action_requested)
        self._answers.receipt_requested.connect(self.dialogs.ask_for_receipt)
        self.empty.card_chosen.connect(self._card_chosen)
        composer.send_requested.connect(self.send_requested)
        composer.edit_requested.connect(self.edit_requested)
        composer.stop_requested.connect(self.stop_requested)
        composer.draft_changed.connect(self.draft_changed)
        composer.depth_chosen.connect(self.depth_chosen)
        composer.variant_stepped.connect(self.variant_stepped)
        self.page.status.shelf_requested.connect(self.dialogs.ask_for_shelf)
        self.page.status.about_requested.connect(self.dialogs.ask_for_about)
        self._theme.changed.connect(self._restyle)
        self._composer_changed(models.composer.state)

    def _connect_sidebar(self) -> None:
        chats, files = self.sidebar.chats, self._files
        self.sidebar.new_chat_requested.connect(self._new_chat_chosen)
        self.sidebar.search.search_requested.connect(self.search_requested)
        chats.open_requested.connect(self._open_chat)
        chats.rename_requested.connect(self.rename_chat_requested)
        chats.pin_requested.connect(self.pin_chat_requested)
        chats.delete_requested.connect(self.delete_chat_requested)
        chats.export_requested.connect(self._export_chat)
        files.export_all_requested.connect(self.export_all_requested)
        files.export_chat_requested.connect(self.export_chat_requested)
        files.import_chats_requested.connect(self.import_chats_requested)
        files.delete_all_requested.connect(self.delete_all_requested)
        files.folder_chosen.connect(self.folder_chosen)
        self._models.status.save_as.connect(files.export_all)
        self._models.status.choose_folder.connect(files.choose_folder)
        self._models.conversations.changed.connect(self._show_titles)

    def _connect_dialogs(self) -> None:
        dialogs = self.dialogs
        dialogs.receipt_wanted.connect(self.show_receipt_requested)
        dialogs.compare_requested.connect(self.compare_cold_requested)
        dialogs.shelf_wanted.connect(self.show_shelf_requested)
        dialogs.free_requested.connect(self.free_states_requested)
        dialogs.about_wanted.connect(self.show_about_requested)
        dialogs.diagnostics_requested.connect(self.copy_diagnostics_requested)

    # Events of the window

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the sidebar where there is room for it."""
        super().resizeEvent(event)
        if self._is_wide():
            self._sidebar_asked = False
        self._place_sidebar()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Let the composition root stop the engine and save before the window goes."""
        self.closing.emit()
        event.accept()

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._new_chat.setFont(self._theme.font())
        self.setMinimumSize(u(LEAST), u(LEAST))
        self._place_sidebar()

    @Slot(object)
    def _composer_changed(self, state: ComposerState) -> None:
        self.empty.show_depths(state.efforts)

    # Sidebar and chats

    def _is_wide(self) -> bool:
        return self.width() >= self._theme.u(SIDEBAR_FROM)

    def _place_sidebar(self) -> None:
        """Show or hide the sidebar; where both have no room it takes the page's place."""
        shown = self._sidebar_wanted if self._is_wide() else self._sidebar_asked
        u = self._theme.u
        instead = shown and self.width() < u(WIDTH + LEAST)
        self.sidebar.setMaximumWidth(self.width() if instead else u(WIDTH))
        self.sidebar.setVisible(shown)
        self.page.setVisible(not instead)
        self._new_chat.setVisible(not shown)

    @Slot()
    def _toggle_sidebar(self) -> None:
        if self._is_wide():
            self._sidebar_wanted = not self._sidebar_wanted
        else:
            self._sidebar_asked = not self._sidebar_asked
        self._place_sidebar()
        if not self.sidebar.isVisible():
            self.composer.edit.setFocus()
        elif not self.page.isVisible():
            self.sidebar.chats.focus_first()

    def _show_sidebar(self) -> None:
        if not self.sidebar.isVisible():
            self._toggle_sidebar()

    def _leave_sidebar(self) -> None:
        """Go back to the page, which a narrow window may not show beside the sidebar."""
        self._sidebar_asked = False
        self._place_sidebar()
        self.composer.edit.setFocus()

    @Slot()
    def _search(self) -> None:
        self._show_sidebar()
        self.sidebar.search.selectAll()
        self.sidebar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def _rename(self) -> None:
        self._show_sidebar()
        self.sidebar.rename()

    @Slot(str)
    def _open_chat(self, chat_id: str) -> None:
        self.composer.leave_editing()
        self._leave_sidebar()  # first: what was found is gone to on a page that has its size
        self.open_chat_requested.emit(chat_id)

    @Slot()
    def _new_chat_chosen(self) -> None:
        self._begin_anew()
        self.new_chat_requested.emit()
        self._leave_sidebar()

    @Slot()
    def _new_temporary_chosen(self) -> None:
        self._begin_anew()
        self.new_temporary_chat_requested.emit()
        self._leave_sidebar()

    def _begin_anew(self) -> None:
        """Leave what the old chat was in the middle of; a new one is in no search's result."""
        self.composer.leave_editing()
        self.sidebar.search.clear()

    @Slot(str)
    def _export_chat(self, chat_id: str) -> None:
        rows = self._models.conversations.rows()
        chats = [row for row in rows if isinstance(row, ChatRow) and row.chat_id == chat_id]
        if chats:
            self._files.export_chat(chat_id, chats[0].title)

    @Slot()
    def _delete_shown(self) -> None:
        chat = self.sidebar.chats.chat()
        if chat is not None:
            self.delete_chat_requested.emit(chat.chat_id)

    @Slot()
    def _export_shown(self) -> None:
        chat = self.sidebar.chats.chat()
        if chat is not None:
            self._files.export_chat(chat.chat_id, chat.title)

    @Slot()
    def _show_titles(self) -> None:
        """Name the shown chat in the window's title, and say when it is not stored."""
        rows = self._models.conversations.rows()
        shown = next((row for row in rows if isinstance(row, ChatRow) and row.shown), None)
        if shown is None and self._models.conversations.searching:
            return  # the shown chat need not be among those found
        temporary = shown is not None and shown.temporary
        self.composer.show_temporary(temporary)
        parts = [shown.title if shown is not None else "", TITLE]
        if temporary:
            parts[0] = self.tr("{title} (not stored)").format(title=parts[0])
        self.setWindowTitle(" — ".join(part for part in parts if part))

    # Commands

    @Slot(object)
    def _card_chosen(self, card: Card) -> None:
        self.send_requested.emit(card.question)
        self.composer.edit.setFocus()

    @Slot()
    def _find(self) -> None:
        if self._models.transcript.rowCount():
            self.page.finder.open_bar()

    @Slot()
    def _escape(self) -> None:
        if not self.page.isVisible():
            self._leave_sidebar()
        elif self.composer.leave_editing():
            pass
        elif self.page.finder.open and not self._models.composer.state.running:
            self.page.finder.close_bar()
        else:
            self.stop_requested.emit()
        self.composer.edit.setFocus()

    @Slot()
    def _zoom_in(self) -> None:
        self._theme.set_zoom(self._theme.zoom + ZOOM_STEP)

    @Slot()
    def _zoom_out(self) -> None:
        self._theme.set_zoom(self._theme.zoom - ZOOM_STEP)

    @Slot()
    def _zoom_reset(self) -> None:
        self._theme.set_zoom(100)

    @Slot()
    def _next_pane(self) -> None:
        """Go on from the composer to the conversation, the chats and round."""
        part = self.page.main_part()
        panes: dict[QWidget, QWidget] = {
            self.composer: self.composer.edit,
            part: part,
            self.sidebar: self.sidebar.chats,
        }
        whole, focus = [*panes], self.focusWidget()
        here = next((n for n, pane in enumerate(whole) if pane is focus
                     or pane.isAncestorOf(focus)), -1)  # fmt: skip
        order = [*whole[here + 1 :], *whole[: here + 1]]
        following = panes[next(pane for pane in order if pane.isVisible())]
        following.setFocus(Qt.FocusReason.TabFocusReason)

    # Kept between starts

    def geometry_text(self) -> str:
        """Return size and place as text for the settings."""
        return bytes(self.saveGeometry().toBase64().data()).decode("ascii")

    @property
    def sidebar_wanted(self) -> bool:
        """Whether a wide window shows the list of chats."""
        return self._sidebar_wanted

    def restore(self, geometry: str, sidebar_wanted: bool = True) -> None:
        """Take size and place from the settings, or a good first size."""
        self._sidebar_wanted = sidebar_wanted
        self._place_sidebar()
        kept = QByteArray.fromBase64(geometry.encode("ascii", "ignore"))
        if not self.restoreGeometry(kept):
            self.resize(self._theme.u(135), self._theme.u(90))
