"""Every command of the window with its keys: the menus, the shortcut list and the tests read it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QCoreApplication


class Command(Enum):
    """What a menu entry or shortcut does."""

    NEW_CHAT = "new_chat"
    NEW_TEMPORARY = "new_temporary"
    SEARCH = "search"
    RENAME = "rename"
    DELETE_CHAT = "delete_chat"
    EXPORT_CHAT = "export_chat"
    EXPORT_ALL = "export_all"
    IMPORT = "import"
    DELETE_ALL = "delete_all"
    OPEN_MODEL = "open_model"
    QUIT = "quit"
    STOP = "stop"
    HARDER = "harder"
    REALLY_HARD = "really_hard"
    ANSWER_AGAIN = "answer_again"
    EDIT_LAST = "edit_last"
    COPY_ANSWER = "copy_answer"
    RECEIPT = "receipt"
    FIND = "find"
    SIDEBAR = "sidebar"
    SHELF = "shelf"
    ZOOM_IN = "zoom_in"
    ZOOM_OUT = "zoom_out"
    ZOOM_RESET = "zoom_reset"
    NEXT_PANE = "next_pane"
    SHORTCUTS = "shortcuts"
    ABOUT = "about"
    DIAGNOSTICS = "diagnostics"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a menu; ``keys`` are Qt's portable names, the first one is shown.

    ``ends_group`` puts a line below it.
    """

    command: Command
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    ends_group: bool = False


_FILE = "&File"
_CHAT = "&Answer"
VIEW_MENU = "&View"
_HELP = "&Help"

ENTRIES = (
    Entry(Command.NEW_CHAT, _FILE, "New chat", ("Ctrl+N",)),
    Entry(Command.NEW_TEMPORARY, _FILE, "New temporary chat", ("Ctrl+Shift+N",)),
    Entry(Command.SEARCH, _FILE, "Search chats", ("Ctrl+K",)),
    Entry(Command.RENAME, _FILE, "Rename the chat", ("F2",)),
    Entry(Command.DELETE_CHAT, _FILE, "Delete the chat", ends_group=True),
    Entry(Command.EXPORT_CHAT, _FILE, "Export this chat…"),
    Entry(Command.EXPORT_ALL, _FILE, "Export all chats…"),
    Entry(Command.IMPORT, _FILE, "Import chats…"),
    Entry(Command.DELETE_ALL, _FILE, "Delete all chats…", ends_group=True),
    Entry(Command.OPEN_MODEL, _FILE, "Open a model…", ("Ctrl+O",)),
    Entry(Command.QUIT, _FILE, "Quit", ("Ctrl+Q",)),
    Entry(Command.STOP, _CHAT, "Stop", ("Esc",)),
    Entry(Command.HARDER, _CHAT, "Try harder", ("Ctrl+Up",)),
    Entry(Command.REALLY_HARD, _CHAT, "Really hard", ("Ctrl+Shift+Up",)),
    Entry(Command.ANSWER_AGAIN, _CHAT, "Answer again", ("Ctrl+R",)),
    Entry(Command.EDIT_LAST, _CHAT, "Edit the last question", ends_group=True),
    Entry(Command.COPY_ANSWER, _CHAT, "Copy the answer", ("Ctrl+Shift+C",)),
    Entry(Command.RECEIPT, _CHAT, "How this answer came about", ("Ctrl+D",)),
    Entry(Command.FIND, _CHAT, "Find in this chat", ("Ctrl+F",)),
    Entry(Command.SIDEBAR, VIEW_MENU, "List of chats", ("Ctrl+B",)),
    Entry(Command.SHELF, VIEW_MENU, "What the memory holds", ends_group=True),
    Entry(Command.ZOOM_IN, VIEW_MENU, "Larger", ("Ctrl++", "Ctrl+=")),
    Entry(Command.ZOOM_OUT, VIEW_MENU, "Smaller", ("Ctrl+-",)),
    Entry(Command.ZOOM_RESET, VIEW_MENU, "Normal size", ("Ctrl+0",)),
    Entry(Command.NEXT_PANE, VIEW_MENU, "Next part", ("F6",)),
    Entry(Command.SHORTCUTS, _HELP, "Keys", ("F1",)),
    Entry(Command.ABOUT, _HELP, "About this model", ("Ctrl+I",)),
    Entry(Command.DIAGNOSTICS, _HELP, "Copy diagnostics"),
)

# Keys that widgets handle themselves, for the list of keys only.
IN_PLACE = (
    ("Enter", "Send"),
    ("Shift+Enter", "New line"),
    ("Up", "Edit the last question (in the empty box)"),
    ("Left, Right", "Walk the variants (in the conversation, or in the empty box)"),
    ("Enter", "Select text with the keyboard (in the conversation)"),
    ("Enter", "Open the chat (in the list of chats)"),
    ("Delete", "Delete the chat (in the list of chats)"),
)


def translated(text: str) -> str:
    """Return a text of the tables above in the user's language."""
    return QCoreApplication.translate("shortcuts", text)
