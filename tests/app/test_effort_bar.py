"""The buttons under an answer: never crushed, and a double click is one click."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_rig import RUNNING, TWO_BUTTONS, Window, answer, question, wait

from app.viewmodels.rows import Footer
from app.views.effort_bar import EffortBar
from app.views.message_edit import MessageEdit
from app.views.theme import Theme
from app.views.two_line_button import TwoLineButton


@pytest.fixture
def window(qtbot: Any) -> Window:
    return Window(qtbot)


def bar_of(window: Window) -> EffortBar:
    return window.window.findChild(EffortBar)


def shown_buttons(window: Window) -> list[TwoLineButton]:
    return [b for b in bar_of(window).findChildren(TwoLineButton) if b.isVisible()]


LONG = "resumes · +8 loops · first word in about 0.8 s (from scratch 1.7 s) · writing about 5 s"


@pytest.mark.parametrize("zoom", [100, 150])
def test_the_height_is_told_at_once_when_the_buttons_wrap(qtbot: Any, zoom: int) -> None:
    theme = Theme(QApplication.instance())
    theme.set_zoom(zoom)
    bar = EffortBar(theme)
    qtbot.addWidget(bar)
    bar.resize(theme.u(75), theme.u(40))
    bar.show()
    wait(5)
    instead = tuple(replace(b, price="goes on") for b in TWO_BUTTONS.buttons)
    bar.show_footer(replace(RUNNING, buttons=instead))
    wait(5)
    bar.show_footer(Footer(buttons=tuple(replace(b, price=LONG) for b in TWO_BUTTONS.buttons)))
    told = bar.sizeHint().height()
    wait(30)
    assert bar.sizeHint().height() == told
    bar.resize(bar.width(), told)
    wait(30)
    for button in bar.findChildren(TwoLineButton):
        assert button.height() == button.sizeHint().height()


def test_a_double_click_is_one_click(window: Window) -> None:
    window.transcript.set_rows([question("q", "Why?"), answer("a", "So.", 8)])
    window.transcript.set_footer(TWO_BUTTONS)
    wait(30)
    asked: list[int] = []
    plain = Qt.KeyboardModifier.NoModifier
    bar_of(window).deepen_requested.connect(asked.append)
    button, left, kind = shown_buttons(window)[0], Qt.MouseButton.LeftButton, QEvent.Type
    at = QPointF(button.rect().center())
    # What a system's double click is; QTest's own sends a press beside the double click.
    for event in (kind.MouseButtonPress, kind.MouseButtonRelease, kind.MouseButtonDblClick,
                  kind.MouseButtonRelease):  # fmt: skip
        mouse = QMouseEvent(event, at, button.mapToGlobal(at), left, left, plain)
        QApplication.sendEvent(button, mouse)
    assert asked == [16]


@pytest.mark.parametrize("lines", range(1, 9))
def test_every_line_of_the_composer_is_seen(window: Window, qtbot: Any, lines: int) -> None:
    box = window.window.findChild(MessageEdit)
    box.setFocus()
    QTest.keyClicks(box, "line")
    for _ in range(lines - 1):
        QTest.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClicks(box, "line")
        wait(10)
    bar = box.verticalScrollBar()
    qtbot.waitUntil(lambda: (bar.maximum(), bar.value()) == (0, 0))
