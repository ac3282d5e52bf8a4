"""Chats are for the eyes of their user: what other accounts of the computer may read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from store_rig import Kept, tree

from app.domain import private
from app.domain.store.database import FILE

Open = Callable[..., Kept]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has other rights")


def rights(path: Path) -> str:
    return f"{path.stat().st_mode & 0o777:o}"


def test_nobody_else_can_read_chats(open_store: Open, tmp_path: Path) -> None:
    folder = tmp_path / "missing" / "chats"
    store = open_store(folder)
    store.put(tree())
    found = {path.name: rights(path) for path in folder.iterdir()}
    assert FILE in found
    assert set(found.values()) == {"600"}  # the log of the last writes is among them
    assert (rights(folder), rights(folder.parent)) == ("700", "700")


def test_what_is_there_keeps_its_rights(open_store: Open, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)
    store = open_store(folder)
    store.close()
    (folder / FILE).chmod(0o640)
    store = open_store(folder)
    store.put(tree())
    assert (rights(folder), rights(folder / FILE)) == ("755", "640")


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "chats").touch()
    with pytest.raises(FileExistsError):
        private.make_folder(tmp_path / "chats")
