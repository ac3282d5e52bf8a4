"""Small programs that tests run in a process of their own: they may end it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, Signal, Slot
from scripted_engine import Script

from app.chat import Chat
from app.domain.store import open_database
from app.engine_link.service import EngineService
from app.saving import Saving
from app.stage import ViewModels
from app.viewmodels.composer import ComposerModel
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript


def wait(app: QCoreApplication, condition: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "waited too long"
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 10)


def stuck_engine(phase: str) -> None:
    """Close while the engine does not listen; say what was kept; leave as the app does."""
    app = QCoreApplication([])
    script = Script(ignore_stop=True)
    service = EngineService(script.model, script.tokenizer)
    transcript = Transcript()
    saving = Saving(open_database(None))
    chat = Chat(service, saving, ViewModels(transcript, ComposerModel(), StatusModel()))
    chat.load("stuck.tinyloop")
    wait(app, lambda: chat.scene.facts)
    gate = script.read_gate if phase == "reading" else script.write_gate
    gate.clear()
    chat.send("Why?")
    wait(app, lambda: script.calls if phase == "reading" else transcript.rowCount() == 2)
    wait(app, lambda: phase == "reading" or transcript.row(1).text == "ans")
    started = time.monotonic()
    chat.close()
    ended = service.shutdown()
    saving.close()
    kept = [(m.role.value, m.status.value, m.text) for m in chat.scene.conversation]
    sys.stdout.write(f"{ended} {kept}\n")
    sys.stdout.flush()
    assert time.monotonic() - started < 3
    os._exit(0 if not ended else 3)


class Counter(QObject):
    """A slot to count into."""

    emitted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    @Slot(object)
    def take(self, _value: object) -> None:
        self.count += 1


def reference_counts() -> None:
    """Emit often and look whether True and None lost references (PySide6 6.12 on 3.11 does)."""
    app = QCoreApplication([])
    counter = Counter()
    counter.emitted.connect(counter.take)
    before = (sys.getrefcount(True), sys.getrefcount(None))
    for _ in range(5000):
        counter.emitted.emit(True)
        app.processEvents()
    after = (sys.getrefcount(True), sys.getrefcount(None))
    lost = max(b - a for b, a in zip(before, after, strict=True))
    sys.stdout.write(f"emitted {counter.count}, lost {lost}\n")
    assert counter.count == 5000
    assert lost < 100


if __name__ == "__main__":
    {"stuck": stuck_engine, "references": lambda _: reference_counts()}[sys.argv[1]](sys.argv[2])
