"""The stage: the scene, the engine and the view models, and what an engine event does to them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.domain.answer import ModelFacts, RunReport
from app.domain.conversation import Status
from app.domain.length import Prompt, Tokenizer
from app.domain.run import Purpose, Run
from app.engine_link.messages import (
    Cancelled,
    Event,
    Failed,
    Finished,
    KeptChanged,
    Loaded,
    LoadFailed,
    Piece,
    Progress,
    Request,
    RunEvent,
    Writing,
)
from app.engine_link.service import EngineService
from app.run_events import apply
from app.viewmodels.composer import ComposerModel
from app.viewmodels.foot import footer
from app.viewmodels.page import answer_row, rows
from app.viewmodels.rows import ErrorBar
from app.viewmodels.scene import Scene
from app.viewmodels.status import Facts, StatusModel
from app.viewmodels.transcript import Transcript

TITLE = 32  # characters of a question that name it
OPEN_ANOTHER = "Open another model…"


@dataclass(frozen=True, slots=True)
class ViewModels:
    """What the window shows."""

    transcript: Transcript
    composer: ComposerModel
    status: StatusModel


class Stage(QObject):
    """Starts what ``app.chat`` decides, follows the engine's events, shows the scene.

    ``retry`` is asked to repeat a failed run when the user clicks the error's button.
    """

    def __init__(self, service: EngineService, views: ViewModels) -> None:
        super().__init__()
        self.scene = Scene({c.question.strip(): c.answer for c in views.transcript.cards})
        self.views = views
        self.depth = 0
        self.retry: Callable[[Run], None] = lambda run: None
        self._service = service
        self._file = ("", "auto")
        self._report: RunReport | None = None
        self._then: Callable[[], None] | None = None  # when the stopped run has ended
        self._waiting: Callable[[], None] | None = None  # when the model is loaded
        service.happened.connect(self._receive)
        self.show()

    # -- the model ----------------------------------------------------------------------------

    def load(self, path: str, device: str = "auto") -> None:
        """Open a model file; a run on the old model is stopped."""
        self._file = (path, device)
        self.scene.loading = True
        self.views.status.set_error(None)
        self._service.stop()
        self._service.load(path, device)
        self.show()

    def reload(self) -> None:
        """Open the last model file again."""
        self.load(*self._file)

    def ready(self) -> tuple[ModelFacts, Tokenizer] | None:
        """Return the model to work with now, None while there is none."""
        scene = self.scene
        if scene.loading or scene.facts is None or scene.tokenizer is None:
            return None
        return scene.facts, scene.tokenizer

    @property
    def waits(self) -> bool:
        """Whether something waits for the model already."""
        return self._waiting is not None

    def when_ready(self, message_id: str, call: Callable[[], None]) -> None:
        """Do ``call`` now, or when the model is loaded; ``message_id`` shows that it waits."""
        if not self.scene.loading:
            call()
            return
        self._waiting, self.scene.waiting_id = call, message_id
        self.show()

    def set_depth(self, depth: int) -> None:
        """Choose the depth of the next answers among the model's efforts."""
        if self.scene.facts is not None and depth in self.scene.facts.efforts:
            self.depth = depth
            self.show()

    # -- a run --------------------------------------------------------------------------------

    def start(self, run: Run, prompt: Prompt, written: Sequence[int] = ()) -> None:
        """Hand a run to the engine."""
        title = " ".join(self.scene.conversation[run.question_id].text.split())
        title = title if len(title) <= TITLE else title[: TITLE - 1].rstrip() + "…"
        self.scene.run = run
        self.scene.notes.pop(run.question_id, None)
        self._then = None
        self.views.status.set_error(None)
        self._service.submit(
            Request(
                id=run.id,
                purpose=run.purpose,
                prompt=prompt.tokens,
                target=run.target,
                sampling=run.sampling,
                title=title,
                clicked=time.perf_counter(),
                written=tuple(written),
            )
        )
        self.show()

    def raise_target(self, run: Run, depth: int) -> bool:
        """Let a reading run go on to ``depth``; False when it writes already."""
        if not self._service.raise_target(depth):
            return False
        run.target = depth
        self.show()
        return True

    def stop(self, then: Callable[[], None] | None = None) -> None:
        """Stop the run, or the loading; ``then`` is done when the run has ended."""
        if self.scene.run is not None:
            self._then = then
            self.scene.run.stopping = True
            self._service.stop()
        elif self.scene.loading:
            self._service.cancel_load()
            self._without_model("Loading the model was stopped.", "Load it again", self.reload)
        self.show()

    @property
    def goes_on(self) -> bool:
        """Whether something follows the run that is being stopped."""
        return self._then is not None

    def start_over(self) -> None:
        """Begin an empty conversation and free what was kept for this one."""
        self._service.forget(frozenset(message.id for message in self.scene.conversation))
        self._waiting = None
        self.scene.start_over()
        self.views.status.set_error(None)
        self.show()

    def close(self) -> None:
        """Stop the run and mark its text as interrupted."""
        self.scene.closing = True
        self._then = self._waiting = None
        run = self.scene.run
        if run is not None and not run.reading:
            self.scene.conversation[run.id.message].status = Status.INTERRUPTED
        self._service.stop()

    # -- events -------------------------------------------------------------------------------

    @Slot(object)
    def _receive(self, event: Event) -> None:
        match event:
            case Loaded():
                self._loaded(event)
            case LoadFailed():
                self._load_failed(event)
            case KeptChanged():
                self.scene.kept = event.kept
                self.scene.freed.update({freed.message_id: freed for freed in event.freed})
                self.show()
            case _:
                self._advance(event)

    def _loaded(self, event: Loaded) -> None:
        self.scene.model_changed(event.facts, event.tokenizer)
        self._report = None
        if self.depth not in event.facts.efforts:
            self.depth = event.facts.efforts[0]
        self._run_waiting()

    def _load_failed(self, event: LoadFailed) -> None:
        if event.kept_old:
            self.scene.loading = False
            self._run_waiting()
            self._fail(event.sentence, OPEN_ANOTHER, self.views.status.open_model.emit)
        else:
            self._without_model(event.sentence, OPEN_ANOTHER, self.views.status.open_model.emit)

    def _without_model(self, sentence: str, action: str, act: Callable[[], None]) -> None:
        self.scene.model_changed(None, None)
        self._waiting, self.scene.waiting_id = None, ""
        self._fail(sentence, action, act)

    def _run_waiting(self) -> None:
        waiting, self._waiting, self.scene.waiting_id = self._waiting, None, ""
        self.show()
        if waiting is not None:
            waiting()

    def _advance(self, event: RunEvent) -> None:
        """Take in an event of the run, and show only what it changed."""
        run = self.scene.run
        if run is None or event.id != run.id:
            return
        first_word = run.reading and isinstance(event, Piece)
        if isinstance(event, Finished):
            self._report = event.report
        apply(self.scene, run, event)
        if isinstance(event, Progress | Writing):
            self.views.transcript.set_footer(footer(self.scene))
        elif isinstance(event, Piece) and not first_word:
            message = self.scene.conversation[run.id.message]
            self.views.transcript.update_row(answer_row(self.scene, message))
        else:
            self.show()
        if isinstance(event, Finished | Cancelled | Failed):
            self._ended(run, event)

    def _ended(self, run: Run, event: Finished | Cancelled | Failed) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()
        elif isinstance(event, Failed):
            self._run_failed(run, event)

    def _run_failed(self, run: Run, event: Failed) -> None:
        if event.code == "device":
            self._fail(event.sentence, "Load the model again", self.reload)
        elif run.reading or run.purpose is Purpose.CONTINUE:
            self._fail(event.sentence, "Try again", partial(self.retry, run))
        else:
            self._fail(event.sentence, "Continue", partial(self.retry, run))

    def _fail(self, sentence: str, action: str, act: Callable[[], None]) -> None:
        self.views.status.set_error(ErrorBar(sentence, action, act))
        self.show()

    # -- showing ------------------------------------------------------------------------------

    def show(self) -> None:
        """Bring rows, footer, composer and status line up to date."""
        scene, views = self.scene, self.views
        views.transcript.set_rows(rows(scene))
        views.transcript.set_footer(footer(scene))
        efforts = scene.facts.efforts if scene.facts is not None else ()
        views.composer.update(running=scene.run is not None, depth=self.depth, efforts=efforts)
        views.status.show(self._facts())

    def _facts(self) -> Facts:
        scene, report = self.scene, self._report
        facts, name = scene.facts, ""
        if scene.loading:
            facts, name = None, f"loading {Path(self._file[0]).name}"
        return Facts(
            model=facts.name if facts is not None else name,
            device=facts.device_text if facts is not None else "",
            tokens_per_second=report.tokens_per_second if facts and report else None,
            first_word=report.first_word if facts and report else None,
            kept=len(scene.kept),
            kept_bytes=sum(state.nbytes for state in scene.kept),
        )
