"""The Clicks table, one test a cell: what every action does in every phase."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from app_rig import Rig

from app.domain.conversation import Status

Check = Callable[[Rig], None]
CELLS: list[tuple[str, str, Check]] = []
PHASES = ("idle", "reading", "deepening", "writing", "loading")


def cell(action: str, *phases: str) -> Callable[[Check], Check]:
    """Enter a check into the table for one or more columns."""

    def enter(check: Check) -> Check:
        CELLS.extend((action, phase, check) for phase in phases)
        return check

    return enter


@cell("Enter", "idle")
def enter_stores_and_runs(rig: Rig) -> None:
    rig.script.read_gate.clear()
    rig.chat.send("Second?")
    assert rig.accepted == [True, True]
    assert rig.texts[-1] == "Second?"
    assert rig.composer.state.running
    rig.until(lambda: rig.transcript.footer.progress)


@cell("Enter", "reading", "deepening", "writing")
def enter_is_refused_while_running(rig: Rig) -> None:
    before, texts = list(rig.accepted), rig.texts
    rig.chat.send("Second?")
    assert rig.refused == ["Esc stops, then Enter sends"]
    assert (rig.accepted, rig.texts) == (before, texts)


@cell("Enter", "loading")
def enter_waits_for_the_model(rig: Rig) -> None:
    rig.chat.send("Second?")
    assert rig.accepted == [True, True]
    assert rig.lines == ["waiting for the model"]
    rig.chat.send("Third?")
    assert rig.refused == ["One message already waits for the model."]
    rig.release()
    assert rig.texts[-2:] == ["Second?", "answer at 8"]
    assert rig.lines == []


@cell("Try harder", "idle")
def try_harder_dims_then_replaces(rig: Rig) -> None:
    rig.script.read_gate.clear()
    rig.chat.deepen(16)
    assert (rig.answer_row.text, rig.answer_row.dimmed) == ("answer at 8", True)
    rig.until(lambda: rig.transcript.footer.progress.kept == 8)
    rig.release()
    assert (rig.answer_row.text, rig.answer_row.dimmed) == ("answer at 16", False)
    assert rig.chips == ["8", "16 loops"]


@cell("Try harder", "reading")
def try_harder_raises_the_first_answer(rig: Rig) -> None:
    rig.chat.deepen(16)
    assert rig.transcript.footer.progress.target == 16
    rig.release()
    assert rig.chips == ["16 loops"]
    assert rig.calls == [("build", 8, 9), ("extend", 8, 16), ("write", 16)]


@cell("Try harder", "deepening")
def try_harder_again_is_ignored(rig: Rig) -> None:
    rig.chat.deepen(16)
    rig.release()
    assert rig.chips == ["8", "16 loops"]
    assert rig.calls.count(("extend", 8, 16)) == 1


@cell("Try harder", "writing")
def try_harder_stops_the_writing(rig: Rig) -> None:
    rig.chat.deepen(16)
    rig.release()
    old, new = rig.scene.conversation.variants(rig.newest.parent_id)
    assert (old.text, old.status) == ("ans", Status.STOPPED)
    assert (new.text, new.status) == ("answer at 16", Status.DONE)
    assert rig.calls[-2:] == [("extend", 8, 16), ("write", 16)]


@cell("Really hard", "idle")
def really_hard_goes_to_the_last_effort(rig: Rig) -> None:
    assert rig.deepen(32).text == "answer at 32"
    assert rig.chips == ["8", "32 loops"]
    assert ("extend", 8, 32) in rig.calls


@cell("Really hard", "reading")
def really_hard_raises_the_first_answer(rig: Rig) -> None:
    rig.chat.deepen(32)
    rig.release()
    assert rig.chips == ["32 loops"]
    assert rig.calls == [("build", 8, 9), ("extend", 8, 32), ("write", 32)]


@cell("Really hard", "deepening")
def really_hard_keeps_the_loops_done(rig: Rig) -> None:
    rig.chat.deepen(32)
    rig.release()
    assert rig.chips == ["8", "32 loops"]
    assert rig.calls[-3:] == [("extend", 8, 16), ("extend", 16, 32), ("write", 32)]


@cell("Really hard", "writing")
def really_hard_stops_the_writing(rig: Rig) -> None:
    rig.chat.deepen(32)
    rig.release()
    assert [m.depth for m in rig.scene.conversation.variants(rig.newest.parent_id)] == [8, 32]
    assert rig.newest.text == "answer at 32"


@cell("Try harder", "loading")
@cell("Really hard", "loading")
def efforts_are_disabled_while_loading(rig: Rig) -> None:
    assert [b.enabled for b in rig.transcript.footer.buttons] == [False, False]
    assert rig.transcript.footer.buttons[0].hint == "the model is loading"
    rig.chat.deepen(16)
    rig.release()
    assert rig.chips == ["8 loops"]


@cell("Stop", "idle")
def stop_changes_nothing(rig: Rig) -> None:
    rows, footer = rig.transcript.rows(), rig.transcript.footer
    rig.chat.stop()
    assert (rig.transcript.rows(), rig.transcript.footer) == (rows, footer)


@cell("Stop", "reading")
def stop_leaves_a_question_with_answer(rig: Rig) -> None:
    rig.chat.stop()
    rig.idle()
    assert rig.lines == ["stopped"]
    assert rig.action("Answer").enabled
    rig.script.release()
    rig.chat.perform(rig.action("Answer"))
    rig.idle()
    assert rig.texts == ["First?", "answer at 8"]


@cell("Stop", "deepening")
def stop_leaves_the_old_variant(rig: Rig) -> None:
    rig.chat.stop()
    rig.idle()
    assert rig.chips == ["8 loops"]
    assert not rig.answer_row.dimmed
    assert rig.answer_row.text == "answer at 8"


@cell("Stop", "writing")
def stop_keeps_text_and_state(rig: Rig) -> None:
    rig.chat.stop()
    rig.idle()
    assert (rig.newest.text, rig.newest.status) == ("ans", Status.STOPPED)
    assert rig.answer_row.caption == "stopped after 1 word"
    assert rig.answer_row.chips[0].kept
    assert rig.action("Continue").enabled
    assert rig.action("Answer again").enabled
    rig.script.release()
    rig.chat.perform(rig.action("Continue"))
    rig.idle()
    assert (rig.newest.text, rig.newest.status) == ("answer at 8", Status.DONE)
    assert rig.calls[-2:] == [("build", 8, 1), ("write", 8)]


@cell("Stop", "loading")
def stop_cancels_the_loading(rig: Rig) -> None:
    rig.chat.stop()
    assert not rig.scene.loading
    assert rig.status.error.sentence == "Loading the model was stopped."
    rig.script.release()
    rig.status.error.act()
    rig.until(lambda: not rig.scene.loading)
    assert rig.scene.facts is not None
    assert rig.status.error is None


@cell("chip", *PHASES)
def chips_are_always_allowed(rig: Rig) -> None:
    running = rig.scene.run is not None
    if rig.scene.newest_answer() is None:
        rig.chat.step_variant(-1)
        return
    for variant in rig.scene.conversation.variants(rig.newest.parent_id):
        rig.chat.select_variant(variant.id)
        assert rig.newest is variant
    rig.chat.step_variant(1)
    rig.chat.step_variant(-1)
    assert (rig.scene.run is not None) == running


@cell("Edit", "idle")
def edit_makes_a_sibling(rig: Rig) -> None:
    old = rig.question_row.message_id
    rig.chat.edit(old, "Other?")
    rig.idle()
    assert rig.texts == ["Other?", "answer at 8"]
    assert rig.scene.conversation[old].text == "First?"
    rig.chat.perform(rig.action("Wording 1 of 2"))
    assert rig.texts == ["First?", "answer at 8"]


@cell("Edit", "reading", "deepening", "writing")
def edit_waits_for_esc(rig: Rig) -> None:
    edit = next(a for a in rig.question_row.actions if a.text == "Edit")
    assert (edit.enabled, edit.hint) == (False, "Esc stops the answer first")
    texts = rig.texts
    rig.chat.edit(rig.question_row.message_id, "Other?")
    assert rig.refused == ["Esc stops the answer first"]
    assert rig.texts == texts


@cell("Edit", "loading")
def edit_is_queued(rig: Rig) -> None:
    rig.chat.edit(rig.question_row.message_id, "Other?")
    assert rig.lines == ["waiting for the model"]
    rig.release()
    assert rig.texts == ["Other?", "answer at 8"]


@cell("Answer again", "idle")
def answer_again_takes_new_dice(rig: Rig) -> None:
    first = rig.newest
    rig.chat.perform(rig.action("Answer again"))
    rig.idle()
    assert rig.chips == ["8", "8 loops · again at 0.7"]
    assert rig.script.samplings[-1]["temperature"] == 0.7
    assert rig.newest.sampling.seed != first.sampling.seed
    assert rig.calls[-2:] == [("build", 8, 0), ("write", 8)]


@cell("Answer again", "reading", "deepening", "writing")
def answer_again_waits_for_esc(rig: Rig) -> None:
    count = len(rig.scene.conversation)
    again = rig.action("Answer again")
    if again is not None:
        assert (again.enabled, again.hint) == (False, "Esc stops the answer first")
        rig.chat.perform(again)
        assert rig.refused == ["Esc stops the answer first"]
    assert len(rig.scene.conversation) == count


@cell("Answer again", "loading")
def answer_again_is_queued(rig: Rig) -> None:
    rig.chat.perform(rig.action("Answer again"))
    rig.release()
    assert rig.chips == ["8", "8 loops · again at 0.7"]


@cell("New chat", *PHASES)
def a_new_chat_is_empty_and_usable(rig: Rig) -> None:
    rig.library.new_chat()
    assert rig.texts == []
    rig.release()
    rig.ask("Afresh?")
    assert rig.texts == ["Afresh?", "answer at 8"]


@cell("Close", *PHASES)
def close_ends_the_thread_and_keeps_text(rig: Rig) -> None:
    writing = rig.scene.run is not None and not rig.scene.run.reading
    count = len(rig.scene.conversation)
    rig.chat.close()
    rig.script.load_gate.set()  # a load cannot be stopped, only forgotten
    assert rig.service.shutdown()
    assert len(rig.scene.conversation) == count
    if writing:
        assert (rig.newest.text, rig.newest.status) == ("ans", Status.INTERRUPTED)
        assert rig.script.closed


@pytest.mark.parametrize(("action", "phase", "check"), CELLS, ids=[f"{a}-{p}" for a, p, _ in CELLS])
def test_click(rig: Rig, action: str, phase: str, check: Check) -> None:
    check(rig.at(phase))


def test_the_table_has_no_empty_cell() -> None:
    actions = {action for action, _, _ in CELLS}
    assert {(a, p) for a, p, _ in CELLS} == {(a, p) for a in actions for p in PHASES}
