"""Every command of the window with its keys: the menus, the shortcut list and the tests read it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QCoreApplication


class Command(Enum):
    """What a menu entry or shortcut does."""

    NEW_CHAT = "new_chat"
    OPEN_MODEL = "open_model"
    QUIT = "quit"
    STOP = "stop"
    HARDER = "harder"
    REALLY_HARD = "really_hard"
    ANSWER_AGAIN = "answer_again"
    EDIT_LAST = "edit_last"
    COPY_ANSWER = "copy_answer"
    ZOOM_IN = "zoom_in"
    ZOOM_OUT = "zoom_out"
    ZOOM_RESET = "zoom_reset"
    NEXT_PANE = "next_pane"
    SHORTCUTS = "shortcuts"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a menu; ``keys`` are Qt's portable names, the first one is shown."""

    command: Command
    menu: str
    text: str
    keys: tuple[str, ...]


_FILE = "&File"
_CHAT = "&Answer"
_VIEW = "&View"
_HELP = "&Help"

ENTRIES = (
    Entry(Command.NEW_CHAT, _FILE, "New chat", ("Ctrl+N",)),
    Entry(Command.OPEN_MODEL, _FILE, "Open a model…", ("Ctrl+O",)),
    Entry(Command.QUIT, _FILE, "Quit", ("Ctrl+Q",)),
    Entry(Command.STOP, _CHAT, "Stop", ("Esc",)),
    Entry(Command.HARDER, _CHAT, "Try harder", ("Ctrl+Up",)),
    Entry(
        Command.REALLY_HARD,
        _CHAT,
        "Really hard",
        ("Ctrl+Shift+Up",),
    ),
    Entry(Command.ANSWER_AGAIN, _CHAT, "Answer again", ("Ctrl+R",)),
    Entry(Command.EDIT_LAST, _CHAT, "Edit the last question", ()),
    Entry(
        Command.COPY_ANSWER,
        _CHAT,
        "Copy the answer",
        ("Ctrl+Shift+C",),
    ),
    Entry(Command.ZOOM_IN, _VIEW, "Larger", ("Ctrl++", "Ctrl+=")),
    Entry(Command.ZOOM_OUT, _VIEW, "Smaller", ("Ctrl+-",)),
    Entry(Command.ZOOM_RESET, _VIEW, "Normal size", ("Ctrl+0",)),
    Entry(Command.NEXT_PANE, _VIEW, "Next part", ("F6",)),
    Entry(Command.SHORTCUTS, _HELP, "Keys", ("F1",)),
)

# Keys that widgets handle themselves, for the list of keys only.
IN_PLACE = (
    ("Enter", "Send"),
    ("Shift+Enter", "New line"),
    ("Up", "Edit the last question (in the empty box)"),
    ("Left, Right", "Walk the variants (in the conversation)"),
    ("Enter", "Select text with the keyboard (in the conversation)"),
)


def translated(text: str) -> str:
    """Return a text of the tables above in the user's language."""
    return QCoreApplication.translate("shortcuts", text)
