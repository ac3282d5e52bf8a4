"""A chat that a search found opens at what was found: the app as it is started, its real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from real_window import Running
from store_rig import Kept
from window_rig import click, wait, words_on_screen

from app import paths
from app.domain.conversation import Conversation, Message, Role, new_id
from app.viewmodels.rows import QuestionRow

CTRL = Qt.KeyboardModifier.ControlModifier
FILLER = "And so on, and on. " * 30
LISBON = "The capital of Portugal is Lisbon."
TRAVELS, ANIMALS = "Travels", "Animals"


def say(chat: Conversation, role: Role, text: str, parent: str | None = None) -> Message:
    """Add a message, at the end of the page without ``parent``."""
    depth = 8 if role is Role.ASSISTANT else 0
    message = Message(new_id(), parent or chat.head_id, role, text, depth=depth)
    chat.add(message)
    return message


def travels() -> Conversation:
    """Make a long chat that speaks of Lisbon once, in its middle."""
    chat = Conversation(title=TRAVELS, updated=1.0)
    for number in range(20):
        say(chat, Role.USER, "Go on.")
        say(chat, Role.ASSISTANT, f"{FILLER * 8}\n\n{LISBON}" if number == 9 else FILLER)
    return chat


def animals() -> Conversation:
    """Make a chat with an ocelot in an earlier wording and a marmoset in an earlier answer."""
    chat = Conversation(title=ANIMALS, updated=2.0)
    top = say(chat, Role.ASSISTANT, "Ask.", say(chat, Role.USER, "Hello").id)
    ocelot = say(chat, Role.USER, "What is an ocelot?", top.id)
    say(chat, Role.ASSISTANT, "A small cat.", ocelot.id)
    edited = say(chat, Role.USER, "What is a monkey?", top.id)
    for text in ("A marmoset is one.", "It climbs."):
        say(chat, Role.ASSISTANT, text, edited.id)
    return chat


@pytest.fixture
def running(qapp: QApplication, tmp_path: Path) -> Iterator[Running]:
    """The app with the two chats; the one about animals is on screen."""
    store = Kept(paths.Places.under(tmp_path).data)
    for chat in (travels(), animals()):
        store.put(chat)
    store.close()
    running = Running(qapp, paths.model_file(), tmp_path)
    running.window.resize(1080, 720)
    running.window.activateWindow()
    wait(10)
    yield running
    running.close()


def search(running: Running, text: str) -> None:
    """Type into the sidebar's search box and wait for the one chat that has it."""
    QTest.keyClick(running.window, Qt.Key.Key_K, CTRL)
    QTest.keyClicks(running.window.sidebar.search, text)
    running.until(lambda: running.app.models.conversations.searching == text)
    assert len(running.chats) == 1


def marks(running: Running) -> list[int]:
    """Return the heights at which the conversation in sight is marked: filled, not outlined."""
    picture = running.window.transcript.viewport().grab().toImage()
    accent, apart = running.app.theme.colours.accent, 3
    return [
        y
        for y in range(0, picture.height() - apart, 2)
        if any(
            all(picture.pixelColor(x + a, y + b) == accent for a in (0, apart) for b in (0, apart))
            for x in range(0, picture.width() - apart, 2)
        )
    ]


def finder(running: Running) -> Any:
    return running.window.page.finder


def at_the_end(running: Running) -> bool:
    bar = running.window.transcript.verticalScrollBar()
    return bar.maximum() > 0 and bar.value() == bar.maximum()


def plainly_shown(running: Running) -> bool:
    """Whether nothing is looked for in the chat on screen."""
    return not finder(running).isVisible() and running.window.transcript._delegate.marked == ""


def test_a_found_chat_opens_at_the_words_and_marks_them(running: Running) -> None:
    search(running, "lisbon")
    running.open(TRAVELS)
    assert finder(running).isVisible()
    assert finder(running).field.text() == "lisbon"
    assert "message 1 of 1" in words_on_screen(running.window)
    assert not at_the_end(running)
    lines = marks(running)
    assert lines
    assert 0 < lines[0] < running.window.transcript.viewport().height() // 2
    assert running.window.focusWidget() is running.window.composer.edit
    QTest.keyClick(running.window.composer.edit, Qt.Key.Key_Escape)
    assert plainly_shown(running)
    assert not marks(running)


def test_a_chat_that_is_open_already_goes_to_the_words(running: Running) -> None:
    running.open(TRAVELS)
    assert at_the_end(running)
    search(running, "capital portugal")  # not one after the other: the first word is marked
    QTest.keyClick(running.window.sidebar.search, Qt.Key.Key_Return)
    QTest.keyClick(running.window.focusWidget(), Qt.Key.Key_Return)
    wait(10)
    assert finder(running).field.text() == "capital"
    assert marks(running)
    assert running.window.focusWidget() is running.window.composer.edit


def test_a_narrow_window_shows_the_words_in_place_of_the_sidebar(running: Running) -> None:
    u = running.app.theme.u
    running.window.resize(u(60), u(60))
    wait(10)
    search(running, "lisbon")
    assert not running.window.page.isVisible()
    running.open(TRAVELS)
    lines = marks(running)
    assert lines
    assert 0 < lines[0] < running.window.transcript.viewport().height() // 2


@pytest.mark.parametrize("word", ["ocelot", "marmoset"])
def test_what_is_not_on_the_page_comes_onto_it(running: Running, word: str) -> None:
    running.open(TRAVELS)
    search(running, word)
    running.open(ANIMALS)
    rows = running.app.models.transcript.rows()
    assert word in rows[finder(running).at].text
    assert marks(running)
    shown = [chip.text for row in rows if isinstance(row, QuestionRow) for chip in row.chips]
    assert shown == (["Wording 1 of 2", "2"] if word == "ocelot" else ["1", "Wording 2 of 2"])


def test_a_chat_found_by_its_title_opens_as_ever(running: Running) -> None:
    search(running, "travel")
    running.open(TRAVELS)
    assert at_the_end(running)
    assert plainly_shown(running)


def test_without_a_search_nothing_is_looked_for(running: Running) -> None:
    search(running, "lisbon")
    running.window.sidebar.search.clear()
    running.open(TRAVELS)
    assert at_the_end(running)
    assert plainly_shown(running)


def test_clearing_the_search_leaves_the_page_and_the_next_chat_is_plain(running: Running) -> None:
    search(running, "lisbon")
    running.open(TRAVELS)
    before = marks(running)
    running.window.sidebar.search.clear()
    wait(10)
    assert finder(running).isVisible()
    assert marks(running) == before
    running.open(ANIMALS)
    assert plainly_shown(running)


def test_a_bar_that_the_user_opened_stays_open(running: Running) -> None:
    QTest.keyClick(running.window, Qt.Key.Key_F, CTRL)
    QTest.keyClicks(finder(running).field, "climbs")
    running.open(TRAVELS)
    assert finder(running).isVisible()
    assert finder(running).field.text() == "climbs"
    assert at_the_end(running)


def test_a_new_chat_has_nothing_found(running: Running) -> None:
    search(running, "lisbon")
    running.open(TRAVELS)
    click(running.window, "New chat")
    assert plainly_shown(running)
    assert running.window.focusWidget() is running.window.composer.edit
