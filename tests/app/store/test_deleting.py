"""Deleting: hidden at once, back with undo, then really gone, from the bytes of the files too."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from store_rig import QUICK, WAIT, Kept, answer, files_with, plain, question, tree, until

from app.domain.conversation import Conversation
from app.domain.store import Timing, removal
from app.domain.store.removal import empty_deleted
from app.domain.store.schema import transaction

Open = Callable[..., Kept]
SECRET = "the heron hides its wyvqzk behind the mill"
RARE = "wyvqzk"  # no other text has any three of its letters
LONG_UNDO = Timing(checkpoint=0.02, undo=60.0)


def trigrams(folder: Path) -> set[str]:
    """Return all terms the search index holds."""
    with closing(sqlite3.connect(folder / "chats.db")) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, found, row)")
        return {row[0] for row in connection.execute("SELECT term FROM temp.terms")}


def secret_chat() -> Conversation:
    chat = tree(SECRET)
    chat.title, chat.draft = SECRET.upper(), SECRET[::-1]
    return chat


def gone(folder: Path) -> bool:
    texts = (SECRET, SECRET.upper(), SECRET[::-1], RARE[:3], RARE[3:])
    return not any(files_with(folder, text) for text in texts)


def test_a_deleted_chat_is_hidden_at_once(open_store: Open) -> None:
    store, chat, other = open_store(timing=LONG_UNDO), secret_chat(), tree()
    store.put(chat)
    store.put(other)
    future = store.delete([chat.id])
    assert [row.id for row in store.chats()] == [other.id]
    assert store.load(chat.id) is None
    assert future.result(WAIT) is True
    assert [row.id for row in store.chats()] == [other.id]
    assert store.load(chat.id) is None
    assert store.search(RARE) == []


def test_undo_brings_all_of_it_back(open_store: Open) -> None:
    store, chat = open_store(timing=LONG_UNDO), secret_chat()
    store.put(chat)
    store.delete([chat.id]).result(WAIT)
    late = answer(chat, question(chat, "Written while hidden?").id, "yes")
    store.save(chat, *list(chat)[-2:]).result(WAIT)
    assert store.chats() == []
    store.undo_delete([chat.id]).result(WAIT)
    assert plain(store.load(chat.id)) == plain(chat)
    assert late.id in store.load(chat.id)
    assert [hit.chat_id for hit in store.search(RARE)] == [chat.id]


@pytest.mark.parametrize("slice_pages", [1, removal.SLICE])
def test_after_the_time_of_undoing_nothing_is_left_in_any_file(
    open_store: Open, folder: Path, monkeypatch: pytest.MonkeyPatch, slice_pages: int
) -> None:
    monkeypatch.setattr(removal, "SLICE", slice_pages)
    store, chat, other = open_store(), secret_chat(), tree()
    letters = random.Random(1)
    question(other, "".join(letters.choices("abcdefghi ", k=60_000)))  # an index of many pages
    store.put(other)
    store.put(chat)
    for n in range(30):  # in several parts
        question(other, f"Something else, number {n}?")
        store.put(other)
    assert not gone(folder)
    store.delete([chat.id]).result(WAIT)
    until(lambda: gone(folder))  # while the app runs: no restart is needed
    until(lambda: not store._writer._chores)
    assert not trigrams(folder) & {RARE[i : i + 3] for i in range(4)}
    assert plain(store.load(other.id)) == plain(other)
    assert [hit.chat_id for hit in store.search("number 29")] == [other.id]
    store.undo_delete([chat.id]).result(WAIT)
    store.save(chat, *chat).result(WAIT)  # too late: it stays away
    assert [row.id for row in store.chats()] == [other.id]
    assert gone(folder)
    store.close()
    with closing(sqlite3.connect(folder / "chats.db")) as connection:
        assert connection.execute("SELECT count(*) FROM chat").fetchone() == (1,)
        connection.execute("INSERT INTO found (found) VALUES ('integrity-check')")


def test_closing_within_the_time_of_undoing_removes_it(open_store: Open, folder: Path) -> None:
    store, chat = open_store(timing=LONG_UNDO), secret_chat()
    store.put(chat)
    store.delete([chat.id]).result(WAIT)
    assert not gone(folder)
    assert store.close()
    assert gone(folder)


def test_a_crash_before_the_cleaning_is_made_good(open_store: Open, folder: Path) -> None:
    store, chat, other = open_store(timing=LONG_UNDO), secret_chat(), tree()
    store.put(chat)
    store.put(other)
    store.delete([chat.id]).result(WAIT)
    with transaction(store.opening.connection):
        empty_deleted(store.opening.connection, float("inf"))
    store._writer._connection = closed = sqlite3.connect(":memory:")  # nothing more is written
    closed.close()
    open_store()
    until(lambda: gone(folder))
    assert not trigrams(folder) & {RARE[i : i + 3] for i in range(4)}


def test_all_chats_can_be_deleted(open_store: Open, folder: Path) -> None:
    store = open_store()
    chats = [tree(f"{SECRET} {n}") for n in range(20)]
    for chat in chats:
        store.put(chat)
    store.delete(row.id for row in store.chats()).result(WAIT)
    assert store.chats() == []
    until(lambda: gone(folder))
    assert not store.search("heron")


def test_each_deletion_has_its_own_time(open_store: Open) -> None:
    store = open_store(timing=Timing(undo=0.5))
    first, second = tree(), tree()
    store.put(first)
    store.put(second)
    store.delete([first.id]).result(WAIT)
    until(lambda: store._writer._removed == {first.id})
    store.delete([second.id]).result(WAIT)
    store.undo_delete([second.id]).result(WAIT)
    assert [row.id for row in store.chats()] == [second.id]


def test_a_chat_of_thousands_of_turns_can_be_deleted(open_store: Open, folder: Path) -> None:
    store, chat = open_store(timing=QUICK), Conversation()
    for n in range(3000):
        question(chat, f"turn {n} heron")
    store.put(chat)
    assert len(store.load(chat.id)) == 3000
    store.delete([chat.id]).result(WAIT)
    until(lambda: not files_with(folder, "heron"))
