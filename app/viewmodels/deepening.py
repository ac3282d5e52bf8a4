"""What a click on an effort button would find: the state it resumes, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation import Conversation, Message
from app.domain.effort import Effort, next_efforts
from app.domain.kept import HandleState, for_deepening, without_state
from app.domain.price import Deepening
from app.viewmodels.rows import EffortButton
from app.viewmodels.scene import Scene

LOADING = "the model is loading"
NO_MODEL = "no model is open"


@dataclass(frozen=True, slots=True)
class Outlook:
    """The state a deepening finds, the loops it keeps, and the reason as a phrase."""

    state: HandleState
    kept: int = 0
    reason: str = ""


def outlook(scene: Scene, answer: Message, target: int) -> Outlook:
    """Return what deepening ``answer`` to ``target`` would find now."""
    if scene.loading or scene.facts is None:
        return Outlook(HandleState.UNSUPPORTED, reason=LOADING if scene.loading else NO_MODEL)
    if answer.depth >= scene.facts.deepest or target > scene.facts.deepest:
        return Outlook(HandleState.CEILING, answer.depth, ceiling(answer.depth))
    prompt = scene.prompt_of(answer)
    if prompt is None or len(prompt.tokens) >= scene.facts.max_seq_len:
        limit = scene.facts.max_seq_len
        reason = f"the question is longer than the {limit:,} tokens this model reads"
        return Outlook(HandleState.UNSUPPORTED, reason=reason)
    if scene.run is not None:
        return Outlook(HandleState.BUSY, scene.run.done)
    found = for_deepening(scene.kept, prompt.tokens, target)
    if found is not None:
        return Outlook(HandleState.LIVE, scene.kept[found].depth)
    state, reason = without_state(answer.model, scene.facts.id, scene.freed.get(answer.id))
    return Outlook(state, reason=reason)


def ceiling(depth: int) -> str:
    """Return the line under an answer that no button can take deeper."""
    return f"{depth} loops, the deepest this model was made for"


def twin(chat: Conversation, answer: Message, target: int) -> Message | None:
    """Return the variant that deepening ``answer`` to ``target`` would write again."""
    for variant in chat.variants(answer.parent_id or ""):
        if variant.depth == target and variant.sampling == answer.sampling:
            return variant
    return None


def efforts_of(scene: Scene, depth: int) -> tuple[Effort, ...]:
    """Return the efforts above ``depth``; none without a model."""
    return next_efforts(depth, scene.facts.efforts) if scene.facts is not None else ()


def button(scene: Scene, answer: Message, effort: Effort, suggested: bool) -> EffortButton:
    """Return the button that takes an answer to ``effort`` while nothing runs."""
    found = outlook(scene, answer, effort.depth)
    if twin(scene.conversation, answer, effort.depth) is not None:
        price = f"shows the answer at {effort.depth} loops"
        return EffortButton(effort.title, price, effort.depth, suggested)
    if found.state is HandleState.UNSUPPORTED:
        return EffortButton(
            effort.title, found.reason, effort.depth, enabled=False, hint=found.reason
        )
    prompt = scene.prompt_of(answer)
    deepening = Deepening(
        prompt_tokens=len(prompt.tokens) if prompt is not None else 0,
        kept=found.kept,
        target=effort.depth,
        old_answer_tokens=len(answer.token_ids),
        reason=found.reason,
    )
    return EffortButton(
        title=effort.title,
        price=deepening.price(scene.speeds),
        depth=effort.depth,
        suggested=suggested,
        from_scratch=found.state is not HandleState.LIVE,
    )
