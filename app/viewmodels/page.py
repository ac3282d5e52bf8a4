"""The rows of the page: questions, shown variants with chips and captions, quiet lines."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.answer import ModelFacts
from app.domain.compare import compare, known
from app.domain.conversation import UNFINISHED, Message, Role, Status
from app.domain.length import cut_of
from app.domain.run import Purpose
from app.viewmodels.deepening import LOADING, NO_MODEL, efforts_of
from app.viewmodels.rows import (
    Action,
    ActionId,
    AnswerRow,
    Chip,
    LineRow,
    QuestionRow,
    Row,
)
from app.viewmodels.scene import Scene

BUSY_HINT = "Esc stops the answer first"
CUT_LINE = "The model no longer sees what is above."
BEGINNING_UNREAD = "did not see the beginning of this chat"
STOPPED_LINE = "stopped"


@dataclass(frozen=True, slots=True)
class _Around:
    """What every answer's row looks at, found once a page: 800 rows are made in one go."""

    scene: Scene
    newest: Message | None
    kept: frozenset[str]

    @classmethod
    def of(cls, scene: Scene) -> _Around:
        kept = frozenset(state.message_id for state in scene.kept)
        return cls(scene, scene.newest_answer(), kept)


def rows(scene: Scene) -> list[Row]:
    """Return the page, top to bottom, without its footer."""
    path, around = scene.path(), _Around.of(scene)
    cut = _cut(scene, path)
    page: list[Row] = []
    for position, message in enumerate(path):
        if 0 < position == cut:
            page.append(LineRow(CUT_LINE))
        if message.role is Role.ASSISTANT:
            page.append(_answer_row(around, message))
            page += _later(scene, message)
            continue
        page.append(_question_row(scene, message))
        following = path[position + 1] if position + 1 < len(path) else None
        if following is None or following.role is Role.USER:
            page += _unanswered(scene, message, last=following is None)
    return page


def answer_row(scene: Scene, message: Message) -> AnswerRow:
    """Return the row of one shown variant."""
    return _answer_row(_Around.of(scene), message)


def _answer_row(around: _Around, message: Message) -> AnswerRow:
    scene, run = around.scene, around.scene.run
    read_for = run is not None and run.reading and run.question_id == message.parent_id
    anew = run is not None and run.purpose in (Purpose.ANSWER, Purpose.DEEPEN)
    return AnswerRow(
        message_id=message.id,
        text=message.text,
        chips=_chips(around, message),
        caption=_caption(scene, message),
        dimmed=read_for and anew,
        streaming=message.status is Status.WRITING,
        actions=_answer_actions(around, message),
    )


def _cut(scene: Scene, path: list[Message]) -> int:
    """Return the position of the cut line, 0 for none: the run's, else the newest answer's."""
    if scene.run is None or scene.run.question_id not in {message.id for message in path}:
        return cut_of(path)
    first = scene.run.first_held
    return next((i for i, message in enumerate(path) if message.id == first), 0)


def _question_row(scene: Scene, message: Message) -> QuestionRow:
    busy = scene.run is not None
    edit = Action(ActionId.EDIT, "Edit", not busy, BUSY_HINT if busy else "", message.id)
    copy = Action(ActionId.COPY, "Copy", message_id=message.id)
    wordings = [m for m in scene.conversation.siblings(message) if m.role is Role.USER]
    chips = tuple(
        _wording(other.id, number, len(wordings), shown=other is message)
        for number, other in enumerate(wordings, start=1)
    )
    others = tuple(
        Action(ActionId.SELECT, chip.accessible, message_id=chip.message_id)
        for chip in chips
        if not chip.shown
    )
    return QuestionRow(message.id, message.text, (edit, copy, *others), chips if others else ())


def _wording(message_id: str, number: int, count: int, shown: bool) -> Chip:
    whole = f"Wording {number} of {count}"
    return Chip(message_id, whole if shown else str(number), shown, None, whole)


def _unanswered(scene: Scene, question: Message, last: bool) -> list[Row]:
    """Return the line under a question without an answer."""
    if scene.waiting is not None and scene.waiting.message_id == question.id:
        cancel = Action(ActionId.CANCEL, "Cancel", message_id=question.id)
        return [LineRow(f"waiting for {scene.waiting_for}", (cancel,))]
    if scene.run is not None and scene.run.question_id == question.id:
        return []
    text = scene.notes.get(question.id, STOPPED_LINE)
    answer = Action(ActionId.ANSWER, "Answer", scene.run is None,
                    "" if scene.run is None else BUSY_HINT, question.id)  # fmt: skip
    return [LineRow(text, (answer,) if last else ())]


def _later(scene: Scene, shown: Message) -> list[Row]:
    """Return a line for each variant that is not shown but was written on from."""
    if scene.conversation.children(shown.id):
        return []
    lines: list[Row] = []
    for other in scene.conversation.variants(shown.parent_id or ""):
        count = scene.conversation.following(other.id)
        if other is shown or count == 0:
            continue
        what = "1 later message follows" if count == 1 else f"{count} later messages follow"
        action = Action(ActionId.SHOW_LATER, "Show", message_id=other.id)
        lines.append(LineRow(f"{what} the answer at {other.depth} loops", (action,)))
    return lines


def _chips(around: _Around, shown: Message) -> tuple[Chip, ...]:
    chips = []
    for variant in around.scene.conversation.variants(shown.parent_id or ""):
        again = ""
        if variant.again and variant.sampling is not None:
            again = f" · again at {variant.sampling.temperature:g}"
        depth = f"{variant.depth} loops" if variant is shown else str(variant.depth)
        spoken = f"{variant.depth} loops{again.replace(' ·', ',')}"
        state = "state kept" if variant.id in around.kept else "state not kept"
        chips.append(Chip(variant.id, depth + again, variant is shown, variant.id in around.kept,
                          f"{spoken}, {state}"))  # fmt: skip
    return tuple(chips)


def _caption(scene: Scene, message: Message) -> str:
    """Return the line after the chips: how it ended, what it saw, the known answer, what changed.

    In a narrow window its end is cut off, so what matters most comes first.
    """
    if message.status is Status.WRITING:
        return ""
    chat, first = scene.conversation, message.first_held
    cut = bool(first) and first in chat and chat[first].parent_id is not None
    parts = [_ending(message), BEGINNING_UNREAD if cut else ""]
    card = scene.cards.get(scene.conversation[message.parent_id or ""].text.strip())
    if card is not None and message.status is Status.DONE:
        parts.append(known(message.text, card.answer, card.choices))
    if message.deepened_from and message.status is Status.DONE:
        old = scene.conversation[message.deepened_from]
        finished = old.status not in UNFINISHED
        parts.append(compare(old.text, old.depth, message.text, finished))
    return " · ".join(part for part in parts if part)


def _ending(message: Message) -> str:
    words = "1 word" if message.words == 1 else f"{message.words} words"
    match message.status:
        case Status.STOPPED:
            return f"stopped after {words}"
        case Status.INTERRUPTED:
            return f"interrupted after {words}"
        case Status.FAILED:
            return f"ended with an error after {words}"
        case Status.LENGTH:
            return f"reached the length limit after {words}"
        case _:
            return "" if message.text.strip() else "the answer is empty"


def _answer_actions(around: _Around, message: Message) -> tuple[Action, ...]:
    """Return Copy, Continue, Answer again and the efforts, for the row and its menu."""
    scene = around.scene
    busy = scene.run is not None
    hint = BUSY_HINT if busy else "" if scene.facts or scene.loading else NO_MODEL
    actions = [Action(ActionId.COPY, "Copy", message_id=message.id)]
    if message.status in UNFINISHED and _has_room(scene.facts, message):
        actions.append(Action(ActionId.CONTINUE, "Continue", not hint, hint, message.id))
    if message.status is not Status.WRITING:
        actions.append(Action(ActionId.ANSWER_AGAIN, "Answer again", not hint, hint, message.id))
    newest = around.newest is message
    enabled = not scene.loading and (newest or not busy)
    why = "" if enabled else LOADING if scene.loading else BUSY_HINT
    actions += [
        Action(ActionId.DEEPEN, effort.title, enabled, why, message.id, effort.depth)
        for effort in efforts_of(scene, message.depth)
    ]
    return tuple(actions)


def _has_room(facts: ModelFacts | None, message: Message) -> bool:
    """Return whether the context has positions left to continue an answer."""
    if facts is None or message.report is None:
        return True
    return message.report.prompt_tokens + message.report.written < facts.max_seq_len
