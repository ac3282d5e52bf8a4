"""Fixtures of the app's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from app_rig import Rig
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication
from scripted_engine import Script


@pytest.fixture(autouse=True)
def system_font(qapp: QApplication) -> Iterator[None]:
    """Give the application its font back: a zoomed window's is no other test's system font."""
    font = QFont(qapp.font())
    yield
    qapp.setFont(font)


@pytest.fixture
def make_rig(qapp: QApplication) -> Iterator[Callable[..., Rig]]:
    """Make chats with scripted engines; all are closed at the end."""
    rigs: list[Rig] = []

    def make(script: Script | None = None, **options: Any) -> Rig:
        rigs.append(Rig(script or Script(), **options))
        return rigs[-1]

    yield make
    for rig in rigs:
        assert rig.close() or not rig.saving.opening.durable, "a thread did not end"


@pytest.fixture
def rig(make_rig: Callable[..., Rig]) -> Rig:
    """One chat with a scripted engine that answers at once."""
    return make_rig()
