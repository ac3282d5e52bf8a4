"""Opening: whatever lies where the chats should be, the app starts and nothing is destroyed."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from store_rig import Kept, answer, plain, question, tree, until

from app.domain.conversation import Conversation
from app.domain.store import Recovered, State
from app.domain.store.database import FILE

Open = Callable[..., Kept]
CHATS = 30


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a file with some chats."""
    folder = tmp_path_factory.mktemp("whole")
    store = Kept(folder)
    for number in range(CHATS):
        chat = Conversation(id=f"chat{number}")
        for turn in range(6):
            answer(chat, question(chat, f"question {turn} of {number} " * 9).id, "words " * 80)
        store.put(chat)
    assert store.close()
    return (folder / FILE).read_bytes()


def usable(store: Kept) -> None:
    """Assert that a store takes, finds and gives back a chat."""
    chat = tree("A new start?")
    assert store.put(chat) is store.opening.durable
    assert plain(store.load(chat.id)) == plain(chat)
    assert chat.id in [hit.chat_id for hit in store.search("A new start?")]
    assert chat.id in [row.id for row in store.chats()]


def set_aside(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if re.fullmatch(r"chats\.damaged-.*\.db", p.name))


def salvaged(store: Kept) -> list[Recovered]:
    until(lambda: not store._writer._chores)
    return [event for event in store.events if isinstance(event, Recovered)]


def test_a_whole_file_opens_in_silence(open_store: Open, folder: Path, whole: bytes) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(whole)
    store = open_store()
    assert (store.opening.state, store.opening.sentence) == (State.READY, "")
    assert len(store.chats()) == CHATS


LENGTHS = [1, 15, 16, 99, 100, 101, 511, 512, 1024, 4095, 4096, 4097, 8192, 0.3, 0.5, 0.9, -4096,
           -100, -1]  # fmt: skip


@pytest.mark.parametrize("length", LENGTHS)
def test_a_truncated_file_is_set_aside(
    open_store: Open, folder: Path, whole: bytes, length: float
) -> None:
    folder.mkdir()
    cut = whole[: int(length * len(whole)) if isinstance(length, float) else length]
    (folder / FILE).write_bytes(cut)
    store = open_store()
    assert store.opening.state is State.SET_ASIDE
    (aside,) = set_aside(folder)
    assert aside.read_bytes() == cut
    assert str(aside) in store.opening.sentence
    assert store.opening.sentence.endswith(".")
    salvaged(store)
    usable(store)
    store.close()
    store = open_store()
    assert store.opening.state is State.READY
    usable(store)


def test_an_empty_file_is_a_new_one(open_store: Open, folder: Path) -> None:
    folder.mkdir()
    (folder / FILE).touch()
    store = open_store()
    assert store.opening.state is State.READY
    usable(store)


OTHERS = {
    "zeros": bytes(8192), "one zero": b"\0", "words": b"these are no chats" * 500,
    "json": b'{"chats": []}', "header only": b"SQLite format 3\0",
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_database_is_set_aside(open_store: Open, folder: Path, name: str) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(OTHERS[name])
    store = open_store()
    assert store.opening.state is State.SET_ASIDE
    assert set_aside(folder)[0].read_bytes() == OTHERS[name]
    usable(store)


def test_a_database_of_another_program_is_set_aside(open_store: Open, folder: Path) -> None:
    folder.mkdir()
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.executescript("CREATE TABLE chat (id, title); PRAGMA user_version = 900")
    store = open_store()
    assert store.opening.state is State.SET_ASIDE
    usable(store)


def test_a_folder_in_its_place_is_set_aside(open_store: Open, folder: Path) -> None:
    (folder / FILE).mkdir(parents=True)
    (folder / FILE / "something").write_text("dear")
    store = open_store()
    assert store.opening.state is State.SET_ASIDE
    assert (set_aside(folder)[0] / "something").read_text() == "dear"
    usable(store)


def test_a_pipe_in_its_place_does_not_block(open_store: Open, folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / FILE)
    store = open_store()
    assert store.opening.state is State.SET_ASIDE
    usable(store)


@pytest.mark.parametrize("seed", range(25))
def test_garbled_bytes_never_stop_the_app(
    open_store: Open, folder: Path, whole: bytes, seed: int
) -> None:
    """Parts of 1 to 4096 bytes are overwritten anywhere, the header and the index too."""
    chance, garbled = random.Random(seed), bytearray(whole)
    for _ in range(chance.choice([1, 3, 20])):
        size = chance.choice([1, 16, 300, 4096])
        start = 0 if seed % 8 == 0 else chance.randrange(len(garbled) - size)
        garbled[start : start + size] = chance.randbytes(size)
    folder.mkdir()
    (folder / FILE).write_bytes(garbled)
    store = open_store()
    salvaged(store)
    for row in store.chats():
        store.load(row.id)
    usable(store)
    if store.opening.state is State.SET_ASIDE:
        assert set_aside(folder)[0].read_bytes() == garbled


def test_chats_of_a_damaged_file_are_taken_over(
    open_store: Open, folder: Path, whole: bytes
) -> None:
    folder.mkdir()
    (folder / "whole.db").write_bytes(whole)
    with closing(sqlite3.connect(folder / "whole.db")) as connection:
        query = "SELECT pageno FROM dbstat WHERE name = 'message' AND pagetype = 'leaf'"
        page = connection.execute(query).fetchall()[3][0]
    garbled = bytearray(whole)
    garbled[(page - 1) * 4096 : page * 4096] = bytes(4096)
    (folder / FILE).write_bytes(garbled)
    store = open_store()
    (event,) = salvaged(store)
    taken = int(event.sentence.split()[0])
    assert CHATS - 4 <= taken <= CHATS
    assert f"of {CHATS} chats" in event.sentence
    assert len(store.chats()) == taken
    whole_ones = [store.load(row.id) for row in store.chats()]
    assert sum(len(chat) == 12 for chat in whole_ones) >= CHATS - 4
    assert not list(folder.glob("*-todo"))


def test_half_a_file_gives_what_it_has(open_store: Open, folder: Path, whole: bytes) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(whole[: len(whole) // 2])
    store = open_store()
    (event,) = salvaged(store)
    chats = [store.load(row.id) for row in store.chats()]
    assert 0 < len(chats) < CHATS
    assert event.sentence.startswith(f"{len(chats)} of ")
    assert all(chat.path()[0].text.startswith("question 0") for chat in chats)


def test_taking_over_goes_on_after_a_crash(open_store: Open, folder: Path, whole: bytes) -> None:
    folder.mkdir()
    (folder / "chats.damaged-2026-01-01.db").write_bytes(whole)
    (folder / "chats.damaged-2026-01-01.db-todo").touch()
    store = open_store()
    assert store.opening.state is State.READY
    assert len(salvaged(store)) == 1
    assert len(store.chats()) == CHATS


def test_damaged_twice_on_one_day_keeps_both(open_store: Open, folder: Path) -> None:
    folder.mkdir()
    for text in (b"first" * 999, b"second" * 999):
        (folder / FILE).write_bytes(text)
        open_store().close()
    assert sorted(p.read_bytes()[:5] for p in set_aside(folder)) == [b"first", b"secon"]


def test_a_newer_file_is_named_and_not_touched(
    open_store: Open, folder: Path, whole: bytes
) -> None:
    folder.mkdir()
    newer = bytearray(whole)
    newer[60:64] = (7).to_bytes(4, "big")  # user_version
    (folder / FILE).write_bytes(newer)
    store = open_store()
    assert store.opening.state is State.TOO_NEW
    assert "version 7" in store.opening.sentence
    assert str(folder / FILE) in store.opening.sentence
    usable(store)
    store.close()
    assert (folder / FILE).read_bytes() == newer
    assert {path.name for path in folder.iterdir()} <= {FILE, f"{FILE}-shm", f"{FILE}-wal"}


def test_a_file_where_the_folder_should_be(open_store: Open, folder: Path) -> None:
    folder.write_text("not a folder")
    store = open_store()
    assert store.opening.state is State.IN_MEMORY
    assert str(folder) in store.opening.sentence
    usable(store)
    store.close()
    assert folder.read_text() == "not a folder"


def test_a_crashed_file_with_its_log_is_whole(open_store: Open, folder: Path) -> None:
    store, chat = open_store(), tree()
    store.put(chat)
    crashed = folder.with_name("crashed")
    shutil.copytree(folder, crashed)  # the log has everything, the file nothing yet
    assert (crashed / f"{FILE}-wal").stat().st_size
    store = open_store(crashed)
    assert store.opening.state is State.READY
    assert plain(store.load(chat.id)) == plain(chat)


def test_a_lost_log_still_opens(open_store: Open, folder: Path, whole: bytes) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(whole)
    (folder / f"{FILE}-wal").write_bytes(random.Random(1).randbytes(5000))
    (folder / f"{FILE}-shm").write_bytes(b"junk" * 100)
    store = open_store()
    assert store.opening.state is State.READY
    assert len(store.chats()) == CHATS
