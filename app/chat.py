"""The use cases of the chat, in plain methods: send, deepen, stop, edit, walk the variants."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QGuiApplication

from app.domain.answer import AGAIN_TEMPERATURE, AnswerSampling
from app.domain.conversation import UNFINISHED, Conversation, Message, Role, new_id
from app.domain.length import Prompt, TooLong, fit, meter
from app.domain.run import Purpose, Run, RunId
from app.domain.store import title_of
from app.engine_link.service import EngineService
from app.saving import Saving
from app.stage import Stage, ViewModels
from app.viewmodels.deepening import twin
from app.viewmodels.page import BUSY_HINT
from app.viewmodels.rows import Action, ActionId
from app.viewmodels.scene import Scene

SEND_HINT = "Esc stops, then Enter sends"
ONE_WAITS = "One message already waits for {what}."
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
        self, service: EngineService, saving: Saving, views: ViewModels,
        options: Options | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._options = options or Options()
        self._composer = views.composer
        self.stage = Stage(service, saving, views)
        self._saving = saving
        self.stage.retry = self._retry
        self._runs = 0
        self._meter_timer = QTimer(self)
        self._meter_timer.setSingleShot(True)
        self._meter_timer.setInterval(METER_MS)
        self._meter_timer.timeout.connect(self._count)

    @property
    def scene(self) -> Scene:
        """The conversation and all that is shown around it."""
        return self.stage.scene

    def load(self, path: str, device: str = "auto") -> None:
        """Open a model file; a run on the old model is stopped."""
        self.stage.load(path, device)

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
        if self.stage.ready() is None and not self.scene.loading:
            self.stage.reload()
        self._when_ready(message_id, self._answer)

    def answer_again(self, message_id: str) -> None:
        """Write another variant at the same depth with a new seed, warm when greedy."""
        if not self._refused(BUSY_HINT):
            self._when_ready(message_id, self._again)

    def continue_answer(self, message_id: str) -> None:
        """Go on with an answer that was cut short."""
        if not self._refused(BUSY_HINT):
            self._when_ready(message_id, self._continue)

    def _ask(self, text: str, parent_id: str | None, busy_hint: str) -> None:
        text = text.strip()
        if not text or self._refused(busy_hint):
            return
        scene = self.scene
        question = Message(new_id(), parent_id, Role.USER, text)
        if not scene.loading and not self._fits(question):
            return
        chat = scene.conversation
        chat.add(question)
        chat.title = chat.title or title_of(text)
        if chat.draft.strip() in ("", text):  # a card's question leaves a draft where it is
            chat.draft = ""
            self._composer.accept()
        self._saving.save(chat, question)
        self._when_ready(question.id, self._answer)
        self.stage.touched.emit(chat)

    def _when_ready(self, message_id: str, call: Callable[[Conversation, str], None]) -> None:
        chat = self.scene.conversation
        self.stage.when_ready(chat, message_id, partial(call, chat, message_id))

    def _refused(self, hint: str) -> bool:
        """Say why nothing can start now, if so."""
        scene = self.scene
        if scene.run is not None:
            self._composer.refuse(hint)
        elif scene.waiting is not None:
            self._composer.refuse(ONE_WAITS.format(what=scene.waiting_for))
        return scene.run is not None or scene.waiting is not None

    def _fits(self, question: Message) -> bool:
        """Return whether the model can read a question; if not, say why."""
        ready = self.stage.ready()
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

    def _answer(self, chat: Conversation, question_id: str, depth: int = 0) -> None:
        """Answer a question at ``depth`` loops, 0 for the chat's own."""
        ready = self.stage.ready()
        if ready is None or self.scene.active is not None:
            return
        facts, tokenizer = ready
        question = chat[question_id]
        try:
            prompt = fit(chat.path_to(question_id), tokenizer, facts)
        except TooLong as error:
            self.scene.notes[question_id] = str(error)
            self.stage.show()
            return
        if question.model != facts.id:
            question.token_ids, question.model = tuple(tokenizer.encode(question.text)), facts.id
        sampling = replace(self._options.sampling, seed=self._options.new_seed())
        target = depth or self.stage.depth_of(chat)
        run = self._run(Purpose.ANSWER, chat, question_id, sampling, target)
        self._start(run, prompt)

    def _again(self, chat: Conversation, message_id: str) -> None:
        base = chat[message_id]
        prompt = self.scene.prompt_of(base, chat)
        if prompt is None or base.parent_id is None:
            return
        setting = self._options.sampling
        sampling = replace(setting, seed=self._options.new_seed(),
                           temperature=setting.temperature or AGAIN_TEMPERATURE)  # fmt: skip
        run = self._run(Purpose.ANSWER, chat, base.parent_id, sampling, base.depth)
        run.base_id, run.again = base.id, True
        self._start(run, prompt)

    def _continue(self, chat: Conversation, message_id: str) -> None:
        base = chat[message_id]
        prompt = self.scene.prompt_of(base, chat)
        if prompt is None or base.parent_id is None or base.status not in UNFINISHED:
            return
        sampling = base.sampling or self._options.sampling
        run = self._run(Purpose.CONTINUE, chat, base.parent_id, sampling, base.depth)
        run.id, run.base_id = replace(run.id, message=base.id), base.id
        self._start(run, prompt, base.token_ids)

    def _start(self, run: Run, prompt: Prompt, written: Sequence[int] = ()) -> None:
        run.first_held = prompt.first_held
        self.stage.start(run, prompt, written)

    @Slot(str)
    def compare_cold(self, message_id: str) -> None:
        """Write an answer again from nothing, to be compared; ``Stage.compared`` is told."""
        if not self._refused(BUSY_HINT):
            self._when_ready(message_id, self._compare)

    def _compare(self, chat: Conversation, message_id: str) -> None:
        base = chat[message_id]
        prompt = self.scene.prompt_of(base, chat)
        if prompt is None or base.parent_id is None or base.sampling is None:
            return
        sampling = replace(base.sampling, max_tokens=len(base.token_ids))
        run = self._run(Purpose.COMPARE, chat, base.parent_id, sampling, base.depth)
        run.base_id = base.id
        self._start(run, prompt)

    @Slot()
    def stop(self) -> None:
        """Stop the run, or the loading of the model; nothing when neither goes on."""
        self.stage.stop()

    # -- deeper -------------------------------------------------------------------------------

    def deepen(self, depth: int, message_id: str = "") -> None:
        """Take an answer (the newest one without an id) to ``depth`` loops.

        While a run reads, its target rises; while it writes, it is stopped and deepened.
        """
        run, conversation = self.scene.run, self.scene.conversation
        if self.scene.loading:
            return
        if run is not None:
            if run.makes_answer and message_id in ("", run.id.message, run.base_id):
                self._deepen_run(run, depth)
            return
        answer = conversation[message_id] if message_id else self.scene.newest_answer()
        if answer is None:
            return
        existing = twin(conversation, answer, depth)
        if existing is not None:
            self.select_variant(existing.id)
        elif not self._refused(BUSY_HINT):
            call = partial(self._deepen, conversation, answer.id, depth)
            self.stage.when_ready(conversation, answer.id, call)

    def _deepen_run(self, run: Run, depth: int) -> None:
        if depth <= run.target or (run.stopping and not self.stage.goes_on):
            return
        rising = run.reading and run.purpose is not Purpose.CONTINUE and not run.stopping
        if not rising or not self.stage.raise_target(run, depth):
            self.stage.stop(then=partial(self._deepen_turn, run, depth))

    def _deepen_turn(self, run: Run, depth: int) -> None:
        """Deepen what a stopped run left: its variant, what it came from, or the question."""
        chat = run.conversation
        left = run.id.message if run.id.message in chat else run.base_id
        if left:
            self._deepen(chat, left, depth)
        else:
            self._answer(chat, run.question_id, depth)

    def _deepen(self, chat: Conversation, answer_id: str, depth: int) -> None:
        answer = chat[answer_id]
        ready, prompt = self.stage.ready(), self.scene.prompt_of(answer, chat)
        existing = twin(chat, answer, depth)
        if existing is not None:
            self._select(chat, existing.id)
            return
        if ready is None or prompt is None or answer.parent_id is None or depth <= answer.depth:
            return
        if len(prompt.tokens) >= ready[0].max_seq_len:
            return
        sampling = answer.sampling or self._options.sampling
        run = self._run(Purpose.DEEPEN, chat, answer.parent_id, sampling, depth)
        run.base_id = answer.id
        self._start(run, prompt)

    def _run(
        self, purpose: Purpose, chat: Conversation, question_id: str, sampling: AnswerSampling,
        target: int,
    ) -> Run:  # fmt: skip
        self._runs += 1
        identity = RunId(chat.id, new_id(), self._runs)
        return Run(identity, chat, purpose, question_id, "", "", sampling, target)

    def _retry(self, run: Run) -> None:
        """Repeat a failed run: go on with what was written, or read the question again."""
        if self.scene.conversation is not run.conversation:
            self.stage.turn_to(run.conversation)
        if run.id.message in run.conversation:
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
        self._select(self.scene.conversation, message_id)

    def _select(self, chat: Conversation, message_id: str) -> None:
        chat.select(message_id)
        self._saving.save(chat)
        self.stage.show()

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
            case ActionId.CANCEL:
                self.stage.stop_waiting()

    # -- the composer -------------------------------------------------------------------------

    @Slot(int)
    def set_depth(self, depth: int) -> None:
        """Choose the depth of the next answers."""
        self.stage.set_depth(depth)

    @Slot(str)
    def draft_changed(self, text: str) -> None:
        """Keep the draft; its tokens are counted when the typing pauses."""
        chat = self.scene.conversation
        if text != chat.draft:
            chat.draft = text
            self._saving.checkpoint(chat)
            self.stage.touched.emit(chat)
        self._meter_timer.start()

    @Slot()
    def _count(self) -> None:
        draft, ready = self.scene.conversation.draft.strip(), self.stage.ready()
        counted = ""
        if draft and ready is not None:
            facts, tokenizer = ready
            question = Message("", self.scene.conversation.head_id, Role.USER, draft)
            counted = meter([*self.scene.conversation.path(), question], tokenizer, facts)
        self._composer.update(meter=counted)

    def close(self) -> None:
        """Stop the run; its text is kept as interrupted.

        ``EngineService.shutdown`` is next, then ``Saving.close``.
        """
        self._meter_timer.stop()
        self.stage.close()
