"""How much the model sees: the cut and its line, the room for answers, the meter."""

from __future__ import annotations

import pytest
from app_rig import Rig
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_engine import ScriptedTokenizer

from app.domain.answer import ModelFacts, ModelId
from app.domain.conversation import Message, Role
from app.domain.length import TooLong, fit, prompt_limit, room_left

CUT = "The model no longer sees what is above."
FACTS = ModelFacts(ModelId("m", "cpu"), "m", "CPU", (8, 16, 32), 512, 1 << 20)


def turns(*lengths: tuple[int, int], question: int) -> list[Message]:
    """A path of finished turns and a question, as long as told in tokens of text."""
    path: list[Message] = []
    for number, (asked, said) in enumerate(lengths):
        path.append(Message(f"q{number}", None, Role.USER, "q" * asked))
        held = path[0].id
        path.append(Message(f"a{number}", None, Role.ASSISTANT, "a" * said, first_held=held))
    return [*path, Message("last", None, Role.USER, "q" * question)]


def test_what_fits_is_whole() -> None:
    path = turns((100, 50), question=100)
    prompt = fit(path, ScriptedTokenizer(), FACTS)
    assert prompt.first_held == "q0"
    assert len(prompt.tokens) == 1 + 2 * 2 + 1 + 100 + 50 + 100


def test_what_overflows_is_cut_to_half() -> None:
    path = turns((100, 50), (100, 50), question=100)
    prompt = fit(path, ScriptedTokenizer(), FACTS)
    assert (prompt.first_held, len(prompt.tokens)) == ("q1", 256)
    path = turns((100, 50), (100, 50), question=101)
    assert fit(path, ScriptedTokenizer(), FACTS).first_held == "last"


def test_the_cut_stays_until_it_overflows_again() -> None:
    path = turns((100, 50), (100, 50), question=20)
    path[3].first_held = "q1"
    prompt = fit(path, ScriptedTokenizer(), FACTS)
    assert prompt.first_held == "q1"


def test_a_question_too_long_alone_names_the_counts() -> None:
    with pytest.raises(TooLong, match="403 of 384 tokens") as caught:
        fit(turns(question=400), ScriptedTokenizer(), FACTS)
    assert (caught.value.needed, caught.value.limit) == (403, 384)


def test_an_enormous_paste_is_refused_without_encoding() -> None:
    class Unused:
        encode = encode_chat = None

    with pytest.raises(TooLong, match="at least 156,250 of 384 tokens"):
        fit(turns(question=10_000_000), Unused(), FACTS)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 200), st.integers(1, 200)), max_size=6),
       st.integers(1, 380), st.sampled_from([40, 128, 512, 2048]))  # fmt: skip
def test_a_prompt_always_leaves_room(
    lengths: list[tuple[int, int]], question: int, context: int
) -> None:
    facts = ModelFacts(FACTS.id, "m", "CPU", (8, 16, 32), context, 0)
    limit = prompt_limit(context)
    path = turns(*lengths, question=question)
    if question + 3 > limit:
        with pytest.raises(TooLong):
            fit(path, ScriptedTokenizer(), facts)
        return
    prompt = fit(path, ScriptedTokenizer(), facts)
    assert len(prompt.tokens) <= limit
    assert prompt.tokens[-question - 1 : -1] == tuple(ScriptedTokenizer().encode("q" * question))
    assert 1 <= room_left(len(prompt.tokens), context, 256) <= context - len(prompt.tokens)


def test_the_line_stands_where_the_model_begins_to_see(rig: Rig) -> None:
    rig.load()
    rig.ask("a" * 180)
    rig.ask("b" * 180)
    assert rig.lines == []
    assert rig.answer_row.caption == ""
    rig.ask("c" * 100)
    assert rig.lines == [CUT]
    assert rig.answer_row.caption == "did not see the beginning of this chat"
    assert rig.texts.index(CUT) == rig.texts.index("c" * 100) - 1
    rig.ask("d" * 100)
    assert rig.texts.index(CUT) == rig.texts.index("c" * 100) - 1
    assert rig.newest.report.prompt_tokens < 256


def test_a_deepening_behind_a_cut_has_the_same_prompt(rig: Rig) -> None:
    rig.load()
    rig.ask("a" * 180)
    rig.ask("b" * 180)
    cut = rig.ask("c" * 100)
    deeper = rig.deepen(16)
    assert deeper.first_held == cut.first_held
    assert deeper.report.prompt_tokens == cut.report.prompt_tokens
    assert deeper.report.prefilled == 0


def test_a_message_too_long_is_not_sent(rig: Rig) -> None:
    rig.load()
    rig.chat.send("x" * 400)
    assert rig.accepted == []
    (sentence,) = rig.refused
    assert sentence == "This message is too long, 403 of 384 tokens: shorten it by 5 % or more."
    assert rig.texts == []


def test_a_message_too_long_that_waited_for_the_model_says_so(rig: Rig) -> None:
    rig.script.load_gate.clear()
    rig.chat.load("slow.tinyloop")
    rig.chat.send("x" * 400)
    rig.release()
    assert rig.lines[0].startswith("This message is too long, 403 of 384 tokens")


def test_max_tokens_is_the_room_left(rig: Rig) -> None:
    rig.load()
    rig.ask("x" * 370)
    assert rig.script.samplings[-1]["max_tokens"] == 512 - 373


def test_the_meter_counts_from_half_on(rig: Rig) -> None:
    rig.load()
    expected = {
        "x" * 100: "",
        "x" * 200: "203 of 384 tokens",
        "x" * 381: "384 of 384 tokens",
        "x" * 382: "385 of 384 tokens, too long to send",
        "": "",
    }
    for draft, text in expected.items():
        rig.chat.draft_changed(draft)
        rig.until(lambda text=text: rig.composer.state.meter == text)
    rig.ask("y" * 200)
    rig.chat.draft_changed("x" * 200)
    rig.until(lambda: rig.composer.state.meter.endswith("earlier messages will be left out"))
