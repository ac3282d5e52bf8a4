"""The window: puts the parts of the page together and turns commands into requests."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QByteArray, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.composer import ComposerModel
from app.viewmodels.rows import Action, ActionId, AnswerRow, Card, ComposerState, QuestionRow
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript
from app.views.caption import Caption
from app.views.composer import Composer
from app.views.empty_chat import EmptyChat
from app.views.error_bar import ErrorBarView
from app.views.page_layout import column
from app.views.shortcut_list import ShortcutList
from app.views.shortcuts import ENTRIES, Command, translated
from app.views.theme import ZOOM_STEP, SchemeChoice, Theme
from app.views.transcript_view import TranscriptView


@dataclass(frozen=True, slots=True)
class ViewModels:
    """What the window shows."""

    transcript: Transcript
    composer: ComposerModel
    status: StatusModel


class MainWindow(QMainWindow):
    """Knows no conversation and no engine: it shows view models and emits what the user wants."""

    action_requested = Signal(object)
    send_requested = Signal(str)
    edit_requested = Signal(str, str)
    stop_requested = Signal()
    new_chat_requested = Signal()
    draft_changed = Signal(str)
    depth_chosen = Signal(int)
    variant_stepped = Signal(int)
    open_model_requested = Signal()
    closing = Signal()

    def __init__(self, theme: Theme, models: ViewModels) -> None:
        super().__init__()
        self._theme = theme
        self._models = models
        self._actions: dict[Command, QAction] = {}
        self.transcript = TranscriptView(theme, models.transcript)
        self.empty = EmptyChat(theme)
        self.error = ErrorBarView(theme, models.status)
        self.composer = Composer(theme, models.composer)
        self.status = Caption(theme)
        self.setWindowTitle("TinyLoop Chat")
        self._lay_out()
        self._make_menus()
        self._connect()
        self._restyle()
        self._choose_page()
        self.composer.edit.setFocus()

    # Parts

    def _lay_out(self) -> None:
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.transcript)
        self._below = QVBoxLayout()
        self._below.addWidget(self.error)
        self._below.addWidget(self.composer)
        page = QWidget()
        self._page = QVBoxLayout(page)
        self._page.setContentsMargins(0, 0, 0, 0)
        self._page.addWidget(self._pages, 1)
        self._page.addLayout(self._below)
        self._page.addWidget(self.status)
        self.setCentralWidget(page)
        self.empty.show_cards(self._models.transcript.cards)
        self.status.set_text(self._models.status.text)

    def _connect(self) -> None:
        models = self._models
        for changed in (
            models.transcript.rowsInserted,
            models.transcript.rowsRemoved,
            models.transcript.modelReset,
        ):
            changed.connect(self._choose_page)
        models.status.changed.connect(self.status.set_text)
        models.composer.changed.connect(self._composer_changed)
        self.transcript.action_requested.connect(self._perform)
        self.transcript.variant_stepped.connect(self.variant_stepped)
        self.empty.card_chosen.connect(self._card_chosen)
        self.composer.send_requested.connect(self.send_requested)
        self.composer.edit_requested.connect(self.edit_requested)
        self.composer.stop_requested.connect(self.stop_requested)
        self.composer.draft_changed.connect(self.draft_changed)
        self.composer.depth_chosen.connect(self.depth_chosen)
        self.composer.edit_last_requested.connect(self._edit_last)
        self._theme.changed.connect(self._restyle)
        self._composer_changed(models.composer.state)

    def _make_menus(self) -> None:
        handlers = {
            Command.NEW_CHAT: self._new_chat_chosen,
            Command.OPEN_MODEL: self.open_model_requested,
            Command.QUIT: self.close,
            Command.STOP: self._escape,
            Command.HARDER: self._try_harder,
            Command.REALLY_HARD: self._try_really_hard,
            Command.ANSWER_AGAIN: self._answer_again,
            Command.EDIT_LAST: self._edit_last,
            Command.COPY_ANSWER: self._copy_answer,
            Command.ZOOM_IN: self._zoom_in,
            Command.ZOOM_OUT: self._zoom_out,
            Command.ZOOM_RESET: self._zoom_reset,
            Command.NEXT_PANE: self._next_pane,
            Command.SHORTCUTS: self._show_shortcuts,
        }
        menus: dict[str, QMenu] = {}
        for entry in ENTRIES:
            if entry.menu not in menus:
                menus[entry.menu] = self.menuBar().addMenu(translated(entry.menu))
            action = menus[entry.menu].addAction(translated(entry.text))
            action.setShortcuts([QKeySequence(keys) for keys in entry.keys])
            action.triggered.connect(handlers[entry.command])
            self._actions[entry.command] = action
        self._make_scheme_menu(menus[ENTRIES[-2].menu])
        self._new_chat = QPushButton(self.tr("New chat"))
        self._new_chat.setFlat(True)
        self._new_chat.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._new_chat.clicked.connect(self._new_chat_chosen)
        self.menuBar().setCornerWidget(self._new_chat, Qt.Corner.TopRightCorner)

    def _make_scheme_menu(self, view: QMenu) -> None:
        menu = view.addMenu(self.tr("Colours"))
        group = QActionGroup(menu)
        names = {
            SchemeChoice.SYSTEM: self.tr("As the system"),
            SchemeChoice.LIGHT: self.tr("Light"),
            SchemeChoice.DARK: self.tr("Dark"),
        }
        for choice, name in names.items():
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(choice is self._theme.choice)
            action.setData(choice)
            group.addAction(action)
        menu.triggered.connect(self._scheme_chosen)

    # Events of the window

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep composer and error bar in the column."""
        super().resizeEvent(event)
        self._align()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Let the composition root stop the engine and save before the window goes."""
        self.closing.emit()
        event.accept()

    def _align(self) -> None:
        left, wide = column(self._theme, self.width())
        right = self.width() - left - wide
        u = self._theme.u
        self._below.setContentsMargins(left, u(1), right, u(1))
        self.status.setContentsMargins(u(1), 0, u(1), 0)

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._page.setSpacing(0)
        self._below.setSpacing(u(1))
        self.status.setFixedHeight(u(3))
        self._new_chat.setFont(self._theme.font())
        self.setMinimumSize(u(46), u(46))
        self._align()

    @Slot()
    def _choose_page(self) -> None:
        empty = self._models.transcript.rowCount() == 0
        self._pages.setCurrentWidget(self.empty if empty else self.transcript)

    @Slot(object)
    def _composer_changed(self, state: ComposerState) -> None:
        self.empty.show_depths(state.efforts)

    # Commands

    @Slot()
    def _new_chat_chosen(self) -> None:
        self.composer.leave_editing()
        self.new_chat_requested.emit()
        self.composer.edit.setFocus()

    @Slot(object)
    def _card_chosen(self, card: Card) -> None:
        self.send_requested.emit(card.question)
        self.composer.edit.setFocus()

    @Slot(object)
    def _perform(self, action: Action) -> None:
        if action.id is ActionId.EDIT:
            self._edit(action.message_id)
        else:
            self.action_requested.emit(action)

    @Slot()
    def _escape(self) -> None:
        if not self.composer.leave_editing():
            self.stop_requested.emit()
        self.composer.edit.setFocus()

    @Slot()
    def _try_harder(self) -> None:
        self._deepen(1)

    @Slot()
    def _try_really_hard(self) -> None:
        self._deepen(2)

    def _deepen(self, effort: int) -> None:
        """Take the current answer to an effort; a newest answer's buttons are in the footer."""
        efforts = self._models.composer.state.efforts
        if effort >= len(efforts):
            return
        depth = efforts[effort]
        chosen = self._find(ActionId.DEEPEN, depth)
        if chosen is not None:
            self.action_requested.emit(chosen)
        elif any(b.depth == depth and b.enabled for b in self._models.transcript.footer.buttons):
            self.action_requested.emit(Action(ActionId.DEEPEN, "", depth=depth))

    @Slot()
    def _answer_again(self) -> None:
        self._perform_if_offered(ActionId.ANSWER_AGAIN)

    @Slot()
    def _copy_answer(self) -> None:
        self._perform_if_offered(ActionId.COPY)

    def _perform_if_offered(self, wanted: ActionId) -> None:
        action = self._find(wanted)
        if action is not None:
            self.action_requested.emit(action)

    def _find(self, wanted: ActionId, depth: int = 0) -> Action | None:
        """Return an enabled action of the answer the user is at."""
        row = self._answer_in_hand()
        for action in row.actions if row is not None else ():
            if action.id is wanted and action.enabled and depth in (0, action.depth):
                return action
        return None

    def _answer_in_hand(self) -> AnswerRow | None:
        """Return the current row when it is an answer, else the newest answer."""
        current = self.transcript.currentIndex().row()
        rows = self._models.transcript.rows()
        chosen = rows[current] if 0 <= current < len(rows) else None
        if isinstance(chosen, AnswerRow):
            return chosen
        return next((row for row in reversed(rows) if isinstance(row, AnswerRow)), None)

    @Slot()
    def _edit_last(self) -> None:
        rows = self._models.transcript.rows()
        last = next((row for row in reversed(rows) if isinstance(row, QuestionRow)), None)
        if last is not None and any(a.id is ActionId.EDIT and a.enabled for a in last.actions):
            self.composer.begin_editing(last.message_id, last.text)

    def _edit(self, message_id: str) -> None:
        position = self._models.transcript.position(message_id)
        if position >= 0:
            self.composer.begin_editing(message_id, self._models.transcript.row(position).text)

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
        in_composer = self.composer.isAncestorOf(self.focusWidget())
        page = self.empty if self._pages.currentWidget() is self.empty else self.transcript
        target = page if in_composer else self.composer.edit
        target.setFocus(Qt.FocusReason.TabFocusReason)

    @Slot()
    def _show_shortcuts(self) -> None:
        ShortcutList(self._theme, self).open()

    @Slot(QAction)
    def _scheme_chosen(self, action: QAction) -> None:
        self._theme.set_choice(action.data())

    # Kept between starts

    def geometry_text(self) -> str:
        """Return size and place as text for the settings."""
        return bytes(self.saveGeometry().toBase64().data()).decode("ascii")

    def restore(self, geometry: str) -> None:
        """Take size and place from the settings, or a good first size."""
        kept = QByteArray.fromBase64(geometry.encode("ascii", "ignore"))
        if not self.restoreGeometry(kept):
            self.resize(self._theme.u(135), self._theme.u(90))
