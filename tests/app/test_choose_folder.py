"""Where nothing can be written the app starts in memory, says so, and takes a folder instead."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from app_rig import Rig
from PySide6.QtWidgets import QApplication, QFileDialog
from real_window import Running
from scripted_engine import Script
from tiny_models import tiny_config, write_tiny_model
from window_rig import words_on_screen

from app.domain.store import FolderLock

MakeRig = Callable[..., Rig]


def on_disk(folder: Path) -> list[tuple[str, str]]:
    """Text and status of every message in a folder."""
    with closing(sqlite3.connect(folder / "chats.db")) as connection:
        return connection.execute("SELECT text, status FROM message ORDER BY seq").fetchall()


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """A folder that cannot be made, whoever asks: its parent is a file."""
    (tmp_path / "file").write_text("")
    return tmp_path / "file" / "chats"


def test_the_window_starts_in_memory_and_moves_into_a_chosen_folder(
    qapp: QApplication, nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, model = tmp_path / "chosen", tmp_path / "tiny.tinyloop"
    write_tiny_model(model, tiny_config(efforts=(2, 3, 4)))
    running = Running(qapp, model, nowhere)
    running.until(lambda: running.scene.facts is not None)
    words = words_on_screen(running.window)
    assert any(f"Chats cannot be saved in {nowhere}" in word for word in words)
    assert any("chats are kept in memory only" in word for word in words)
    running.ask("What is 1 + 2 ?")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    running.click("Choose folder…")  # and then no folder
    assert any("cannot be saved" in word for word in words_on_screen(running.window))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(chosen))
    running.click("Choose folder…")
    words = words_on_screen(running.window)
    assert f"Chats are kept in {chosen} from now on." in words
    assert not any("in memory" in word or "cannot be saved" in word for word in words)
    assert [text for text, _ in on_disk(chosen)] == ["What is 1 + 2 ?", running.answers[0].text]
    running.ask("And 3 + 4 ?")
    asked = running.answers[-1].text
    running.close()
    assert [text for text, _ in on_disk(chosen)][2:] == ["And 3 + 4 ?", asked]
    assert (chosen / "settings.ini").exists()
    again = Running(qapp, model, chosen)
    assert "You: And 3 + 4 ?" in words_on_screen(again.window)
    again.close()


@pytest.fixture
def homeless(make_rig: MakeRig, nowhere: Path) -> Rig:
    """A chat in memory with one answer."""
    rig = make_rig(folder=nowhere)
    rig.library.start()
    rig.load()
    rig.ask("Here?")
    return rig


def test_chats_of_the_chosen_folder_are_listed_beside(
    make_rig: MakeRig, homeless: Rig, tmp_path: Path
) -> None:
    chosen = tmp_path / "chosen"
    before = make_rig(folder=chosen)
    before.library.start()
    before.load()
    before.ask("There?")
    assert before.close()
    assert homeless.library.keeping.keep_in(chosen)
    assert {"[Here?]", "There?"} <= set(homeless.sidebar)
    assert homeless.status.error is None
    assert "in memory" not in homeless.status.text


def test_an_answer_that_is_being_written_ends_in_the_chosen_folder(
    make_rig: MakeRig, nowhere: Path, tmp_path: Path
) -> None:
    chosen = tmp_path / "chosen"
    rig = make_rig(Script(), folder=nowhere).at("writing")
    assert rig.library.keeping.keep_in(chosen)
    assert on_disk(chosen)[0] == ("First?", "done")
    rig.release()
    rig.saved()
    assert on_disk(chosen) == [("First?", "done"), ("answer at 8", "done")]


def test_a_folder_that_cannot_be_written_either_changes_nothing(
    homeless: Rig, nowhere: Path, tmp_path: Path
) -> None:
    assert not homeless.library.keeping.keep_in(nowhere.with_name("other"))
    assert (
        f"Chats cannot be saved in {nowhere.with_name('other')}" in homeless.status.error.sentence
    )
    homeless.status.error.act()
    assert homeless.status.error.action == "Choose folder…"
    assert homeless.ask("Still here?").text == "answer at 8"
    assert homeless.library.keeping.keep_in(tmp_path / "chosen")
    assert [text for text, _ in on_disk(tmp_path / "chosen")][2] == "Still here?"


def test_a_folder_of_another_window_is_left_to_it(homeless: Rig, tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "taken")
    assert not homeless.library.keeping.keep_in(tmp_path / "taken")
    assert "already open" in homeless.status.error.sentence
    lock.release()
    assert homeless.library.keeping.keep_in(tmp_path / "taken")
