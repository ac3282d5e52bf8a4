"""Saving: what was handed in comes back byte for byte, in order, when it was promised."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from store_rig import ODD, WAIT, Kept, answer, plain, question, tree, until

from app.domain.conversation import Conversation, Message, Role, Status, new_id
from app.domain.store import State, Timing

Open = Callable[..., Kept]
SLOW = Timing(checkpoint=60.0)


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "chats.db")) as connection:
        return connection.execute(query).fetchall()


def test_a_whole_tree_comes_back(open_store: Open) -> None:
    chat = tree()
    store = open_store()
    assert store.opening.state is State.READY
    assert store.opening.sentence == ""
    assert store.put(chat) is True
    assert store.close()
    loaded = open_store().load(chat.id)
    assert plain(loaded) == plain(chat)
    assert [message.text for message in loaded.path()] == [chat.path()[0].text, f"7 {ODD}"]
    for message in chat:
        assert loaded[message.id] == message


def test_saving_stamps_times_and_the_title(open_store: Open) -> None:
    chat = Conversation()
    first = question(chat, "  What is\n\n6 + 8 + 5 + 2 - 2 - 2 - 3 + 7 - 8 - 6 ?")
    store = open_store()
    store.put(chat)
    assert chat.title == "What is 6 + 8 + 5 + 2 - 2 - 2 - 3 + 7 -…"
    assert 0 < first.created == chat.created == chat.updated
    written = chat.updated
    chat.title, chat.draft, chat.pinned = "Sums", "and then", True
    store.save(chat).result(WAIT)
    assert chat.updated == written  # only messages make a chat newer
    assert plain(store.load(chat.id)) == plain(chat)
    assert [(row.title, row.pinned) for row in store.chats()] == [("Sums", True)]


def test_the_head_is_written_with_its_message(open_store: Open, folder: Path) -> None:
    store, chat = open_store(), Conversation()
    first = question(chat, "Why?")
    store.put(chat)
    reply = answer(chat, first.id, "So.")
    store.save(chat, reply).result(WAIT)
    assert rows(folder, "SELECT head_id FROM chat") == [(reply.id,)]
    chat.select(first.id)
    chat.head_id = first.id
    store.save(chat).result(WAIT)
    assert store.load(chat.id).head_id == first.id


def test_the_settings_of_the_file(open_store: Open) -> None:
    connection = open_store().opening.connection
    values = {name: connection.execute(f"PRAGMA {name}").fetchone()[0]
              for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete",
                           "busy_timeout", "user_version")}  # fmt: skip
    assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1,
                      "secure_delete": 1, "busy_timeout": 5000, "user_version": 1}  # fmt: skip


def test_checkpoints_are_joined_and_the_newest_is_written(open_store: Open, folder: Path) -> None:
    store = open_store(timing=Timing(checkpoint=0.3))
    chat = Conversation()
    reply = answer(chat, question(chat, "Why?").id, "")
    store.put(chat)
    reply.status = Status.WRITING
    changes = store.opening.connection.total_changes
    for word in range(100):
        reply.text += f"word {word} "
        store.checkpoint(chat, reply)
        assert store.load(chat.id)[reply.id].text == reply.text  # written or not
    assert rows(folder, "SELECT text FROM message WHERE role = 'assistant'") == [("",)]
    until(lambda: not store.unsaved())
    assert rows(folder, "SELECT text FROM message WHERE role = 'assistant'") == [(reply.text,)]
    assert store.opening.connection.total_changes - changes < 20


def test_a_save_takes_waiting_checkpoints_along_in_order(open_store: Open, folder: Path) -> None:
    store = open_store(timing=SLOW)
    chat = Conversation()
    texts = ["one", "two", "three"]
    for text in texts[:2]:
        store.checkpoint(chat, question(chat, text))
    store.save(chat, question(chat, texts[2])).result(WAIT)
    assert [row[0] for row in rows(folder, "SELECT text FROM message ORDER BY seq")] == texts


def test_a_snapshot_is_taken_at_once(open_store: Open, folder: Path) -> None:
    store = open_store(timing=SLOW)
    chat = Conversation()
    first = question(chat, "as it was")
    future = store.save(chat, first)
    first.text = "changed after"
    future.result(WAIT)
    assert rows(folder, "SELECT text FROM message") == [("as it was",)]


def test_the_question_is_on_the_disk_when_the_future_says_so(
    open_store: Open, folder: Path
) -> None:
    store, chat, seen = open_store(), Conversation(), []
    first = question(chat, "Before the engine starts?")

    def durable(future: object) -> None:
        seen.append((threading.current_thread().name, rows(folder, "SELECT text FROM message")))

    store.save(chat, first).add_done_callback(durable)
    until(lambda: seen)
    assert seen[0][1] == [(first.text,)]


def test_closing_writes_what_waits(open_store: Open) -> None:
    store, chat = open_store(timing=SLOW), tree()
    store.checkpoint(chat, *chat)
    assert store.unsaved() == [message.id for message in chat]
    assert store.close()
    assert plain(open_store().load(chat.id)) == plain(chat)
    assert store.save(chat).result(WAIT) is False  # too late, and said so
    assert store.delete([chat.id]).result(WAIT) is False


def test_an_answer_in_writing_is_interrupted_at_the_next_opening(open_store: Open) -> None:
    store, chat = open_store(), Conversation()
    reply = answer(chat, question(chat, "Why?").id, "Because of the")
    reply.status = Status.WRITING
    store.put(chat)
    assert store.load(chat.id)[reply.id].status is Status.WRITING
    assert store.search("because") == []
    store.close()
    store = open_store()
    assert store.load(chat.id)[reply.id].status is Status.INTERRUPTED
    assert [hit.message_id for hit in store.search("because")] == [reply.id]


def test_chats_in_memory_work_and_are_not_durable(open_store: Open) -> None:
    store, chat = open_store(None), tree()
    assert store.put(chat) is False
    assert store.events == []
    assert plain(store.load(chat.id)) == plain(chat)
    assert [hit.chat_id for hit in store.search("Think")] == [chat.id]
    assert [row.id for row in store.chats()] == [chat.id]


def test_the_list_shows_pinned_chats_first_and_no_empty_ones(open_store: Open) -> None:
    store = open_store()
    for number, pinned in enumerate([False, True, False]):
        chat = Conversation(title=f"chat {number}", pinned=pinned)
        question(chat, "Why?").created = 5.0
        chat.updated = 100.0 + number
        store.put(chat)
    store.save(Conversation(title="empty")).result(WAIT)
    store.save(Conversation(title="draft", draft="not sent")).result(WAIT)
    assert [row.title for row in store.chats()] == ["chat 1", "chat 2", "chat 0", "draft"]


BAD = {
    "text": [None, b"\xff\xfe text", 12], "status": ["asleep", b"\0"], "depth": ["deep", -1, 1.5],
    "token_ids": [b"123", "ids", None], "sampling": ["{", "[]", '{"seed": NaN}', "null", 3],
    "report": ['{"depth": 8}', '{"loops": [1]}', "[" * 100_000], "model": ['{"file": null}'],
    "created": ["now", -1.0], "role": ["narrator"], "parent_id": ["nobody"], "again": ["yes"],
}  # fmt: skip


@pytest.mark.parametrize(("column", "value"), [(c, v) for c, vs in BAD.items() for v in vs])
def test_a_bad_field_hides_no_message(
    open_store: Open, folder: Path, column: str, value: object
) -> None:
    store, chat = open_store(), tree()
    store.put(chat)
    store.close()
    victim = chat.path()[-1]
    with closing(sqlite3.connect(folder / "chats.db")) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'message'"
        )
    with closing(sqlite3.connect(folder / "chats.db")) as connection, connection:
        query = f"UPDATE message SET {column} = ? WHERE id = ?"
        connection.execute(query, (value, victim.id))
    store = open_store()
    loaded = store.load(chat.id)
    assert loaded is not None
    assert {message.id for message in chat} <= {message.id for message in loaded}
    for message in loaded:
        loaded.select(message.id)
        assert message in loaded.path()
    assert store.put(loaded) is True


def test_a_dangling_head_shows_the_newest_message(open_store: Open, folder: Path) -> None:
    store, chat = open_store(), tree()
    store.put(chat)
    with closing(sqlite3.connect(folder / "chats.db")) as connection, connection:
        connection.execute("UPDATE chat SET head_id = 'gone'")
    assert store.load(chat.id).head_id == list(chat)[-1].id


def test_an_unknown_chat_is_none(open_store: Open) -> None:
    assert open_store().load("nobody") is None


def test_a_lost_question_leaves_its_answer_reachable(open_store: Open, folder: Path) -> None:
    store, chat = open_store(), Conversation()
    first = question(chat, "Why?")
    reply = answer(chat, first.id, "So.")
    chat.add(Message(new_id(), reply.id, Role.USER, "And?"))
    store.put(chat)
    with closing(sqlite3.connect(folder / "chats.db")) as connection, connection:
        connection.execute("DELETE FROM message WHERE id = ?", (first.id,))
    assert [message.text for message in store.load(chat.id).path()] == ["", "So.", "And?"]
