"""The app's logic over the bundled model, without a window, for the measurements of the app."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.resources import bundled_model
from engine.threads import limit_blas

ROOT = Path(__file__).resolve().parents[2]


def application() -> Any:
    """Return the process's QApplication, made without a screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    return QApplication.instance() or QApplication([])


@contextmanager
def running_app() -> Iterator[Any]:
    """Yield a chat (tests/app_rig.py) with the model loaded."""
    sys.path.append(str(ROOT / "tests"))
    limit_blas()
    from app_rig import Rig
    from real_engine import RealEngine

    here = application()
    rig = Rig(RealEngine())
    rig.chat.load(str(bundled_model()), "cpu")
    rig.until(lambda: not rig.scene.loading)
    yield rig
    rig.close()
    here.quit()
