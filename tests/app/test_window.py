"""The conversation in the window, on hand-made rows: what is shown and what a click asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from window_rig import (
    CARDS,
    CHATS,
    RUNNING,
    TWO_BUTTONS,
    Window,
    actions,
    answer,
    click,
    named,
    question,
    wait,
    widgets,
    words_on_screen,
)

from app.viewmodels.rows import Action, ActionId, ErrorBar, Footer, LineRow
from app.viewmodels.status import Facts
from app.views import text_overlay
from app.views.loop_bar import LoopBar
from app.views.theme import KEPT_TINT, blend

ONE = (question("q1", "What is 1 + 2 ?"), answer("m16", "It is **3**.", 8, 16, caption="same"))


@pytest.fixture
def window(qtbot: Any) -> Window:
    return Window(qtbot)


def test_an_empty_chat_offers_its_cards(window: Window) -> None:
    window.window.empty.show_facts("small · often wrong")
    words = words_on_screen(window.window)
    assert "Ask. If the answer is wrong, try harder." in words
    assert "small · often wrong" in words
    assert any("8 loops" in word and "16 and 32" in word for word in words)
    for card in CARDS:
        assert f"{card.title}   ·   {card.steps} steps" in words


def test_a_card_asks_its_question(window: Window) -> None:
    window.click("Which way?   ·   22 steps")
    assert window.asked == [("send", CARDS[2].question)]


def test_rows_and_buttons_are_on_screen_by_name(window: Window) -> None:
    window.show(*ONE)
    words = words_on_screen(window.window)
    chips = ("8 loops, state kept", "16 loops, state not kept")
    buttons = ("Copy", "Answer again", "Edit", "Try harder", "Really hard")
    for wanted in ("You: What is 1 + 2 ?", *chips, "same", *buttons):
        assert wanted in words
    assert any(word.startswith("Answer: It is **3**.") for word in words)
    assert not window.window.empty.isVisible()


def test_everything_that_takes_the_focus_has_a_name(window: Window) -> None:
    window.status.show(Facts("tiny", "CPU", kept=2, kept_bytes=10**7))
    window.conversations.show(CHATS, "")
    for rows in ((), ONE):
        window.show(*rows)
        window.press(Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        for widget in widgets(window.window):
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                assert widget.accessibleName() or getattr(widget, "text", str)(), widget


@pytest.mark.parametrize(("name", "depth"), [("Try harder", 16), ("Really hard", 32)])
def test_effort_buttons_ask_for_their_depth(window: Window, name: str, depth: int) -> None:
    window.show(*ONE)
    window.click(name)
    assert window.asked == [Action(ActionId.DEEPEN, "", depth=depth)]


def test_a_disabled_effort_button_says_why_and_does_nothing(window: Window) -> None:
    button = replace(TWO_BUTTONS.buttons[0], enabled=False, hint="the model is loading")
    window.show(*ONE, footer=Footer(buttons=(button,)))
    shown = named(window.window, "Try harder")
    assert not shown.isEnabled()
    assert shown.toolTip() == "the model is loading"
    QTest.mouseClick(shown, Qt.MouseButton.LeftButton)
    assert window.asked == []


def test_a_chip_asks_for_its_variant(window: Window) -> None:
    window.show(*ONE)
    window.click("8 loops, state kept")
    assert window.asked == [Action(ActionId.SELECT, "", message_id="m8")]


def test_arrow_keys_walk_the_variants(window: Window) -> None:
    window.show(*ONE)
    window.view.setFocus()
    window.view.setCurrentIndex(window.transcript.index(1))
    window.press(Qt.Key.Key_Left)
    named(window.window, "16 loops, state not kept").setFocus()
    window.press(Qt.Key.Key_Left)
    assert window.asked == [Action(ActionId.SELECT, "", message_id="m8")] * 2
    window.view.setCurrentIndex(window.transcript.index(0))
    window.view.setFocus()
    window.press(Qt.Key.Key_Right)
    assert window.asked[2:] == [("step", 1)]


def test_the_buttons_of_every_answer_work(window: Window) -> None:
    older = (question("q0", "Hello?"), answer("m0", "Hello.", 8))
    window.show(*older, *ONE)
    copies = [w for w in widgets(window.window) if w.accessibleName() == "Copy"]
    assert len(copies) == 2
    for copy in copies:
        QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert {a.message_id for a in window.asked} == {"m0", "m16"}
    assert {a.id for a in window.asked} == {ActionId.COPY}


def test_more_holds_the_other_actions(window: Window) -> None:
    window.show(*ONE)
    menu = window.view.strip_of(1).menu()
    own = ["How this answer came about", "View the source"]
    assert [entry.text() for entry in menu.actions()] == [a.text for a in actions("m16")] + own
    menu.actions()[2].trigger()
    assert window.asked == [actions("m16")[2]]


def test_a_line_has_its_button(window: Window) -> None:
    later = Action(ActionId.SHOW_LATER, "Show", message_id="m8")
    window.show(*ONE, LineRow("3 later messages follow the answer at 8 loops", (later,)))
    window.click("Show")
    assert window.asked == [later]
    assert "3 later messages follow the answer at 8 loops" in words_on_screen(window.window)


def test_an_error_is_one_sentence_and_one_action(window: Window) -> None:
    acted: list[bool] = []
    window.status.set_error(ErrorBar("The GPU is gone.", "Use the CPU", lambda: acted.append(True)))
    wait(1)
    assert "The GPU is gone." in words_on_screen(window.window)
    window.click("Use the CPU")
    assert acted == [True]
    window.status.set_error(None)
    assert not window.window.error.isVisible()


def test_the_status_line_shows_what_the_view_model_says(window: Window) -> None:
    window.status.changed.emit("some-model · CPU · not saved yet")
    assert "some-model · CPU · not saved yet" in words_on_screen(window.window)


def test_the_loop_bar_paints_kept_done_wanted_and_further_loops(window: Window) -> None:
    window.show(*ONE, footer=RUNNING)
    (bar,) = window.window.findChildren(LoopBar)
    assert bar.accessibleName() == "Loop 13 of 16 — the first 8 were kept"
    colours, picture = window.theme.colours, bar.grab().toImage()
    kept = blend(colours.accent, colours.window, KEPT_TINT)
    unit = window.theme.u()

    def square(loop: int) -> tuple[str, str]:
        """Colours in the middle and on the left edge of a square."""
        left = round(unit * (loop * 1.25 + loop // 8 * 0.5))
        middle = picture.pixelColor(left + unit // 2, unit // 2)
        return middle.name(), picture.pixelColor(left, unit // 2).name()

    assert square(0)[0] == square(7)[0] == kept.name()
    assert square(8)[0] == square(12)[0] == colours.accent.name()
    assert square(13) == square(15) == (colours.window.name(), colours.accent.name())
    assert square(16) == square(31) == (colours.window.name(), colours.mid.name())


def test_stop_stands_beside_the_loop_bar(window: Window) -> None:
    window.show(*ONE, footer=RUNNING)
    window.click("Stop the answer")
    assert window.asked == [Action(ActionId.STOP, "")]


def test_nothing_moves_when_a_run_begins_or_ends(window: Window) -> None:
    """The loop bar takes the place of the chips, the button the place of the buttons."""
    asked, written = question("q1", "What is 1 + 2 ?"), answer("m8", "3", 8)
    window.show(asked, written)
    chip = named(window.window, "8 loops, state not kept")
    middle = chip.mapTo(window.window, chip.rect().center()).y()
    button = named(window.window, "Try harder").mapTo(window.window, QPoint()).y()
    text = window.view.rect_of(1).top()
    window.show(asked, answer("m8", "3", 8, dimmed=True), footer=RUNNING)
    (bar,) = window.window.findChildren(LoopBar)
    assert abs(bar.mapTo(window.window, bar.rect().center()).y() - middle) <= 1
    assert named(window.window, "Really hard instead").mapTo(window.window, QPoint()).y() == button
    assert window.view.rect_of(1).top() == text


def test_variants_stay_within_reach_during_a_run(window: Window) -> None:
    window.show(*ONE, footer=RUNNING)
    window.click("8 loops, state kept")
    assert window.asked == [Action(ActionId.SELECT, "", message_id="m8")]


def drag(view: Any, start: QPoint, end: QPoint) -> None:
    viewport = view.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    held, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for part in (0.5, 1.0):
        at = QPointF(start + (end - start) * part)
        move = QMouseEvent(QEvent.Type.MouseMove, at, viewport.mapToGlobal(at),
                           Qt.MouseButton.NoButton, held, none)  # fmt: skip
        QApplication.sendEvent(viewport, move)
    QTest.mouseRelease(viewport, held, pos=end)


def test_text_is_selected_with_the_mouse_and_copied(window: Window) -> None:
    window.show(*ONE)
    rect = window.view.rect_of(1)
    left = window.view.strip_of(1).x()
    drag(window.view, QPoint(left + 1, rect.top() + 25), QPoint(left + 300, rect.top() + 25))
    window.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "It is 3."


def test_the_live_text_looks_like_the_painted_one(window: Window) -> None:
    """A click into a text must not move it: the widget lies over the painting, pixel on pixel."""
    window.show(*ONE)
    window.view.clearFocus()
    rect = window.view.rect_of(1)
    area = rect.adjusted(0, 0, 0, -100)
    painted = window.view.viewport().grab(area).toImage()
    QTest.mouseClick(window.view.viewport(), Qt.MouseButton.LeftButton,
                     pos=QPoint(window.view.strip_of(1).x() + 10, rect.top() + 25))  # fmt: skip
    assert window.view.viewport().grab(area).toImage() == painted


def test_the_window_asks_before_it_opens_a_link(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    answers = [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    monkeypatch.setattr(
        text_overlay.QDesktopServices, "openUrl", lambda url: opened.append(url.toString())
    )
    overlay = window.window.findChildren(text_overlay.TextOverlay)[0]
    overlay.anchorClicked.emit(QUrl("https://example.org/"))
    assert opened == []
    overlay.anchorClicked.emit(QUrl("https://example.org/"))
    overlay.anchorClicked.emit(QUrl("file:///etc/passwd"))
    assert opened == ["https://example.org/"]


def test_a_new_chat_is_one_click_away(window: Window) -> None:
    window.show(*ONE)
    click(window.window, "New chat")
    assert window.asked == ["new"]
