"""The engine thread's one object: it alone owns the model and the kept states."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.domain.answer import ModelFacts, ModelId
from app.domain.model_file import FileFacts, Part, Share
from app.engine_link.answering import Answering
from app.engine_link.handles import Shelf, budget
from app.engine_link.messages import (
    Cancelled,
    Compiling,
    Failed,
    Finished,
    KeptChanged,
    Loaded,
    LoadFailed,
    LoadJob,
    ModelFactory,
    RunJob,
    TokenizerFactory,
)

Result = TypeVar("Result")

RESET = "the device was reset"

log = logging.getLogger(__name__)


def open_model(path: str, device: str, on_compile: Callable[[int, int], None]) -> Any:
    """Open a model file with the engine, imported only now: the window comes first."""
    from engine import Model

    return Model(path, device=device, on_compile=on_compile)


def open_tokenizer(path: str) -> Any:
    """Open the GUI's own tokenizer of a model file."""
    from engine.tokenizer import Tokenizer

    return Tokenizer.from_file(path)


class Worker(QObject):
    """Loads models and answers requests, one at a time, on the thread it lives on.

    An exception of the engine, expected or not, becomes an event with one sentence.
    """

    happened = Signal(object)

    def __init__(self, model_factory: ModelFactory, tokenizer_factory: TokenizerFactory) -> None:
        super().__init__()
        self.closing = threading.Event()  # set by the GUI thread
        self._model_factory = model_factory
        self._tokenizer_factory = tokenizer_factory
        self._model: Any = None
        self._shelf = Shelf(0)

    @Slot(object)
    def load(self, job: LoadJob) -> None:
        """Open a model file; the one before it is closed once the new file looks right."""
        if self._over(job):
            return
        error = _attempt(lambda: self._open(job))
        if isinstance(error, Exception):
            self.happened.emit(
                LoadFailed(job, _sentence(error), self._model is not None, _code(error))
            )

    @Slot(object)
    def run(self, job: RunJob) -> None:
        """Answer one request."""
        if self.closing.is_set():
            return
        result = _attempt(lambda: self._answer(job))
        ending = self._failed(job, result) if isinstance(result, Exception) else result
        self._tell_kept()
        self.happened.emit(ending)

    @Slot(object)
    def forget(self, message_ids: frozenset[str]) -> None:
        """Free the states of deleted messages."""
        self._shelf.forget(message_ids)
        self._tell_kept()

    @Slot(str)
    def prefer(self, message_id: str) -> None:
        """Let the state of this message go last, when memory is short."""
        self._shelf.shown = message_id

    @Slot()
    def free(self) -> None:
        """Free all kept states."""
        self._shelf.free()
        self._tell_kept()

    @Slot()
    def probe(self) -> None:
        """Read one token: where that fails, the device was reset and its states are lost."""
        if self._model is None or self.closing.is_set():
            return
        if isinstance(_attempt(self._read_one), Exception):
            self._shelf.clear(RESET)
            self._tell_kept()

    @Slot()
    def close(self) -> None:
        """Free everything and end the thread."""
        self._drop_model("the app was closed")
        QThread.currentThread().quit()

    def _open(self, job: LoadJob) -> None:
        tokenizer = self._tokenizer_factory(job.path)
        self._drop_model("the model was opened again")
        model = self._model_factory(
            job.path,
            device=job.device,
            on_compile=lambda done, total: self.happened.emit(Compiling(job, done, total)),
        )
        if self._over(job):
            model.close()
            return
        facts = _facts(model)
        self._model = model
        shown, self._shelf = self._shelf.shown, Shelf(facts.budget)
        self._shelf.shown = shown
        log.info("Opened %s on %s.", facts.name, facts.device_text)
        self.happened.emit(Loaded(job, facts, tokenizer))

    def _answer(self, job: RunJob) -> Finished | Cancelled:
        return Answering(self._model, self._shelf, job, self.happened.emit).run()

    def _read_one(self) -> None:
        first = self._model.tokenizer.encode_chat([("user", "")])[:1]
        self._model.build_resume_handle(
            first, L_used=1, max_loops=1, start=None,
            should_stop=self.closing.is_set, on_progress=None,
        ).close()  # fmt: skip

    def _failed(self, job: RunJob, error: Exception) -> Failed:
        code = _code(error)
        if code == "device":
            self._shelf.clear(RESET)
        return Failed(job.request.id, _sentence(error), code)

    def _over(self, job: LoadJob) -> bool:
        return self.closing.is_set() or job.cancelled.is_set()

    def _drop_model(self, cause: str) -> None:
        self._shelf.clear(cause)
        self._tell_kept()
        if self._model is not None:
            self._model.close()
            self._model = None

    def _tell_kept(self) -> None:
        self.happened.emit(KeptChanged(self._shelf.kept(), self._shelf.take_freed()))


def _attempt(call: Callable[[], Result]) -> Result | Exception:
    """Return what ``call`` returned or raised: the one boundary where every error is caught."""
    try:
        return call()
    except Exception as error:
        if hasattr(error, "code"):  # the engine's own: the sentence says it all
            log.warning("The engine failed: %s", error)
        else:  # its words may quote what the user wrote
            log.warning("The engine failed.", exc_info=True)
        return error


def _code(error: Exception) -> str:
    """Return the stable name of an engine error."""
    return str(getattr(error, "code", "unexpected"))


def _sentence(error: Exception) -> str:
    """Return one sentence for the user; the log has the rest."""
    from engine import EngineError

    if isinstance(error, EngineError | NotImplementedError):
        return str(error)
    return (
        f"The engine met an unexpected error ({type(error).__name__}: {error}); the log has more."
    )


def _reason(note: str) -> str:
    """Return why the GPU is not used without the remedy after the colon, for the status line."""
    reason = note.partition(":")[0]
    return reason[:1].lower() + reason[1:] if reason[1:2].islower() else reason


def _facts(model: Any) -> ModelFacts:
    """Return what the app needs to know of a loaded model."""
    gpu = model.device != "cpu"
    name = model.device.upper() if gpu else "CPU"
    memory = model.memory_report()
    return ModelFacts(
        id=ModelId(model.fingerprint, model.device),
        name=model.name,
        device_text=f"{name} ({_reason(model.device_note)})" if model.device_note else name,
        efforts=tuple(model.config.efforts),
        max_seq_len=model.max_seq_len,
        budget=budget(memory.free, on_gpu=gpu),
        nbytes=memory.weights,
        file=_file_facts(model),
        pre_loops=model.config.num_pre_layers / model.config.num_loop_layers,
    )


def _file_facts(model: Any) -> FileFacts:
    """Return what the model's file says, its figures as plain values."""
    from engine.accuracy import parts

    found = parts(model.loops_eval) if model.loops_eval is not None else []
    return FileFacts(
        license=model.license,
        source=model.source,
        nbytes=model.file_bytes,
        parameters=model.parameters,
        parts=tuple(
            Part(
                part.group,
                part.in_words,
                part.questions,
                tuple(
                    Share(loops, share, _interval(part.intervals.get(loops)))
                    for loops, share in part.shares.items()
                ),
            )
            for part in found
        ),
    )


def _interval(ends: list[float] | None) -> tuple[float, float] | None:
    return None if ends is None else (ends[0], ends[1])
