"""Writes a chats file of today's schema, to be opened by every later version.

Run it once when a schema is finished, before the next one begins, and keep
tests/app/store/schemas/v<n>.db:

    python tests/store_schemas.py
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from store_rig import ROOT, Kept, tree

from app.domain.conversation import Conversation
from app.domain.store.database import FILE
from app.domain.store.schema import VERSION

SCHEMAS = ROOT / "tests" / "app" / "store" / "schemas"


def fixture_chats() -> list[Conversation]:
    """Make the chats every fixture holds; their ids and times are always the same."""
    chats = [tree(), tree("Another question?")]
    for number, chat in enumerate(chats):
        names = {message.id: f"{number}.{place}" for place, message in enumerate(chat)}
        made = Conversation(f"chat {number}", draft="half a", depth=16, pinned=number == 0)
        made.created, made.updated = 1000.0 + number, 2000.0 + number
        for message in chat:
            message.id = names[message.id]
            message.parent_id = names.get(message.parent_id)
            message.first_held = names.get(message.first_held, "")
            message.created = 1500.0
            made.add(message)
        chats[number] = made
    return chats


def main() -> None:
    """Write the file of today's version."""
    with TemporaryDirectory() as folder:
        store = Kept(Path(folder))
        for chat in fixture_chats():
            assert store.put(chat)
        assert store.close()
        SCHEMAS.mkdir(exist_ok=True)
        (SCHEMAS / f"v{VERSION}.db").write_bytes((Path(folder) / FILE).read_bytes())


if __name__ == "__main__":
    main()
