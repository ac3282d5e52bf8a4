"""Looking inside: receipts, running again from nothing, the shelf of kept states."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from app_rig import Rig
from scripted_engine import Script

from app.receipts import Receipts
from app.viewmodels.about import AboutModel
from app.viewmodels.receipt import ReceiptModel, compared
from app.viewmodels.rows import ActionId
from app.viewmodels.shelf import ShelfModel


class Inside:
    """Receipts and shelf of a rig."""

    def __init__(self, rig: Rig) -> None:
        self.receipt, self.shelf, self.about = ReceiptModel(), ShelfModel(), AboutModel()
        self.receipts = Receipts(rig.chat, rig.service, self.receipt, self.shelf, self.about)

    def lines(self) -> dict[str, str]:
        return {line.label: line.value for line in self.receipt.receipt.lines}


@pytest.fixture
def inside(rig: Rig) -> Inside:
    return Inside(rig)


def test_a_receipt_says_how_an_answer_came_about(rig: Rig, inside: Inside) -> None:
    rig.load()
    first = rig.ask("First?")
    inside.receipts.show_receipt(first.id)
    lines = inside.lines()
    assert lines["Depth"] == "8 loops"
    assert lines["Model"] == "some-model, file model-a:some on cpu"
    assert lines["Start"] == "cold: everything was read in this run"
    assert lines["Prompt"] == "9 tokens, 9 of them read in this run"
    assert lines["Loops run"] == "loops 1 to 8, 72 tokens × loops before the first word"
    assert lines["Written"].startswith("12 tokens in ")
    assert lines["Ended"] == "by itself"
    deeper = rig.deepen(16)
    inside.receipts.show_receipt(deeper.id)
    assert inside.lines()["Start"] == "warm: the first 8 loops were kept"
    assert inside.lines()["Loops run"].startswith("loops 9 to 16, 72 ")
    again = rig.chat
    again.answer_again(first.id)
    rig.idle()
    inside.receipts.show_receipt(rig.newest.id)
    assert inside.lines()["Seed"] == str(rig.newest.sampling.seed)
    assert inside.lines()["Choice of words"] == "temperature 0.7, top-k 50, top-p 1"
    assert inside.lines()["Start"] == "warm: 9 tokens were read before"


def test_run_again_from_nothing_it_is_identical(rig: Rig, inside: Inside) -> None:
    rig.load()
    rig.ask("First?")
    answer = rig.deepen(16)
    kept, rows = rig.scene.kept, rig.transcript.rows()
    inside.receipts.show_receipt(answer.id)
    assert inside.receipt.receipt.can_compare
    seen = []
    inside.receipt.changed.connect(lambda receipt: seen.append(receipt.comparison))
    inside.receipts.compare_cold(answer.id)
    assert rig.transcript.footer.progress.caption.startswith("Running again from nothing")
    assert rig.texts[-1] == "answer at 16"
    assert not rig.answer_row.dimmed
    rig.idle()
    assert seen == ["running…", "identical: the same 13 tokens from nothing"]
    assert rig.calls[-2:] == [("build", 16, 9), ("write", 16)]  # all loops, nothing resumed
    assert rig.script.samplings[-1]["seed"] == answer.sampling.seed
    assert (rig.scene.kept, rig.transcript.rows()) == (kept, rows)
    assert inside.receipt.receipt.can_compare


def test_a_difference_is_named(rig: Rig, inside: Inside) -> None:
    rig.load()
    answer = rig.ask("First?")
    rig.script.answers[8] = "answer to 8"
    inside.receipts.compare_cold(answer.id)
    rig.idle()
    assert inside.receipt.receipt.comparison == "different from token 8 of 12 on"
    assert compared((1, 2, 3), (1, 2)) == "different from token 3 of 3 on"


def test_a_second_run_that_is_stopped_or_fails_says_so(rig: Rig, inside: Inside) -> None:
    rig.load()
    answer = rig.ask("First?")
    for fault in (None, RuntimeError("wires crossed")):
        rig.script.read_gate.clear()
        rig.script.faults["build"] = [fault] if fault else []
        inside.receipts.compare_cold(answer.id)
        if fault is None:
            rig.chat.stop()
        rig.script.release()
        rig.idle()
        words = "not finished: the second run was stopped or failed"
        assert inside.receipt.receipt.comparison == words
        assert rig.status.error is None
    assert rig.texts == ["First?", "answer at 8"]
    assert len(rig.scene.conversation) == 2


def test_a_second_run_ends_well_while_another_chat_is_shown(rig: Rig, inside: Inside) -> None:
    rig.load()
    answer = rig.ask("First?")
    chat = rig.scene.conversation
    rig.script.read_gate.clear()
    inside.receipts.compare_cold(answer.id)
    rig.library.new_chat()
    assert rig.chat_row(chat.id).progress.caption.startswith("Running again")
    rig.script.release()
    rig.idle()
    assert inside.receipt.receipt.comparison == "identical: the same 12 tokens from nothing"
    assert rig.texts == []


def test_a_continued_answer_is_one_answer(rig: Rig, inside: Inside) -> None:
    rig.at("writing")
    rig.chat.stop()
    rig.idle()
    rig.script.release()
    rig.chat.continue_answer(rig.newest.id)
    rig.idle()
    inside.receipts.compare_cold(rig.newest.id)
    rig.idle()
    assert inside.receipt.receipt.comparison == "identical: the same 12 tokens from nothing"


def test_an_answer_that_was_stopped_is_compared_as_far_as_it_went(rig: Rig, inside: Inside) -> None:
    rig.at("writing")
    rig.chat.stop()
    rig.idle()
    rig.script.release()
    inside.receipts.compare_cold(rig.newest.id)
    rig.idle()
    assert inside.receipt.receipt.comparison == "identical: the same 3 tokens from nothing"
    assert rig.newest.text == "ans"


def test_what_cannot_be_compared_says_why(rig: Rig, inside: Inside) -> None:
    rig.load()
    answer = rig.ask("First?")
    rig.script.fingerprint = "model-b"
    rig.load()
    inside.receipts.show_receipt(answer.id)
    receipt = inside.receipt.receipt
    assert not receipt.can_compare
    assert receipt.hint == "Another model file, or another device, wrote this answer."
    calls = len(rig.calls)
    inside.receipts.compare_cold(answer.id)
    assert len(rig.calls) == calls
    inside.receipts.show_receipt("no such message")
    assert inside.receipt.receipt is receipt


def test_the_shelf_shows_the_memory_and_frees_it(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(Script(handle_bytes=5 << 20))
    inside = Inside(rig)
    rig.load()
    rig.ask("First?")
    rig.deepen(16)
    inside.receipts.show_shelf()
    shelf = inside.shelf.shelf
    assert [entry.nbytes for entry in shelf.entries] == [5 << 20, 5 << 20]
    assert shelf.entries[0].text == "First? · 16 loops · 21 tokens"
    assert shelf.entries[0].last_used
    assert shelf.budget == 256 << 20
    inside.receipts.free_states()
    rig.until(lambda: not inside.shelf.shelf.entries)
    assert rig.scene.kept == ()
    reason = rig.transcript.footer.buttons[0].price
    assert "freed by you, " in reason
    assert any(action.id is ActionId.DEEPEN for action in rig.answer_row.actions)
