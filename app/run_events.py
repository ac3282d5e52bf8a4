"""What an event of the running answer does to the conversation: words, endings, errors."""

from __future__ import annotations

from app.domain.conversation import Message, Role, Status
from app.domain.kept import Freed
from app.domain.run import Phase, Purpose, Run
from app.engine_link.messages import Failed, Finished, Piece, Progress, RunEvent, Writing
from app.viewmodels.scene import Scene

ENDINGS = {"stop": Status.DONE, "length": Status.LENGTH, "cancelled": Status.STOPPED}


def apply(scene: Scene, run: Run, event: RunEvent) -> None:
    """Change ``scene`` by one event of ``run``, in its conversation; an ending clears it."""
    match event:
        case Progress():
            run.kept, run.done = event.kept, event.done
        case Writing():
            run.target = run.done = event.depth
        case Piece():
            message = _message(scene, run)
            message.text += event.text
            message.token_ids += event.ids
        case Finished():
            _finish(scene, run, event)
        case Failed():
            _fail(scene, run, event)
        case _:
            scene.active = None


def _message(scene: Scene, run: Run) -> Message:
    """Return the message being written; the first word makes it and puts it on screen."""
    conversation = run.conversation
    if run.id.message not in conversation:
        on_screen = {message.id for message in conversation.path()}
        conversation.add(_variant(scene, run), show=run.question_id in on_screen)
    message = conversation[run.id.message]
    if run.reading:
        run.phase = Phase.WRITING
        message.status = Status.INTERRUPTED if scene.closing else Status.WRITING
    return message


def _variant(scene: Scene, run: Run) -> Message:
    base = run.conversation[run.base_id] if run.base_id else None
    deepened = run.purpose is Purpose.DEEPEN and base is not None
    return Message(
        id=run.id.message,
        parent_id=run.question_id,
        role=Role.ASSISTANT,
        text="",
        status=Status.WRITING,
        depth=run.target,
        first_held=run.first_held,
        sampling=run.sampling,
        model=scene.facts.id if scene.facts is not None else None,
        again=run.again or (deepened and base is not None and base.again),
        deepened_from=run.base_id if deepened else "",
    )


def _finish(scene: Scene, run: Run, event: Finished) -> None:
    message = _message(scene, run)
    message.status = ENDINGS[event.reason]
    if scene.closing and message.status is Status.STOPPED:
        message.status = Status.INTERRUPTED
    message.report = event.report
    scene.speeds.add(event.report)
    scene.active = None


def _fail(scene: Scene, run: Run, event: Failed) -> None:
    """Keep the question and what was written; say what went wrong where it happened."""
    if run.reading:
        scene.notes[run.question_id] = event.sentence
    else:
        message = run.conversation[run.id.message]
        message.status = Status.FAILED
        message.error, message.error_code = event.sentence, event.code
        scene.freed[message.id] = Freed(
            message.id, evicted=False, cause="the run ended with an error"
        )
    scene.active = None
