"""The whole app as it is started: a real model file, the real window, clicks and keys only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from real_window import Running
from tiny_models import tiny_config, write_tiny_model
from window_rig import click, named, spoken, wait, words_on_screen

from app import paths
from app.main import read_cards
from app.viewmodels.about import NO_FIGURES
from app.views.about_dialog import AboutDialog
from engine import Model
from engine.weights import open_model_file


@pytest.fixture(scope="module", params=["bundled", "tiny"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled model, and a small one with other efforts: nothing may know 8, 16, 32."""
    if request.param == "bundled":
        return paths.model_file()
    file = tmp_path_factory.mktemp("models") / "tiny.tinyloop"
    return write_tiny_model(file, tiny_config(efforts=(2, 3, 4)))


@pytest.fixture(scope="module")
def loaded(
    qapp: QApplication, model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    running = Running(qapp, model, tmp_path_factory.mktemp("data"))
    running.until(lambda: running.scene.facts is not None)
    yield running
    running.close()


@pytest.fixture
def running(loaded: Running) -> Running:
    loaded.window.activateWindow()  # without a screen, a closed window may leave none active
    click(loaded.window, "New chat")
    loaded.idle()
    return loaded


def efforts_of(model: Path) -> tuple[int, ...]:
    return open_model_file(model).config.efforts


def cold(model: Path, text: str, depth: int) -> str:
    """What a run from nothing answers at this depth."""
    with Model(model, device="cpu") as fresh:
        prompt = fresh.tokenizer.encode_chat([("user", text)])
        tokens = fresh.generate(prompt, depth, max_tokens=256)
        return fresh.tokenizer.decode(tokens[len(prompt) :])


def test_the_status_line_tells_about_the_model(running: Running, model: Path) -> None:
    """The tiny file carries no figures, and says so."""
    file = open_model_file(model)
    running.click(f"{file.name}, about this model")
    (dialog,) = running.window.findChildren(AboutDialog)
    words = spoken(dialog)
    assert f"Licence: {file.license or 'not said'}" in words
    shares = file.loops_eval["accuracy"] if file.loops_eval else {}
    for loops, share in shares.items():
        assert f"all questions, {loops} loops: {100 * share:.1f} % right" in words
    assert (NO_FIGURES in words) is not bool(shares)
    dialog.close()


def test_a_question_is_taken_through_all_depths_by_clicks(running: Running, model: Path) -> None:
    first, second, third = efforts_of(model)
    card = read_cards()[0]
    running.ask(card.question)
    assert f"{first} loops, state kept" in words_on_screen(running.window)
    shallow = running.answers[0].text
    running.click("Try harder")
    running.idle()
    running.click("Really hard")
    running.idle()
    words = words_on_screen(running.window)
    for depth in (first, second, third):
        assert f"{depth} loops, state kept" in words
    assert not any(word in ("Try harder", "Really hard") for word in words)
    assert running.answers[0].text == cold(model, card.question, third)
    running.click(f"{first} loops, state kept")
    assert running.answers[0].text == shallow == cold(model, card.question, first)
    assert "Try harder" in words_on_screen(running.window)


@pytest.mark.parametrize("model", ["bundled"], indirect=True)
def test_the_card_is_answered_right_only_deeper(running: Running) -> None:
    card = read_cards()[0]
    running.click(f"{card.title}   ·   {card.steps} steps")
    running.idle()
    assert f"known answer: {card.answer} — not yet" in running.answers[0].caption
    running.click("Try harder")
    running.idle()
    assert f"known answer: {card.answer} — right" in running.answers[0].caption
    assert card.answer in running.answers[0].text


def test_copy_gives_the_source(running: Running) -> None:
    running.ask("What is 1 + 2 ?")
    QGuiApplication.clipboard().clear()
    running.click("Copy")
    assert QGuiApplication.clipboard().text() == running.answers[0].text


def test_escape_stops_and_try_harder_goes_on(running: Running, model: Path) -> None:
    first, second, _ = efforts_of(model)
    box = running.window.composer.edit
    QTest.keyClicks(box, "Tell me a very long story. " * 6)
    QTest.keyClick(box, Qt.Key.Key_Return)
    running.until(lambda: running.answers or running.scene.run is None)
    started = time.monotonic()
    QTest.keyClick(box, Qt.Key.Key_Escape)
    running.idle()
    assert time.monotonic() - started < 3  # the engine's own bound is measured elsewhere
    assert named(running.window, "Send").text() == "Send"
    running.click("Try harder")
    running.idle()
    chips = [chip.text for chip in running.answers[0].chips]
    assert chips == [str(first), f"{second} loops"]


def test_edit_makes_another_wording(running: Running) -> None:
    running.ask("What is 1 + 2 ?")
    running.click("Edit")
    QTest.keyClick(running.window.composer.edit, Qt.Key.Key_Backspace)
    QTest.keyClick(running.window.composer.edit, Qt.Key.Key_Return)
    running.idle()
    assert "You: What is 1 + 2" in words_on_screen(running.window)
    assert running.window.composer.edit.toPlainText() == ""
    more = running.window.transcript.strip_of(0).menu()
    assert "Wording 1 of 2" in [entry.text() for entry in more.actions()]


def test_the_depth_of_the_next_answers_is_a_choice(running: Running, model: Path) -> None:
    first, second, _ = efforts_of(model)
    running.window.composer.depth_menu().actions()[1].trigger()
    running.ask("What is 1 + 2 ?")
    assert [chip.text for chip in running.answers[0].chips] == [f"{second} loops"]
    running.window.composer.depth_menu().actions()[0].trigger()
    assert named(running.window, f"Answers at {first} loops")


def test_a_bad_model_file_leaves_the_window_usable(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.tinyloop"
    broken.write_bytes(b"no model")
    monkeypatch.setattr("app.main.QFileDialog.getOpenFileName", lambda *_: (str(broken), ""))
    running.app._open_model()
    running.until(lambda: running.app.models.status.error is not None)
    wait(20)
    assert any("broken.tinyloop" in word for word in words_on_screen(running.window))
    assert "Open another model…" in words_on_screen(running.window)
    running.ask("What is 1 + 2 ?")
    assert running.answers
    assert running.app.models.status.error is None
