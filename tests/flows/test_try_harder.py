"""Try harder → stored handle → loops [8, 16) → decode → a new variant, on the bundled model."""

from __future__ import annotations

from app_rig import Rig
from layer_spy import spy
from PySide6.QtWidgets import QApplication
from real_engine import LONG, SUM, RealEngine, prompt_of

from engine.resources import bundled_model


def cold(rig: Rig, text: str, depth: int) -> str:
    """The answer of a run from nothing at ``depth``."""
    model, prompt = rig.script.last, prompt_of(rig, text)
    return model.tokenizer.decode(model.generate(prompt, depth)[len(prompt) :])


def test_try_harder_runs_only_the_deeper_loops(rig: Rig) -> None:
    length = len(prompt_of(rig, SUM))
    rig.ask(SUM)
    with spy(rig.script.last) as ran:
        rig.deepen(16)
    assert ran.before_first_word == dict.fromkeys(range(8, 16), length)
    assert rig.chips == ["8", "16 loops"]
    assert rig.newest.text == cold(rig, SUM, 16)
    report = rig.newest.report
    assert (report.prefilled, report.kept_loops, report.loops) == (0, 8, (8, 16))
    with spy(rig.script.last) as ran:
        rig.deepen(32)
    assert ran.before_first_word == dict.fromkeys(range(16, 32), length)
    assert rig.newest.text == cold(rig, SUM, 32)


def test_really_hard_during_try_harder_loses_no_loop(rig: Rig) -> None:
    length = len(prompt_of(rig, SUM))
    rig.ask(SUM)
    with spy(rig.script.last) as ran:
        rig.chat.deepen(16)
        rig.chat.deepen(32)
        rig.idle()
    assert ran.before_first_word == dict.fromkeys(range(8, 32), length)
    assert rig.chips == ["8", "32 loops"]
    assert rig.newest.text == cold(rig, SUM, 32)


def test_the_turn_after_a_try_harder_starts_from_its_own_depth(rig: Rig) -> None:
    first = rig.ask(SUM)
    second = rig.deepen(16)
    follow_up = "And 3 more?"
    with spy(rig.script.last) as ran:
        rig.ask(follow_up)
    model = rig.script.last
    chat = [("user", SUM), ("assistant", second.token_ids), ("user", follow_up)]
    prompt = model.tokenizer.encode_chat(chat)
    held = [*prompt_of(rig, SUM), *first.token_ids[:-1]]  # what the 8-loop state has read
    shared = next((i for i, (a, b) in enumerate(zip(prompt, held, strict=False)) if a != b),
                  len(held))  # fmt: skip
    assert ran.before_first_word == dict.fromkeys(range(8), len(prompt) - shared)
    assert rig.newest.report.prefilled == len(prompt) - shared
    assert rig.newest.depth == 8
    assert rig.newest.text == model.tokenizer.decode(model.generate(prompt, 8)[len(prompt) :])


def test_closing_while_busy_ends_the_thread(qapp: QApplication) -> None:
    busy = Rig(RealEngine())
    busy.chat.load(str(bundled_model()), "cpu")
    busy.until(lambda: not busy.scene.loading)
    busy.chat.set_depth(32)
    busy.chat.send(LONG)
    busy.until(lambda: busy.scene.run.done > 0)
    assert busy.close()
    assert busy.texts == [LONG, "stopped"]
