"""Small programs that tests run in a process of their own, to kill it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from app.domain.conversation import Conversation, Message, Role, Status, new_id
from app.domain.store import AlreadyOpen, ChatStore, FolderLock, open_database

TOKENS, EVERY = 60, 0.05  # an answer of three seconds


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def write_answer(folder: Path) -> None:
    """Ask, then write an answer token by token, saying after each how many there are."""
    store = ChatStore(open_database(folder), lambda event: say(f"event {event}"))
    chat = Conversation(id="chat")
    first = Message("question", None, Role.USER, "What is 1 + 2 + 4 ?")
    chat.add(first)
    assert store.save(chat, first).result(10)
    reply = Message("answer", "question", Role.ASSISTANT, "", status=Status.WRITING, depth=8)
    say("0")
    time.sleep(EVERY)
    chat.add(reply)
    for token in range(1, TOKENS + 1):
        reply.text += f"token{token} "
        reply.token_ids += (token,)
        store.checkpoint(chat, reply)
        say(str(token))
        time.sleep(EVERY)
    reply.status = Status.DONE
    assert store.save(chat, reply).result(10)
    say("done")
    time.sleep(60)


def write_chats(folder: Path) -> None:
    """Save chats without end, saying each that is on the disk."""
    store = ChatStore(open_database(folder), lambda event: say(f"event {event}"))
    while True:
        chat = Conversation(title=new_id())
        chat.add(Message(new_id(), None, Role.USER, chat.title * 50))
        assert store.save(chat, *chat).result(10)
        say(chat.id)


def hold(folder: Path) -> None:
    """Hold a folder, or say why not."""
    try:
        lock = FolderLock(folder)
    except AlreadyOpen as error:
        say(f"already: {error}")
        return
    say(f"held {lock.held}")
    time.sleep(60)


def delete(folder: Path) -> None:
    """Delete a chat of an existing file and wait in the time of undoing."""
    store = ChatStore(open_database(folder), lambda event: say(f"event {event}"))
    assert store.delete([row.id for row in store.chats()]).result(10)
    say(f"hidden {store.chats()}")
    time.sleep(60)


def save_in_unwritable(folder: Path) -> None:
    """Open a folder that this user may not write in, and work there."""
    store = ChatStore(open_database(folder), lambda event: say(f"event {event}"))
    say(store.opening.state.value)
    say(store.opening.sentence)
    chat = Conversation()
    chat.add(Message(new_id(), None, Role.USER, "Is this kept?"))
    say(f"saved {store.save(chat, *chat).result(10)}")
    say(f"chats {[row.title for row in store.chats()]}")


if __name__ == "__main__":
    programs = {"answer": write_answer, "chats": write_chats, "hold": hold, "delete": delete,
                "unwritable": save_in_unwritable}  # fmt: skip
    if sys.argv[3]:
        os.setuid(int(sys.argv[3]))
    programs[sys.argv[1]](Path(sys.argv[2]))
