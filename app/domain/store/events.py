"""What the store thread tells the app; each is called out once, on that thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotSaved:
    """A write failed: ``sentence`` for the bar, and the ids of the messages it is about."""

    sentence: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllSaved:
    """What an earlier ``NotSaved`` was about has been written."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """Chats of a damaged file were taken over; the list has changed."""

    sentence: str


StoreEvent = NotSaved | AllSaved | Recovered
Notify = Callable[[StoreEvent], None]
