"""Closing has a deadline; nobody waits for a thread that died or a file that is held."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from store_rig import WAIT, Kept, plain, question, tree, until

from app.domain.store import AllSaved, ImportFailed, NotSaved
from app.domain.store.database import FILE
from app.domain.store.transfer import write_chats

Open = Callable[..., Kept]


def test_closing_is_quick_and_leaves_one_file(open_store: Open, folder: Path) -> None:
    store = open_store()
    store.put(tree())
    started = time.monotonic()
    assert store.close()
    assert store.close()
    assert time.monotonic() - started < 1.0
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_a_file_that_another_program_holds(open_store: Open, folder: Path) -> None:
    store, chat = open_store(), tree()
    store.put(chat)
    store.opening.connection.execute("PRAGMA busy_timeout = 20").fetchall()
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert store.save(chat, question(chat, "Now?")).result(WAIT) is False
        assert "another program holds the file" in store.events[0].sentence
        assert plain(store.load(chat.id)) == plain(chat)
    until(lambda: store.events[-1] == AllSaved())
    store.close()
    assert plain(open_store().load(chat.id)) == plain(chat)


def test_closing_does_not_wait_beyond_its_deadline(open_store: Open, folder: Path) -> None:
    store, chat = open_store(), tree()
    store.put(chat)
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # waited for up to five seconds
        store.checkpoint(chat, question(chat, "Now?"))
        started = time.monotonic()
        assert store.close(0.3) is False
        assert time.monotonic() - started < 1.0
    until(lambda: not store._writer._thread.is_alive())
    assert plain(open_store().load(chat.id)) == plain(chat)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_in_the_thread_leaves_nobody_waiting(
    open_store: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, chat = open_store(), tree()
    store.put(chat)

    def fail(_records: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(store._writer, "_write", fail)
    lost = question(chat, "Now?")
    assert store.save(chat, lost).result(WAIT) is False
    until(lambda: store.events)
    assert isinstance(store.events[0], NotSaved)
    assert "Save as…" in store.events[0].sentence
    assert store.save(chat, lost).result(WAIT) is False
    assert plain(store.load(chat.id)) == plain(chat)
    assert store.unsaved() == [lost.id]
    write_chats(tmp_path / "file", [chat])
    with pytest.raises(ImportFailed):
        store.import_file(tmp_path / "file").result(WAIT)
    assert store.close() is False
