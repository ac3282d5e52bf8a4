"""The Clicks table's rows about chats: another chat, and Delete, in every phase."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from app_rig import Rig

from app.domain.conversation import Status
from app.domain.kept import HandleState
from app.viewmodels.deepening import outlook

Check = Callable[[Rig], None]
CELLS: list[tuple[str, str, Check]] = []
PHASES = ("idle", "reading", "deepening", "writing", "loading")
RUNNING = ("reading", "deepening", "writing")


def cell(action: str, *phases: str) -> Callable[[Check], Check]:
    """Enter a check into the table for one or more columns."""

    def enter(check: Check) -> Check:
        CELLS.extend((action, phase, check) for phase in phases)
        return check

    return enter


@cell("another chat", *RUNNING)
def the_run_goes_on_in_its_own_chat(rig: Rig) -> None:
    first, run = rig.scene.conversation, rig.scene.run
    rig.library.new_chat()
    assert rig.scene.active is run
    assert rig.scene.run is None
    assert not rig.composer.state.running
    progress = rig.chat_row(first.id).progress
    assert (progress.target, progress.deepest) == (run.target, 32)
    rig.release()
    assert rig.texts == []
    assert rig.chat_row(first.id).progress is None
    rig.library.open_chat(first.id)
    assert rig.texts[0] == "First?"
    assert rig.newest.text == f"answer at {run.target}"
    assert rig.newest.status is Status.DONE


@cell("another chat", "idle", "loading")
def another_chat_is_allowed(rig: Rig) -> None:
    first = rig.scene.conversation
    rig.library.new_chat()
    assert rig.texts == []
    rig.library.open_chat(first.id)
    assert rig.texts == ["First?", "answer at 8"]
    rig.release()


@cell("a send there", *RUNNING)
def a_send_in_another_chat_waits_and_can_be_taken_back(rig: Rig) -> None:
    first = rig.scene.conversation
    rig.library.new_chat()
    rig.chat.send("Second?")
    second = rig.scene.conversation
    assert rig.accepted[-1]
    assert rig.lines == ["waiting for “First?”"]
    assert rig.composer.state.hint == "waits for “First?” — Esc cancels"
    rig.chat.send("Third?")
    assert rig.refused == ["One message already waits for “First?”."]
    rig.library.open_chat(first.id)
    assert rig.chat_row(second.id).note == "waits for “First?”"
    rig.library.open_chat(second.id)
    rig.chat.perform(rig.action("Cancel"))
    assert rig.lines == ["stopped"]
    rig.release()
    assert rig.lines == ["stopped"]
    rig.chat.perform(rig.action("Answer"))
    rig.idle()
    assert rig.texts == ["Second?", "answer at 8"]


@cell("a send there", "idle")
def a_send_in_another_chat_runs(rig: Rig) -> None:
    rig.library.new_chat()
    assert rig.ask("Second?").text == "answer at 8"


@cell("a send there", "loading")
def a_send_in_another_chat_waits_for_the_model(rig: Rig) -> None:
    rig.library.new_chat()
    rig.chat.send("Second?")
    second = rig.scene.conversation
    assert rig.chat_row(second.id).note == "waits for the model"
    rig.library.new_chat()
    rig.release()
    assert rig.texts == []
    rig.library.open_chat(second.id)
    assert rig.texts == ["Second?", "answer at 8"]


@cell("a send there, seen elsewhere", *RUNNING)
def what_waited_runs_in_its_own_chat(rig: Rig) -> None:
    rig.library.new_chat()
    rig.chat.send("Second?")
    second = rig.scene.conversation
    rig.library.new_chat()
    rig.release()
    rig.until(lambda: rig.scene.waiting is None and rig.scene.active is None)
    assert rig.texts == []
    rig.library.open_chat(second.id)
    assert rig.texts == ["Second?", "answer at 8"]


@cell("a send there, seen elsewhere", "idle", "loading")
def nothing_else_waits(rig: Rig) -> None:
    what_waited_runs_in_its_own_chat(rig)


@cell("Delete", *PHASES)
def delete_stops_frees_and_can_be_undone(rig: Rig) -> None:
    chat = rig.scene.conversation
    writing = rig.scene.run is not None and not rig.scene.run.reading
    messages = len(chat)
    rig.library.delete_chat(chat.id)
    assert rig.texts == []
    assert rig.sidebar == []
    rig.until(lambda: rig.scene.active is None)
    rig.until(lambda: rig.scene.kept == () or rig.scene.loading)
    rig.status.notice.act()
    rig.until(lambda: rig.texts)
    assert len(rig.scene.conversation) == messages
    if writing:
        assert (rig.newest.text, rig.newest.status) == ("ans", Status.STOPPED)
    rig.release()
    if rig.scene.newest_answer() is not None:
        assert outlook(rig.scene, rig.newest, 16).state is HandleState.LOST
    assert rig.ask("Again?").text == "answer at 8"


@pytest.mark.parametrize(("action", "phase", "check"), CELLS, ids=[f"{a}-{p}" for a, p, _ in CELLS])
def test_click(rig: Rig, action: str, phase: str, check: Check) -> None:
    check(rig.at(phase))


def test_the_table_has_no_empty_cell() -> None:
    actions = {action for action, _, _ in CELLS}
    assert {(a, p) for a, p, _ in CELLS} == {(a, p) for a in actions for p in PHASES}


def test_a_deleted_chat_no_longer_waits(rig: Rig) -> None:
    rig.at("reading")
    rig.library.new_chat()
    rig.chat.send("Second?")
    rig.library.delete_chat(rig.scene.conversation.id)
    assert rig.scene.waiting is None
    rig.release()
    assert [row for row in rig.sidebar if "Second" in row] == []


def test_an_error_elsewhere_leads_back_to_its_chat(rig: Rig) -> None:
    rig.load()
    rig.script.read_gate.clear()
    rig.script.faults["write"] = [RuntimeError("wires crossed")]
    rig.chat.send("First?")
    rig.library.new_chat()
    rig.script.release()
    rig.until(lambda: rig.status.error)
    assert rig.texts == []
    rig.status.error.act()
    rig.idle()
    assert rig.texts == ["First?", "answer at 8"]
    assert rig.newest.status is Status.DONE


def test_deepening_in_another_chat_waits_too(rig: Rig) -> None:
    rig.load()
    first = rig.ask("First?")
    chat = rig.scene.conversation
    rig.library.new_chat()
    rig.script.read_gate.clear()
    rig.chat.send("Second?")
    rig.library.open_chat(chat.id)
    rig.chat.deepen(16)
    assert rig.composer.state.hint == "waits for “Second?” — Esc cancels"
    assert rig.newest.id == first.id
    rig.chat.stop()
    assert rig.composer.state.hint == ""
    assert rig.scene.active is not None  # the other chat's run is not stopped from here
    rig.chat.deepen(16)
    rig.script.release()
    rig.until(lambda: rig.chips == ["8", "16 loops"] and rig.scene.active is None)
    assert rig.newest.text == "answer at 16"
