"""What the sidebar and the dialogs around a chat paint, as plain frozen rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.viewmodels.rows import LoopProgress


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A heading of the sidebar: "Pinned", "Today", "Yesterday", "Earlier in November"."""

    text: str


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One chat of the sidebar.

    ``progress`` is the small loop bar of a run in a chat that is not shown; ``note`` is
    "waits for 'A sum'", a search snippet, "not stored" for a temporary chat, or empty.
    """

    chat_id: str
    title: str
    note: str = ""
    shown: bool = False
    pinned: bool = False
    temporary: bool = False
    progress: LoopProgress | None = None


LibraryRow = SectionRow | ChatRow


@dataclass(frozen=True, slots=True)
class Notice:
    """A quiet bar with one action that goes away by itself: "Chat deleted — Undo"."""

    sentence: str
    action: str
    act: Callable[[], None]
    seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """One fact of an answer or a model: label and value, both for the screen and for copying."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """How an answer came about, and whether it can be run again cold and compared.

    ``comparison`` is empty, "running…", "identical: …" or what differs; ``progress`` shows the
    loops that were kept and those that were run.
    """

    message_id: str
    lines: tuple[ReceiptLine, ...]
    can_compare: bool
    hint: str = ""
    comparison: str = ""
    progress: LoopProgress | None = None


@dataclass(frozen=True, slots=True)
class ShelfEntry:
    """One kept state: which answer it belongs to, and its bytes."""

    text: str
    nbytes: int
    last_used: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """Memory as the shelf shows it, in bytes: the model, each kept state, the budget."""

    model: int
    entries: tuple[ShelfEntry, ...]
    budget: int
