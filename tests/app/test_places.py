"""Where the user's files lie: the system's folders, --data-dir, portable.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import paths
from app.paths import Places
from app.startup import parse


def test_the_system_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, folder in (("DATA", "d"), ("CONFIG", "c"), ("STATE", "s")):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / folder))
    monkeypatch.setattr(paths, "_program", lambda: tmp_path)
    found = paths.places(None)
    assert paths.APP in found.data.name
    assert len({found.data, found.settings.parent, found.logs}) == 3


def test_with_a_data_dir_everything_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "数 é"
    options = parse(["--data-dir", str(folder)])
    assert options.data_dir == folder
    assert paths.places(folder) == Places(folder, folder / "settings.ini", folder / "logs")


def test_a_portable_app_keeps_everything_beside_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(paths, "_program", lambda: tmp_path)
    (tmp_path / "portable.txt").touch()
    assert paths.places(None) == Places.under(tmp_path / "data")
    assert paths.places(tmp_path / "chosen") == Places.under(tmp_path / "chosen")
