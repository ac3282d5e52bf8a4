"""What the status line and the composer's hint say of a scene."""

from __future__ import annotations

from pathlib import Path

from app.viewmodels.scene import Scene
from app.viewmodels.status import Facts

TEMPORARY = "temporary chat, not stored"
IN_MEMORY = "chats are kept in memory only"


def facts_of(scene: Scene, durable: bool) -> Facts:
    """Return the status line's facts; ``durable`` says whether chats get to the disk."""
    facts, report, name = scene.facts, scene.report, ""
    if scene.loading:
        facts, name = None, f"loading {Path(scene.file).name}"
        if scene.compiled is not None:
            done, total = scene.compiled
            name += f", preparing the GPU once: {done} of {total}"
    storing = "" if durable else IN_MEMORY
    return Facts(
        model=facts.name if facts is not None else name,
        device=facts.device_text if facts is not None else "",
        tokens_per_second=report.tokens_per_second if facts and report else None,
        first_word=report.first_word if facts and report else None,
        kept=len(scene.kept),
        kept_bytes=sum(state.nbytes for state in scene.kept),
        storing=TEMPORARY if scene.conversation.temporary else storing,
    )


def hint_of(scene: Scene) -> str:
    """Say that something of the chat on screen waits, and how to take it back."""
    waiting = scene.waiting
    if waiting is None or waiting.conversation is not scene.conversation:
        return ""
    return f"waits for {scene.waiting_for} — Esc cancels"
