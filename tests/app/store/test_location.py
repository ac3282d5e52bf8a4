"""Where chats lie, and that one app at a time uses a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from platformdirs import user_data_path
from store_rig import Kept, line, plain, running, tree

from app.domain.store import AlreadyOpen, FolderLock, State, data_folder

Open = Callable[..., Kept]
APP = "TinyLoop Chat"


def test_the_systems_folder_unless_told_otherwise(tmp_path: Path) -> None:
    assert data_folder(APP, None, tmp_path) == user_data_path(APP, appauthor=False)


def test_portable_txt_keeps_the_data_beside_the_program(tmp_path: Path) -> None:
    (tmp_path / "portable.txt").touch()
    assert data_folder(APP, None, tmp_path) == tmp_path / "data"


def test_a_chosen_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "portable.txt").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder(APP, Path("mine"), tmp_path) == tmp_path / "mine"
    assert data_folder(APP, Path("~/mine"), tmp_path) == tmp_path / "mine"


def test_a_second_app_is_told_which_process_has_the_folder(folder: Path) -> None:
    with running("hold", folder) as first:
        assert line(first) == "held True"
        with pytest.raises(AlreadyOpen) as caught:
            FolderLock(folder)
        assert f"(process {first.pid})" in str(caught.value)
        assert str(folder) in str(caught.value)
        with running("hold", folder) as second:
            assert line(second).startswith("already: TinyLoop Chat is already open")
        with running("hold", folder.with_name("other")) as third:
            assert line(third) == "held True"
    lock = FolderLock(folder)  # a killed process holds nothing
    assert lock.held
    lock.release()
    assert not lock.held
    FolderLock(folder).release()


def test_two_apps_starting_at_once(folder: Path) -> None:
    with running("hold", folder) as one, running("hold", folder) as two:
        assert sorted(line(process).split()[0] for process in (one, two)) == ["already:", "held"]


def test_a_folder_that_cannot_be_written_is_held_by_nobody(folder: Path) -> None:
    folder.write_text("a file in its place")
    assert not FolderLock(folder).held


def test_two_writers_on_one_file_lose_nothing(open_store: Open, folder: Path) -> None:
    """The lock prevents it; where locks do not work both still write whole rows."""
    store, chats = open_store(), []
    with running("chats", folder) as other:
        promised = {line(other) for _ in range(10)}
        for _ in range(20):
            chats.append(tree())
            assert store.put(chats[-1]) is True
            promised.add(line(other))
    store.close()
    store = open_store()
    assert store.opening.state is State.READY
    assert promised <= {row.id for row in store.chats()}
    for chat in chats:
        assert plain(store.load(chat.id)) == plain(chat)
