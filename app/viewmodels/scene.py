"""Everything the page is made of at one moment, in one place; ``app.chat`` changes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.domain.answer import ModelFacts, RunReport
from app.domain.conversation import Conversation, Message, Role
from app.domain.kept import Freed, Kept
from app.domain.length import Prompt, Tokenizer, rebuild
from app.domain.price import Speeds
from app.domain.run import Run
from app.viewmodels.rows import Card


@dataclass(frozen=True, slots=True)
class Waiting:
    """What begins when the model, or a run in another chat, has come to its end."""

    conversation: Conversation
    message_id: str
    call: Callable[[], None]


@dataclass(slots=True)
class Scene:
    """The conversation on screen, the one run (of any chat), the model and what is kept.

    ``cards`` are those of the empty chat by question. ``notes`` says under a question why it has
    no answer. ``file`` is the model's, ``report`` the last run's on it. ``compiled`` says how many
    of how many programs are ready for the GPU while a model loads that needs it.
    """

    cards: Mapping[str, Card] = field(default_factory=dict)
    conversation: Conversation = field(default_factory=Conversation)
    active: Run | None = None
    waiting: Waiting | None = None
    facts: ModelFacts | None = None
    tokenizer: Tokenizer | None = None
    loading: bool = False
    compiled: tuple[int, int] | None = None
    file: str = ""
    report: RunReport | None = None
    closing: bool = False
    kept: tuple[Kept, ...] = ()
    freed: dict[str, Freed] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    speeds: Speeds = field(default_factory=Speeds)
    _prompts: dict[str, Prompt] = field(default_factory=dict)

    @property
    def run(self) -> Run | None:
        """The run of the conversation on screen."""
        run = self.active
        return run if run is not None and run.conversation is self.conversation else None

    @property
    def elsewhere(self) -> Run | None:
        """The run of a conversation that is not on screen."""
        return self.active if self.run is None else None

    @property
    def waiting_for(self) -> str:
        """What a click has to wait for now: "the model", the chat of a run, "" for nothing."""
        if self.loading:
            return "the model"
        return f"“{self.elsewhere.conversation.title}”" if self.elsewhere is not None else ""

    def path(self) -> list[Message]:
        """Return the messages on screen; a turn that is being read ends the page."""
        path = self.conversation.path()
        if self.run is None or not self.run.reading or not self.run.makes_answer:
            return path
        ids = [message.id for message in path]
        if self.run.question_id not in ids:
            return path
        return path[: ids.index(self.run.question_id) + 2]

    def newest_answer(self) -> Message | None:
        """Return the answer at the end of the page, None when there is none."""
        path = self.path()
        return path[-1] if path and path[-1].role is Role.ASSISTANT else None

    def prompt_of(self, answer: Message, chat: Conversation | None = None) -> Prompt | None:
        """Return the prompt an answer was given, rebuilt from stored ids; None without a model.

        ``chat`` is the answer's conversation, without it the one on screen.
        """
        if self.facts is None or self.tokenizer is None or answer.parent_id is None:
            return None
        if answer.id not in self._prompts:
            path = (chat or self.conversation).path_to(answer.parent_id)
            file = self.facts.id.file
            self._prompts[answer.id] = rebuild(path, answer.first_held, self.tokenizer, file)
        return self._prompts[answer.id]

    def model_changed(self, facts: ModelFacts | None, tokenizer: Tokenizer | None) -> None:
        """Take another model (None: none); what was measured on the old one is forgotten."""
        self.facts, self.tokenizer = facts, tokenizer
        self.loading, self.compiled, self.report = False, None, None
        self.speeds = Speeds(pre=facts.pre_loops if facts is not None else 0.0)
        self._prompts.clear()

    def turn_to(self, conversation: Conversation) -> None:
        """Put another conversation on screen."""
        self.conversation = conversation
        self._prompts.clear()
