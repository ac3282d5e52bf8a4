"""Which rows the sidebar has: chats by date under headings, or what a search found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from math import inf

from app.domain.store import ChatSummary, Hit
from app.viewmodels.foot import progress_of
from app.viewmodels.library_rows import ChatRow, LibraryRow, SectionRow
from app.viewmodels.scene import Scene

NEW = "New chat"
PINNED, TODAY, YESTERDAY = "Pinned", "Today", "Yesterday"
NOT_STORED = "not stored"


def library_rows(
    scene: Scene, chats: Iterable[ChatSummary], temporary: Sequence[str], today: date
) -> list[LibraryRow]:
    """Return the sidebar: ``chats`` with headings; pinned ones first, then the newest first.

    A chat that is only a draft yet has no date and counts as new.

    ``temporary`` are the ids among them that are not stored.
    """
    rows: list[LibraryRow] = []
    heading, since = "", inf  # the last heading, and when its time began
    ordered = sorted(chats, key=lambda chat: (chat.pinned, chat.updated or inf), reverse=True)
    for chat in ordered:
        section = PINNED if chat.pinned else heading
        if not chat.pinned and (heading == PINNED or (chat.updated or inf) <= since):
            section, since = heading_of(chat.updated, today), _began(chat.updated, today)
        if section != heading:
            heading = section
            rows.append(SectionRow(section))
        rows.append(chat_row(scene, chat, temporary=chat.id in temporary))
    return rows


def found_rows(scene: Scene, hits: Iterable[Hit]) -> list[LibraryRow]:
    """Return what a search found, each chat with the place."""
    shown = scene.conversation.id
    return [
        ChatRow(hit.chat_id, hit.title or NEW, hit.excerpt, shown=hit.chat_id == shown)
        for hit in hits
    ]


def chat_row(scene: Scene, chat: ChatSummary, temporary: bool = False) -> ChatRow:
    """Return one chat's row: what goes on there, whether it is on screen."""
    elsewhere = scene.elsewhere
    runs = elsewhere is not None and elsewhere.conversation.id == chat.id
    return ChatRow(
        chat_id=chat.id,
        title=chat.title or NEW,
        note=_waits(scene, chat.id) or (NOT_STORED if temporary else ""),
        shown=chat.id == scene.conversation.id,
        pinned=chat.pinned,
        temporary=temporary,
        progress=progress_of(scene, elsewhere) if elsewhere is not None and runs else None,
    )


def heading_of(updated: float, today: date) -> str:
    """Return the heading a chat of this time (seconds since 1970) stands under."""
    day = _day(updated, today)
    if day >= today:
        return TODAY
    if day == today - timedelta(days=1):
        return YESTERDAY
    if (day.year, day.month) == (today.year, today.month):
        return f"Earlier in {day:%B}"
    return f"{day:%B}" if day.year == today.year else f"{day:%B %Y}"


def _began(updated: float, today: date) -> float:
    """Return when the time under a chat's heading began: a day, or a month."""
    day = min(_day(updated, today), today)
    first = day if day >= today - timedelta(days=1) else day.replace(day=1)
    return datetime(first.year, first.month, first.day).timestamp()


def _day(updated: float, today: date) -> date:
    return datetime.fromtimestamp(updated).date() if updated else today


def _waits(scene: Scene, chat_id: str) -> str:
    """Return what a chat waits for: the model, or the chat in which something runs."""
    if scene.waiting is None or scene.waiting.conversation.id != chat_id:
        return ""
    if scene.loading or scene.active is None:
        return "waits for the model"
    return f"waits for “{scene.active.conversation.title}”"
