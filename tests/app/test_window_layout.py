"""How the page is laid out: narrow and zoomed windows, the place on screen, mirrored, quick."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication
from window_rig import (
    CHATS,
    RUNNING,
    TWO_BUTTONS,
    Window,
    answer,
    named,
    question,
    wait,
    widgets,
)

from app.viewmodels.library_rows import Notice
from app.viewmodels.rows import ErrorBar, Footer
from app.viewmodels.status import Facts
from app.views.page_layout import column

LONG = "the quick brown fox jumps over the lazy dog and then some more words follow it "
MESSAGES = 800


@pytest.fixture
def window(qtbot: Any) -> Iterator[Window]:
    window = Window(qtbot)
    yield window
    window.theme.set_zoom(100)


def long_chat(turns: int) -> list[Any]:
    rows: list[Any] = []
    for number in range(turns):
        rows.append(question(f"q{number}", LONG * 2))
        rows.append(answer(f"a{number}", (LONG * 10 + "\n\n") * 2, 8))
    return rows


@pytest.mark.parametrize("zoom", [100, 125, 200])
@pytest.mark.parametrize("width", [1080, 0], ids=["wide", "narrowest"])
def test_no_control_is_clipped(window: Window, zoom: int, width: int) -> None:
    window.theme.set_zoom(zoom)
    window.window.resize(max(width, window.window.minimumWidth()), 720)
    window.status.set_error(ErrorBar("The model file could not be opened.", "Open another…", print))
    window.status.show(Facts("some-model", "CPU (no NVIDIA driver was found)", 5, 0.9, 3, 10**8))
    window.conversations.show(CHATS, "")
    for rows, footer in (
        ((), Footer()),
        ((question("q", LONG * 2), answer("m32", LONG, 8, 16, 32, caption=LONG)), TWO_BUTTONS),
        ((question("q", "Why?"), answer("m8", "7", 8)), RUNNING),
    ):
        window.show(*rows, footer=footer)
        no_button_is_clipped(window)
    window.window.page.finder.open_bar()
    no_button_is_clipped(window)
    window.status.set_notice(Notice("Chat deleted.", "Undo", print))
    no_button_is_clipped(window)
    window.press(Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    no_button_is_clipped(window)


def no_button_is_clipped(window: Window) -> None:
    wait(20)
    for button in widgets(window.window):
        if not isinstance(button, QAbstractButton):
            continue
        needed = button.minimumSizeHint()
        assert button.width() >= needed.width(), (button.text(), button.geometry())
        assert button.height() >= needed.height(), (button.text(), button.geometry())
        left = button.mapTo(window.window, QPoint()).x()
        assert left >= 0, button.text()
        assert left + button.width() <= window.window.width(), button.text()


def test_controls_of_a_row_never_overlap(window: Window) -> None:
    for width in (1080, 500, window.window.minimumWidth()):
        window.window.resize(width, 720)
        window.show(question("q", LONG * 3), answer("m32", LONG, 8, 16, 32, caption=LONG))
        strip = window.view.strip_of(1)
        parts = sorted(
            (w.geometry() for w in widgets(strip) if w.parent() is strip), key=lambda r: r.x()
        )
        for one, other in pairwise(parts):
            assert one.right() < other.left()


def test_transcript_and_composer_share_one_column(window: Window) -> None:
    window.show(*long_chat(20))
    left, wide = column(window.theme, window.window.page.width())
    composer = window.window.composer
    assert composer.x() == left
    assert composer.width() == wide
    indent = window.theme.u(2)
    assert window.view.effort_bar.x() == window.view.strip_of(39).x() == left + indent
    assert wide == window.theme.u(90)


def test_text_goes_on_at_the_end_unless_the_user_looks_elsewhere(window: Window) -> None:
    rows = long_chat(20)
    window.show(*rows)
    bar = window.view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    last = answer("a19", LONG * 60, 8, streaming=True)
    window.transcript.update_row(last)
    wait(20)
    assert bar.value() == bar.maximum()
    bar.setValue(bar.maximum() // 2)
    wait(20)
    first = window.view.visible_rows()[0]
    top = window.view.rect_of(first).top()
    window.transcript.update_row(answer("a19", LONG * 90, 8, streaming=True))
    wait(20)
    assert window.view.visible_rows()[0] == first
    assert window.view.rect_of(first).top() == top


def test_a_question_that_was_just_asked_is_brought_into_sight(window: Window) -> None:
    rows = long_chat(20)
    window.show(*rows)
    bar = window.view.verticalScrollBar()
    bar.setValue(0)
    window.show(*rows, question("new", "And now?"))
    assert bar.value() == bar.maximum()


def test_a_narrower_window_keeps_the_place(window: Window) -> None:
    window.show(*long_chat(20))
    bar = window.view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    wait(20)
    first = window.view.visible_rows()[0]
    window.window.resize(700, 720)
    wait(20)
    assert window.view.visible_rows()[0] == first


def test_every_row_is_as_high_as_its_text_once_it_was_seen(window: Window) -> None:
    window.show(*long_chat(20))
    bar = window.view.verticalScrollBar()
    for value in range(0, bar.maximum(), 300):
        bar.setValue(value)
        wait(1)
        for number in window.view.visible_rows():
            rect = window.view.rect_of(number)
            if number + 1 < window.transcript.rowCount():
                assert rect.bottom() + 1 == window.view.rect_of(number + 1).top()


def test_right_to_left_mirrors_chips_and_buttons(window: Window) -> None:
    application = QApplication.instance()
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        window.show(question("q", "Why?"), answer("m16", "7", 8, 16))
        first = named(window.window, "8 loops, state kept")
        second = named(window.window, "16 loops, state not kept")
        assert first.x() > second.x() > named(window.window, "Copy").x()
        edit = named(window.window, "Edit")
        text = window.view._delegate.parts(0, window.transcript.row(0)).text
        assert edit.mapTo(window.view.viewport(), edit.rect().topRight()).x() < text.left()
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_the_window_stays_alive_while_text_is_written_in_a_long_chat(window: Window) -> None:
    """Heartbeat gap under 100 ms; the budget is 50, the margin is for busy machines."""
    rows = [*long_chat(MESSAGES // 2 - 1), question("q", "Go on.")]
    window.show(*rows, answer("new", "", 8, streaming=True), footer=RUNNING)
    words, beats = (LONG * 20).split(), [time.perf_counter()]
    beat, flush = QTimer(), QTimer()
    written: list[str] = []

    def write() -> None:
        written.extend(words[len(written) : len(written) + 3])
        window.transcript.update_row(answer("new", " ".join(written), 8, streaming=True))

    beat.timeout.connect(lambda: beats.append(time.perf_counter()))
    flush.timeout.connect(write)
    beat.start(5)
    flush.start(33)
    wait(2000)
    flush.stop()
    gaps = [later - earlier for earlier, later in pairwise(beats[5:])]
    assert len(written) > 90
    assert max(gaps) < 0.1
    assert window.view.verticalScrollBar().value() == window.view.verticalScrollBar().maximum()


def test_800_messages_open_at_once(window: Window) -> None:
    started = time.perf_counter()
    window.transcript.set_rows(long_chat(MESSAGES // 2))
    QApplication.processEvents()
    assert window.view.visible_rows()
    assert time.perf_counter() - started < 1.0  # 0.05 s on an idle machine
