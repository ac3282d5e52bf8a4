"""kill -9 at any time: what was promised to be on the disk is there, and the file opens."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from store_rig import Kept, files_with, line, running, tree

from app.domain.conversation import Status
from app.domain.store import State

Open = Callable[..., Kept]
LAST = 60
LOST = 1.0  # seconds of an answer that may be lost


@pytest.mark.parametrize("token", [0, 1, LAST // 2, LAST])
def test_the_question_and_all_but_the_last_second_are_there(
    open_store: Open, folder: Path, token: int
) -> None:
    said: list[float] = []  # when each token was written
    with running("answer", folder) as process:
        while len(said) <= token:
            assert line(process) == str(len(said))
            said.append(time.monotonic())
        killed = time.monotonic()
    least = sum(when <= killed - LOST for when in said[1:])
    store = open_store()
    assert store.opening.state is State.READY
    chat = store.load("chat")
    assert chat["question"].text == "What is 1 + 2 + 4 ?"
    tokens = chat["answer"].text.split() if "answer" in chat else []
    assert least <= len(tokens) <= token
    assert tokens == [f"token{n}" for n in range(1, len(tokens) + 1)]
    if tokens:
        assert chat["answer"].token_ids == tuple(range(1, len(tokens) + 1))
        assert chat["answer"].status is Status.INTERRUPTED
        assert chat.head_id == "answer"
    assert token < LAST // 2 or tokens


def test_a_finished_answer_is_whole(open_store: Open, folder: Path) -> None:
    with running("answer", folder) as process:
        while line(process) != "done":
            pass
    reply = open_store().load("chat")["answer"]
    assert (len(reply.token_ids), reply.status) == (LAST, Status.DONE)


@pytest.mark.parametrize("after", [0.0, 0.01, 0.02])
def test_killed_while_it_writes_without_end(open_store: Open, folder: Path, after: float) -> None:
    with running("chats", folder) as process:
        promised = {line(process) for _ in range(40)}
        time.sleep(after)
    store = open_store()
    assert store.opening.state is State.READY
    assert promised <= {row.id for row in store.chats()}
    for row in store.chats():
        assert store.load(row.id).path()[0].text == row.title * 50


def test_a_deletion_survives_a_kill_and_is_carried_out(open_store: Open, folder: Path) -> None:
    store, chat = open_store(), tree("the secret of the kill")
    store.put(chat)
    store.close()
    with running("delete", folder) as process:
        assert line(process) == "hidden []"
    assert files_with(folder, "the secret of the kill")
    store = open_store()
    assert store.chats() == []
    assert store.load(chat.id) is None
    store.close()
    assert files_with(folder, "the secret of the kill") == []
