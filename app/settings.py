"""The few settings kept between starts; what cannot be read counts as not set."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from PySide6.QtCore import QSettings

from app.views.theme import ZOOM_RANGE, SchemeChoice


@dataclass(slots=True)
class Settings:
    """``depth`` 0 is the model's first effort; ``geometry`` is Qt's own text.

    ``sidebar`` says whether a wide window shows the list of chats, ``chat`` is the id of the chat
    that was on screen last.
    """

    scheme: str = SchemeChoice.SYSTEM.value
    zoom: int = 100
    depth: int = 0
    geometry: str = ""
    sidebar: bool = True
    chat: str = ""


def load(file: Path) -> Settings:
    """Read the settings; a missing file, unknown words and numbers out of range are defaults."""
    stored = QSettings(str(file), QSettings.Format.IniFormat)
    settings = Settings(
        scheme=str(stored.value("scheme", "")),
        zoom=_number(stored.value("zoom"), 100),
        depth=_number(stored.value("depth"), 0),
        geometry=str(stored.value("geometry", "")),
        sidebar=str(stored.value("sidebar", "")).lower() != "false",
        chat=str(stored.value("chat", "")),
    )
    if settings.scheme not in {choice.value for choice in SchemeChoice}:
        settings.scheme = SchemeChoice.SYSTEM.value
    if not ZOOM_RANGE[0] <= settings.zoom <= ZOOM_RANGE[1]:
        settings.zoom = 100
    return settings


def save(file: Path, settings: Settings) -> bool:
    """Write the settings; False when the file cannot be written."""
    stored = QSettings(str(file), QSettings.Format.IniFormat)
    for field in fields(settings):
        stored.setValue(field.name, getattr(settings, field.name))
    stored.sync()
    return stored.status() == QSettings.Status.NoError


def _number(value: object, default: int) -> int:
    try:
        return int(str(value))
    except ValueError:
        return default
