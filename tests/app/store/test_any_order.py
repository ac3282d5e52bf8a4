"""Any order of edits, variants, flips, deletions, restarts and moves: nothing is lost or changed.

TINYLOOP_SEQUENCES sets how many sequences are tried.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from store_rig import WAIT, Kept, answer, plain, question

from app.domain.conversation import Conversation, Message, Role, Status
from app.domain.store import Timing

SEQUENCES = int(os.environ.get("TINYLOOP_SEQUENCES", "100"))
TIMING = Timing(checkpoint=0.001, undo=60.0)
TEXTS = st.text(st.characters(), max_size=30) | st.sampled_from(
    ["答え", "The coin", "\ud83d", "a\0b"]
)
PICK = st.integers(0, 1000)


class AnyOrder(RuleBasedStateMachine):
    """A store beside plain conversations in memory that shall be the same at every step."""

    def __init__(self) -> None:
        super().__init__()
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self.root = Path(tempfile.mkdtemp(dir=memory))
        self.folders = 0
        self.chats: dict[str, Conversation] = {}
        self.hidden: dict[str, Conversation] = {}

    @initialize()
    def start(self) -> None:
        self.store = Kept(self.root / "0", TIMING)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            assert self.store.close()
        shutil.rmtree(self.root)

    # -- picking ------------------------------------------------------------------------------

    def chat(self, pick: int) -> Conversation:
        return list(self.chats.values())[pick % len(self.chats)]

    def message(self, chat: Conversation, pick: int, role: Role) -> Message | None:
        found = [message for message in chat if message.role is role]
        return found[pick % len(found)] if found else None

    def wait(self, future: Any) -> None:
        assert future.result(WAIT) is True

    # -- what a user does ---------------------------------------------------------------------

    @rule(text=TEXTS)
    def new_chat(self, text: str) -> None:
        chat = Conversation()
        self.wait(self.store.save(chat, question(chat, text)))
        self.chats[chat.id] = chat

    @precondition(lambda self: self.chats)
    @rule(pick=PICK, text=TEXTS)
    def ask(self, pick: int, text: str) -> None:
        chat = self.chat(pick)
        self.wait(self.store.save(chat, question(chat, text)))

    @precondition(lambda self: self.chats)
    @rule(pick=PICK, which=PICK, text=TEXTS)
    def edit(self, pick: int, which: int, text: str) -> None:
        chat = self.chat(pick)
        old = self.message(chat, which, Role.USER)
        edited = Message(f"edit {len(chat)} of {chat.id}", old.parent_id, Role.USER, text)
        chat.add(edited)
        self.wait(self.store.save(chat, edited))

    @precondition(lambda self: self.chats)
    @rule(pick=PICK, which=PICK, words=st.lists(TEXTS, max_size=5), end=st.sampled_from(Status))
    def answer(self, pick: int, which: int, words: list[str], end: Status) -> None:
        """Write a variant in pieces; ending in WRITING it stays a checkpoint."""
        chat = self.chat(pick)
        asked = self.message(chat, which, Role.USER)
        variant = answer(chat, asked.id, "", 8 << which % 3)
        variant.status = Status.WRITING
        for word in words:
            variant.text += word
            self.store.checkpoint(chat, variant)
        variant.status = end
        if end is Status.WRITING:
            self.store.checkpoint(chat, variant)
        else:
            self.wait(self.store.save(chat, variant))

    @precondition(lambda self: self.chats)
    @rule(pick=PICK, which=PICK, text=TEXTS)
    def go_on(self, pick: int, which: int, text: str) -> None:
        """Lengthen an answer in place, as Continue does."""
        chat = self.chat(pick)
        variant = self.message(chat, which, Role.ASSISTANT)
        if variant is not None:
            variant.text, variant.status = variant.text + text, Status.DONE
            self.wait(self.store.save(chat, variant))

    @precondition(lambda self: self.chats)
    @rule(pick=PICK, which=PICK)
    def select(self, pick: int, which: int) -> None:
        chat = self.chat(pick)
        chat.select(list(chat)[which % len(chat)].id)
        self.store.checkpoint(chat)

    @precondition(lambda self: self.chats)
    @rule(pick=PICK, text=TEXTS, pinned=st.booleans(), depth=st.sampled_from([0, 8, 32]))
    def rename(self, pick: int, text: str, pinned: bool, depth: int) -> None:
        chat = self.chat(pick)
        chat.title, chat.draft, chat.pinned, chat.depth = text or "x", text[::-1], pinned, depth
        self.wait(self.store.save(chat))

    @precondition(lambda self: self.chats)
    @rule(pick=PICK)
    def delete(self, pick: int) -> None:
        chat = self.chat(pick)
        self.wait(self.store.delete([chat.id]))
        self.hidden[chat.id] = self.chats.pop(chat.id)

    @precondition(lambda self: self.hidden)
    @rule()
    def undo(self) -> None:
        self.wait(self.store.undo_delete(self.hidden))
        self.chats.update(self.hidden)
        self.hidden.clear()

    @rule()
    def restart(self) -> None:
        assert self.store.close()
        self.store = Kept(self.root / str(self.folders), TIMING)
        assert self.store.opening.sentence == ""
        self.hidden.clear()
        for chat in self.chats.values():
            interrupt(chat)

    @rule()
    def move(self) -> None:
        """Export everything and go on in another folder, where it is imported twice."""
        file = self.root / "export.jsonl"
        assert self.store.export(file, self.chats) == len(self.chats)
        assert self.store.close()
        self.folders += 1
        self.store = Kept(self.root / str(self.folders), TIMING)
        self.hidden.clear()
        added = self.store.import_file(file).result(WAIT)
        assert (added.chats, added.messages) == (
            len(self.chats),
            sum(map(len, self.chats.values())),
        )
        again = self.store.import_file(file).result(WAIT)
        assert (again.chats, again.messages) == (0, 0)
        for chat in self.chats.values():
            interrupt(chat)

    # -- what always holds --------------------------------------------------------------------

    @invariant()
    def all_is_there(self) -> None:
        if not hasattr(self, "store"):
            return
        assert {row.id: row.title for row in self.store.chats()} == {
            chat.id: chat.title for chat in self.chats.values()
        }
        for chat in self.chats.values():
            loaded = self.store.load(chat.id)
            assert plain(loaded) == plain(chat)
            reachable(loaded)
        for chat_id in self.hidden:
            assert self.store.load(chat_id) is None
        assert self.store.events == []

    @invariant()
    def the_index_is_sound(self) -> None:
        if not hasattr(self, "store"):
            return
        found = {hit.chat_id for hit in self.store.search("The coin")}
        assert found <= set(self.chats)
        for chat in self.chats.values():
            texts = [m.text for m in chat if m.status is not Status.WRITING]
            shown = any("The coin" in text.partition("\0")[0] for text in texts)
            assert chat.id in found or not shown  # the index ends at a NUL


def interrupt(chat: Conversation) -> None:
    """Do to a conversation in memory what a restart does to its rows."""
    for message in chat:
        if message.status is Status.WRITING:
            message.status = Status.INTERRUPTED


def reachable(chat: Conversation) -> None:
    """Assert that every message can be brought on screen."""
    for message in chat:
        chat.select(message.id)
        assert message in chat.path()


TestAnyOrder: Callable[..., Any] = AnyOrder.TestCase
TestAnyOrder.settings = settings(
    max_examples=SEQUENCES, stateful_step_count=25, deadline=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
