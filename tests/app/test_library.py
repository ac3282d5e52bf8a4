"""Chats as a whole: the sidebar, titles, pins, deleting with undo, search, files."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest
from app_rig import Rig
from pytestqt.modeltest import ModelTester
from scripted_engine import Script
from store_rig import files_with

from app.domain.conversation import Conversation
from app.domain.store import ChatSummary
from app.viewmodels.deepening import outlook
from app.viewmodels.library_rows import SectionRow
from app.viewmodels.scene import Scene
from app.viewmodels.sidebar import heading_of, library_rows

MakeRig = Callable[..., Rig]


def two_chats(rig: Rig) -> tuple[Conversation, Conversation]:
    """Make "First?" and "Second?"; the second one is on screen."""
    rig.load()
    rig.ask("First?")
    first = rig.scene.conversation
    rig.library.new_chat()
    rig.ask("Second?")
    return first, rig.scene.conversation


def test_chats_are_listed_newest_first(rig: Rig, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(rig.conversations)
    first, second = two_chats(rig)
    assert rig.sidebar == ["Today", "[Second?]", "First?"]
    rig.library.open_chat(first.id)
    assert rig.sidebar == ["Today", "Second?", "[First?]"]
    assert rig.texts == ["First?", "answer at 8"]
    rig.ask("More?")
    assert rig.sidebar == ["Today", "[First?]", "Second?"]
    rig.library.pin_chat(second.id, True)
    assert rig.sidebar == ["Pinned", "Second?", "Today", "[First?]"]
    rig.library.pin_chat(second.id, False)
    assert rig.sidebar == ["Today", "[First?]", "Second?"]


def test_headings_by_date() -> None:
    today = date(2026, 3, 17)

    def at(year: int, month: int, day: int) -> str:
        return heading_of(datetime(year, month, day, 12).timestamp(), today)

    assert heading_of(0.0, today) == "Today"
    assert at(2026, 3, 17) == "Today"
    assert at(2026, 3, 16) == "Yesterday"
    assert at(2026, 3, 15) == "Earlier in March"
    assert at(2026, 2, 28) == "February"
    assert at(2025, 12, 31) == "December 2025"


def test_every_chat_stands_under_its_own_heading() -> None:
    times = [0.0, *(time.time() - n * 20_000 for n in range(2000))]
    chats = [ChatSummary(str(n), "", n % 97 == 3, when) for n, when in enumerate(times)]
    rows = library_rows(Scene(), chats, (), date.today())
    headings = [row.text for row in rows if isinstance(row, SectionRow)]
    assert headings[:2] == ["Pinned", "Today"]
    heading = ""
    for row in rows:
        if isinstance(row, SectionRow):
            heading = row.text
        else:
            when = times[int(row.chat_id)]
            assert heading == ("Pinned" if row.pinned else heading_of(when, date.today()))
    assert len(headings) == len(set(headings))


def test_a_chat_is_named_after_its_first_question_until_renamed(rig: Rig) -> None:
    rig.load()
    rig.ask("What is the longest of all the questions one could ask here?")
    chat = rig.scene.conversation
    assert rig.sidebar == ["Today", "[What is the longest of all the question…]"]
    rig.library.rename_chat(chat.id, "  A \n name ")
    assert rig.sidebar == ["Today", "[A name]"]
    rig.ask("And now?")
    assert rig.sidebar == ["Today", "[A name]"]
    rig.library.rename_chat(chat.id, " ")
    assert rig.sidebar == ["Today", "[What is the longest of all the question…]"]


def test_drafts_belong_to_their_chats(rig: Rig) -> None:
    first, second = two_chats(rig)
    rig.chat.draft_changed("of the second")
    rig.library.open_chat(first.id)
    rig.chat.draft_changed("of the first")
    rig.library.open_chat(second.id)
    assert rig.drafts[-2:] == ["", "of the second"]
    rig.library.new_chat()
    rig.chat.draft_changed("of a new one")
    assert rig.sidebar[:2] == ["Today", "[New chat]"]


def test_a_deleted_chat_can_be_brought_back(rig: Rig) -> None:
    _, second = two_chats(rig)
    answer = rig.newest
    rig.library.delete_chat(second.id)
    assert rig.sidebar == ["Today", "First?"]
    assert rig.texts == []
    rig.until(lambda: answer.id not in {state.message_id for state in rig.scene.kept})
    assert len(rig.scene.kept) == 1
    assert (rig.status.notice.sentence, rig.status.notice.action) == ("Chat deleted.", "Undo")
    rig.status.notice.act()
    rig.until(lambda: rig.texts)
    assert rig.texts == ["Second?", "answer at 8"]
    assert rig.sidebar == ["Today", "[Second?]", "First?"]
    assert rig.status.notice is None
    assert outlook(rig.scene, rig.newest, 16).reason == "freed when its chat was deleted"
    assert rig.deepen(16).text == "answer at 16"


def test_after_ten_seconds_the_rows_are_gone(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig(Script(), folder=tmp_path, undo=0.05)
    first, _ = two_chats(rig)
    rig.library.delete_chat(first.id)
    assert rig.texts == ["Second?", "answer at 8"]  # another chat stays on screen
    rig.until(lambda: not files_with(tmp_path, "First?"))
    rig.library.undo_delete()
    rig.live(50)
    assert rig.sidebar == ["Today", "[Second?]"]


def test_the_notice_goes_away_by_itself(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.library.UNDO_SECONDS", 0.02)
    first, _ = two_chats(rig)
    rig.library.delete_chat(first.id)
    assert rig.status.notice is not None
    rig.until(lambda: rig.status.notice is None)


def test_deleting_all_leaves_an_empty_page_and_no_state(rig: Rig) -> None:
    two_chats(rig)
    rig.library.delete_all()
    assert (rig.sidebar, rig.texts) == ([], [])
    rig.until(lambda: rig.scene.kept == ())
    assert rig.status.notice.sentence == "2 chats deleted."
    rig.library.undo_delete()
    rig.until(lambda: len(rig.sidebar) == 3)
    assert rig.texts == ["Second?", "answer at 8"]


def test_a_temporary_chat_is_nowhere_on_the_disk(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig(Script(), folder=tmp_path)
    first, _ = two_chats(rig)
    rig.library.new_temporary_chat()
    secret = rig.scene.conversation
    assert rig.chat_row(secret.id).temporary
    assert rig.status.text.endswith("temporary chat, not stored")
    rig.ask("A secret?")
    rig.deepen(16)
    rig.chat.draft_changed("another secret")
    row = rig.chat_row(secret.id)
    assert (row.title, row.note, row.temporary) == ("A secret?", "not stored", True)
    rig.library.open_chat(first.id)
    rig.library.open_chat(secret.id)
    assert rig.texts == ["A secret?", "answer at 16"]
    rig.saved()
    assert not files_with(tmp_path, "secret")
    rig.library.delete_chat(secret.id)
    assert rig.sidebar == ["Today", "Second?", "First?"]
    rig.library.undo_delete()
    rig.until(lambda: rig.texts == ["A secret?", "answer at 16"])


def test_an_empty_temporary_chat_leaves_no_row(rig: Rig) -> None:
    first, _ = two_chats(rig)
    rig.library.new_temporary_chat()
    assert "[New chat]" in rig.sidebar
    rig.library.open_chat(first.id)
    assert rig.sidebar == ["Today", "Second?", "[First?]"]


def test_search_shows_where_the_words_stand(rig: Rig) -> None:
    first, _ = two_chats(rig)
    rig.saved()
    rig.library.search("first")
    assert rig.conversations.searching == "first"
    assert rig.sidebar == ["First?"]
    assert rig.chat_row(first.id).note == "First?"
    rig.library.search("at 8")  # a word of two characters and one of one
    assert sorted(rig.sidebar) == ["First?", "[Second?]"]
    rig.library.search("nowhere")
    assert rig.sidebar == []
    rig.library.search("")
    assert rig.conversations.searching == ""
    assert rig.sidebar == ["Today", "[Second?]", "First?"]


def test_export_and_import_bring_the_whole_tree(make_rig: MakeRig, tmp_path: Path) -> None:
    rig = make_rig(Script(), folder=tmp_path / "a")
    two_chats(rig)
    rig.deepen(16)
    whole, page = tmp_path / "all.jsonl", tmp_path / "page.md"
    rig.library.export_all(str(whole))
    rig.until(lambda: rig.status.notice)
    assert rig.status.notice.sentence == f"2 chats saved as {whole}."
    rig.library.export_chat(rig.scene.conversation.id, str(page))
    assert "answer at 16\n\n*16 loops · seed " in page.read_text()
    other = make_rig(Script(), folder=tmp_path / "b")
    for sentence in ("2 chats and 5 messages were added.", "Nothing new in this file."):
        other.status.set_notice(None)
        other.library.import_chats(str(whole))
        other.until(lambda: other.status.notice)
        assert other.status.notice.sentence == sentence
    assert len(other.sidebar) == 3
    other.library.open_chat(rig.scene.conversation.id)
    other.load()
    assert other.chips == ["8", "16 loops"]


def test_files_that_cannot_be_used_are_named(rig: Rig, tmp_path: Path) -> None:
    two_chats(rig)
    rig.library.import_chats(str(tmp_path / "missing.jsonl"))
    rig.until(lambda: rig.status.error)
    assert "missing.jsonl cannot be read" in rig.status.error.sentence
    rig.status.error.act()
    assert rig.status.error is None
    rig.library.export_chat(rig.scene.conversation.id, str(tmp_path / "no" / "chat.jsonl"))
    assert "could not be written" in rig.status.error.sentence
    rig.library.export_all(str(tmp_path / "no" / "chats.jsonl"))
    rig.status.set_error(None)
    rig.until(lambda: rig.status.error)
    assert "chats.jsonl could not be written" in rig.status.error.sentence
