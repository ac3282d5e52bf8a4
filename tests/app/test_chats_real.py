"""Chats in the app as it is started, with the bundled model: clicks, keys and the real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog
from real_window import Running
from window_rig import click, named, wait, words_on_screen

from app import paths
from app.main import read_cards

CTRL = Qt.KeyboardModifier.ControlModifier
LONG = "Tell me a very long story about a dog. " * 6


def title(text: str) -> str:
    """A chat's title before it is renamed."""
    return text if len(text) <= 40 else text[:39].rstrip() + "…"


@pytest.fixture(scope="module")
def loaded(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(qapp, paths.model_file(), tmp_path_factory.mktemp("data"))
    running.window.resize(1080, 720)
    running.until(lambda: running.scene.facts is not None)
    yield running
    running.close()


@pytest.fixture
def running(loaded: Running) -> Iterator[Running]:
    """The app without any chat."""
    loaded.window.activateWindow()  # a closed dialog leaves no window active without a screen
    wait(10)
    yield loaded
    loaded.idle()
    loaded.window.sidebar.search.clear()
    loaded.window.delete_all_requested.emit()
    wait(20)
    loaded.app.models.status.set_notice(None)


def press(running: Running, key: Qt.Key, held: Any = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(running.window.focusWidget() or running.window, key, held)
    wait(10)


def notice(running: Running) -> str:
    shown = running.app.models.status.notice
    return shown.sentence if shown is not None else ""


def test_a_chat_is_renamed_and_found_by_its_words(running: Running) -> None:
    running.ask("What is 1 + 2 ?")
    click(running.window, "New chat")
    running.ask("What can you do?")
    assert [chat.title for chat in running.chats] == ["What can you do?", "What is 1 + 2 ?"]
    running.open("What is 1 + 2 ?")
    press(running, Qt.Key.Key_F2)
    QTest.keyClicks(running.window.focusWidget(), "Three")
    press(running, Qt.Key.Key_Return)
    assert {chat.title for chat in running.chats} == {"Three", "What can you do?"}
    assert running.window.windowTitle() == "Three — TinyLoop Chat"
    press(running, Qt.Key.Key_K, CTRL)
    QTest.keyClicks(running.window.sidebar.search, "can you")
    running.until(lambda: len(running.chats) == 1)
    assert running.chats[0].note
    press(running, Qt.Key.Key_Return)
    press(running, Qt.Key.Key_Return)
    assert running.window.windowTitle() == "What can you do? — TinyLoop Chat"
    running.window.sidebar.search.clear()
    assert len(running.chats) == 2


def test_a_deleted_chat_comes_back_by_undo(running: Running) -> None:
    running.ask("What is 1 + 2 ?")
    answer = running.answers[0].text
    running.window.sidebar.chats.setFocus()
    press(running, Qt.Key.Key_Delete)
    assert running.window.focusWidget() is running.window.sidebar.chats
    assert running.chats == []
    assert not running.answers
    assert notice(running) == "Chat deleted."
    click(running.window, "Undo")
    running.until(lambda: running.answers)
    assert running.answers[0].text == answer
    assert [chat.title for chat in running.chats] == ["What is 1 + 2 ?"]
    assert notice(running) == ""


def test_a_run_goes_on_while_another_chat_is_shown(running: Running) -> None:
    box = running.window.composer.edit
    box.setFocus()
    QTest.keyClicks(box, LONG)
    press(running, Qt.Key.Key_Return)
    running.until(lambda: running.scene.run is not None)
    click(running.window, "New chat")
    assert not running.answers
    story = title(" ".join(LONG.split()))
    running.until(lambda: running.chats and running.chats[0].progress is not None)
    assert running.chats[0].title == story
    QTest.keyClicks(box, "half a thought")
    running.until(lambda: all(chat.progress is None for chat in running.chats))
    running.open(story)
    assert box.toPlainText() == ""
    assert len(running.answers) == 1
    assert running.answers[0].text
    running.open("New chat")
    assert box.toPlainText() == "half a thought"


def test_chats_go_out_and_come_in_again_the_same(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "chats.jsonl"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    running.ask("What is 1 + 2 ?")
    running.click("Try harder")
    running.idle()
    before = running.answers
    files = running.window._files
    files.export_all()
    running.until(file.exists)
    running.until(lambda: notice(running))
    running.window.delete_all_requested.emit()
    wait(20)
    assert running.chats == []
    running.app.models.status.set_notice(None)
    files.import_chats()
    running.until(lambda: running.answers)
    assert [(a.text, [c.text for c in a.chips]) for a in running.answers] == [
        (a.text, [c.text for c in a.chips]) for a in before
    ]
    files.import_chats()
    running.until(lambda: "Nothing new" in notice(running))
    assert len(running.chats) == 1


def test_an_answer_run_again_from_nothing_is_identical(running: Running) -> None:
    running.ask(read_cards()[0].question)
    running.click("Try harder")
    running.idle()
    press(running, Qt.Key.Key_D, CTRL)
    (dialog,) = [d for d in running.window.findChildren(QDialog) if d.isVisible()]
    assert "warm: the first 8 loops were kept" in dialog.text()
    click(dialog, "Re-run cold and compare")
    running.until(lambda: "running" not in dialog.text().splitlines()[-1])
    assert dialog.text().splitlines()[-1].startswith("identical: ")
    dialog.close()
    assert len(running.answers) == 1


def test_the_shelf_frees_what_is_kept(running: Running) -> None:
    running.ask("What is 1 + 2 ?")
    kept = next(word for word in words_on_screen(running.window) if word.startswith("kept states"))
    running.click(kept)
    (dialog,) = [d for d in running.window.findChildren(QDialog) if d.isVisible()]
    click(dialog, "Free kept states")
    running.until(lambda: "kept states 0" in dialog.sentence())
    dialog.close()
    wait(20)
    assert "from scratch" in named(running.window, "Try harder").accessibleDescription()


def test_a_temporary_chat_is_not_stored(running: Running) -> None:
    press(running, Qt.Key.Key_N, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert "(not stored)" in running.window.windowTitle()
    running.ask("What is 7 + 1 ?")
    assert "not stored" in words_on_screen(running.window)
    folder = running.app._places.data
    stored = b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
    assert b"What is 7 + 1 ?" not in stored
