"""Small promises: a draft outlives a card, errors offer what helps, hints end with their run."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from app_rig import CARD, Rig
from window_rig import EFFORTS, Window, named, words_on_screen

from app.engine_link.worker import _reason
from app.views.document import hard_breaks
from engine.errors import DeviceError, ModelFileError


def test_a_card_leaves_a_draft_where_it_is(rig: Rig) -> None:
    rig.load()
    rig.chat.draft_changed("half a thought")
    rig.chat.send(CARD.question)
    rig.idle()
    assert rig.texts[0] == CARD.question
    assert rig.scene.conversation.draft == "half a thought"
    assert rig.accepted == []
    rig.chat.send("half a thought")
    rig.idle()
    assert rig.scene.conversation.draft == ""
    assert rig.accepted == [True]


def test_a_gpu_that_cannot_be_used_offers_the_cpu(rig: Rig) -> None:
    rig.script.faults["load"] = [DeviceError("No NVIDIA driver was found: install one.")]
    rig.load()
    assert rig.status.error.action == "Use the CPU"
    rig.status.error.act()
    rig.until(lambda: not rig.scene.loading)
    assert rig.ask("And now?").text == "answer at 8"


def test_an_expected_error_leaves_no_traceback(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    rig.script.faults["load"] = [ModelFileError("bad.tinyloop: the header is cut off.")]
    with caplog.at_level(logging.WARNING):
        rig.load("bad.tinyloop")
    assert [r.exc_info for r in caplog.records if "header is cut off" in r.getMessage()] == [None]


def test_a_hint_about_a_run_ends_with_it(qtbot: Any) -> None:
    window = Window(qtbot)
    window.composer.update(running=True, depth=8, efforts=EFFORTS)
    window.composer.refuse("Esc stops, then Enter sends")
    assert named(window.window, "Esc stops, then Enter sends")
    window.composer.update(running=False)
    assert "Esc stops, then Enter sends" not in words_on_screen(window.window)


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("No NVIDIA driver was found: install one", "no NVIDIA driver was found"),
        ("NVIDIA's compiler was not found: install it", "NVIDIA's compiler was not found"),
        ("GPU number 0 is too old", "GPU number 0 is too old"),
    ],
)
def test_the_status_line_gives_the_reason_without_the_remedy(note: str, shown: str) -> None:
    assert _reason(note) == shown


def test_line_breaks_stay_outside_code() -> None:
    source = "one\ntwo\n\n```\na = 1\nb = 2\n```\nthree"
    assert hard_breaks(source) == "one  \ntwo  \n\n```\na = 1\nb = 2\n```\nthree  "
