"""Files of every past schema open with all they hold, and are copied before they change."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from store_rig import Kept, plain, tree
from store_schemas import SCHEMAS, fixture_chats

from app.domain.store import State, database, schema
from app.domain.store.database import FILE

Open = Callable[..., Kept]
NEXT = "ALTER TABLE chat ADD COLUMN folder TEXT NOT NULL DEFAULT 'none';"
# Fails on a file that has chats, as a migration may that nobody tried on such a one.
BROKEN = """
    CREATE TABLE one (id TEXT CHECK (id <> 'chat 1')); DELETE FROM message;
    INSERT INTO one SELECT id FROM chat;
"""


def use(folder: Path, version: int) -> Path:
    folder.mkdir()
    return Path(shutil.copy(SCHEMAS / f"v{version}.db", folder / FILE))


def add_migration(monkeypatch: pytest.MonkeyPatch, statements: str) -> int:
    """Let the app know one more schema than it does; return its version."""
    version = schema.VERSION + 1
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, statements))
    monkeypatch.setattr(schema, "VERSION", version)
    monkeypatch.setattr(database, "VERSION", version)
    return version


def columns(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as connection:
        return {row[1] for row in connection.execute("PRAGMA table_info (chat)")}


def test_every_schema_has_its_fixture() -> None:
    assert {path.name for path in SCHEMAS.iterdir()} == {
        f"v{version}.db" for version in range(1, schema.VERSION + 1)
    }


@pytest.mark.parametrize("version", range(1, schema.VERSION + 1))
def test_a_file_of_this_schema_opens_whole(open_store: Open, folder: Path, version: int) -> None:
    use(folder, version)
    store = open_store()
    assert (store.opening.state, store.opening.sentence) == (State.READY, "")
    for chat in fixture_chats():
        assert plain(store.load(chat.id))[1] == plain(chat)[1]
        assert store.load(chat.id).head_id == chat.head_id
    assert [hit.chat_id for hit in store.search("Another")] == ["chat 1"]
    assert store.put(tree()) is True


def test_the_schema_in_the_fixture_is_the_one_in_the_code(open_store: Open, folder: Path) -> None:
    query = "SELECT sql FROM sqlite_master ORDER BY name"
    today = open_store().opening.connection.execute(query).fetchall()
    with closing(sqlite3.connect(SCHEMAS / f"v{schema.VERSION}.db")) as connection:
        assert connection.execute(query).fetchall() == [tuple(row) for row in today]


def test_a_migration_keeps_a_copy_of_the_old_file(
    open_store: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = use(folder, schema.VERSION).read_bytes()
    version = add_migration(monkeypatch, NEXT)
    store = open_store()
    assert store.opening.state is State.READY
    assert plain(store.load("chat 0"))[1] == plain(fixture_chats()[0])[1]
    store.close()
    copy = folder / f"chats.before-v{version}.db"
    assert "folder" in columns(folder / FILE)
    assert "folder" not in columns(copy)
    assert len(copy.read_bytes()) == len(old)
    monkeypatch.undo()
    assert open_store().opening.state is State.TOO_NEW
    copied = folder.with_name("copied")
    copied.mkdir()
    shutil.copy(copy, copied / FILE)
    assert plain(open_store(copied).load("chat 0"))[1] == plain(fixture_chats()[0])[1]


def test_a_migration_that_fails_changes_nothing(
    open_store: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = use(folder, schema.VERSION)
    before = plain(fixture_chats()[1])[1]
    add_migration(monkeypatch, BROKEN)
    store = open_store()
    assert store.opening.state is State.IN_MEMORY
    assert str(folder) in store.opening.sentence
    assert store.put(tree()) is False
    store.close()
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (schema.VERSION - 1,)
    monkeypatch.undo()
    store = open_store()
    assert (store.opening.state, store.opening.sentence) == (State.READY, "")
    assert plain(store.load("chat 1"))[1] == before


def test_a_new_file_is_not_copied(open_store: Open, folder: Path) -> None:
    open_store()
    assert not list(folder.glob("*before*"))
