"""The sidebar: what it shows, what a click or a key asks for, where it stands in any window."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolTip
from window_rig import CHATS, RUNNING, Window, answer, question, wait, widgets, words_on_screen

from app.viewmodels.library_rows import ChatRow, LibraryRow

CTRL = Qt.KeyboardModifier.ControlModifier
SUM, LONG = 3, 4  # rows of CHATS


@pytest.fixture
def window(qtbot: Any) -> Iterator[Window]:
    window = Window(qtbot)
    window.conversations.show(CHATS, "")
    wait(20)
    yield window
    window.theme.set_zoom(100)


def chats(window: Window) -> Any:
    return window.window.sidebar.chats


def place(window: Window, number: int) -> Any:
    return chats(window).visualRect(window.conversations.index(number))


def click_row(window: Window, number: int, double: bool = False) -> None:
    viewport, middle = chats(window).viewport(), place(window, number).center()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=middle)
    if double:
        QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=middle)
        QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=middle)
    wait(1)


def at(window: Window, number: int) -> None:
    chats(window).setFocus()
    chats(window).setCurrentIndex(window.conversations.index(number))


def rename_box(window: Window) -> Any:
    return chats(window)._editor


def test_a_click_opens_a_chat_and_leaves_the_focus_in_the_text_box(window: Window) -> None:
    click_row(window, LONG)
    assert window.asked == [("open", "c2")]
    assert window.window.focusWidget() is window.window.composer.edit


def test_headings_are_no_chats(window: Window) -> None:
    click_row(window, 0)
    assert window.asked == []


def test_enter_opens_and_the_arrow_keys_skip_headings(window: Window) -> None:
    at(window, SUM)
    window.press(Qt.Key.Key_Down)
    window.press(Qt.Key.Key_Down)
    window.press(Qt.Key.Key_Return)
    chats(window).setFocus()
    window.press(Qt.Key.Key_Home)
    window.press(Qt.Key.Key_Return)
    assert window.asked == [("open", "c3"), ("open", "c0")]


def test_delete_asks_for_the_chat_the_keyboard_is_at(window: Window) -> None:
    at(window, LONG)
    window.press(Qt.Key.Key_Delete)
    assert window.asked == [("delete", "c2")]


@pytest.mark.parametrize("way", ["F2 in the list", "F2 in the composer", "double click"])
def test_a_chat_is_renamed_in_its_place(window: Window, way: str) -> None:
    if way == "double click":
        click_row(window, SUM, double=True)
        window.asked.clear()
    else:
        if way == "F2 in the list":
            at(window, SUM)
        window.press(Qt.Key.Key_F2)
    box = rename_box(window)
    assert box.isVisible()
    assert box.text() == box.selectedText() == "A sum"
    assert place(window, SUM).contains(box.geometry().center())
    QTest.keyClicks(box, "Six and   eight")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert window.asked == [("rename", "c1", "Six and eight")]
    assert not box.isVisible()


@pytest.mark.parametrize("typed", ["", "   ", "A sum"], ids=["empty", "blank", "the same"])
def test_no_title_is_not_a_new_title(window: Window, typed: str) -> None:
    at(window, SUM)
    window.press(Qt.Key.Key_F2)
    rename_box(window).setText(typed)
    QTest.keyClick(rename_box(window), Qt.Key.Key_Return)
    assert window.asked == []


def test_escape_keeps_the_old_title_and_stops_nothing(window: Window) -> None:
    window.show(question("q", "Why?"), answer("m8", "7", 8), footer=RUNNING)
    at(window, SUM)
    window.press(Qt.Key.Key_F2)
    QTest.keyClicks(rename_box(window), "x")
    QTest.keyClick(rename_box(window), Qt.Key.Key_Escape)
    assert not rename_box(window).isVisible()
    assert window.asked == []


def test_a_click_elsewhere_keeps_what_was_written(window: Window) -> None:
    at(window, SUM)
    window.press(Qt.Key.Key_F2)
    QTest.keyClicks(rename_box(window), "Sums")
    window.window.composer.edit.setFocus(Qt.FocusReason.MouseFocusReason)
    assert window.asked == [("rename", "c1", "Sums")]


def test_the_box_follows_its_chat_and_goes_with_it(window: Window) -> None:
    at(window, SUM)
    window.press(Qt.Key.Key_F2)
    moved = [CHATS[2], CHATS[4], CHATS[3]]
    window.conversations.show(moved, "")
    wait(20)
    assert place(window, 2).contains(rename_box(window).geometry().center())
    window.conversations.show(moved[:2], "")
    wait(20)
    assert not rename_box(window).isVisible()
    assert window.asked == []


def test_the_menu_of_a_chat(window: Window) -> None:
    menu = chats(window).menu(CHATS[SUM])
    assert [entry.text() for entry in menu.actions()] == ["Rename", "Pin", "Export…", "Delete"]
    menu.actions()[1].trigger()
    menu.actions()[3].trigger()
    chats(window).menu(CHATS[1]).actions()[1].trigger()
    assert window.asked == [("pin", "c1", True), ("delete", "c1"), ("pin", "c0", False)]


def test_a_temporary_chat_says_so_and_has_no_title_to_keep(window: Window) -> None:
    temporary = ChatRow("t", "New chat", note="not stored", shown=True, temporary=True)
    window.conversations.show([temporary, replace(CHATS[SUM], shown=False)], "")
    menu = chats(window).menu(temporary)
    assert [entry.isEnabled() for entry in menu.actions()] == [False, False, True, True]
    assert window.window.windowTitle() == "New chat (not stored) — TinyLoop Chat"
    assert "not stored" in words_on_screen(window.window)
    assert "not stored" in window.window.composer.edit.placeholderText()
    window.conversations.show(CHATS, "")
    assert window.window.windowTitle() == "A sum — TinyLoop Chat"
    assert "not stored" not in words_on_screen(window.window)


def test_what_is_typed_is_searched_for_when_the_typing_pauses(window: Window) -> None:
    window.press(Qt.Key.Key_K, CTRL)
    field = window.window.sidebar.search
    assert window.window.focusWidget() is field
    QTest.keyClicks(field, "coin")
    assert window.asked == []
    wait(200)
    assert window.asked == [("search", "coin")]
    window.press(Qt.Key.Key_Escape)
    assert window.asked == [("search", "coin"), ("search", "")]
    assert field.text() == ""


def test_a_click_clears_the_search(window: Window) -> None:
    field = window.window.sidebar.search
    assert "Clear the search" not in words_on_screen(window.window)
    field.setText("coin")
    window.click("Clear the search")
    assert field.text() == ""
    assert "Clear the search" not in words_on_screen(window.window)


def test_enter_goes_on_from_the_search_to_what_was_found(window: Window) -> None:
    window.press(Qt.Key.Key_K, CTRL)
    QTest.keyClicks(window.window.sidebar.search, "coin")
    window.press(Qt.Key.Key_Return)
    found = [ChatRow("c3", "Coin under cups", note="the coin is under cup 2")]
    window.conversations.show(found, "coin")
    assert window.window.focusWidget() is chats(window)
    window.press(Qt.Key.Key_Down)
    window.press(Qt.Key.Key_Return)
    assert window.asked == [("search", "coin"), ("open", "c3")]


def test_an_empty_list_says_why(window: Window) -> None:
    window.conversations.show([], "")
    before = chats(window).grab().toImage()
    assert "kept here" in chats(window).accessibleDescription()
    window.conversations.show([], "xyzzy")
    wait(5)
    assert "No chat" in chats(window).accessibleDescription()
    assert chats(window).grab().toImage() != before
    assert window.window.windowTitle() == "TinyLoop Chat"


def test_a_run_in_another_chat_is_seen_and_moves_nothing(window: Window) -> None:
    before = [place(window, number) for number in range(len(CHATS))]
    picture = chats(window).grab().toImage()
    running = [*CHATS]
    running[LONG] = replace(CHATS[LONG], progress=RUNNING.progress)
    window.conversations.show(running, "")
    wait(20)
    assert [place(window, number) for number in range(len(CHATS))] == before
    shown = chats(window).grab(place(window, LONG)).toImage()
    accent = window.theme.colours.accent
    assert any(shown.pixelColor(x, y) == accent for x in range(shown.width())
               for y in range(shown.height() // 2, shown.height()))  # fmt: skip
    assert chats(window).grab().toImage() != picture


def test_an_elided_title_is_in_the_tool_tip(window: Window) -> None:
    for number, text in ((SUM, ""), (LONG, CHATS[LONG].title)):
        middle = place(window, number).center()
        viewport = chats(window).viewport()
        event = QHelpEvent(QHelpEvent.Type.ToolTip, middle, viewport.mapToGlobal(middle))
        QApplication.sendEvent(viewport, event)
        assert QToolTip.text() == text
    QToolTip.hideText()


@pytest.mark.parametrize("zoom", [100, 125, 200])
def test_the_sidebar_stands_beside_the_page_from_95_units_on(window: Window, zoom: int) -> None:
    window.theme.set_zoom(zoom)
    u, sidebar, page = window.theme.u, window.window.sidebar, window.window.page
    for width, beside in ((u(95), True), (u(95) - 1, False), (u(140), True)):
        window.window.resize(width, 720)
        wait(5)
        assert sidebar.isVisible() == beside
        assert page.isVisible()
        assert ("New chat" in [b.text() for b in widgets(window.window.menuBar())
                               if isinstance(b, QAbstractButton)]) is not beside  # fmt: skip
    assert sidebar.width() == u(30)
    assert page.width() == window.window.width() - u(30)


def test_the_key_shows_the_list_in_any_window(window: Window) -> None:
    sidebar, page = window.window.sidebar, window.window.page
    window.press(Qt.Key.Key_B, CTRL)
    assert not sidebar.isVisible()
    window.press(Qt.Key.Key_B, CTRL)
    assert sidebar.isVisible()
    window.window.resize(window.window.minimumWidth(), 720)
    wait(5)
    assert page.isVisible()
    assert not sidebar.isVisible()
    window.press(Qt.Key.Key_B, CTRL)
    wait(5)
    assert sidebar.width() == window.window.width()
    assert not page.isVisible()
    window.press(Qt.Key.Key_Escape)
    assert page.isVisible()
    assert window.asked == []
    window.press(Qt.Key.Key_B, CTRL)
    click_row(window, SUM)
    assert page.isVisible()
    assert not sidebar.isVisible()


def test_a_hidden_list_stays_hidden_at_the_next_start(window: Window) -> None:
    window.press(Qt.Key.Key_B, CTRL)
    assert not window.window.sidebar_wanted
    window.window.restore("", sidebar_wanted=True)
    assert window.window.sidebar.isVisible()
    window.window.restore("", sidebar_wanted=False)
    assert not window.window.sidebar.isVisible()


def test_right_to_left_puts_the_list_on_the_right(window: Window) -> None:
    application = QApplication.instance()
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        wait(20)
        sidebar = window.window.sidebar
        assert sidebar.mapTo(window.window, QPoint()).x() > window.window.page.width() // 2
        at(window, SUM)
        window.press(Qt.Key.Key_F2)
        assert place(window, SUM).contains(rename_box(window).geometry())
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_the_keyboard_stays_at_its_chat_when_rows_are_made_anew(window: Window) -> None:
    at(window, LONG)
    window.conversations.show([CHATS[2], CHATS[4], CHATS[3]], "")
    window.press(Qt.Key.Key_Return)
    assert window.asked == [("open", "c2")]


def test_ten_thousand_chats_are_listed_at_once(window: Window) -> None:
    many: list[LibraryRow] = [ChatRow(f"c{n}", f"Chat {n}") for n in range(10_000)]
    started = time.perf_counter()
    window.conversations.show(many, "")
    QApplication.processEvents()
    assert time.perf_counter() - started < 2.0  # 0.3 s on an idle machine
    assert place(window, 0).isValid()


def test_a_run_costs_one_row_of_ten_thousand(window: Window) -> None:
    many: list[LibraryRow] = [ChatRow(f"c{n}", f"Chat {n}") for n in range(10_000)]
    window.conversations.show(many, "")
    wait(50)
    laid_out: list[bool] = []
    chats(window).doItemsLayout = lambda: laid_out.append(True)
    window.conversations.update_chat(replace(many[5000], progress=RUNNING.progress))
    wait(20)
    assert not laid_out


def test_a_note_makes_room_for_itself(window: Window) -> None:
    before = place(window, LONG).top()
    window.conversations.update_chat(replace(CHATS[SUM], note="waits for “Coin under cups”"))
    wait(20)
    assert place(window, LONG).top() > before
