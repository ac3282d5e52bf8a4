"""Nothing is lost: what is saved when, what comes back, and a disk that does not take it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from app_rig import Rig
from PySide6.QtWidgets import QApplication
from scripted_engine import Script

from app import main, settings
from app.domain.conversation import Status
from app.domain.kept import HandleState
from app.engine_link.service import EngineService
from app.paths import Places
from app.startup import parse
from app.viewmodels.deepening import outlook

MakeRig = Callable[..., Rig]


def rows(folder: Path) -> list[tuple[str, str]]:
    """Text and status of every message on the disk."""
    with closing(sqlite3.connect(folder / "chats.db")) as connection:
        return connection.execute("SELECT text, status FROM message ORDER BY seq").fetchall()


class Looking(Script):
    """Notes what is on the disk whenever the engine begins to read."""

    def fault(self, name: str) -> None:
        if name in ("build", "extend"):
            self.loads.append(str(rows(self.folder)))
        super().fault(name)


def restart(rig: Rig, make_rig: MakeRig, folder: Path) -> Rig:
    assert rig.close()
    again = make_rig(Script(), folder=folder)
    again.library.start()
    again.load()
    return again


def test_the_question_is_on_the_disk_before_the_engine_starts(
    make_rig: MakeRig, tmp_path: Path
) -> None:
    script = Looking()
    script.folder = tmp_path
    rig = make_rig(script, folder=tmp_path)
    rig.load()
    rig.ask("Is it kept?")
    assert script.loads[1:] == ["[('Is it kept?', 'done')]"]
    rig.saved()
    assert rows(tmp_path) == [("Is it kept?", "done"), ("answer at 8", "done")]


def test_words_are_on_the_disk_while_it_writes(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig(folder=tmp_path)
    rig.at("writing")
    rig.until(lambda: rows(tmp_path)[1:] == [("ans", "writing")])
    rig.chat.close()
    rig.saved()
    assert rows(tmp_path)[1:] == [("ans", "interrupted")]


def test_the_last_chat_its_variants_and_its_draft_come_back(
    make_rig: MakeRig, tmp_path: Path
) -> None:
    rig = make_rig(folder=tmp_path)
    rig.load()
    rig.ask("First?")
    rig.deepen(16)
    rig.chat.step_variant(-1)
    rig.chat.set_depth(32)
    rig.chat.draft_changed("half a thou")
    before = rig.transcript.rows()
    again = restart(rig, make_rig, tmp_path)
    assert again.texts == ["First?", "answer at 8"]
    assert again.chips == ["8 loops", "16"]
    assert [row.text for row in before] == again.texts
    assert again.drafts == ["half a thou"]
    assert again.composer.state.depth == 32
    assert "not stored" not in again.status.text


def test_kept_states_are_lost_with_the_restart_and_say_so(
    make_rig: MakeRig, tmp_path: Path
) -> None:
    rig = make_rig(folder=tmp_path)
    rig.load()
    rig.ask("First?")
    again = restart(rig, make_rig, tmp_path)
    found = outlook(again.scene, again.newest, 16)
    assert (found.state, found.reason) == (HandleState.LOST, "the app was restarted")
    assert again.transcript.footer.buttons[0].from_scratch
    assert again.deepen(16).text == "answer at 16"
    assert again.calls == [("build", 16, 9), ("write", 16)]


def test_an_interrupted_answer_goes_on_where_it_ended(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig(folder=tmp_path)
    rig.at("writing")
    again = restart(rig, make_rig, tmp_path)
    answer = again.newest
    assert (answer.text, answer.status) == ("ans", Status.INTERRUPTED)
    assert again.answer_row.caption == "interrupted after 1 word"
    assert again.action("Answer again").enabled
    again.chat.perform(again.action("Continue"))
    again.idle()
    assert (again.newest.id, again.newest.text) == (answer.id, "answer at 8")
    assert again.calls == [("build", 8, 9 + 3), ("write", 8)]  # read again with its own words
    again.saved()
    assert rows(tmp_path)[1:] == [("answer at 8", "done")]


def test_a_question_stopped_by_the_end_can_be_answered(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig(folder=tmp_path)
    rig.at("reading")
    again = restart(rig, make_rig, tmp_path)
    assert again.texts == ["First?", "stopped"]
    again.chat.perform(again.action("Answer"))
    again.idle()
    assert again.texts == ["First?", "answer at 8"]


def test_which_chat_is_on_screen_is_remembered_at_once(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed has no chance to say it at the end."""
    script = Script()
    service = partial(EngineService, script.model, script.tokenizer)
    monkeypatch.setattr(main, "EngineService", service)
    app = main.App(qapp, parse([]), Places.under(tmp_path))
    app.start()
    try:
        app.library.new_chat()
        kept = settings.load(tmp_path / "settings.ini").chat
        assert kept == app.chat.scene.conversation.id
    finally:
        app.window.close()


def test_a_full_disk_is_a_bar_and_the_run_goes_on(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig(Script(max_seq_len=1 << 15), folder=tmp_path / "full")
    rig.load()
    rig.ask("First?")
    rig.saved()
    limit(rig, 0)
    text = "A long one? " * 1000
    rig.chat.send(text)
    rig.idle()
    assert rig.texts[-1] == "answer at 8"
    rig.until(lambda: rig.status.error)
    assert "not saved because the disk is full" in rig.status.error.sentence
    assert rig.status.error.action == "Save as…"
    asked: list[bool] = []
    rig.status.save_as.connect(lambda: asked.append(True))
    rig.status.error.act()
    assert asked == [True]
    rig.library.export_all(str(tmp_path / "saved.jsonl"))
    rig.until(lambda: rig.status.notice)
    other = make_rig(folder=tmp_path / "other")
    other.library.import_chats(str(tmp_path / "saved.jsonl"))
    other.until(lambda: other.texts)
    assert other.texts == ["First?", "answer at 8", text.strip(), "answer at 8"]
    limit(rig, 1000)  # there is room again
    rig.until(lambda: rig.status.error is None)
    rig.saved()
    assert len(rows(tmp_path / "full")) == 4


def limit(rig: Rig, pages: int) -> None:
    """Let the file grow by so many pages and no more."""
    connection = rig.saving.opening.connection
    used = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {used + pages}").fetchall()


def test_an_error_of_the_moment_stands_before_the_lasting_one(
    make_rig: MakeRig, tmp_path: Path
) -> None:
    rig = make_rig(Script(max_seq_len=1 << 15), folder=tmp_path)
    rig.load()
    limit(rig, 0)
    rig.chat.send("x" * 9000)
    rig.until(lambda: rig.status.error)
    rig.idle()
    rig.library.import_chats(str(tmp_path / "none.jsonl"))
    rig.until(lambda: "cannot be read" in rig.status.error.sentence)
    rig.status.error.act()
    assert "not saved" in rig.status.error.sentence
    limit(rig, 1000)
    rig.until(lambda: rig.status.error is None)


@pytest.mark.parametrize("damage", ["truncated", "garbled", "zeroed"])
def test_a_damaged_file_is_named_and_the_app_starts(
    make_rig: MakeRig, tmp_path: Path, damage: str
) -> None:
    rig = make_rig(folder=tmp_path)
    rig.load()
    rig.ask("First?")
    assert rig.close()
    file = tmp_path / "chats.db"
    whole = file.read_bytes()
    file.write_bytes({
        "truncated": whole[: len(whole) // 2],
        "garbled": whole[:100] + b"\xa5" * (len(whole) - 100),
        "zeroed": bytes(len(whole)),
    }[damage])  # fmt: skip
    again = make_rig(folder=tmp_path)
    again.library.start()
    assert "was damaged: it is kept as" in again.status.error.sentence
    again.status.error.act()
    assert again.status.error is None
    again.load()
    assert again.ask("Afresh?").text == "answer at 8"
    assert list(tmp_path.glob("chats.damaged-*.db"))


def test_a_file_from_the_future_is_left_alone(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig(folder=tmp_path)
    rig.load()
    rig.ask("First?")
    assert rig.close()
    with closing(sqlite3.connect(tmp_path / "chats.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    again = make_rig(folder=tmp_path)
    again.library.start()
    assert "a newer TinyLoop Chat" in again.status.error.sentence
    assert again.status.error.action == "Save as…"
    again.load()
    assert again.ask("Afresh?").text == "answer at 8"
    assert again.status.text.endswith("chats are kept in memory only")
    assert rows(tmp_path)[0][0] == "First?"


def test_a_folder_that_cannot_be_written_is_named(make_rig: MakeRig, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    rig = make_rig(folder=blocked / "chats")
    rig.library.start()
    assert "Chats cannot be saved in" in rig.status.error.sentence
    assert rig.status.error.action == "Choose folder…"
    rig.load()
    assert rig.ask().text == "answer at 8"
