"""The app in a process of its own, closed in the middle of something: loading, or stuck."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
STARTED = time.monotonic()

from PySide6.QtCore import QTimer  # noqa: E402

from app import main  # noqa: E402


def say(seconds: float) -> None:
    sys.stdout.write(f"{seconds:.3f}\n")
    sys.stdout.flush()


def loading(after_ms: int) -> None:
    """Say how long the window took; close it while the bundled model is being loaded."""

    class Closing(main.App):
        def start(self) -> None:
            super().start()
            say(time.monotonic() - STARTED)
            QTimer.singleShot(after_ms, self.window.close)

    main.App = Closing


def stuck() -> None:
    """Close while an engine writes that does not look at stop; say how long it took."""
    from scripted_engine import Script

    script = Script(ignore_stop=True)
    service = main.EngineService
    main.EngineService = lambda: service(script.model, script.tokenizer)
    leave = os._exit
    closed: list[float] = []

    def leave_and_say(code: int) -> None:
        say(time.monotonic() - closed[0])
        leave(code)

    os._exit = leave_and_say  # the way out that is expected

    class Closing(main.App):
        def start(self) -> None:
            super().start()
            self.models.composer.changed.connect(self.ask_once)

        def ask_once(self, state: Any) -> None:
            if state.efforts and not script.calls and not state.running:
                script.write_gate.clear()
                QTimer.singleShot(0, lambda: self.chat.send("Why?"))
                QTimer.singleShot(500, self.close)

        def close(self) -> None:
            assert self.chat.scene.run is not None
            assert not self.chat.scene.run.reading
            closed.append(time.monotonic())
            self.window.close()

    main.App = Closing


if __name__ == "__main__":
    folder, what = sys.argv[1:3]
    if what == "loading":
        loading(int(sys.argv[3]))
    else:
        stuck()
    sys.exit(main.main(["--data-dir", folder]))
