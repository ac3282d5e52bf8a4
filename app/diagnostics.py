"""The text of "Copy diagnostics": versions, machine, model, settings, the log's newest lines."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from app.domain.store import Opening
from app.settings import Settings
from app.viewmodels.scene import Scene

PACKAGES = ("tinyloop-chat", "pyside6-essentials", "numpy", "cuda-core")
PLACES = frozenset({"geometry", "chat"})  # settings that say nothing about an error


def diagnostics(
    scene: Scene, opening: Opening, settings: Settings, log_lines: Sequence[str]
) -> str:
    """Return all that helps to find an error and none of the user's texts."""
    facts = scene.facts
    lines = [
        *(f"{name} {_version(name)}" for name in PACKAGES),
        f"Python {platform.python_version()}{', frozen' if hasattr(sys, 'frozen') else ''}",
        f"Qt {qVersion()} on {QGuiApplication.platformName()}",
        platform.platform(),
        f"chats: {opening.state.value}",
    ]
    if facts is None:
        lines.append("no model")
    else:
        lines.append(f"{facts.name} on {facts.device_text}, {facts.max_seq_len} tokens")
        kept = sum(state.nbytes for state in scene.kept)
        lines.append(f"kept states {len(scene.kept)}, {kept} of {facts.budget} bytes")
    changed = [
        f"{field.name}={getattr(settings, field.name)}" for field in fields(settings)
        if field.name not in PLACES and getattr(settings, field.name) != field.default
    ]  # fmt: skip
    lines.append(f"settings: {', '.join(changed) or 'as they came'}")
    return "\n".join([*lines, "", *log_lines]) + "\n"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
