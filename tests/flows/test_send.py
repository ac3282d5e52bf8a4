"""Text → tokens → prefix match → prefill → handle → decode → pieces → row, on the bundled model."""

from __future__ import annotations

import time

from app_rig import Rig
from layer_spy import spy
from real_engine import LONG, SUM, chatty, prompt_of

from app.domain.conversation import Status

STOP_WITHIN = 0.5  # seconds; the budget is 0.2 (the second of two timed assertions)


def test_a_question_becomes_an_answer_on_screen(rig: Rig) -> None:
    model, prompt = rig.script.last, prompt_of(rig, SUM)
    rig.chat.send(SUM)
    assert rig.transcript.footer.progress.kept == 0
    rig.idle()
    said = model.generate(prompt, 8)[len(prompt) :]
    assert rig.texts == [SUM, model.tokenizer.decode(said)]
    assert list(rig.newest.token_ids) == said
    report = rig.newest.report
    assert (report.prefilled, report.cells, report.loops) == (len(prompt), 8 * len(prompt), (0, 8))
    (kept,) = rig.scene.kept
    assert kept.tokens == (*prompt, *said[:-1])
    assert (kept.depth, kept.message_id) == (8, rig.newest.id)
    assert "kept states 1" in rig.status.text


def test_the_next_turn_reads_only_what_is_new(rig: Rig) -> None:
    first = rig.ask(SUM)
    chat = [("user", SUM), ("assistant", first.token_ids), ("user", "And 3 more?")]
    prompt = rig.script.last.tokenizer.encode_chat(chat)
    held = len(prompt_of(rig, SUM)) + len(first.token_ids) - 1
    with spy(rig.script.last) as ran:
        rig.ask("And 3 more?")
    assert ran.before_first_word == dict.fromkeys(range(8), len(prompt) - held)
    assert rig.newest.report.prefilled == len(prompt) - held


def test_stop_comes_at_once_and_leaves_a_question(rig: Rig) -> None:
    rig.chat.set_depth(32)
    rig.chat.send(LONG)
    rig.until(lambda: rig.scene.run.done > 0)
    started = time.perf_counter()
    rig.chat.stop()
    rig.idle()
    assert time.perf_counter() - started < STOP_WITHIN
    rig.chat.set_depth(8)
    assert rig.lines == ["stopped"]
    assert rig.scene.kept == ()


def test_a_stopped_answer_continues_as_if_nothing_was(rig: Rig) -> None:
    model = rig.script.last
    question = chatty(model)
    prompt = prompt_of(rig, question)
    rig.chat.send(question)
    rig.until(lambda: not rig.scene.run.reading)
    rig.chat.stop()
    rig.idle()
    stopped = len(rig.newest.token_ids)
    assert rig.newest.status is Status.STOPPED
    assert rig.scene.kept[-1].message_id == rig.newest.id
    rig.chat.perform(rig.action("Continue"))
    rig.idle()
    said = model.generate(prompt, 8)[len(prompt) :]
    assert 0 < stopped < len(said)
    assert list(rig.newest.token_ids) == said
    assert rig.newest.text == model.tokenizer.decode(said)
    assert rig.newest.status is Status.DONE
    assert rig.newest.report.prefilled <= 1  # at most the last token before the stop


def test_a_deepening_while_it_writes_keeps_the_text(rig: Rig) -> None:
    rig.chat.send(chatty(rig.script.last))
    rig.until(lambda: not rig.scene.run.reading)
    rig.chat.deepen(16)
    rig.until(lambda: rig.scene.run and rig.scene.run.target == 16 and not rig.scene.run.reading)
    rig.chat.stop()
    rig.idle()
    old, new = rig.scene.conversation.variants(rig.newest.parent_id)
    assert (old.status, new.status) == (Status.STOPPED, Status.STOPPED)
    assert old.text
    assert (new.report.kept_loops, new.report.prefilled) == (8, 0)
