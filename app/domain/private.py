"""Folders and files that other users of the computer cannot read; Windows sees to it by place."""

from __future__ import annotations

from pathlib import Path


def make_folder(folder: Path) -> None:
    """Create a folder and those missing above it for this user alone; one that is there stays.

    Raises OSError.
    """
    for part in (*reversed(folder.parents), folder):
        if not part.exists():
            part.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # raises where something else has the name


def make_file(file: Path) -> None:
    """Create an empty file for this user alone; one that is there stays. Raises OSError."""
    if not file.exists():
        file.touch(mode=0o600)
