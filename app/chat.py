"""The use cases of the chat, in plain methods: send, deepen, stop, edit, walk the variants."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QGuiApplication

from app.domain.answer import AGAIN_TEMPERATURE, AnswerSampling
from app.domain.conversation import UNFINISHED, Message, Role, new_id
from app.domain.length import Meter, Prompt, TooLong, fit, meter
from app.domain.run import Purpose, Run, RunId
from app.engine_link.service import EngineService
from app.stage import Stage, ViewModels
from app.viewmodels.composer import ComposerModel
from app.viewmodels.deepening import twin
from app.viewmodels.page import BUSY_HINT
from app.viewmodels.rows import Action, ActionId
from app.viewmodels.scene import Scene
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript

SEND_HINT = "Esc stops, then Enter sends"
ONE_WAITS = "One message already waits for the model."
NO_MODEL = "No model is open: open one, then send the message again."
METER_MS = 150  # typing pauses this long before tokens are counted


def random_seed() -> int:
    """Return a seed for one answer."""
    return random.getrandbits(32)


@dataclass(frozen=True, slots=True)
class Options:
    """The chat's settings: how answers are sampled, where their seeds come from."""

    sampling: AnswerSampling = field(default_factory=AnswerSampling)
    new_seed: Callable[[], int] = random_seed


class Chat(QObject):
    """What a click does: decides, and lets the stage carry it out.

    All methods run on the GUI thread and return at once.
    """

    def __init__(
        self, service: EngineService, transcript: Transcript, composer: ComposerModel,
        status: StatusModel, options: Options | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._options = options or Options()
        self._composer = composer
        self._stage = Stage(service, ViewModels(transcript, composer, status))
        self._stage.retry = self._retry
        self._runs = 0
        self._meter_timer = QTimer(self)
        self._meter_timer.setSingleShot(True)
        self._meter_timer.setInterval(METER_MS)
        self._meter_timer.timeout.connect(self._count)

    @property
    def scene(self) -> Scene:
        """The conversation and all that is shown around it."""
        return self._stage.scene

    def load(self, path: str, device: str = "auto") -> None:
        """Open a model file; a run on the old model is stopped."""
        self._stage.load(path, device)

    # -- asking -------------------------------------------------------------------------------

    @Slot(str)
    def send(self, text: str) -> None:
        """Ask a question at the end of the page."""
        self._ask(text, self.scene.conversation.head_id, SEND_HINT)

    @Slot(str, str)
    def edit(self, message_id: str, new_text: str) -> None:
        """Ask a question in other words, as a sibling of the old one."""
        self._ask(new_text, self.scene.conversation[message_id].parent_id, BUSY_HINT)

    def answer(self, message_id: str) -> None:
        """Answer a question whose run was stopped or failed before the first word."""
        if self._refused(BUSY_HINT):
            return
        if self._stage.ready() is None and not self.scene.loading:
            self._stage.reload()
        self._stage.when_ready(message_id, partial(self._answer, message_id))

    def answer_again(self, message_id: str) -> None:
        """Write another variant at the same depth with a new seed, warm when greedy."""
        if not self._refused(BUSY_HINT):
            self._stage.when_ready(message_id, partial(self._again, message_id))

    def continue_answer(self, message_id: str) -> None:
        """Go on with an answer that was cut short."""
        if not self._refused(BUSY_HINT):
            self._stage.when_ready(message_id, partial(self._continue, message_id))

    def _ask(self, text: str, parent_id: str | None, busy_hint: str) -> None:
        text = text.strip()
        if not text or self._refused(busy_hint):
            return
        scene = self.scene
        question = Message(new_id(), parent_id, Role.USER, text)
        if not scene.loading and not self._fits(question):
            return
        scene.conversation.add(question)
        scene.conversation.draft = ""
        self._composer.accept()
        self._stage.when_ready(question.id, partial(self._answer, question.id))

    def _refused(self, hint: str) -> bool:
        """Say why nothing can start now, if so."""
        if self.scene.run is not None:
            self._composer.refuse(hint)
        elif self._stage.waits:
            self._composer.refuse(ONE_WAITS)
        return self.scene.run is not None or self._stage.waits

    def _fits(self, question: Message) -> bool:
        """Return whether the model can read a question; if not, say why."""
        ready = self._stage.ready()
        if ready is None:
            self._composer.refuse(NO_MODEL)
            return False
        facts, tokenizer = ready
        try:
            fit([*self.scene.conversation.path_to(question.parent_id), question], tokenizer, facts)
        except TooLong as error:
            self._composer.refuse(str(error))
            return False
        return True

    def _answer(self, question_id: str, depth: int = 0) -> None:
        """Answer a question at ``depth`` loops, 0 for the chat's own."""
        ready = self._stage.ready()
        if ready is None or self.scene.run is not None:
            return
        facts, tokenizer = ready
        question = self.scene.conversation[question_id]
        try:
            prompt = fit(self.scene.conversation.path_to(question_id), tokenizer, facts)
        except TooLong as error:
            self.scene.notes[question_id] = str(error)
            self._stage.show()
            return
        if question.model != facts.id:
            question.token_ids, question.model = tuple(tokenizer.encode(question.text)), facts.id
        sampling = replace(self._options.sampling, seed=self._options.new_seed())
        target = depth or self._stage.depth
        self._stage.start(self._run(Purpose.ANSWER, question_id, prompt, sampling, target), prompt)

    def _again(self, message_id: str) -> None:
        base = self.scene.conversation[message_id]
        prompt = self.scene.prompt_of(base)
        if prompt is None or base.parent_id is None:
            return
        setting = self._options.sampling
        sampling = replace(setting, seed=self._options.new_seed(),
                           temperature=setting.temperature or AGAIN_TEMPERATURE)  # fmt: skip
        run = self._run(Purpose.ANSWER, base.parent_id, prompt, sampling, base.depth)
        run.base_id, run.again = base.id, True
        self._stage.start(run, prompt)

    def _continue(self, message_id: str) -> None:
        base = self.scene.conversation[message_id]
        prompt = self.scene.prompt_of(base)
        if prompt is None or base.parent_id is None or base.status not in UNFINISHED:
            return
        sampling = base.sampling or self._options.sampling
        run = self._run(Purpose.CONTINUE, base.parent_id, prompt, sampling, base.depth)
        run.id, run.base_id = replace(run.id, message=base.id), base.id
        self._stage.start(run, prompt, base.token_ids)

    @Slot()
    def stop(self) -> None:
        """Stop the run, or the loading of the model; nothing when neither goes on."""
        self._stage.stop()

    # -- deeper -------------------------------------------------------------------------------

    def deepen(self, depth: int, message_id: str = "") -> None:
        """Take an answer (the newest one without an id) to ``depth`` loops.

        While a run reads, its target rises; while it writes, it is stopped and deepened.
        """
        run, conversation = self.scene.run, self.scene.conversation
        if self.scene.loading:
            return
        if run is not None:
            if message_id in ("", run.id.message, run.base_id):
                self._deepen_run(run, depth)
            return
        answer = conversation[message_id] if message_id else self.scene.newest_answer()
        if answer is not None:
            self._deepen(answer, depth)

    def _deepen_run(self, run: Run, depth: int) -> None:
        if depth <= run.target or (run.stopping and not self._stage.goes_on):
            return
        rising = run.reading and run.purpose is not Purpose.CONTINUE and not run.stopping
        if not rising or not self._stage.raise_target(run, depth):
            self._stage.stop(then=partial(self._deepen_turn, run, depth))

    def _deepen_turn(self, run: Run, depth: int) -> None:
        """Deepen what a stopped run left: its variant, what it came from, or the question."""
        conversation = self.scene.conversation
        left = run.id.message if run.id.message in conversation else run.base_id
        if left:
            self._deepen(conversation[left], depth)
        else:
            self._answer(run.question_id, depth)

    def _deepen(self, answer: Message, depth: int) -> None:
        ready, prompt = self._stage.ready(), self.scene.prompt_of(answer)
        existing = twin(self.scene, answer, depth)
        if existing is not None:
            self.select_variant(existing.id)
            return
        if ready is None or prompt is None or answer.parent_id is None or depth <= answer.depth:
            return
        if len(prompt.tokens) >= ready[0].max_seq_len:
            return
        sampling = answer.sampling or self._options.sampling
        run = self._run(Purpose.DEEPEN, answer.parent_id, prompt, sampling, depth)
        run.base_id = answer.id
        self._stage.start(run, prompt)

    def _run(
        self, purpose: Purpose, question_id: str, prompt: Prompt, sampling: AnswerSampling,
        target: int,
    ) -> Run:  # fmt: skip
        self._runs += 1
        identity = RunId(self.scene.conversation.id, new_id(), self._runs)
        return Run(identity, purpose, question_id, "", prompt.first_held, sampling, target)

    def _retry(self, run: Run) -> None:
        """Repeat a failed run: go on with what was written, or read the question again."""
        conversation = self.scene.conversation
        if run.id.message in conversation:
            self.continue_answer(run.id.message)
        elif run.purpose is Purpose.DEEPEN:
            self.deepen(run.target, run.base_id)
        elif run.again:
            self.answer_again(run.base_id)
        else:
            self.answer(run.question_id)

    # -- the tree -----------------------------------------------------------------------------

    def select_variant(self, message_id: str) -> None:
        """Show a variant (or a question's other wording) and what follows it."""
        self.scene.conversation.select(message_id)
        self._stage.show()

    @Slot(int)
    def step_variant(self, direction: int) -> None:
        """Show the newest answer's next chip to the left (-1) or right (+1)."""
        shown = self.scene.newest_answer()
        if shown is None:
            return
        variants = self.scene.conversation.variants(shown.parent_id or "")
        position = variants.index(shown) + direction
        if 0 <= position < len(variants):
            self.select_variant(variants[position].id)

    def show_later(self, message_id: str) -> None:
        """Show the variant that later messages follow, and them."""
        self.select_variant(message_id)

    @Slot()
    def new_chat(self) -> None:
        """Begin an empty conversation; a run is stopped first, kept states are freed."""
        if self.scene.run is not None:
            self._stage.stop(then=self._stage.start_over)
        else:
            self._stage.start_over()

    def copy_text(self, message_id: str) -> str:
        """Return a message's source text."""
        return self.scene.conversation[message_id].text

    @Slot(object)
    def perform(self, action: Action) -> None:
        """Do what a row's action asks for; EDIT needs the new text and comes through ``edit``."""
        match action.id:
            case ActionId.COPY:
                QGuiApplication.clipboard().setText(self.copy_text(action.message_id))
            case ActionId.ANSWER_AGAIN:
                self.answer_again(action.message_id)
            case ActionId.CONTINUE:
                self.continue_answer(action.message_id)
            case ActionId.ANSWER:
                self.answer(action.message_id)
            case ActionId.DEEPEN:
                self.deepen(action.depth, action.message_id)
            case ActionId.SELECT | ActionId.SHOW_LATER:
                self.select_variant(action.message_id)
            case ActionId.STOP:
                self.stop()

    # -- the composer -------------------------------------------------------------------------

    @Slot(int)
    def set_depth(self, depth: int) -> None:
        """Choose the depth of the next answers."""
        self._stage.set_depth(depth)

    @Slot(str)
    def draft_changed(self, text: str) -> None:
        """Keep the draft; its tokens are counted when the typing pauses."""
        self.scene.conversation.draft = text
        self._meter_timer.start()

    @Slot()
    def _count(self) -> None:
        draft, ready = self.scene.conversation.draft.strip(), self._stage.ready()
        counted = Meter()
        if draft and ready is not None:
            facts, tokenizer = ready
            question = Message("", self.scene.conversation.head_id, Role.USER, draft)
            counted = meter([*self.scene.conversation.path(), question], tokenizer, facts)
        self._composer.update(meter=counted.text, meter_full=counted.full)

    def close(self) -> None:
        """Stop the run; its text is kept as interrupted. ``EngineService.shutdown`` is next."""
        self._meter_timer.stop()
        self._stage.close()
