"""Where the app's files lie: its own resources, and the user's settings."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_config_path

from engine.resources import bundled_model, resource

APP = "TinyLoop Chat"


def settings_file() -> Path:
    """Return the file of the user's settings; it need not exist."""
    return user_config_path(APP, appauthor=False) / "settings.ini"


def cards_file() -> Path:
    """Return the file of the questions an empty chat offers."""
    return resource("cards.json")


def icon_file() -> Path:
    """Return the app's icon."""
    return resource("icons/tinyloop.svg")


def model_file() -> Path:
    """Return the model that ships with the app."""
    return bundled_model()
