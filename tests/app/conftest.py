"""Fixtures of the app's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from app_rig import Rig
from PySide6.QtWidgets import QApplication
from scripted_engine import Script


@pytest.fixture
def make_rig(qapp: QApplication) -> Iterator[Callable[..., Rig]]:
    """Make chats with scripted engines; all are closed at the end."""
    rigs: list[Rig] = []

    def make(script: Script | None = None) -> Rig:
        rigs.append(Rig(script or Script()))
        return rigs[-1]

    yield make
    for rig in rigs:
        assert rig.close(), "the engine thread did not end"


@pytest.fixture
def rig(make_rig: Callable[..., Rig]) -> Rig:
    """One chat with a scripted engine that answers at once."""
    return make_rig()
