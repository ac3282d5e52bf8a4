"""Where the app's files lie: its own resources, and the user's chats, settings and logs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from platformdirs import user_config_path, user_data_path, user_log_path

from app.domain.store import data_folder
from engine.resources import bundled_model, resource, root

APP = "TinyLoop Chat"


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of chats and logs, and the file of settings; none of them needs to exist."""

    data: Path
    settings: Path
    logs: Path

    @classmethod
    def under(cls, folder: Path) -> Self:
        """Return places that all lie in one folder."""
        return cls(folder, folder / "settings.ini", folder / "logs")


def places(chosen: Path | None) -> Places:
    """Return where the user's files lie.

    With ``chosen`` (--data-dir), or a portable.txt beside the program, all of them lie in one
    folder; else where the system wants them.
    """
    folder = data_folder(APP, chosen, _program())
    if folder != user_data_path(APP, appauthor=False):
        return Places.under(folder)
    settings = user_config_path(APP, appauthor=False) / "settings.ini"
    return Places(folder, settings, user_log_path(APP, appauthor=False))


def _program() -> Path:
    """Return the folder of the program: the bundle's, or the checkout's."""
    return Path(sys.executable).parent if getattr(sys, "frozen", False) else root()


def cards_file() -> Path:
    """Return the file of the questions an empty chat offers."""
    return resource("cards.json")


def icon_file() -> Path:
    """Return the app's icon."""
    return resource("icons/tinyloop.svg")


def model_file() -> Path:
    """Return the model that ships with the app."""
    return bundled_model()


def model_size() -> str:
    """Return how many parameters that model has, as the end of its file's name: "27M"."""
    return model_file().stem.rpartition("-")[2].upper()
