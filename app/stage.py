"""The stage: the scene, the engine, the store and the view models, and what an event does there."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.domain.answer import ModelFacts
from app.domain.conversation import Conversation, Message, Status
from app.domain.length import Prompt, Tokenizer
from app.domain.run import Purpose, Run
from app.engine_link.messages import (
    Cancelled,
    Compiling,
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
from app.saving import Saving
from app.viewmodels.composer import ComposerModel
from app.viewmodels.facts import facts_of, hint_of
from app.viewmodels.foot import footer
from app.viewmodels.page import answer_row, rows
from app.viewmodels.rows import ErrorBar
from app.viewmodels.scene import Scene, Waiting
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript

TITLE = 32  # characters of a question that name it
OPEN_ANOTHER = "Open another model…"
USE_CPU = "Use the CPU"


@dataclass(frozen=True, slots=True)
class ViewModels:
    """What the window shows."""

    transcript: Transcript
    composer: ComposerModel
    status: StatusModel


class Stage(QObject):
    """Starts what ``app.chat`` decides, follows the engine's events, saves and shows the scene.

    ``retry`` is asked to repeat a failed run when the user clicks the error's button, and
    ``compared`` is told the ids that a COMPARE run wrote. ``touched`` names a conversation whose
    own facts changed, ``moved`` says that the run went on.
    """

    touched = Signal(object)
    moved = Signal()

    def __init__(self, service: EngineService, saving: Saving, views: ViewModels) -> None:
        super().__init__()
        self.scene = Scene({card.question.strip(): card for card in views.transcript.cards})
        self.views = views
        self.saving = saving
        self.first_depth = 0  # of chats that have not chosen one
        self.retry: Callable[[Run], None] = lambda run: None
        self.compared: Callable[[Run, tuple[int, ...] | None], None] = lambda run, ids: None
        self._service = service
        self._file = ("", "auto")
        self._preferred = ""
        self._unsent: Request | None = None  # until its question is saved
        self._again_ids: tuple[int, ...] = ()  # what a COMPARE run has written
        self._then: Callable[[], None] | None = None  # when the stopped run has ended
        service.happened.connect(self._receive)
        self.show()

    # -- the model ----------------------------------------------------------------------------

    def load(self, path: str, device: str = "auto") -> None:
        """Open a model file; a run on the old model is stopped."""
        self._file = (path, device)
        self.scene.file = path
        self.scene.loading, self.scene.compiled = True, None
        self.views.status.set_error(None)
        self._halt()
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

    def when_ready(
        self, conversation: Conversation, message_id: str, call: Callable[[], None]
    ) -> None:
        """Do ``call`` now, or when the model is loaded and no other chat's run goes on.

        ``message_id`` of ``conversation`` shows that it waits.
        """
        if not self.scene.waiting_for:
            call()
            return
        self.scene.waiting = Waiting(conversation, message_id, call)
        self.show()

    def stop_waiting(self) -> None:
        """Forget what waits; its question stays, without an answer."""
        self.scene.waiting = None
        self.show()

    def depth_of(self, conversation: Conversation) -> int:
        """Return the depth of a chat's next answers; 0 without a model."""
        efforts = self.scene.facts.efforts if self.scene.facts is not None else ()
        wanted = (conversation.depth, self.first_depth, *efforts[:1])
        return next((depth for depth in wanted if depth in efforts), 0)

    def set_depth(self, depth: int) -> None:
        """Choose the depth of the next answers among the model's efforts."""
        if self.scene.facts is not None and depth in self.scene.facts.efforts:
            self.scene.conversation.depth = depth
            if len(self.scene.conversation):  # else it is stored with the first question
                self.saving.checkpoint(self.scene.conversation)
            self.show()

    # -- a run --------------------------------------------------------------------------------

    def start(self, run: Run, prompt: Prompt, written: Sequence[int] = ()) -> None:
        """Hand a run to the engine."""
        question = run.conversation[run.question_id]
        title = " ".join(question.text.split())
        title = title if len(title) <= TITLE else title[: TITLE - 1].rstrip() + "…"
        self.scene.active = run
        self.scene.notes.pop(run.question_id, None)
        self._then, self._again_ids = None, ()
        self.views.status.set_error(None)
        self._unsent = Request(
            id=run.id,
            purpose=run.purpose,
            prompt=prompt.tokens,
            target=run.target,
            sampling=run.sampling,
            title=title,
            clicked=time.perf_counter(),
            written=tuple(written),
        )
        self.saving.save(run.conversation, question, then=partial(self._submit, self._unsent))
        self.show()

    def _submit(self, request: Request) -> None:
        """Hand a request on, once its question is saved; not when it was stopped meanwhile."""
        if request is self._unsent and self.scene.active is not None:
            self._unsent = None
            self._service.submit(replace(request, target=self.scene.active.target))

    def raise_target(self, run: Run, depth: int) -> bool:
        """Let a reading run go on to ``depth``; False when it writes already."""
        if self._unsent is None and not self._service.raise_target(depth):
            return False
        run.target = depth
        self.show()
        return True

    def stop(self, then: Callable[[], None] | None = None) -> None:
        """Stop the run, or what waits, or the loading; ``then`` is done when the run has ended."""
        scene = self.scene
        if scene.active is not None and (scene.run is not None or then is not None):
            self._then = then
            scene.active.stopping = True
            self._halt()
        elif scene.loading:
            self._service.cancel_load()
            self._without_model("Loading the model was stopped.", "Load it again", self.reload)
        elif scene.waiting is not None and scene.waiting.conversation is scene.conversation:
            self.stop_waiting()
        self.show()

    def _halt(self) -> None:
        """Stop the run, also one that waits for its question to be saved."""
        request, self._unsent = self._unsent, None
        if request is not None:
            self._advance(Cancelled(request.id))
        self._service.stop()

    @property
    def goes_on(self) -> bool:
        """Whether something follows the run that is being stopped."""
        return self._then is not None

    def turn_to(self, conversation: Conversation) -> None:
        """Put another conversation on screen; runs and kept states stay as they are."""
        self.scene.turn_to(conversation)
        self.views.transcript.set_rows([])  # rows of one chat are never changed into another's
        self.views.composer.show_draft(conversation.draft)
        self.show()

    def forget(self, messages: Collection[str]) -> None:
        """Free the kept states of deleted messages."""
        self._service.forget(frozenset(messages))

    def close(self) -> None:
        """Stop the run, mark its text as interrupted and save it."""
        self.scene.closing = True
        self._then = self.scene.waiting = None
        run = self.scene.active
        if run is not None and run.id.message in run.conversation:
            message = run.conversation[run.id.message]
            if not run.reading:
                message.status = Status.INTERRUPTED
            self._save(run.conversation, message)
        self._halt()

    # -- events -------------------------------------------------------------------------------

    @Slot(object)
    def _receive(self, event: Event) -> None:
        match event:
            case Compiling():
                self.scene.compiled = event.done, event.total
                self.show()
            case Loaded():
                self._loaded(event)
            case LoadFailed():
                self._load_failed(event)
            case KeptChanged():
                self.scene.kept = event.kept
                self.scene.freed.update({freed.message_id: freed for freed in event.freed})
                if not self._service.busy:  # else the run's last event follows at once
                    self.show()
            case _:
                self._advance(event)

    def _loaded(self, event: Loaded) -> None:
        self.scene.model_changed(event.facts, event.tokenizer)
        self.show()
        self._run_waiting()

    def _load_failed(self, event: LoadFailed) -> None:
        action, act = OPEN_ANOTHER, self.views.status.open_model.emit
        if event.code == "device":  # another file would meet the same GPU
            action, act = USE_CPU, partial(self.load, event.job.path, "cpu")
        if event.kept_old:
            self.scene.loading = False
            self._run_waiting()
            self._fail(event.sentence, action, act)
        else:
            self._without_model(event.sentence, action, act)

    def _without_model(self, sentence: str, action: str, act: Callable[[], None]) -> None:
        self.scene.model_changed(None, None)
        self.scene.waiting = None
        self._fail(sentence, action, act)

    def _run_waiting(self) -> None:
        waiting = self.scene.waiting
        if waiting is not None and self.scene.active is None and not self.scene.loading:
            self.scene.waiting = None
            waiting.call()
            self.show()

    def _advance(self, event: RunEvent) -> None:
        """Take in an event of the run, save it, and show only what it changed."""
        run = self.scene.active
        if run is None or event.id != run.id:
            return
        first_word = run.reading and isinstance(event, Piece)
        ends = isinstance(event, Finished | Cancelled | Failed)
        if isinstance(event, Finished):
            self.scene.report = event.report
        if run.makes_answer:
            apply(self.scene, run, event)
            self._keep(run, event)
        else:
            self._rerun(run, event)
        if first_word or ends:
            self.show()
        elif run.conversation is self.scene.conversation:
            self._show_part(run, event)
        self.moved.emit()
        if isinstance(event, Finished | Cancelled | Failed):
            self._ended(run, event)

    def _rerun(self, run: Run, event: RunEvent) -> None:
        """Follow a COMPARE run: it leaves nothing but the ids it wrote."""
        match event:
            case Progress() | Writing():
                apply(self.scene, run, event)
            case Piece():
                self._again_ids += event.ids
            case Finished():
                self.scene.active = None
                cancelled = event.reason == "cancelled"
                self.compared(run, None if cancelled else self._again_ids)
            case _:
                self.scene.active = None
                self.compared(run, None)

    def _keep(self, run: Run, event: RunEvent) -> None:
        """Checkpoint words, save endings."""
        if run.id.message not in run.conversation or isinstance(event, Progress | Writing):
            return
        message = run.conversation[run.id.message]
        if isinstance(event, Piece):
            self.saving.checkpoint(run.conversation, message)
        else:
            self._save(run.conversation, message)

    def _save(self, conversation: Conversation, message: Message) -> None:
        self.saving.save(conversation, message)
        self.touched.emit(conversation)

    def _show_part(self, run: Run, event: RunEvent) -> None:
        """Show what an event in the middle of a run changed: the loop bar, or one row."""
        if isinstance(event, Progress | Writing):
            self.views.transcript.set_footer(footer(self.scene))
        elif run.id.message in run.conversation:
            message = run.conversation[run.id.message]
            self.views.transcript.update_row(answer_row(self.scene, message))

    def _ended(self, run: Run, event: Finished | Cancelled | Failed) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()
        elif isinstance(event, Failed) and run.makes_answer:
            self._run_failed(run, event)
        self._run_waiting()

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
        views.composer.update(
            running=scene.run is not None,
            depth=self.depth_of(scene.conversation),
            efforts=efforts,
            hint=hint_of(scene),
        )
        views.status.show(facts_of(scene, self.saving.opening.durable))
        self._prefer(scene.newest_answer())
        self.moved.emit()

    def _prefer(self, answer: Message | None) -> None:
        """Let the state of the newest answer on screen go last."""
        if answer is not None and answer.id != self._preferred:
            self._preferred = answer.id
            self._service.prefer(answer.id)
