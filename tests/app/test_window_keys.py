"""The composer and the keys: writing, sending, editing, the commands and their shortcuts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QLabel
from window_rig import (
    RUNNING,
    Window,
    actions,
    answer,
    name_of,
    named,
    question,
    wait,
    words_on_screen,
)

from app.viewmodels.rows import Action, ActionId, Footer
from app.views.shortcuts import ENTRIES, Command
from app.views.theme import SchemeChoice, contrast

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ROWS = (question("q1", "What is 1 + 2 ?"), answer("m8", "3", 8))


@pytest.fixture
def window(qtbot: Any) -> Window:
    return Window(qtbot)


def edit(window: Window) -> Any:
    return window.window.composer.edit


def test_the_composer_has_the_focus_at_the_start(window: Window) -> None:
    assert window.window.focusWidget() is edit(window)


def test_enter_sends_and_the_text_goes_when_it_was_taken(window: Window) -> None:
    window.type("Hello")
    window.press(Qt.Key.Key_Return)
    assert window.asked == [("send", "Hello")]
    assert edit(window).toPlainText() == "Hello"
    window.composer.accept()
    assert edit(window).toPlainText() == ""


def test_a_refused_text_stays_with_the_reason(window: Window) -> None:
    window.type("Hello")
    window.composer.refuse("Esc stops, then Enter sends")
    assert edit(window).toPlainText() == "Hello"
    assert "Esc stops, then Enter sends" in words_on_screen(window.window)
    window.type("!")
    assert "Esc stops, then Enter sends" not in words_on_screen(window.window)


def test_nothing_is_sent_from_an_empty_box(window: Window) -> None:
    window.type("   ")
    window.press(Qt.Key.Key_Return)
    assert window.asked == []
    assert not named(window.window, "Send").isEnabled()


def test_shift_enter_breaks_the_line(window: Window) -> None:
    window.type("a")
    window.press(Qt.Key.Key_Return, SHIFT)
    window.type("b")
    assert edit(window).toPlainText() == "a\nb"
    assert window.asked == []


def test_enter_of_an_input_method_never_sends(window: Window) -> None:
    QApplication.sendEvent(edit(window), QInputMethodEvent("に", []))
    window.press(Qt.Key.Key_Return)
    assert window.asked == []
    done = QInputMethodEvent("", [])
    done.setCommitString("日")
    QApplication.sendEvent(edit(window), done)
    window.press(Qt.Key.Key_Return)
    assert window.asked == [("send", "日")]


@pytest.mark.parametrize(("lines", "shown"), [(1, 1), (2, 2), (8, 8), (20, 8)])
def test_the_box_grows_from_one_to_eight_lines(
    window: Window, qtbot: Any, lines: int, shown: int
) -> None:
    edit(window).setPlainText("\n".join("x" * lines))
    line = edit(window).fontMetrics().lineSpacing()
    wanted = shown * line + 2 * edit(window).cursorWidth()
    qtbot.waitUntil(lambda: edit(window).height() == wanted)  # layouts settle one after another
    wait(20)
    assert edit(window).height() == wanted


def test_send_becomes_stop(window: Window) -> None:
    window.composer.update(running=True)
    assert named(window.window, "Stop the answer").text() == "Stop  Esc"
    window.click("Stop the answer")
    window.press(Qt.Key.Key_Escape)
    assert window.asked == ["stop", "stop"]
    window.composer.update(running=False)
    assert named(window.window, "Send").text() == "Send"


def test_the_menu_of_depths_offers_the_files_efforts(window: Window) -> None:
    window.composer.update(efforts=(2, 3, 4), depth=3)
    assert named(window.window, "Answers at 3 loops").text() == "Answers at 3 loops  ▾"
    menu = window.window.composer.depth_menu()
    assert [(e.text(), e.isChecked()) for e in menu.actions()] == [
        ("2 loops", False), ("3 loops", True), ("4 loops", False)
    ]  # fmt: skip
    menu.actions()[2].trigger()
    assert window.asked == [("depth", 4)]


def test_the_meter_is_shown(window: Window) -> None:
    window.composer.update(meter="300 of 384 tokens")
    assert "300 of 384 tokens" in words_on_screen(window.window)


def test_edit_puts_the_question_back_and_sends_a_new_version(window: Window) -> None:
    window.show(*ROWS)
    window.type("draft")
    window.click("Edit")
    assert edit(window).toPlainText() == "What is 1 + 2 ?"
    hint = "Enter sends a new version, later turns stay with the old; Esc cancels"
    assert hint in words_on_screen(window.window)
    window.type("!")
    window.press(Qt.Key.Key_Return)
    assert window.asked == [("edit", "q1", "What is 1 + 2 ?!")]
    window.composer.accept()
    assert edit(window).toPlainText() == "draft"


def test_escape_leaves_editing_and_gives_the_draft_back(window: Window) -> None:
    window.show(*ROWS)
    window.type("draft")
    window.click("Edit")
    window.press(Qt.Key.Key_Escape)
    assert edit(window).toPlainText() == "draft"
    assert window.asked == []
    window.press(Qt.Key.Key_Escape)
    assert window.asked == ["stop"]


def test_up_in_an_empty_box_edits_the_last_question(window: Window) -> None:
    window.show(*ROWS)
    window.press(Qt.Key.Key_Up)
    assert edit(window).toPlainText() == "What is 1 + 2 ?"
    window.press(Qt.Key.Key_Up)  # the box is not empty now: the cursor moves, nothing else
    assert window.asked == []


def test_left_and_right_in_an_empty_box_walk_the_variants(window: Window) -> None:
    window.press(Qt.Key.Key_Left)
    window.press(Qt.Key.Key_Right)
    assert window.asked == [("step", -1), ("step", 1)]
    window.press(Qt.Key.Key_Left, SHIFT)
    edit(window).setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    window.press(Qt.Key.Key_Left)
    assert window.asked[2:] == [("step", 1)]
    window.type("word")
    window.press(Qt.Key.Key_Left)
    assert edit(window).textCursor().position() == 3
    assert len(window.asked) == 3


@pytest.mark.parametrize(
    ("key", "modifiers", "wanted"),
    [
        (Qt.Key.Key_Up, (CTRL,), [Action(ActionId.DEEPEN, "", depth=16)]),
        (Qt.Key.Key_Up, (CTRL, SHIFT), [Action(ActionId.DEEPEN, "", depth=32)]),
        (Qt.Key.Key_R, (CTRL,), [actions("m8")[1]]),
        (Qt.Key.Key_C, (CTRL, SHIFT), [actions("m8")[0]]),
        (Qt.Key.Key_N, (CTRL,), ["new"]),
        (Qt.Key.Key_Escape, (), ["stop"]),
    ],
    ids=["harder", "really hard", "answer again", "copy", "new chat", "stop"],
)
def test_shortcuts_work_from_the_composer(
    window: Window, key: Qt.Key, modifiers: Any, wanted: list[Any]
) -> None:
    row = answer("m8", "3", 8)
    plain = row.actions[:2]  # without its own way deeper: the footer's buttons are meant
    window.show(ROWS[0], replace(row, actions=plain))
    window.type("half a question")
    window.press(key, *modifiers)
    assert window.asked == wanted
    assert edit(window).toPlainText() == "half a question"


def test_a_shortcut_asks_for_nothing_that_is_not_offered(window: Window) -> None:
    window.show(question("q1", "Why?"), footer=RUNNING)
    window.press(Qt.Key.Key_Up, CTRL)
    window.press(Qt.Key.Key_R, CTRL)
    assert window.asked == []
    window.show(footer=Footer())
    window.press(Qt.Key.Key_Up, CTRL, SHIFT)
    assert window.asked == []


def test_an_older_answer_is_deepened_by_the_same_keys(window: Window) -> None:
    window.show(*ROWS, question("q2", "And 2 + 2 ?"), answer("n8", "4", 8))
    window.view.setCurrentIndex(window.transcript.index(1))
    window.view.setFocus()
    window.press(Qt.Key.Key_Up, CTRL)
    assert window.asked == [actions("m8")[2]]


def test_zoom_keys(window: Window) -> None:
    window.press(Qt.Key.Key_Plus, CTRL)
    window.press(Qt.Key.Key_Equal, CTRL)
    assert window.theme.zoom == 120
    window.press(Qt.Key.Key_Minus, CTRL)
    assert window.theme.zoom == 110
    window.press(Qt.Key.Key_0, CTRL)
    assert window.theme.zoom == 100


def test_f6_walks_from_the_composer_to_conversation_and_chats(window: Window) -> None:
    window.show(*ROWS)
    for expected in (window.view, window.window.sidebar.chats, edit(window)):
        window.press(Qt.Key.Key_F6)
        assert window.window.focusWidget() is expected
    window.press(Qt.Key.Key_B, CTRL)
    for expected in (window.view, edit(window)):
        window.press(Qt.Key.Key_F6)
        assert window.window.focusWidget() is expected


def test_tab_walks_the_controls_of_the_newest_answer_in_reading_order(window: Window) -> None:
    window.show(*ROWS)
    names = []
    for _ in range(16):
        window.press(Qt.Key.Key_Tab)
        names.append(name_of(window.window.focusWidget()))
    start = names.index("8 loops, state not kept")
    assert names[start : start + 7] == [
        "8 loops, state not kept",
        "Copy",
        "Answer again",
        "More about this message",
        "Try harder",
        "Really hard",
        "Your message",
    ]


def test_text_is_selected_and_copied_with_the_keyboard_alone(window: Window) -> None:
    window.show(*ROWS)
    window.press(Qt.Key.Key_F6)
    window.press(Qt.Key.Key_Up)
    window.view.setCurrentIndex(window.transcript.index(0))
    window.press(Qt.Key.Key_Return)
    for _ in range(4):
        window.press(Qt.Key.Key_Right, SHIFT)
    window.press(Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "What"
    window.press(Qt.Key.Key_F6)
    window.press(Qt.Key.Key_F6)
    assert window.window.focusWidget() is edit(window)


def test_the_focus_is_seen_as_a_ring(window: Window) -> None:
    window.show(*ROWS)
    accent = window.theme.colours.accent
    for name in ("Copy", "8 loops, state not kept", "Try harder", "Send"):
        window.type("x")  # Send is enabled
        widget = named(window.window, name)
        before = widget.grab().toImage()
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        wait(1)
        after = widget.grab().toImage()
        middle = widget.height() // 2
        assert after != before, name
        for x in (0, 1):
            assert contrast(after.pixelColor(x, middle), accent) < 1.02, name
        edit(window).setFocus()


def test_a_click_leaves_the_focus_in_the_text_box(window: Window) -> None:
    window.show(*ROWS)
    for name in ("Copy", "Try harder", "8 loops, state not kept", "New chat"):
        window.click(name)
        assert window.window.focusWidget() is edit(window), name


def test_f1_lists_every_command_with_its_keys(window: Window) -> None:
    window.press(Qt.Key.Key_F1)
    (dialog,) = window.window.findChildren(QDialog)
    words = {label.text() for label in dialog.findChildren(QLabel)}
    for entry in ENTRIES:
        if entry.keys:
            assert {entry.text, QKeySequence(entry.keys[0]).toString()} <= words
    dialog.close()


def test_no_two_commands_share_a_key() -> None:
    keys = [key for entry in ENTRIES for key in entry.keys]
    assert len(keys) == len(set(keys))
    assert {entry.command for entry in ENTRIES} == set(Command)


def test_the_menu_changes_the_colours(window: Window) -> None:
    dark = [a for a in window.window.findChildren(type(window.window.menuBar().actions()[0]))
            if a.data() is SchemeChoice.DARK]  # fmt: skip
    dark[0].trigger()
    assert window.theme.dark
