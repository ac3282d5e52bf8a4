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


@contextmanager
def running_app() -> Iterator[Any]:
    """Yield a chat (tests/app_rig.py) with the model loaded."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    limit_blas()
    from app_rig import Rig
    from PySide6.QtWidgets import QApplication
    from real_engine import RealEngine

    application = QApplication([])
    rig = Rig(RealEngine())
    rig.chat.load(str(bundled_model()), "cpu")
    rig.until(lambda: not rig.scene.loading)
    yield rig
    rig.close()
    application.quit()
