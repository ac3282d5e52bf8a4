"""A disk that is full or may not be written: one sentence, nothing lost, saved later."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from store_rig import QUICK, WAIT, Kept, answer, line, plain, question, running, tree, until

from app.domain.conversation import Conversation
from app.domain.store import AllSaved, NotSaved, State, Timing
from app.domain.store.database import FILE

Open = Callable[..., Kept]
PATIENT = Timing(checkpoint=0.02, undo=0.05, retry=60.0)
NOBODY = 65534  # a user without rights
BIG = "many words " * 20_000
AS_ROOT = sys.platform == "linux" and os.geteuid() == 0


def mounted(folder: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return AS_ROOT and subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mounted(folder, "size=1m"):
        pytest.skip("mounting a small disk needs root on Linux; the page limit is tested anyway")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(file: Path) -> None:
    """Write until the disk is full."""
    with file.open("ab", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))


def full(store: Kept) -> tuple[Conversation, list[str]]:
    """Save a chat, then a message for which there is no room; return it and the lost ids."""
    chat = tree()
    assert store.put(chat) is True
    lost = question(chat, BIG)
    assert store.save(chat, lost).result(WAIT) is False
    (event,) = store.events
    assert isinstance(event, NotSaved)
    assert event.sentence == (
        "1 message is not saved because the disk is full; this is tried again every few seconds."
    )
    assert event.messages == (lost.id,)
    return chat, [lost.id]


def test_a_full_disk_loses_nothing_and_says_so(open_store: Open) -> None:
    store = open_store(pages=10, timing=PATIENT)
    chat, lost = full(store)
    for text in ("next", "and next"):
        lost.append(question(chat, text).id)
        assert store.save(chat, chat[lost[-1]]).result(WAIT) is False
    assert store.unsaved() == lost
    assert store.events[-1].sentence.startswith("3 messages are not saved")
    assert plain(store.load(chat.id)) == plain(chat)  # the app goes on in memory
    assert chat.id in [row.id for row in store.chats()]
    assert store.close() is False
    kept = open_store().load(chat.id)
    assert len(kept) == len(chat) - 3  # what was there before is whole


def test_what_was_not_saved_is_saved_with_the_next_write(open_store: Open) -> None:
    store = open_store(pages=10, timing=PATIENT)
    chat, _ = full(store)
    store.opening.connection.execute("PRAGMA max_page_count = 1000000").fetchall()
    assert store.save(chat, question(chat, "Room again?")).result(WAIT) is True
    assert store.unsaved() == []
    assert store.events[-1] == AllSaved()
    store.close()
    assert plain(open_store().load(chat.id)) == plain(chat)


def test_what_was_not_saved_is_tried_again_by_itself(open_store: Open) -> None:
    store = open_store(pages=10, timing=QUICK)
    chat = tree()
    store.put(chat)
    assert store.save(chat, question(chat, BIG)).result(WAIT) is False
    store.opening.connection.execute("PRAGMA max_page_count = 1000000").fetchall()
    until(lambda: AllSaved() in store.events)
    store.close()
    assert plain(open_store().load(chat.id)) == plain(chat)


def test_what_is_not_saved_can_be_exported(open_store: Open, tmp_path: Path) -> None:
    store = open_store(pages=10, timing=PATIENT)
    chat, _ = full(store)
    assert store.export(tmp_path / "rescue.jsonl", [chat.id]) == 1
    other = open_store(tmp_path / "other")
    assert other.import_file(tmp_path / "rescue.jsonl").result(WAIT).messages == len(chat)
    assert plain(other.load(chat.id)) == plain(chat)


def test_a_run_goes_on_while_the_disk_is_full(open_store: Open) -> None:
    store = open_store(pages=10, timing=QUICK)
    chat, lost = tree(), []
    store.put(chat)
    reply = answer(chat, question(chat, BIG).id, "")
    for word in range(50):
        reply.text += f"word {word} "
        store.checkpoint(chat, *list(chat)[-2:])
        lost = store.unsaved()
    until(lambda: store.events)
    assert lost[-1] == reply.id
    assert store.load(chat.id)[reply.id].text == reply.text


def test_a_disk_that_is_really_full(open_store: Open, small_disk: Path, tmp_path: Path) -> None:
    store = open_store(small_disk, timing=PATIENT)
    chat = tree()
    assert store.put(chat) is True
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space left"):
        fill(filler)
    lost = question(chat, BIG[:100_000])
    assert store.save(chat, lost).result(WAIT) is False
    assert "1 message is not saved because the disk" in store.events[0].sentence
    assert plain(store.load(chat.id)) == plain(chat)
    filler.unlink()
    assert store.save(chat, question(chat, "Room again?")).result(WAIT) is True
    assert store.events[-1] == AllSaved()
    assert store.close()
    shutil.copytree(small_disk, tmp_path / "copy")
    assert plain(open_store(tmp_path / "copy").load(chat.id)) == plain(chat)


def test_starting_on_a_full_disk(open_store: Open, small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(bytes(2**20 - 4096))
    store = open_store(small_disk / "chats")
    chat = tree()
    saved = store.put(chat)
    assert saved is False
    assert store.opening.state is State.IN_MEMORY or isinstance(store.events[0], NotSaved)
    assert plain(store.load(chat.id)) == plain(chat)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """Return a folder that other users can reach, as pytest's own cannot."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made) / "chats"


@pytest.mark.skipif(not AS_ROOT, reason="becoming a user without rights needs root on Linux")
@pytest.mark.parametrize("filled", [False, True])
def test_a_folder_that_may_not_be_written(
    open_store: Open, public_folder: Path, filled: bool
) -> None:
    public_folder.mkdir(mode=0o755)
    if filled:
        store = open_store(public_folder)
        store.put(tree("An old chat"))
        store.close()
        (public_folder / FILE).chmod(0o644)  # it is made for its user alone
    before = {p.name: p.read_bytes() for p in public_folder.iterdir()}
    with running("unwritable", public_folder, user=NOBODY) as process:
        assert line(process) == "in memory"
        sentence = line(process)
        assert str(public_folder) in sentence
        assert sentence.endswith("Older chats can be read.") is filled
        assert line(process) == "saved False"
        chats = ["Is this kept?", "An old chat"] if filled else ["Is this kept?"]
        assert sorted(ast.literal_eval(line(process).removeprefix("chats "))) == sorted(chats)
    assert {p.name: p.read_bytes() for p in public_folder.iterdir()} == before


@pytest.mark.skipif(not AS_ROOT, reason="becoming a user without rights needs root on Linux")
def test_a_file_that_may_not_be_written(open_store: Open, public_folder: Path) -> None:
    public_folder.mkdir()
    store = open_store(public_folder)
    store.put(tree("An old chat"))
    store.close()
    public_folder.chmod(0o777)
    (public_folder / FILE).chmod(0o444)
    before = (public_folder / FILE).read_bytes()
    with running("unwritable", public_folder, user=NOBODY) as process:
        assert line(process) == "in memory"
        assert line(process).endswith("Older chats can be read.")
        assert line(process) == "saved False"
        assert "An old chat" in line(process)
    assert (public_folder / FILE).read_bytes() == before
