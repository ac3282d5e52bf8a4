"""The real app in a process of its own with a scripted engine: it asks, and says how far it is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from PySide6.QtCore import QTimer  # noqa: E402
from scripted_engine import Script  # noqa: E402

from app import main  # noqa: E402

QUESTION = "What is kept?"
ANSWER = "one two three four five six seven eight nine ten " * 4
PAUSE = 0.01  # seconds a token


def say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


class Slow(Script):
    """Says each token it gives away, and takes its time for it."""

    def wait(self, gate: Any, should_stop: Any, loop: int | None = None) -> bool:
        stopped = super().wait(gate, should_stop, loop)
        if loop is None:
            self.given += 1
            say(self.given)
        return stopped


class Asking(main.App):
    """Asks one question as soon as the model is there; says when a second start rang."""

    def start(self) -> None:
        super().start()
        self._doorbell.rung.connect(lambda: say("rung"))
        self.models.composer.changed.connect(self.ask_once)
        say("started")

    def ask_once(self, state: Any) -> None:
        if state.efforts and not len(self.chat.scene.conversation):
            QTimer.singleShot(0, lambda: self.chat.send(QUESTION))


def run(folder: str) -> int:
    script = Slow(answers={8: ANSWER}, delay=PAUSE, hold_after=0)
    script.given = 0
    if "reading" in sys.argv:  # the question is taken, no word comes
        script.read_gate.clear()
        script.hold_loop = 0
    service = main.EngineService
    main.EngineService = lambda: service(script.model, script.tokenizer)
    main.App = Asking
    return main.main(["--data-dir", folder])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1]))
