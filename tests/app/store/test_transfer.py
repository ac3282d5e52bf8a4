"""Export and import: the whole tree, idempotent by id; a bad file changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from store_rig import ODD, WAIT, Kept, answer, plain, question, tree

from app.domain.conversation import Conversation, Message, Role, Status, new_id
from app.domain.store import Added, ExportFailed, ImportFailed, markdown, write_markdown
from app.domain.store.transfer import read_chats, write_chats

Open = Callable[..., Kept]
HEADER = {"kind": "tinyloop-chats", "version": 1}
CHAT = {"kind": "chat", "id": "c"}
QUESTION = {"kind": "message", "id": "q", "parent_id": None, "role": "user", "text": "Why?"}
ANSWER = {"kind": "message", "id": "a", "parent_id": "q", "role": "assistant", "text": "So."}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "chats 数.jsonl"


def written(file: Path, *lines: Any) -> Path:
    """Write lines of JSON, or bytes as they are."""
    parts = [x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines]
    file.write_bytes(b"\n".join(parts) + b"\n")
    return file


def everything(store: Kept) -> list[Any]:
    return [plain(store.load(row.id)) for row in store.chats()]


def test_a_tree_moves_to_another_store(open_store: Open, file: Path, tmp_path: Path) -> None:
    store, chats = open_store(), [tree(), tree("Another?"), Conversation(draft="only a draft")]
    for chat in chats:
        store.put(chat)
    assert store.export(file, [row.id for row in store.chats()]) == 3
    other = open_store(tmp_path / "other")
    added = other.import_file(file).result(WAIT)
    assert (added.chats, added.messages) == (3, 10)
    assert sorted(everything(other), key=str) == sorted(everything(store), key=str)
    assert [hit.chat_id for hit in other.search("Another")] == [chats[1].id]


def test_importing_twice_changes_nothing(open_store: Open, file: Path) -> None:
    store, chat = open_store(), tree()
    store.put(chat)
    store.export(file, [chat.id])
    question(chat, "Written since?")
    chat.title = "Renamed since"
    store.put(chat)
    assert store.import_file(file).result(WAIT) == Added((chat.id,), 0, 0)
    assert plain(store.load(chat.id)) == plain(chat)


def test_an_import_brings_what_is_missing(open_store: Open, file: Path) -> None:
    store, chat = open_store(), tree()
    write_chats(file, [chat])
    whole = plain(chat)
    part = Conversation(id=chat.id, title=chat.title)
    part.add(next(iter(chat)))
    store.put(part)
    assert store.import_file(file).result(WAIT) == Added((chat.id,), 0, len(chat) - 1)
    assert plain(store.load(chat.id))[1][1:] == whole[1][1:]


def test_a_deleted_chat_comes_back(open_store: Open, file: Path) -> None:
    store, chat = open_store(), tree()
    store.put(chat)
    store.export(file, [chat.id])
    store.delete([chat.id])
    assert store.import_file(file).result(WAIT).chats == 1
    assert plain(store.load(chat.id)) == plain(chat)
    store.save(chat, question(chat, "And on?")).result(WAIT)
    assert plain(store.load(chat.id)) == plain(chat)


def test_nothing_is_in_writing_after_an_import(open_store: Open, file: Path) -> None:
    chat = tree()
    chat.path()[-1].status = Status.WRITING
    write_chats(file, [chat])
    store = open_store()
    store.import_file(file).result(WAIT)
    assert store.load(chat.id).path()[-1].status is Status.INTERRUPTED


def test_the_file_is_as_documented(file: Path) -> None:
    chat = tree()
    assert write_chats(file, [chat]) == 1
    first, second, *rest = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert first == HEADER
    assert second["kind"] == "chat"
    assert set(second) == {"kind", "id", "title", "pinned", "created", "updated", "head_id",
                           "draft", "depth"}  # fmt: skip
    assert [line["kind"] for line in rest] == ["message"] * len(chat)
    assert rest[1]["report"]["loops"] == [8, 16]
    assert rest[1]["model"] == {"file": "abc123", "device": "cpu", "kv_mode": "fp16"}


BAD: dict[str, tuple[list[Any], str]] = {
    "nothing": ([b""], "line 1 is not JSON"),
    "words": ([b"Dear diary"], "line 1 is not JSON"),
    "bytes": ([HEADER, b"\xff\xfe\x00"], "line 2 is not JSON"),
    "zeros": ([bytes(5000)], "line 1 is not JSON"),
    "cut": ([HEADER, CHAT, b'{"kind": "message", "id": "q'], "line 3 is not JSON"),
    "deep": ([HEADER, b"[" * 200_000], "line 2 is not JSON"),
    "long number": ([HEADER, b'{"kind": "chat", "id": "c", "depth": ' + b"9" * 9999 + b"}"],
                    "line 2 is not JSON"),
    "list": ([[1]], "line 1 is not an object"),
    "other program": ([{"format": "gpt", "version": 1}], "line 1 has not the kind"),
    "future": ([{**HEADER, "version": 2}], "line 1 has version 2, this app reads 1"),
    "no version": ([{"kind": "tinyloop-chats"}], "line 1 has version null"),
    "no chat": ([HEADER, QUESTION], "line 2 has a message before any chat"),
    "no kind": ([HEADER, {"id": "c"}], "line 2 has neither"),
    "no id": ([HEADER, {"kind": "chat"}], "line 2 has no id"),
    "odd id": ([HEADER, {**CHAT, "id": "a\nb"}], "line 2 has no id"),
    "long id": ([HEADER, {**CHAT, "id": "x" * 201}], "line 2 has no id"),
    "twice": ([HEADER, CHAT, CHAT], "line 3 has the id c"),
    "message twice": ([HEADER, CHAT, QUESTION, QUESTION], "line 4 has the id q"),
    "no text": ([HEADER, CHAT, {**QUESTION, "text": None}], "line 3 has no text"),
    "no role": ([HEADER, CHAT, {**QUESTION, "role": "system"}], "line 3 has not the role"),
    "role": ([HEADER, CHAT, {**QUESTION, "role": ["user"]}], "line 3 has not the role"),
    "orphan": ([HEADER, CHAT, ANSWER, QUESTION], "line 3 follows a message that is not above"),
    "itself": ([HEADER, CHAT, {**QUESTION, "parent_id": "q"}], "line 3 follows a message"),
    "parent": ([HEADER, CHAT, {**QUESTION, "parent_id": []}], "line 3 follows a message"),
    "no question": ([HEADER, CHAT, {**ANSWER, "parent_id": None}], "line 3 is an answer to no"),
    "ids": ([HEADER, CHAT, {**QUESTION, "token_ids": [1, -1]}], "line 3 has token ids"),
    "big id": ([HEADER, CHAT, {**QUESTION, "token_ids": [2**32]}], "line 3 has token ids"),
    "ids text": ([HEADER, CHAT, {**QUESTION, "token_ids": "123"}], "line 3 has token ids"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_one_sentence_and_changes_nothing(
    open_store: Open, file: Path, name: str
) -> None:
    lines, problem = BAD[name]
    store = open_store()
    store.put(tree())
    before = everything(store)
    with pytest.raises(ImportFailed) as caught:
        store.import_file(written(file, *lines))
    sentence = str(caught.value)
    assert problem in sentence
    assert str(file) in sentence
    assert "nothing was imported" in sentence
    assert "\n" not in sentence
    assert len(sentence) < len(str(file)) + 200
    assert everything(store) == before


def test_an_empty_file_is_refused(open_store: Open, file: Path) -> None:
    file.touch()
    with pytest.raises(ImportFailed, match="line 1 is missing"):
        open_store().import_file(file)


def test_a_missing_file_and_a_folder_are_refused(open_store: Open, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(ImportFailed, match=r"cannot be read, .*: nothing was imported"):
            open_store().import_file(path)


def test_odd_values_count_as_not_set(open_store: Open, file: Path) -> None:
    odd = {"depth": "deep", "sampling": {"seed": "x"}, "report": [], "model": 3, "created": "now",
           "status": 7, "again": "yes", "error": {}, "new": [{}], "token_ids": None}  # fmt: skip
    chat = {**CHAT, "pinned": "yes", "created": float("nan"), "updated": 1e400, "head_id": 5,
            "title": None, "depth": 10**30, "new in version 1.1": True}  # fmt: skip
    store = open_store()
    lines = (HEADER, chat, {**QUESTION, **odd}, {**ANSWER, **odd})
    assert store.import_file(written(file, *lines)).result(WAIT).messages == 2
    loaded = store.load("c")
    assert [m.text for m in loaded.path()] == ["Why?", "So."]
    assert (loaded.pinned, loaded.created, loaded.depth, loaded.head_id) == (False, 0.0, 0, "a")
    reply = loaded["a"]
    assert (reply.depth, reply.report, reply.status) == (0, None, Status.INTERRUPTED)


def test_a_message_of_another_chat_is_refused_as_a_whole(open_store: Open, file: Path) -> None:
    store, chat = open_store(), tree()
    store.put(chat)
    thief = {**QUESTION, "id": next(iter(chat)).id}
    before = everything(store)
    good = {**CHAT, "id": "good"}
    future = store.import_file(written(file, HEADER, good, QUESTION, CHAT, thief))
    with pytest.raises(ImportFailed, match="nothing was imported"):
        future.result(WAIT)
    assert everything(store) == before


def test_an_import_on_a_full_disk_is_refused_as_a_whole(open_store: Open, file: Path) -> None:
    chats = [tree("big " * 3000) for _ in range(20)]
    write_chats(file, chats)
    store = open_store(pages=40)
    with pytest.raises(ImportFailed, match="Nothing was imported, the disk is full"):
        store.import_file(file).result(WAIT)
    assert store.chats() == []


def test_markdown_shows_the_path_with_depth_and_seed() -> None:
    chat = Conversation(title="A sum")
    first = question(chat, "What is 1 + 2 + 4 ?")
    answer(chat, first.id, "8")
    deeper = answer(chat, first.id, "**7**", 16)
    deeper.status = Status.DONE
    assert markdown(chat) == (
        "# A sum\n\n## Question\n\nWhat is 1 + 2 + 4 ?\n\n## Answer\n\n**7**\n\n"
        "*16 loops · seed 9223372036854775809 · temperature 0.7*\n"
    )


def test_any_text_can_be_written_as_markdown(tmp_path: Path) -> None:
    chat = Conversation()
    chat.add(Message(new_id(), None, Role.USER, ODD))
    write_markdown(tmp_path / "odd.md", chat)
    assert "“7”" in (tmp_path / "odd.md").read_text("utf-8")


def test_an_export_replaces_a_file_only_when_complete(file: Path, tmp_path: Path) -> None:
    write_chats(file, [tree()])
    before = file.read_bytes()

    def failing() -> Any:
        yield tree()
        raise OSError(28, "No space left on device")

    with pytest.raises(ExportFailed, match="no space left on device: choose another place"):
        write_chats(file, failing())
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == [file.name]
    with pytest.raises(ExportFailed):
        write_chats(tmp_path / "no folder" / "x", [])


def test_what_was_read_is_what_was_written(file: Path) -> None:
    chats = [tree(), tree(ODD)]
    write_chats(file, chats)
    assert [plain(chat) for chat in read_chats(file)] == [plain(chat) for chat in chats]
