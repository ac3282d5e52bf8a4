"""The real chat on the bundled model, loaded once; each test begins with an empty page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from app_rig import Rig
from PySide6.QtWidgets import QApplication
from real_engine import RealEngine

from engine.resources import bundled_model


@pytest.fixture(scope="module")
def loaded(qapp: QApplication) -> Iterator[Rig]:
    rig = Rig(RealEngine())
    rig.chat.load(str(bundled_model()), "cpu")
    rig.until(lambda: not rig.scene.loading)
    yield rig
    assert rig.close()


@pytest.fixture
def rig(loaded: Rig) -> Rig:
    loaded.library.delete_all()
    loaded.until(lambda: loaded.scene.kept == () and not loaded.service.busy)
    return loaded
