"""A window on hand-made rows, and the ways tests look at windows: names, pictures, clicks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.viewmodels.composer import ComposerModel
from app.viewmodels.conversations import Conversations
from app.viewmodels.library_rows import ChatRow, LibraryRow, SectionRow
from app.viewmodels.rows import (
    Action,
    ActionId,
    AnswerRow,
    Card,
    Chip,
    EffortButton,
    Footer,
    LoopProgress,
    QuestionRow,
)
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript, accessible_text
from app.views.main_window import MainWindow
from app.views.style import PageStyle
from app.views.theme import SchemeChoice, Theme
from app.views.view_models import ViewModels

CARDS = [
    Card("A sum", 11, "What is 6 + 8 + 5 + 2 - 2 - 2 - 3 + 7 - 8 - 6 + 2 - 2 ?", "7"),
    Card("Eggs", 11, "Leo has 4 eggs. Leo finds 2 eggs. How many eggs does Leo have?", "6"),
    Card("Which way?", 22, "You face north. Turn left. Turn left. Which way?", "south"),
    Card("Which cup?", 14, "The coin is under cup 2. Swap 5 and 3. Where is it?", "2"),
]
EFFORTS = (8, 16, 32)


def actions(message_id: str) -> tuple[Action, ...]:
    return (
        Action(ActionId.COPY, "Copy", message_id=message_id),
        Action(ActionId.ANSWER_AGAIN, "Answer again", message_id=message_id),
        Action(ActionId.DEEPEN, "Try harder", message_id=message_id, depth=16),
    )


def question(message_id: str, text: str) -> QuestionRow:
    edit = Action(ActionId.EDIT, "Edit", message_id=message_id)
    return QuestionRow(message_id, text, (edit,))


def answer(message_id: str, text: str, *depths: int, **changes: Any) -> AnswerRow:
    """An answer whose last depth is the one shown; its other variants are ``m8``, ``m16`` …"""
    chips = [Chip(f"m{d}", str(d), False, True, f"{d} loops, state kept") for d in depths[:-1]]
    shown = f"{depths[-1]} loops"
    chips.append(Chip(message_id, shown, True, False, f"{shown}, state not kept"))
    return AnswerRow(message_id, text, tuple(chips), actions=actions(message_id), **changes)


TWO_BUTTONS = Footer(
    buttons=(
        EffortButton("Try harder", "resumes · +8 loops · about 0.8 s", 16, suggested=True),
        EffortButton("Really hard", "from scratch · 32 loops", 32, from_scratch=True),
    )
)
RUNNING = Footer(
    LoopProgress(8, 13, 16, 32, "Loop 13 of 16 — the first 8 were kept"),
    (EffortButton("Really hard instead", "goes on to 32 · +19 loops", 32),),
)


CHATS: list[LibraryRow] = [
    SectionRow("Pinned"),
    ChatRow("c0", "Which way is south?", pinned=True),
    SectionRow("Today"),
    ChatRow("c1", "A sum", shown=True),
    ChatRow("c2", "Three things a looped model can do that a plain one can not"),
    SectionRow("Yesterday"),
    ChatRow("c3", "Coin under cups"),
]


class Window:
    """The real window over view models a test fills by hand; it collects what is asked for."""

    def __init__(self, qtbot: Any) -> None:
        application = QApplication.instance()
        self.theme = Theme(application)
        self.style = PageStyle(self.theme)
        application.setStyle(self.style)
        self.theme.set_choice(SchemeChoice.LIGHT)
        self.transcript = Transcript(CARDS)
        self.composer = ComposerModel()
        self.status = StatusModel()
        self.conversations = Conversations()
        models = ViewModels(self.transcript, self.composer, self.status, self.conversations)
        self.window = MainWindow(self.theme, models)
        qtbot.addWidget(self.window)
        self.window.resize(1080, 720)
        self.asked: list[Any] = []
        self._listen()
        self.composer.update(depth=8, efforts=EFFORTS)
        self.window.show()
        qtbot.waitExposed(self.window)
        wait(1)

    def _listen(self) -> None:
        window = self.window
        window.action_requested.connect(self.asked.append)
        window.send_requested.connect(lambda text: self.asked.append(("send", text)))
        window.edit_requested.connect(lambda m, text: self.asked.append(("edit", m, text)))
        window.stop_requested.connect(lambda: self.asked.append("stop"))
        window.new_chat_requested.connect(lambda: self.asked.append("new"))
        window.depth_chosen.connect(lambda depth: self.asked.append(("depth", depth)))
        window.variant_stepped.connect(lambda step: self.asked.append(("step", step)))
        for signal, name in (
            (window.open_chat_requested, "open"),
            (window.rename_chat_requested, "rename"),
            (window.pin_chat_requested, "pin"),
            (window.delete_chat_requested, "delete"),
            (window.delete_all_requested, "delete all"),
            (window.search_requested, "search"),
            (window.export_all_requested, "export all"),
            (window.export_chat_requested, "export"),
            (window.import_chats_requested, "import"),
            (window.show_receipt_requested, "receipt"),
            (window.compare_cold_requested, "compare"),
            (window.show_shelf_requested, "shelf"),
            (window.free_states_requested, "free"),
            (window.show_about_requested, "about"),
            (window.copy_diagnostics_requested, "diagnostics"),
            (window.new_temporary_chat_requested, "new temporary"),
        ):
            signal.connect(partial(self._note, name))

    def _note(self, name: str, *values: Any) -> None:
        self.asked.append((name, *values) if values else name)

    def show(self, *rows: Any, footer: Footer = TWO_BUTTONS) -> None:
        self.transcript.set_rows(rows)
        self.transcript.set_footer(footer)
        wait(20)

    @property
    def view(self) -> Any:
        return self.window.transcript

    def type(self, text: str) -> None:
        QTest.keyClicks(self.window.composer.edit, text)

    def press(self, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
        """Press a key where the focus is."""
        held = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            held |= modifier
        QTest.keyClick(self.window.focusWidget() or self.window, key, held)
        wait(1)

    def click(self, name: str) -> None:
        """Click in the middle of the visible widget that has this name."""
        click(self.window, name)


def wait(milliseconds: float) -> None:
    """Let the window live for a while; QTest.qWait would not let other threads run."""
    end = time.monotonic() + milliseconds / 1000
    while True:
        QApplication.processEvents()
        if time.monotonic() >= end:
            return
        time.sleep(0.001)


def widgets(window: QWidget) -> Iterator[QWidget]:
    """All widgets on screen."""
    for child in window.findChildren(QWidget):
        if child.isVisible() and child.visibleRegion().boundingRect().isValid():
            yield child


def name_of(widget: QWidget) -> str:
    text = getattr(widget, "text", "")
    return widget.accessibleName() or (text() if callable(text) else text)


def named(window: QWidget, name: str) -> QWidget:
    found = [w for w in widgets(window) if name_of(w) == name]
    assert found, f"{name!r} is not on screen: {sorted({name_of(w) for w in widgets(window)})}"
    return found[-1]


def click(window: QWidget, name: str) -> None:
    target = named(window, name)
    assert target.isEnabled(), f"{name!r} is disabled"
    middle = target.rect().center()
    under = window.childAt(target.mapTo(window, QPoint(middle)))
    assert under is target, f"{name!r} lies under {under}"
    QTest.mouseClick(target, Qt.MouseButton.LeftButton, pos=middle)
    wait(1)


def spoken(window: QWidget) -> list[str]:
    """The names of all widgets on screen."""
    return [name for widget in widgets(window) if (name := name_of(widget))]


def words_on_screen(window: MainWindow) -> list[str]:
    """Everything a screen reader finds: widgets' names, rows of the chats and the conversation."""
    words = spoken(window)
    rows = window.sidebar.chats.model()
    if window.sidebar.isVisible():
        words += [rows.spoken(row) for row in rows.rows()]
    if window.transcript.isVisible():
        model = window.transcript.model()
        shown = window.transcript.visible_rows()
        words += [accessible_text(model.row(number)) for number in shown]
    return [word for word in words if word]
