"""Any sequence of clicks at any moment: nothing is lost, nothing is overwritten, nothing breaks."""

from __future__ import annotations

from collections.abc import Callable

from app_rig import Rig
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from scripted_engine import Script

from app.domain.conversation import Message, Role, Status

Click = Callable[[Rig, int], None]


def some(rig: Rig, number: int, role: Role) -> Message | None:
    found = [message for message in rig.scene.conversation if message.role is role]
    return found[number % len(found)] if found else None


def edit(rig: Rig, number: int) -> None:
    if question := some(rig, number, Role.USER):
        rig.chat.edit(question.id, f"edited {number}?")


def with_answer(act: Callable[[Rig, str], None]) -> Click:
    def click(rig: Rig, number: int) -> None:
        if answer := some(rig, number, Role.ASSISTANT):
            act(rig, answer.id)

    return click


CLICKS: dict[str, Click] = {
    "send": lambda rig, number: rig.chat.send(f"question {number}?"),
    "harder": lambda rig, _: rig.chat.deepen(16),
    "hard": lambda rig, _: rig.chat.deepen(32),
    "older harder": with_answer(lambda rig, answer: rig.chat.deepen(16, answer)),
    "stop": lambda rig, _: rig.chat.stop(),
    "edit": edit,
    "again": with_answer(lambda rig, answer: rig.chat.answer_again(answer)),
    "continue": with_answer(lambda rig, answer: rig.chat.continue_answer(answer)),
    "select": with_answer(lambda rig, answer: rig.chat.select_variant(answer)),
    "left": lambda rig, _: rig.chat.step_variant(-1),
    "depth": lambda rig, number: rig.chat.set_depth((8, 16, 32)[number % 3]),
    "settle": lambda rig, _: rig.idle(),
}


ANSWERS = {d: f"an answer at {d} loops, long enough to be stopped" for d in (8, 16, 32)}


def check(rig: Rig, seen: dict[str, str]) -> None:
    """What must hold between any two clicks."""
    conversation = rig.scene.conversation
    assert rig.status.error is None, rig.status.error
    for message_id, text in seen.items():
        assert conversation[message_id].text.startswith(text), "a text was overwritten"
    seen.update({message.id: message.text for message in conversation})
    for message in conversation:
        if message.role is Role.ASSISTANT:
            said = ANSWERS[message.depth]
            assert said.startswith(message.text)
            assert message.status is not Status.DONE or message.text == said
    shown = [row.text for row in rig.transcript.rows()]
    assert all(message.text in shown for message in rig.scene.path())


OFTEN = ("send", "harder", "hard", "stop", "settle")
PAUSES = (0, 0, 4, 12, 30)  # milliseconds: the same moment, while it reads, writes, is done
ANY_CLICK = st.tuples(
    st.sampled_from([*OFTEN, *sorted(CLICKS)]), st.integers(0, 12), st.sampled_from(PAUSES)
)


@settings(max_examples=20, deadline=None)
@given(clicks=st.lists(ANY_CLICK, min_size=20, max_size=30))
def test_any_clicks(qapp: QApplication, clicks: list[tuple[str, int, int]]) -> None:
    rig = Rig(
        Script(delay=0.001, hold_after=0, answers=ANSWERS, free=24 << 20)
    )  # room for six states
    rig.load()
    rig.chat.send("The first question?")
    seen: dict[str, str] = {}
    try:
        for name, number, pause in clicks:
            CLICKS[name](rig, number)
            rig.live(pause)
            check(rig, seen)
        rig.idle()
        check(rig, seen)
        for message in list(rig.scene.conversation):
            rig.chat.select_variant(message.id)
            assert message in rig.scene.path()
        assert not any(m.status is Status.WRITING for m in rig.scene.conversation)
    finally:
        assert rig.close()
