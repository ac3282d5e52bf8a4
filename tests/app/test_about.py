"""About this model: what its file says, figures included, from the engine to the dialog."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from app_rig import Rig
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QScrollArea
from scripted_engine import Script
from window_rig import Window, named, spoken, wait

from app.receipts import Receipts
from app.viewmodels.about import About, AboutModel
from app.viewmodels.receipt import ReceiptModel
from app.viewmodels.shelf import ShelfModel
from app.viewmodels.status import Facts
from app.views.loop_bar import LoopBar
from engine.accuracy import KINDS as IN_WORDS
from engine.accuracy import accuracy
from engine.errors import ModelFileError
from engine.evaluate import Outcome, Question
from engine.resources import bundled_model
from engine.weights import open_model_file

KINDS = (
    "calendar", "chain", "comparisons", "cups", "passing", "pointers", "prices", "program",
    "shuffled", "sorting", "story", "switches", "turning", "two_digit", "variables",
)  # fmt: skip
DEPTHS = (4, 8, 16, 32, 48)


def measured() -> dict[str, Any]:
    """Figures as ``tinyloop eval`` has them in a file: a question is right from n loops on."""
    outcomes = [
        Outcome(Question(kind, n, "?", "7"), {d: "7" if d >= n else "8" for d in DEPTHS})
        for kind in KINDS for n in range(1, 33)
    ]  # fmt: skip
    document: dict[str, Any] = accuracy(outcomes, DEPTHS)
    return json.loads(json.dumps(document, sort_keys=True))


class Asking:
    """A rig whose model's file is asked about."""

    def __init__(self, rig: Rig) -> None:
        self.model = AboutModel()
        receipts = Receipts(rig.chat, rig.service, ReceiptModel(), ShelfModel(), self.model)
        self.receipts = receipts

    def __call__(self) -> About:
        self.receipts.show_about()
        return self.model.about


def about(rig: Rig) -> About:
    rig.load()
    return Asking(rig)()


def test_what_the_file_says_arrives_through_the_engines_thread(
    make_rig: Callable[..., Rig],
) -> None:
    shown = about(make_rig(Script(loops_eval=measured())))
    assert {line.label: line.value for line in shown.lines} == {
        "Name": "some-model",
        "Size": "27.5M parameters, 24.1 MB on the disk",
        "Context": "512 tokens, for the conversation and the answer together",
        "Depths": "8, 16, 32 loops",
        "Licence": "CC0",
        "Source": "a script",
        "Fingerprint": "model-a:some",
    }
    assert shown.sentence == (
        "Right answers in per cent on 480 held-out questions, always with the likeliest word "
        "(greedy). Behind a figure stands its 95\u00a0% interval."
    )


def test_figures_go_by_rising_loops_and_steps(make_rig: Callable[..., Rig]) -> None:
    shown = about(make_rig(Script(loops_eval=measured())))
    assert [(bar.done, bar.deepest, figure.percent) for bar, figure in shown.chart] == [
        (4, 48, "12.5"), (8, 48, "25.0"), (16, 48, "50.0"), (32, 48, "100.0"), (48, 48, "100.0"),
    ]  # fmt: skip
    kinds, steps = shown.sections
    assert (kinds.heading, steps.heading) == ("By kind of question", "By steps to the answer")
    assert [row.name for row in kinds.rows] == [IN_WORDS[kind] for kind in KINDS]
    assert [row.name for row in steps.rows] == [
        "1–8 steps", "9–16 steps", "17–24 steps", "25 and more steps",
    ]  # fmt: skip
    assert [figure.percent for figure in steps.rows[1].figures] == [
        "0.0", "0.0", "100.0", "100.0", "100.0",
    ]  # fmt: skip
    whole = shown.chart[2][1]
    assert (whole.interval, whole.spoken) == ("45.5–54.5", "all questions, 16 loops: 50.0 % right")
    assert whole.spoken_interval == "all questions, 16 loops: between 45.5 and 54.5 %"


def test_shares_need_no_interval_and_no_parts(make_rig: Callable[..., Rig]) -> None:
    shown = about(make_rig(Script(loops_eval={"accuracy": {"16": 1, "1": 0.5}})))
    assert shown.depths == ("1 loop", "16 loops")
    assert [figure.interval for _, figure in shown.chart] == ["", ""]
    assert shown.sections == ()
    assert "on held-out questions" in shown.sentence
    assert "interval" not in shown.sentence


def test_the_bundled_files_own_document_is_shown_whole(make_rig: Callable[..., Rig]) -> None:
    document = open_model_file(bundled_model()).loops_eval
    shown = about(make_rig(Script(loops_eval=document)))
    assert f"on {document['questions']:,} held-out questions" in shown.sentence
    assert len(shown.chart) == len(document["accuracy"])
    assert [len(section.rows) for section in shown.sections] == [len(document["by_kind"]), 4]


def test_of_thousands_of_kinds_some_are_shown(make_rig: Callable[..., Rig]) -> None:
    kinds = {f"kind {number}": {"8": 1} for number in range(5000)}
    (section,) = about(
        make_rig(Script(loops_eval={"accuracy": {"8": 1}, "by_kind": kinds}))
    ).sections
    assert section.heading == "By kind of question, the first 40 of 5,000"
    assert len(section.rows) == 40


def test_a_file_without_figures_says_so(rig: Rig) -> None:
    shown = about(rig)
    assert shown.sentence == "The file does not say how often this model is right."
    assert (shown.chart, shown.sections, len(shown.lines)) == ((), (), 7)


def test_what_is_open_follows_the_loading(rig: Rig) -> None:
    ask = Asking(rig)
    assert ask().sentence == "No model is open."
    rig.script.load_gate.clear()
    rig.chat.load("some-model.tinyloop")
    assert ask().sentence == "The model is loading."
    rig.script.load_gate.set()
    rig.until(lambda: not rig.scene.loading)
    assert ask.model.about.lines[0].value == "some-model"
    rig.script.faults["load"] = [ModelFileError("It is broken.")]
    rig.load("other.tinyloop")
    assert ask.model.about.sentence == "No model is open."


# The window


@pytest.fixture
def window(qtbot: Any) -> Iterator[Window]:
    window = Window(qtbot)
    window.status.show(Facts("tiny & more", "CPU (no NVIDIA driver)", kept=2, kept_bytes=10**7))
    yield window
    window.theme.set_zoom(100)


@pytest.fixture
def figures(make_rig: Callable[..., Rig]) -> About:
    return about(make_rig(Script(loops_eval=measured())))


def opened(window: Window, shown: About) -> QDialog:
    window.press(Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    window.window.dialogs.show_about(shown)
    wait(20)
    (dialog,) = [d for d in window.window.findChildren(QDialog) if d.isVisible()]
    return dialog


def test_the_models_name_in_the_status_line_opens_it(window: Window) -> None:
    window.click("tiny & more, about this model")
    assert window.asked == ["about"]
    assert {"CPU (no NVIDIA driver) ·", "kept states 2, 10 MB"} <= set(spoken(window.window))
    window.status.show(Facts("loading tiny"))
    assert "loading tiny" in spoken(window.window)
    assert not [name for name in spoken(window.window) if "about" in name]


def test_a_long_name_does_not_widen_the_window(window: Window) -> None:
    narrow = window.window.minimumSizeHint().width()
    name = "a model " * 40
    window.status.show(Facts(name, "CPU", kept=2, kept_bytes=10**7))
    button = named(window.window, f"{name}, about this model")
    assert button.width() < window.theme.u(24)
    assert button.toolTip().startswith(name)
    assert window.window.minimumSizeHint().width() <= max(narrow, window.theme.u(46))


def test_the_dialog_shows_every_figure_by_name(window: Window, figures: About) -> None:
    dialog = opened(window, figures)
    assert window.asked == ["about"]
    assert dialog.windowTitle() == "About this model"
    assert [bar.accessibleName() for bar in dialog.findChildren(LoopBar)] == list(figures.depths)
    names = {label.accessibleName() for label in dialog.findChildren(object)
             if hasattr(label, "accessibleName")}  # fmt: skip
    for section in figures.sections:
        for row in section.rows:
            assert {figure.spoken for figure in row.figures} <= names
            assert {figure.spoken_interval for figure in row.figures} <= names


def test_all_of_it_can_be_reached_with_keys(window: Window, figures: About) -> None:
    dialog = opened(window, figures)
    dialog.resize(dialog.width(), window.theme.u(40))
    wait(20)
    bar = dialog.findChildren(QScrollArea)[0].verticalScrollBar()
    assert bar.maximum() > 0
    for _ in range(20):
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_PageDown)
    assert bar.value() == bar.maximum()
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_nothing_is_cut_off_at_its_first_size(window: Window, figures: About) -> None:
    scroll = opened(window, figures).findChildren(QScrollArea)[0]
    assert scroll.horizontalScrollBar().maximum() == 0


def test_an_open_dialog_shows_the_next_model_and_a_closed_one_stays_closed(
    window: Window, figures: About
) -> None:
    dialog = opened(window, About("The model is loading."))
    assert not dialog.findChildren(LoopBar)
    window.window.dialogs.show_about(figures)
    wait(20)
    assert len(dialog.findChildren(LoopBar)) == len(DEPTHS)
    dialog.close()
    window.window.dialogs.show_about(figures)
    assert not [d for d in window.window.findChildren(QDialog) if d.isVisible()]


def test_words_of_a_file_are_never_taken_for_markup(
    window: Window, make_rig: Callable[..., Rig]
) -> None:
    document = {"accuracy": {"8": 1}, "by_kind": {"<b>bold</b> " * 20: {"8": 1}}}
    dialog = opened(window, about(make_rig(Script(loops_eval=document))))
    (name,) = [w for w in spoken(dialog) if w.startswith("<b>bold</b>") and "right" not in w]
    assert named(dialog, name).textFormat() == Qt.TextFormat.PlainText
    assert named(dialog, name).width() <= window.theme.u(24)
