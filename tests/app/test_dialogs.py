"""What opens over the window or in its status line: receipt, shelf, source, notices, files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QFileDialog,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QWidget,
)
from window_rig import CHATS, Window, answer, click, name_of, named, question, wait, widgets

from app.viewmodels.about import About, Figure, FigureRow, Section
from app.viewmodels.library_rows import Notice, Receipt, ReceiptLine, Shelf, ShelfEntry
from app.viewmodels.rows import Chip, ErrorBar, LoopProgress
from app.viewmodels.status import Facts
from app.views import announce as announcing
from app.views import error_bar, transcript_view
from app.views.loop_bar import LoopBar
from app.views.memory_bar import MemoryBar
from app.views.shortcuts import ENTRIES, translated

ROWS = (question("q1", "What is 1 + 2 ?"), answer("m8", "It is **3**.", 8))
LINES = (ReceiptLine("Model", "some-model on CPU"), ReceiptLine("Depth", "8 loops"))
LOOPS = LoopProgress(0, 8, 8, 32, "8 loops")
RECEIPT = Receipt("m8", LINES, can_compare=True, progress=LOOPS)
SHELF = Shelf(
    model=100_000_000,
    entries=(ShelfEntry("A sum · 16 loops", 40_000_000, "14:02"),
             ShelfEntry("Coin under cups · 8 loops", 20_000_000, "13:59")),
    budget=500_000_000,
)  # fmt: skip


FIGURE = Figure("87.7", "83.4–91.1", "all, 16 loops: 87.7 % right", "all, 16 loops: 83 to 91 %")
ABOUT = About(
    "Right answers in per cent.", LINES, ((LOOPS, FIGURE),), ("16 loops",),
    (Section("By kind", (FigureRow("sums", (FIGURE,)),)),),
)  # fmt: skip


@pytest.fixture
def window(qtbot: Any) -> Iterator[Window]:
    window = Window(qtbot)
    window.show(*ROWS)
    yield window
    window.theme.set_zoom(100)


def open_dialog(window: Window) -> QDialog:
    (dialog,) = [d for d in window.window.findChildren(QDialog) if d.isVisible()]
    return dialog


def words(dialog: QWidget) -> set[str]:
    return {name_of(part) for part in widgets(dialog)} | {
        label.text() for label in dialog.findChildren(QLabel)
    }


def command(window: Window, text: str) -> None:
    """Choose an entry of the menu bar."""
    for menu in window.window.menuBar().actions():
        for entry in menu.menu().actions():
            if entry.text() == text:
                entry.trigger()
                return
    raise AssertionError(text)


def menu_entry(window: Window, row: int, text: str) -> None:
    entries = window.view.strip_of(row).menu().actions()
    next(entry for entry in entries if entry.text() == text).trigger()


# Receipt


def opened_receipt(window: Window) -> QDialog:
    window.press(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert window.asked == [("receipt", "m8")]
    window.window.dialogs.show_receipt(RECEIPT)
    return open_dialog(window)


def test_more_opens_the_receipt_of_its_answer(window: Window) -> None:
    menu_entry(window, 1, "How this answer came about")
    assert window.asked == [("receipt", "m8")]


def test_a_receipt_is_lines_that_can_be_selected_and_copied(window: Window) -> None:
    dialog = opened_receipt(window)
    assert {"Model", "some-model on CPU", "Depth", "8 loops"} <= words(dialog)
    assert dialog.findChildren(LoopBar)[0].accessibleName() == "8 loops"
    value = next(x for x in dialog.findChildren(QLabel) if x.text() == "8 loops")
    assert value.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByKeyboard
    click(dialog, "Copy")
    assert QGuiApplication.clipboard().text() == "Model: some-model on CPU\nDepth: 8 loops"


def test_a_receipt_is_compared_and_says_what_came_out(window: Window) -> None:
    dialog = opened_receipt(window)
    click(dialog, "Re-run cold and compare")
    assert window.asked[1:] == [("compare", "m8")]
    window.window.dialogs.show_receipt(replace(RECEIPT, comparison="running…", can_compare=False))
    assert not named(dialog, "Re-run cold and compare").isEnabled()
    window.window.dialogs.show_receipt(replace(RECEIPT, comparison="identical: 2 tokens"))
    assert "identical: 2 tokens" in words(dialog)
    click(dialog, "Copy")
    assert QGuiApplication.clipboard().text().endswith("\nidentical: 2 tokens")
    assert open_dialog(window) is dialog


def test_a_result_that_comes_late_opens_no_dialog(window: Window) -> None:
    opened_receipt(window).close()
    window.window.dialogs.show_receipt(replace(RECEIPT, comparison="identical: 2 tokens"))
    assert not [d for d in window.window.findChildren(QDialog) if d.isVisible()]


def test_what_cannot_be_compared_says_why(window: Window) -> None:
    opened_receipt(window)
    window.window.dialogs.show_receipt(
        replace(RECEIPT, can_compare=False, hint="Another model wrote it.")
    )
    dialog = open_dialog(window)
    assert not named(dialog, "Re-run cold and compare").isEnabled()
    assert "Another model wrote it." in words(dialog)


# Shelf and status line


def test_the_kept_states_of_the_status_line_open_the_shelf(window: Window) -> None:
    window.status.show(Facts("tiny", "CPU (no NVIDIA driver)", kept=2, kept_bytes=60_000_000))
    assert {"CPU (no NVIDIA driver) ·", "kept states 2, 60 MB"} <= words(window.window)
    window.click("kept states 2, 60 MB")
    window.window.dialogs.show_shelf(SHELF)
    dialog = open_dialog(window)
    assert "Model 100 MB · kept states 2, 60 MB of at most 500 MB" in words(dialog)
    assert {"A sum · 16 loops", "40 MB", "14:02", "Coin under cups · 8 loops"} <= words(dialog)
    click(dialog, "Free kept states")
    assert window.asked == ["shelf", "free"]
    window.window.dialogs.show_shelf(replace(SHELF, entries=()))
    assert "No state is kept now." in words(dialog)
    assert not named(dialog, "Free kept states").isEnabled()


def test_the_shelf_opens_only_when_it_was_asked_for(window: Window) -> None:
    window.window.dialogs.show_shelf(SHELF)
    assert not [d for d in window.window.findChildren(QDialog) if d.isVisible()]


def test_the_memory_bar_has_a_segment_a_state_as_wide_as_its_bytes(window: Window) -> None:
    bar = MemoryBar(window.theme)
    bar.show_shelf(SHELF, "memory")
    bar.resize(600, bar.sizeHint().height())
    picture, colours = bar.grab().toImage(), window.theme.colours
    across = [picture.pixelColor(x, picture.height() // 2) for x in range(600)]
    runs: list[tuple[str, int]] = []
    for colour in across:
        same = runs and runs[-1][0] == colour.name()
        runs[-1:] = [(colour.name(), runs[-1][1] + 1)] if same else [*runs[-1:], (colour.name(), 1)]
    states = [width for name, width in runs if name == colours.accent.name()]
    assert len(states) == 2
    assert 1.6 < states[0] / states[1] < 2.1
    model = max(width for name, width in runs if name == colours.mid.name())
    assert model > states[0]


# Notices


def test_a_notice_takes_the_place_of_the_status_line_and_moves_nothing(window: Window) -> None:
    undone: list[bool] = []
    where = window.window.composer.geometry(), window.view.geometry()
    window.status.set_notice(Notice("Chat deleted", "Undo", lambda: undone.append(True)))
    wait(5)
    assert (window.window.composer.geometry(), window.view.geometry()) == where
    assert "Chat deleted" in words(window.window)
    window.click("Undo")
    assert undone == [True]
    assert "Chat deleted" not in words(window.window)


def test_a_notice_goes_by_itself(window: Window) -> None:
    window.status.set_notice(Notice("Imported 2 chats", "", print, seconds=0.05))
    assert "Imported 2 chats" in words(window.window)
    wait(150)
    assert "Imported 2 chats" not in words(window.window)


# Source, wordings, crash


def test_the_source_is_shown_as_it_was_written(window: Window) -> None:
    menu_entry(window, 1, "View the source")
    dialog = open_dialog(window)
    assert dialog.findChildren(QPlainTextEdit)[0].toPlainText() == "It is **3**."
    click(dialog, "Copy")
    assert QGuiApplication.clipboard().text() == "It is **3**."
    dialog.close()


def test_wordings_are_chips_under_the_question(window: Window) -> None:
    chips = tuple(
        Chip(f"q{n}", f"Wording {n} of 2", n == 2, None, f"Wording {n} of 2") for n in (1, 2)
    )
    window.show(replace(question("q2", "And 2 + 2 ? " * 30), chips=chips), ROWS[1])
    first, text = named(window.window, "Wording 1 of 2"), window.view._delegate.parts(
        0, window.transcript.row(0)
    )  # fmt: skip
    assert text.strip.top() > text.text.bottom()
    assert text.block.contains(text.strip)
    assert first.isVisible()
    window.click("Wording 1 of 2")
    assert [a.message_id for a in window.asked] == ["q1"]


def test_a_crash_is_said_once(window: Window) -> None:
    window.window.dialogs.show_crash()
    dialog = open_dialog(window)
    click(dialog, "Copy diagnostics")
    assert window.asked == ["diagnostics"]
    dialog.close()
    window.window.dialogs.show_crash()
    assert not dialog.isVisible()


# Files


def test_chats_go_to_and_come_from_files(
    window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window.conversations.show(CHATS, "")
    offered: list[str] = []

    def save(_parent: QWidget, _title: str, name: str, kinds: str) -> tuple[str, str]:
        offered.append(Path(name).name)
        return str(tmp_path / "out"), kinds.split(";;", maxsplit=1)[0]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", save)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "in"), ""))
    command(window, "Export all chats…")
    command(window, "Export this chat…")
    command(window, "Import chats…")
    out = str(tmp_path / "out.jsonl")
    assert window.asked == [("export all", out), ("export", "c1", out),
                            ("import", str(tmp_path / "in"))]  # fmt: skip
    assert offered == ["chats.jsonl", "A sum.jsonl"]


@pytest.mark.parametrize("replaced", [True, False])
def test_no_file_is_replaced_without_a_yes(
    window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, replaced: bool
) -> None:
    """The file dialog asks about the name that was typed, not about the one with its suffix."""
    (tmp_path / "mine.jsonl").write_text("older")
    answers = QMessageBox.StandardButton.Yes if replaced else QMessageBox.StandardButton.No
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    command(window, "Export all chats…")
    assert window.asked == ([("export all", str(tmp_path / "mine.jsonl"))] if replaced else [])


def test_a_dialog_without_a_file_asks_for_nothing(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("getSaveFileName", "getOpenFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: ("", ""))
    command(window, "Export all chats…")
    command(window, "Import chats…")
    assert window.asked == []


def test_the_shown_chat_is_deleted_from_the_menu(window: Window) -> None:
    window.conversations.show(CHATS, "")
    command(window, "Delete the chat")
    assert window.asked == [("delete", "c1")]


@pytest.mark.parametrize(("answered", "asked"), [("Delete all", ["delete all"]), ("Keep them", [])])
def test_all_chats_are_deleted_only_after_a_yes(
    window: Window, monkeypatch: pytest.MonkeyPatch, answered: str, asked: list[str]
) -> None:
    def press(box: QMessageBox) -> int:
        next(button for button in box.buttons() if button.text() == answered).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", press)
    command(window, "Delete all chats…")
    assert window.asked == asked


# Read aloud and by keyboard


def test_a_finished_answer_is_spoken_once(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(transcript_view, "announce", lambda _widget, text: said.append(text))
    for text in ("It", "It is"):
        window.transcript.update_row(answer("m8", text, 8, streaming=True))
    assert said == []
    window.transcript.update_row(answer("m8", "It is 4.", 8))
    window.transcript.update_row(answer("m8", "It is 4.", 8, caption="same"))
    assert said == ["Answer: It is 4.. 8 loops, state not kept"]


def test_the_screen_reader_hears_an_announcement(
    window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Any] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", heard.append)
    announcing.announce(window.window, "Chat deleted")
    assert [event.message() for event in heard] == ["Chat deleted"]


def test_an_error_is_spoken(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(error_bar, "announce", lambda _widget, text: said.append(text))
    window.status.set_error(ErrorBar("The disk is full.", "Save as…", print))
    window.status.set_error(None)
    assert said == ["The disk is full."]


def every_dialog(window: Window) -> Iterator[QDialog]:
    window.window.dialogs.ask_for_receipt("m8")
    window.window.dialogs.show_receipt(replace(RECEIPT, hint="Why not", comparison="identical"))
    yield open_dialog(window)
    window.window.dialogs.ask_for_shelf()
    window.window.dialogs.show_shelf(SHELF)
    yield open_dialog(window)
    window.window.dialogs.show_crash()
    yield open_dialog(window)
    menu_entry(window, 1, "View the source")
    yield open_dialog(window)
    command(window, "Keys")
    yield open_dialog(window)
    command(window, "About this model")
    window.window.dialogs.show_about(ABOUT)
    yield open_dialog(window)


@pytest.mark.parametrize("zoom", [100, 125, 200])
def test_dialogs_have_names_and_no_clipped_text(window: Window, zoom: int) -> None:
    window.theme.set_zoom(zoom)
    for dialog in every_dialog(window):
        wait(10)
        assert dialog.windowTitle()
        for part in widgets(dialog):
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus:
                assert name_of(part), part
            if isinstance(part, QAbstractButton):
                assert part.width() >= part.minimumSizeHint().width(), part.text()
            if isinstance(part, QLabel) and part.text():
                needed = part.heightForWidth(part.width()) if part.wordWrap() else part.height()
                assert part.height() >= needed, part.text()
                assert part.wordWrap() or part.width() >= part.sizeHint().width(), part.text()
        dialog.close()


def test_every_command_is_in_the_menus(window: Window) -> None:
    found = {entry.text() for menu in window.window.menuBar().actions()
             for entry in menu.menu().actions()}  # fmt: skip
    assert {translated(entry.text) for entry in ENTRIES} <= found
