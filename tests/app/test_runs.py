"""Races and errors of a run: double clicks, late events, memory, failures at every point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from app_rig import Rig
from scripted_engine import Script

from app.domain.conversation import Role, Status
from app.engine_link.messages import Finished, Piece, Progress, RunControl
from engine.errors import DeviceError, EngineError, ModelFileError, OutOfMemory

NO_MEMORY = OutOfMemory(needed=64 << 20, free=1 << 20)


def test_a_double_click_is_one_run(rig: Rig) -> None:
    rig.load()
    rig.ask()
    rig.script.read_gate.clear()
    rig.chat.deepen(16)
    rig.chat.deepen(16)
    rig.release()
    rig.chat.deepen(16)
    rig.idle()
    assert rig.calls.count(("write", 16)) == 1
    assert rig.chips == ["8", "16 loops"]


def test_a_double_enter_is_one_question(rig: Rig) -> None:
    rig.load()
    rig.script.read_gate.clear()
    rig.chat.send("Why?")
    rig.chat.send("")
    rig.chat.send("   ")
    rig.release()
    assert rig.texts == ["Why?", "answer at 8"]


def test_events_of_another_run_are_dropped(rig: Rig) -> None:
    rig.at("writing")
    run = rig.scene.run
    for other in (
        replace(run.id, run=run.id.run - 1),
        replace(run.id, conversation="another"),
        replace(run.id, message="another"),
    ):
        rig.service._receive(Piece(other, "stale", (70,)))
        rig.service._receive(Progress(other, 0, 99))
    assert "stale" not in rig.newest.text
    assert rig.scene.run.done == 8
    rig.release()
    finished = next(event for event in rig.events if isinstance(event, Finished))
    rig.service._receive(finished)  # it comes a second time
    assert [type(event) for event in rig.events].count(Finished) == 1


def test_a_model_that_comes_after_its_load_was_stopped_is_closed(rig: Rig) -> None:
    rig.script.load_gate.clear()
    rig.chat.load("slow.tinyloop")
    rig.until(lambda: rig.script.loads)
    rig.chat.stop()
    rig.script.release()
    rig.until(lambda: rig.script.closed)
    assert rig.scene.facts is None


def test_of_two_loads_the_last_one_counts(rig: Rig) -> None:
    rig.script.load_gate.clear()
    rig.chat.load("first.tinyloop")
    rig.chat.load("second.tinyloop")
    rig.release()
    assert rig.scene.facts.name == "second"


def test_out_of_memory_frees_states_and_tries_once_more(rig: Rig) -> None:
    rig.load()
    old = rig.ask("First?")
    rig.ask("Second?")
    rig.script.faults["extend"] = [NO_MEMORY]
    assert rig.deepen(16).text == "answer at 16"
    assert rig.status.error is None
    assert rig.scene.freed[old.id].evicted
    assert rig.calls.count(("extend", 8, 16)) == 2


def test_out_of_memory_twice_is_one_sentence_and_a_retry(rig: Rig) -> None:
    rig.load()
    rig.ask("First?")
    rig.ask("Second?")
    rig.script.faults["extend"] = [NO_MEMORY, NO_MEMORY]
    rig.deepen(16)
    assert rig.status.error.sentence == str(NO_MEMORY)
    assert rig.texts[-1] == "answer at 8"
    assert not rig.answer_row.dimmed
    rig.status.error.act()
    rig.idle()
    assert rig.texts[-1] == "answer at 16"
    assert rig.status.error is None


def test_an_error_while_reading_keeps_the_question(rig: Rig) -> None:
    rig.load()
    rig.script.faults["build"] = [EngineError("The prompt could not be read.")]
    rig.chat.send("Why?")
    rig.idle()
    assert rig.texts == ["Why?", "The prompt could not be read."]
    assert rig.status.error.sentence == "The prompt could not be read."
    rig.chat.perform(rig.action("Answer"))
    rig.idle()
    assert rig.texts == ["Why?", "answer at 8"]
    assert rig.status.error is None


def test_an_error_while_writing_keeps_the_text(rig: Rig) -> None:
    rig.load()
    rig.script.faults["write"] = [RuntimeError("wires crossed")]
    rig.chat.send("Why?")
    rig.idle()
    assert (rig.newest.text, rig.newest.status) == ("an", Status.FAILED)
    assert rig.answer_row.caption == "ended with an error after 1 word"
    error = rig.status.error
    assert error.sentence.startswith("The engine met an unexpected error (RuntimeError: wires")
    assert error.action == "Continue"
    error.act()
    rig.idle()
    assert (rig.newest.text, rig.newest.status) == ("answer at 8", Status.DONE)


def test_a_device_error_offers_to_load_again(rig: Rig) -> None:
    rig.load()
    rig.script.faults["build"] = [DeviceError("The GPU fell off the bus; load the model again.")]
    rig.chat.send("Why?")
    rig.idle()
    rig.status.error.act()
    assert rig.scene.loading
    rig.until(lambda: not rig.scene.loading)
    assert rig.ask("Again?").text == "answer at 8"


def test_the_status_line_counts_what_is_compiled_for_the_gpu(rig: Rig) -> None:
    rig.script.programs = 3
    rig.script.load_gate.clear()
    rig.chat.stage.load("new.tinyloop")
    rig.until(lambda: "2 of 3" in rig.status.text)
    assert rig.status.text.startswith("loading new.tinyloop, preparing the GPU once: 2 of 3 ·")
    rig.script.programs = 0
    rig.chat.stage.load("known.tinyloop")
    assert rig.status.text.startswith("loading known.tinyloop ·")
    rig.script.load_gate.set()
    rig.until(lambda: not rig.scene.loading)
    assert "preparing" not in rig.status.text


def test_a_model_that_does_not_open_offers_another(rig: Rig) -> None:
    asked: list[bool] = []
    rig.status.open_model.connect(lambda: asked.append(True))
    rig.script.faults["load"] = [ModelFileError("bad.tinyloop: the header is cut off.")]
    rig.load("bad.tinyloop")
    assert rig.status.error.sentence == "bad.tinyloop: the header is cut off."
    assert rig.status.error.action == "Open another model…"
    rig.status.error.act()
    assert asked == [True]
    rig.chat.send("Why?")
    assert rig.refused == ["No model is open: open one, then send the message again."]
    rig.load("good.tinyloop")
    assert rig.status.error is None
    assert rig.ask().text == "answer at 8"


def test_a_question_that_waited_for_a_bad_model_can_be_answered_later(rig: Rig) -> None:
    rig.script.load_gate.clear()
    rig.script.faults["load"] = [ModelFileError("bad.tinyloop: the header is cut off.")]
    rig.chat.load("bad.tinyloop")
    rig.chat.send("Why?")
    rig.script.release()
    rig.until(lambda: not rig.scene.loading)
    assert rig.lines == ["stopped"]
    rig.load("good.tinyloop")
    rig.chat.perform(rig.action("Answer"))
    rig.idle()
    assert rig.texts == ["Why?", "answer at 8"]


def test_answer_without_a_model_opens_the_last_one_again(rig: Rig) -> None:
    rig.script.load_gate.clear()
    rig.chat.load("slow.tinyloop")
    rig.chat.send("Why?")
    rig.chat.stop()
    rig.chat.perform(rig.action("Answer"))
    assert rig.lines == ["waiting for the model"]
    rig.release()
    assert rig.texts == ["Why?", "answer at 8"]


def test_a_stop_on_the_way_to_the_deepest_keeps_what_was_reached(rig: Rig) -> None:
    rig.at("deepening")
    rig.chat.deepen(32)
    rig.script.hold_loop = 20
    rig.until(lambda: rig.transcript.footer.progress.done == 20)
    rig.chat.stop()
    rig.idle()
    assert rig.chips == ["8 loops"]
    assert [state.depth for state in rig.scene.kept] == [8, 16]
    assert rig.transcript.footer.buttons[1].price.startswith("resumes · +16 loops")
    rig.script.release()
    rig.deepen(32)
    assert rig.calls[-3:] == [("build", 16, 0), ("extend", 16, 32), ("write", 32)]


def test_the_writing_closes_the_door_for_a_higher_target() -> None:
    control = RunControl(8)
    assert control.raise_target(16)
    assert not control.begin_writing(8)
    assert control.begin_writing(16)
    assert not control.raise_target(32)
    assert control.target == 16


@pytest.mark.parametrize("efforts", [(2, 3, 4), (1, 5, 64)])
def test_the_depths_are_the_files(make_rig: Callable[..., Rig], efforts: tuple[int, ...]) -> None:
    rig = make_rig(Script(efforts=efforts))
    rig.load()
    assert (rig.composer.state.efforts, rig.composer.state.depth) == (efforts, efforts[0])
    rig.ask()
    assert [b.depth for b in rig.transcript.footer.buttons] == list(efforts[1:])
    rig.deepen(efforts[1])
    rig.deepen(efforts[2])
    assert rig.chips == [str(efforts[0]), str(efforts[1]), f"{efforts[2]} loops"]
    assert rig.transcript.footer.line.startswith(f"{efforts[2]} loops, the deepest")


def test_the_next_depth_is_the_chats_setting(rig: Rig) -> None:
    rig.load()
    rig.ask("First?")
    rig.deepen(16)
    assert rig.ask("Second?").depth == 8
    assert rig.calls[-2][:2] == ("build", 8)
    rig.chat.set_depth(16)
    assert rig.ask("Third?").depth == 16
    rig.chat.set_depth(7)
    assert rig.composer.state.depth == 16


def test_the_next_turn_starts_from_the_state_of_its_own_depth(rig: Rig) -> None:
    rig.load()
    rig.ask("First?")
    rig.deepen(16)
    rig.ask("Second?")
    prompt = [1, 3, *b"First?", 4]
    shared = len(prompt) + len("answer at ")  # both answers begin alike
    new = len("16") + 1 + 1 + len("Second?") + 1  # rest, end, user mark, question, assistant mark
    assert rig.calls[-2] == ("build", 8, new)
    assert rig.newest.report.prefilled == new
    assert rig.newest.report.prompt_tokens == shared + new


def test_a_deepening_takes_its_variants_own_dice(rig: Rig) -> None:
    rig.load()
    first = rig.ask()
    rig.chat.answer_again(first.id)
    rig.idle()
    again = rig.newest
    deeper = rig.deepen(16)
    assert deeper.sampling == again.sampling
    assert rig.chips[-1] == "16 loops · again at 0.7"
    rig.chat.select_variant(first.id)
    assert rig.deepen(16).sampling == first.sampling
    assert rig.calls.count(("write", 16)) == 2


def test_every_role_in_a_prompt_takes_its_turn(rig: Rig) -> None:
    rig.at("reading")
    rig.chat.stop()
    rig.idle()
    rig.script.release()
    rig.ask("Second?")  # the engine's tokenizer refuses two questions in a row
    assert rig.texts == ["First?", "stopped", "Second?", "answer at 8"]
    assert [m.role for m in rig.scene.conversation] == [Role.USER, Role.USER, Role.ASSISTANT]


def test_a_file_that_is_no_model_leaves_the_open_one(rig: Rig) -> None:
    rig.load()
    answer = rig.ask()
    rig.script.faults["tokenizer"] = [ModelFileError("notes.txt: expected a .tinyloop file.")]
    rig.load("notes.txt")
    assert rig.status.error.sentence == "notes.txt: expected a .tinyloop file."
    assert rig.newest is answer
    assert rig.deepen(16).report.kept_loops == 8
    assert rig.status.error is None


def test_a_deepening_asked_for_before_the_engine_failed_still_comes(rig: Rig) -> None:
    rig.script.hold_after = 1
    rig.script.faults["write"] = [EngineError("The answer broke off.")]
    rig.load()
    rig.script.write_gate.clear()
    rig.chat.send("Why?")
    rig.writing()
    rig.script.ignore_stop = True
    rig.chat.deepen(16)
    rig.release()
    old, new = rig.scene.conversation.variants(rig.newest.parent_id)
    assert (old.status, old.error) == (Status.FAILED, "The answer broke off.")
    assert (new.status, new.text) == (Status.DONE, "answer at 16")
    assert rig.status.error is None


def test_half_a_character_waits_for_its_rest(rig: Rig) -> None:
    """What a stop cuts inside a character is not shown broken, and continued whole."""

    class HalfLetters:  # says each letter one token late, as bytes of one character come
        def __init__(self) -> None:
            self.held = ""

        def push(self, token: int) -> str:
            said, self.held = self.held, chr(token - 10) if token >= 10 else ""
            return said

        def flush(self) -> str:
            return "\ufffd" if self.held else ""

    rig.load()
    rig.service._worker._model.tokenizer.detokenizer = HalfLetters
    rig.script.write_gate.clear()
    rig.chat.send("Why?")
    rig.writing()
    rig.chat.stop()
    rig.idle()
    assert (rig.newest.text, len(rig.newest.token_ids)) == ("an", 3)
    rig.script.release()
    rig.chat.continue_answer(rig.newest.id)
    rig.idle()
    assert rig.newest.text == "answer at 8"
