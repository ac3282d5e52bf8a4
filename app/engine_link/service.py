"""The GUI's side of the engine thread: one run at a time, stale events dropped."""

from __future__ import annotations

import threading

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QThread, Signal, Slot

from app.domain.run import RunId
from app.engine_link.messages import (
    Cancelled,
    Compiling,
    Event,
    Failed,
    Finished,
    KeptChanged,
    Loaded,
    LoadFailed,
    LoadJob,
    ModelFactory,
    Request,
    RunControl,
    RunJob,
    TokenizerFactory,
)
from app.engine_link.worker import Worker, open_model, open_tokenizer

STOP_WAIT_MS = 2000  # how long closing waits for the engine


class EngineService(QObject):
    """Owns the engine's QThread and worker; everything here runs on the GUI thread.

    ``happened`` carries the frozen events of ``messages``: those of the current load and run.
    """

    happened = Signal(object)
    _load = Signal(object)
    _run = Signal(object)
    _forget = Signal(object)
    _prefer = Signal(str)
    _free = Signal()
    _probe = Signal()
    _close = Signal()

    def __init__(
        self,
        model_factory: ModelFactory = open_model,
        tokenizer_factory: TokenizerFactory = open_tokenizer,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._job: LoadJob | None = None
        self._current: RunId | None = None
        self._control: RunControl | None = None
        self._worker = Worker(model_factory, tokenizer_factory)
        self._thread = QThread()
        self._thread.setObjectName("engine")
        self._worker.moveToThread(self._thread)
        self._worker.happened.connect(self._receive)
        self._load.connect(self._worker.load)
        self._run.connect(self._worker.run)
        self._forget.connect(self._worker.forget)
        self._prefer.connect(self._worker.prefer)
        self._free.connect(self._worker.free)
        self._probe.connect(self._worker.probe)
        self._close.connect(self._worker.close)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a run is going on (a stopped one until the engine says so)."""
        return self._current is not None

    def load(self, path: str, device: str = "auto") -> None:
        """Open a model file; Loaded or LoadFailed follows. An earlier load counts no more."""
        self.cancel_load()
        self._job = LoadJob(path, device, threading.Event())
        self._load.emit(self._job)

    def cancel_load(self) -> None:
        """Forget the load in progress; its model is closed when it is open."""
        if self._job is not None:
            self._job.cancelled.set()
            self._job = None

    def submit(self, request: Request) -> None:
        """Start a run; RuntimeError while another one goes on."""
        if self._current is not None:
            raise RuntimeError("One run at a time: stop the other one first.")
        self._current = request.id
        self._control = RunControl(request.target)
        self._run.emit(RunJob(request, self._control))

    def stop(self) -> None:
        """Ask the current run to end; Finished or Cancelled follows."""
        if self._control is not None:
            self._control.stop()

    def raise_target(self, depth: int) -> bool:
        """Ask the current run for a deeper answer; False when it writes already."""
        return self._control is not None and self._control.raise_target(depth)

    def forget(self, message_ids: frozenset[str]) -> None:
        """Free the kept states of deleted messages."""
        self._forget.emit(message_ids)

    def prefer(self, message_id: str) -> None:
        """Let the state of this message go last, when memory is short."""
        self._prefer.emit(message_id)

    def free(self) -> None:
        """Free all kept states; KeptChanged follows."""
        self._free.emit()

    @Slot()
    def probe(self) -> None:
        """Try the device after a sleep; KeptChanged follows when it has lost the states."""
        self._probe.emit()

    def shutdown(self) -> bool:
        """Stop the run, close the model and end the thread; waits at most two seconds.

        Returns False when the thread still runs: leave with ``os._exit`` then, an ordinary
        exit would abort. Events that came in the meantime are delivered.
        """
        self.stop()
        self.cancel_load()
        self._worker.closing.set()
        self._close.emit()
        ended = self._thread.wait(STOP_WAIT_MS)
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)
        return ended

    @Slot(object)
    def _receive(self, event: Event) -> None:
        """Pass on what belongs to the current load or run."""
        match event:
            case KeptChanged():
                pass
            case Compiling() | Loaded() | LoadFailed():
                if event.job is not self._job:
                    return
                if not isinstance(event, Compiling):
                    self._job = None
            case _:
                if event.id != self._current:
                    return
                if isinstance(event, Finished | Cancelled | Failed):
                    self._current = self._control = None
        self.happened.emit(event)
