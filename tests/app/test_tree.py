"""The tree of messages: nothing is lost, the page is one path, later messages stay findable."""

from __future__ import annotations

from app_rig import CARD, Rig
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.conversation import Conversation, Message, Role, Status, new_id


def test_deepening_an_earlier_answer_shows_its_own_path(rig: Rig) -> None:
    rig.load()
    first = rig.ask("First?")
    rig.ask("Second?")
    rig.script.read_gate.clear()
    rig.chat.deepen(16, first.id)
    assert rig.texts == ["First?", "answer at 8"]  # what follows is out of the way
    rig.release()
    line = "2 later messages follow the answer at 8 loops"
    assert rig.texts == ["First?", "answer at 16", line]
    rig.chat.perform(rig.action("Show"))
    assert rig.texts == ["First?", "answer at 8", "Second?", "answer at 8"]
    rig.chat.select_variant(rig.scene.conversation.variants(first.parent_id)[1].id)
    assert rig.texts == ["First?", "answer at 16", line]


def test_what_is_written_after_a_variant_belongs_to_it(rig: Rig) -> None:
    rig.load()
    first = rig.ask("First?")
    rig.deepen(16)
    rig.ask("After sixteen?")
    rig.chat.select_variant(first.id)
    assert rig.texts[-1] == "2 later messages follow the answer at 16 loops"
    rig.ask("After eight?")
    assert rig.texts == ["First?", "answer at 8", "After eight?", "answer at 8"]


def test_a_variant_that_exists_is_shown(rig: Rig) -> None:
    rig.load()
    first = rig.ask()
    rig.deepen(16)
    rig.chat.step_variant(-1)
    assert rig.newest is first
    assert rig.transcript.footer.buttons[0].price == "shows the answer at 16 loops"
    calls = list(rig.calls)
    rig.deepen(16)
    assert rig.newest.depth == 16
    assert rig.calls == calls


def test_looking_elsewhere_while_it_writes_keeps_the_view(rig: Rig) -> None:
    rig.load()
    first = rig.ask()
    rig.script.write_gate.clear()
    rig.chat.deepen(16)
    rig.writing()
    rig.chat.select_variant(first.id)
    rig.release()
    assert rig.newest is first
    assert rig.chips == ["8 loops", "16"]


def test_captions_compare_and_know(rig: Rig) -> None:
    rig.script.answers = {8: "8", 16: "7", 32: "7"}
    rig.load()
    rig.ask(f"  {CARD.question}\n")
    assert rig.answer_row.caption == "known answer: 7 — not yet"
    rig.deepen(16)
    assert rig.answer_row.caption == "known answer: 7 — right · changed: 8 → 7"
    rig.deepen(32)
    assert rig.answer_row.caption == "known answer: 7 — right · same answer as at 16 loops"
    rig.ask("Something else?")
    assert rig.answer_row.caption == ""


def test_a_stopped_answer_counts_as_far_as_it_went(rig: Rig) -> None:
    rig.script.answers = {8: "one two three", 16: "one two four"}
    rig.script.hold_after = 7
    rig.at("writing")
    rig.chat.deepen(16)
    rig.release()
    assert rig.answer_row.caption == "begins like the answer at 8 loops"


def test_an_empty_answer_says_so(rig: Rig) -> None:
    rig.script.answers = {8: ""}
    rig.load()
    rig.ask()
    assert rig.answer_row.caption == "the answer is empty"


def test_copy_gives_the_source(rig: Rig) -> None:
    rig.script.answers = {8: "**bold** `code`\n\n- a list"}
    rig.load()
    answer = rig.ask()
    assert rig.chat.copy_text(answer.id) == "**bold** `code`\n\n- a list"


def test_a_length_limit_can_be_continued(rig: Rig) -> None:
    rig.script.answers = {8: "x" * 100}
    rig.script.max_seq_len = 128
    rig.load()
    rig.ask("y" * 80)
    assert rig.newest.status is Status.LENGTH
    assert rig.answer_row.caption.startswith("reached the length limit")
    assert rig.action("Continue") is None  # the context is full


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=30))
def test_every_message_can_be_shown_again(steps: list[tuple[int, bool]]) -> None:
    conversation = Conversation()
    made: list[Message] = []
    for where, select in steps:
        parent = made[where % len(made)].id if made and where else None
        message = Message(new_id(), parent, Role.USER, f"text {len(made)}")
        conversation.add(message)
        made.append(message)
        if select:
            conversation.select(made[where % len(made)].id)
    for message in made:
        conversation.select(message.id)
        path = conversation.path()
        assert message in path
        assert not conversation.children(path[-1].id)
        assert message.text == f"text {made.index(message)}"
