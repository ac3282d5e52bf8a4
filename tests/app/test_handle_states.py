"""The seven states a click on an effort button can find, each with its words."""

from __future__ import annotations

from collections.abc import Callable

from app_rig import Rig
from scripted_engine import Script

from app.domain.kept import HandleState
from app.viewmodels.deepening import outlook
from app.viewmodels.rows import EffortButton
from engine.errors import DeviceError


def first_button(rig: Rig) -> EffortButton:
    return rig.transcript.footer.buttons[0]


def state(rig: Rig, target: int = 16) -> HandleState:
    return outlook(rig.scene, rig.newest, target).state


def test_live_resumes_and_says_from_where(rig: Rig) -> None:
    rig.load()
    rig.ask()
    rig.scene.speeds = type(rig.scene.speeds)()  # before any measurement: loops only
    rig.chat.select_variant(rig.newest.id)
    assert state(rig) is HandleState.LIVE
    assert first_button(rig).price == "resumes · +8 loops"
    assert first_button(rig).suggested
    assert not first_button(rig).from_scratch
    assert rig.answer_row.chips[0].accessible == "8 loops, state kept"


def test_evicted_says_what_it_made_room_for(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(Script(free=6 << 20))  # a quarter of it holds one state of 1 MiB
    rig.load()
    old = rig.ask("First?")
    rig.chat.edit(rig.question_row.message_id, "Other?")
    rig.idle()
    rig.chat.select_variant(old.id)
    assert state(rig) is HandleState.EVICTED
    assert first_button(rig).from_scratch
    assert first_button(rig).enabled
    assert "from scratch · 16 loops" in first_button(rig).price
    assert "freed to make room for “Other?”, " in first_button(rig).price
    assert rig.answer_row.chips[0].accessible == "8 loops, state not kept"
    assert rig.deepen(16).text == "answer at 16"
    assert rig.calls[-2:] == [("build", 16, 9), ("write", 16)]


def test_stale_after_another_model_file(rig: Rig) -> None:
    rig.load()
    rig.ask()
    rig.load("other.tinyloop")
    assert state(rig) is HandleState.STALE
    assert first_button(rig).price.endswith("another model file wrote it")
    assert rig.deepen(16).text == "answer at 16"


def test_stale_after_another_device(rig: Rig) -> None:
    rig.load()
    rig.ask()
    rig.script.device = "cuda:0"
    rig.load()
    assert state(rig) is HandleState.STALE
    words = "it was written on cpu, the model now runs on cuda:0"
    assert first_button(rig).price.endswith(words)


def test_never_stale_because_of_an_edit_or_another_variant(rig: Rig) -> None:
    rig.load()
    answer = rig.ask()
    rig.chat.answer_again(answer.id)
    rig.idle()
    assert state(rig) is HandleState.LIVE
    rig.chat.edit(rig.question_row.message_id, "Else?")
    rig.idle()
    rig.chat.select_variant(answer.id)
    assert state(rig) is HandleState.LIVE


def test_lost_after_the_device_was_reset(rig: Rig) -> None:
    rig.load()
    answer = rig.ask()
    rig.script.faults["extend"] = [DeviceError("The GPU was reset; load the model again.")]
    rig.deepen(16)
    assert rig.status.error.action == "Load the model again"
    assert state(rig) is HandleState.LOST
    assert first_button(rig).price.endswith("the device was reset")
    assert rig.newest is answer


def test_lost_after_the_model_was_opened_again(rig: Rig) -> None:
    rig.load()
    rig.ask()
    rig.load()
    assert state(rig) is HandleState.LOST
    assert first_button(rig).price.endswith("the model was opened again")


def test_lost_after_a_restart(rig: Rig) -> None:
    rig.load()
    rig.ask()
    rig.scene.kept, rig.scene.freed = (), {}  # what a conversation from a store looks like
    assert outlook(rig.scene, rig.newest, 16).reason == "the app was restarted"
    assert state(rig) is HandleState.LOST


def test_lost_when_one_state_is_larger_than_the_budget(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(Script(free=3 << 20))
    rig.load()
    rig.ask()
    assert state(rig) is HandleState.LOST
    assert first_button(rig).price.endswith("it is larger than the memory for kept states")


def test_busy_offers_to_go_on_from_the_loops_done(rig: Rig) -> None:
    rig.at("deepening")
    assert state(rig, 32) is HandleState.BUSY
    (button,) = rig.transcript.footer.buttons
    assert button.title == "Really hard instead"
    rig.until(lambda: rig.transcript.footer.progress.done == 8)
    assert rig.transcript.footer.buttons[0].price == "goes on to 32 · +24 loops"
    assert rig.transcript.footer.progress.caption == "Loop 8 of 16 — the first 8 were kept"


def test_busy_writing_says_that_it_stops(rig: Rig) -> None:
    rig.at("writing")
    prices = [button.price for button in rig.transcript.footer.buttons]
    assert prices == ["stops this answer, then +8 loops", "stops this answer, then +24 loops"]


def test_ceiling_is_one_line(rig: Rig) -> None:
    rig.load()
    rig.ask()
    rig.deepen(32)
    assert state(rig, 32) is HandleState.CEILING
    assert rig.transcript.footer.buttons == ()
    assert rig.transcript.footer.line == "32 loops, the deepest this model was made for"


def test_unsupported_when_the_question_is_too_long_for_this_model(rig: Rig) -> None:
    rig.load()
    rig.ask("x" * 300)
    rig.script.max_seq_len = 100
    rig.load("short.tinyloop")
    assert state(rig) is HandleState.UNSUPPORTED
    assert not first_button(rig).enabled
    assert first_button(rig).hint == "the question is longer than the 100 tokens this model reads"
    rig.chat.deepen(16)
    assert rig.scene.run is None


def test_unsupported_while_no_model_is_open(rig: Rig) -> None:
    rig.at("loading")
    assert state(rig) is HandleState.UNSUPPORTED
    rig.chat.stop()
    assert outlook(rig.scene, rig.newest, 16).reason == "no model is open"
    assert rig.transcript.footer.buttons == ()
    again = rig.action("Answer again")
    assert (again.enabled, again.hint) == (False, "no model is open")
