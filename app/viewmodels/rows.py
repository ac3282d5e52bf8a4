"""What the window paints, as plain frozen rows: decided by the view models, drawn by the views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class ActionId(Enum):
    """What a click asks for; ``app.chat`` answers each."""

    EDIT = "edit"
    COPY = "copy"
    ANSWER_AGAIN = "answer_again"
    CONTINUE = "continue"
    ANSWER = "answer"
    DEEPEN = "deepen"
    SELECT = "select"
    SHOW_LATER = "show_later"
    STOP = "stop"
    CANCEL = "cancel"
    RECEIPT = "receipt"
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing the user can do with a row; ``hint`` says why it is disabled."""

    id: ActionId
    text: str
    enabled: bool = True
    hint: str = ""
    message_id: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Chip:
    """One variant of an answer: ``8``, ``16 loops``, ``8 · again``; the dot says state kept.

    Also one wording of a question, ``1``, ``Wording 2 of 2``: it has no state, ``kept`` is None.
    """

    message_id: str
    text: str
    shown: bool
    kept: bool | None
    accessible: str


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A user's message; ``chips`` are its wordings when there is more than one."""

    message_id: str
    text: str
    actions: tuple[Action, ...] = ()
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """The shown variant of an answer.

    ``dimmed`` while a deeper variant is being read for; ``tail`` says a word may still come.
    ``caption`` is the one line after the chips: compare line, "stopped after 12 words",
    "known answer: 7 — not yet".
    """

    message_id: str
    text: str
    chips: tuple[Chip, ...] = ()
    caption: str = ""
    dimmed: bool = False
    streaming: bool = False
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class LineRow:
    """A quiet line between messages: the cut, later messages elsewhere, "stopped" + Answer."""

    text: str
    actions: tuple[Action, ...] = ()


Row = QuestionRow | AnswerRow | LineRow


@dataclass(frozen=True, slots=True)
class EffortButton:
    """Try harder or Really hard: title, price line, and whether the resume is possible."""

    title: str
    price: str
    depth: int
    suggested: bool = False
    from_scratch: bool = False
    enabled: bool = True
    hint: str = ""


@dataclass(frozen=True, slots=True)
class LoopProgress:
    """A run as the loop bar shows it: kept <= done <= target <= deepest, all in loops."""

    kept: int
    done: int
    target: int
    deepest: int
    caption: str


@dataclass(frozen=True, slots=True)
class Footer:
    """The last row: the loop bar and Stop while running, else the effort buttons or a line."""

    progress: LoopProgress | None = None
    buttons: tuple[EffortButton, ...] = ()
    line: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A question in the empty chat that needs depth, with its known answer.

    ``choices`` are the words one of which is the answer; none where it is a number.
    """

    title: str
    steps: int
    question: str
    answer: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorBar:
    """One sentence and one action; ``act`` runs on the GUI thread."""

    sentence: str
    action: str
    act: Callable[[], None]


@dataclass(frozen=True, slots=True)
class ComposerState:
    """What the composer offers: Send or Stop, the depth of the next answer, the token meter."""

    running: bool = False
    hint: str = ""
    depth: int = 0
    efforts: tuple[int, ...] = ()
    meter: str = ""
