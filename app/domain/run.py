"""The run in progress as the GUI sees it: which phase, how many loops, what comes after."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from app.domain.answer import AnswerSampling
from app.domain.conversation import Conversation


class Purpose(Enum):
    """Why the engine runs; COMPARE writes an answer again from nothing and keeps none of it."""

    ANSWER = "answer"
    DEEPEN = "deepen"
    CONTINUE = "continue"
    COMPARE = "compare"


class Phase(Enum):
    """READING lasts until the first word, WRITING from it on."""

    READING = "reading"
    WRITING = "writing"


@dataclass(frozen=True, slots=True)
class RunId:
    """Ids on every request and event: a late event of another run is told apart by them."""

    conversation: str
    message: str
    run: int


@dataclass(slots=True)
class Run:
    """One run in ``conversation``. ``base_id`` is the variant it began with ("" for none).

    ``kept`` <= ``done`` <= ``target`` in loops over the prompt; ``first_held`` is the first
    message of the prompt.
    """

    id: RunId
    conversation: Conversation
    purpose: Purpose
    question_id: str
    base_id: str
    first_held: str
    sampling: AnswerSampling
    target: int
    again: bool = False
    kept: int = 0
    done: int = 0
    phase: Phase = Phase.READING
    stopping: bool = False

    @property
    def makes_answer(self) -> bool:
        """Whether something of this run will stand on the page."""
        return self.purpose is not Purpose.COMPARE

    @property
    def reading(self) -> bool:
        """Whether no word has come yet."""
        return self.phase is Phase.READING

    def caption(self) -> str:
        """Return the loop bar's caption."""
        if self.stopping:
            return "Stopping"
        if self.purpose is Purpose.COMPARE:
            return f"Running again from nothing, loop {self.done} of {self.target}"
        if not self.reading:
            return f"Writing at {self.target} loops"
        loops = f"Loop {self.done} of {self.target}"
        return f"{loops} — the first {self.kept} were kept" if self.kept else loops
