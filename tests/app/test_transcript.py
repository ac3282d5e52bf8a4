"""The list model: Qt's own tester, the fewest changes, one row for a streaming word."""

from __future__ import annotations

from collections.abc import Callable

from app_rig import Rig
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from scripted_engine import Script

from app.domain.conversation import Message, Role, new_id
from app.viewmodels.rows import AnswerRow, LineRow, Row
from app.viewmodels.transcript import RowRole, Transcript


def test_the_model_keeps_qts_rules(rig: Rig, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(rig.transcript)
    rig.load()
    first = rig.ask("First?")
    rig.deepen(16)
    rig.ask("Second?")
    rig.chat.select_variant(first.id)
    rig.library.new_chat()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=6))
def test_any_change_of_rows_arrives(pages: list[list[str]]) -> None:
    transcript = Transcript()
    seen: list[str] = []  # what a view would hold, kept by the model's own signals

    def inserted(_parent: object, first: int, last: int) -> None:
        seen[first:first] = [transcript.row(i).text for i in range(first, last + 1)]

    def removed(_parent: object, first: int, last: int) -> None:
        del seen[first : last + 1]

    def changed(top: object, bottom: object) -> None:
        for number in range(top.row(), bottom.row() + 1):
            seen[number] = transcript.row(number).text

    transcript.rowsInserted.connect(inserted)
    transcript.rowsRemoved.connect(removed)
    transcript.dataChanged.connect(changed)
    for page in pages:
        transcript.set_rows([LineRow(text) for text in page])
        assert [row.text for row in transcript.rows()] == seen == page


def test_a_streaming_word_changes_one_row(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(Script(delay=0.01, hold_after=1, answers={8: "word " * 20}))
    rig.load()
    rig.ask("First?")
    changes: list[tuple[int, int]] = []
    rig.chat.send("Second?")
    rig.writing()
    rig.transcript.dataChanged.connect(lambda a, b: changes.append((a.row(), b.row())))
    rig.until(lambda: len(changes) > 5)
    streamed = list(changes)
    assert set(streamed[:-1]) == {(3, 3)}
    assert rig.answer_row.streaming
    rig.idle()
    assert not rig.answer_row.streaming


def test_a_run_in_a_long_chat_is_told_in_few_words(make_rig: Callable[..., Rig]) -> None:
    """At its start and end the buttons of all rows change; 800 signals would freeze the view."""
    rig = make_rig(Script(max_seq_len=1 << 15))
    rig.load()
    conversation = rig.scene.conversation
    for _ in range(200):
        asked = Message(new_id(), conversation.head_id, Role.USER, "Why?")
        conversation.add(asked)
        conversation.add(Message(new_id(), asked.id, Role.ASSISTANT, "So.", depth=8))
    rig.chat.select_variant(conversation.head_id)
    told: list[int] = []
    rig.transcript.dataChanged.connect(lambda first, _last: told.append(first.row()))
    rig.ask("And now?")
    assert rig.transcript.rowCount() == 402
    assert 2 <= len(told) < 15


def test_rows_speak(rig: Rig) -> None:
    rig.load()
    rig.ask("Why?")
    rig.deepen(16)
    index = [rig.transcript.index(i) for i in range(2)]
    spoken = [i.data(Qt.ItemDataRole.AccessibleTextRole) for i in index]
    assert spoken[0] == "You: Why?"
    assert spoken[1] == ("Answer: answer at 16. 16 loops, state kept. changed: 8 → 16")
    assert index[1].data(Qt.ItemDataRole.DisplayRole) == "answer at 16"
    row: Row = index[1].data(RowRole)
    assert isinstance(row, AnswerRow)
    assert rig.transcript.position(row.message_id) == 1
    assert rig.transcript.position("nowhere") == -1
