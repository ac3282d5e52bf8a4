"""Find in this chat: from message to message, marked, in the place of the status line."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from window_rig import RUNNING, TWO_BUTTONS, Window, answer, question, wait, words_on_screen

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
FILLER = "And so on, and on. " * 30
COINS = (2, 21, 40)  # rows that speak of it


@pytest.fixture
def window(qtbot: Any) -> Window:
    window = Window(qtbot)
    rows: list[Any] = []
    for number in range(25):
        rows += [question(f"q{number}", "Go on."), answer(f"a{number}", FILLER, 8)]
    rows[2] = question("q1", "Where is the COIN?")
    rows[21] = answer("a10", FILLER * 20 + "\n\nThe **coin** is here.", 8)
    rows[40] = question("q20", "A coin, a coin.")
    window.show(*rows)
    return window


def find(window: Window, text: str) -> Any:
    window.press(Qt.Key.Key_F, CTRL)
    field = window.window.page.finder.field
    assert window.window.focusWidget() is field
    QTest.keyClicks(field, text)
    return field


def test_enter_walks_through_the_messages_and_round(window: Window) -> None:
    window.view.verticalScrollBar().setValue(0)
    find(window, "coin")
    seen = []
    for key in ((), (), (), (SHIFT,)):
        seen.append(window.window.page.finder.at)
        assert seen[-1] in window.view.visible_rows()
        window.press(Qt.Key.Key_Return, *key)
    assert seen == [*COINS, COINS[0]]
    assert window.window.page.finder.at == COINS[2]
    assert "message 3 of 3" in words_on_screen(window.window)
    assert window.asked == []


def test_what_is_found_is_marked_and_in_sight(window: Window) -> None:
    window.view.verticalScrollBar().setValue(0)
    find(window, "coin")
    window.press(Qt.Key.Key_Return)
    wait(20)
    assert window.window.page.finder.at == COINS[1]
    picture = window.view.viewport().grab().toImage()
    accent = window.theme.colours.accent
    column = range(window.view.strip_of(window.view.visible_rows()[0]).x(), picture.width(), 2)
    found = {
        y for y in range(picture.height()) for x in column if picture.pixelColor(x, y) == accent
    }
    assert found


def test_what_is_not_there_is_said(window: Window) -> None:
    find(window, "xyzzy")
    assert "not found" in words_on_screen(window.window)


def test_escape_closes_the_bar_and_gives_the_text_box_the_focus(window: Window) -> None:
    where = window.window.composer.geometry()
    find(window, "coin")
    assert window.window.composer.geometry() == where
    window.press(Qt.Key.Key_Escape)
    assert not window.window.page.finder.isVisible()
    assert window.window.focusWidget() is window.window.composer.edit
    assert window.view._delegate.marked == ""
    window.press(Qt.Key.Key_R, CTRL)
    assert [action.message_id for action in window.asked] == ["a24"]  # the newest, not the found


def test_escape_elsewhere_closes_the_bar_but_stops_a_run_first(window: Window) -> None:
    find(window, "coin")
    window.transcript.set_footer(RUNNING)
    window.composer.update(running=True)
    window.window.composer.edit.setFocus()
    window.press(Qt.Key.Key_Escape)
    assert window.asked == ["stop"]
    window.composer.update(running=False)
    window.transcript.set_footer(TWO_BUTTONS)
    window.press(Qt.Key.Key_Escape)
    assert window.asked == ["stop"]
    assert not window.window.page.finder.isVisible()


def test_an_empty_chat_has_nothing_to_find(window: Window) -> None:
    window.show()
    window.press(Qt.Key.Key_F, CTRL)
    assert not window.window.page.finder.isVisible()
