"""The tokenizer: text survives the round trip, marks never come from text, no half characters."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import TINY, tiny_config, tiny_tokenizer, write_tiny_model

from engine.config import ChatTemplate
from engine.errors import ModelFileError
from engine.resources import bundled_model
from engine.tokenizer import Tokenizer

QUICK = settings(max_examples=150, deadline=None)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(bundled_model())


@pytest.fixture(scope="module")
def tiny() -> Tokenizer:
    return Tokenizer(tiny_tokenizer(), TINY, "tiny")


def pieces(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    """What an app sees: the text of each push, and of the flush."""
    detokenizer = tokenizer.detokenizer()
    return [*(detokenizer.push(i) for i in ids), detokenizer.flush()]


@QUICK
@given(text=TEXT)
def test_any_text_comes_back(tokenizer: Tokenizer, tiny: Tokenizer, text: str) -> None:
    for t in (tokenizer, tiny):
        # The one character sentencepiece cannot keep: it writes spaces with it.
        assert t.decode(t.encode(text)) == text.replace("\u2581", " ")


@QUICK
@given(text=TEXT)
def test_text_never_gives_control_ids(tokenizer: Tokenizer, tiny: Tokenizer, text: str) -> None:
    for t in (tokenizer, tiny):
        assert not t.control_ids & set(t.encode(text))


@pytest.mark.parametrize(
    "mark",
    ["<s>", "</s>", "<unk>", "<|user|>", "<|assistant|>", "<|end|>", "[user]", "[end]", "<0x41>",
     "<pad>"],
)  # fmt: skip
def test_marks_written_by_a_user_are_text(tokenizer: Tokenizer, mark: str) -> None:
    for text in (mark, f"a{mark}b", f" {mark} ", mark * 3):
        ids = tokenizer.encode(text)
        assert not tokenizer.control_ids & set(ids)
        assert tokenizer.decode(ids) == text
        prompt = tokenizer.encode_chat([("user", text)])
        assert prompt == [1, 3, *ids, 4]


def test_control_ids_are_the_marks(tokenizer: Tokenizer) -> None:
    assert tokenizer.control_ids == {0, 1, 2, 3, 4, 5}
    assert tokenizer.stop_ids == {2, 5}
    assert tokenizer.vocab_size == 8192
    assert tokenizer.decode([1, 3, 4, 5, 2, 0]) == ""


def test_ids_without_a_piece_are_control_ids() -> None:
    wide = Tokenizer(tiny_tokenizer(), tiny_config(vocab_size=310), "wide")
    assert set(range(300, 310)) <= wide.control_ids
    assert wide.token_bytes(305) == b""


@pytest.mark.parametrize("token", [-1, 8192])
def test_ids_outside_the_vocabulary_are_refused(tokenizer: Tokenizer, token: int) -> None:
    for call in (
        lambda: tokenizer.decode([token]),
        lambda: tokenizer.token_bytes(token),
        lambda: tokenizer.encode_chat([("user", [token])]),
    ):
        with pytest.raises(ValueError, match=f"{token} is outside the vocabulary of 8192"):
            call()


def test_lone_surrogates_do_not_stop_a_chat(tokenizer: Tokenizer) -> None:
    assert tokenizer.decode(tokenizer.encode("a\ud800b")) == "a?b"


def test_only_the_first_space_is_dropped(tokenizer: Tokenizer) -> None:
    hi = tokenizer.encode("hi")
    assert tokenizer.token_bytes(hi[0]).startswith(b" ")
    assert tokenizer.decode(hi) == "hi"
    assert tokenizer.decode([*hi, *hi]) == "hi hi"
    assert tokenizer.decode([4, *hi]) == "hi"
    assert tokenizer.decode(tokenizer.encode("  hi ")) == "  hi "


def test_a_conversation(tokenizer: Tokenizer) -> None:
    q, a = tokenizer.encode("Hello"), tokenizer.encode("Hi there.")
    chat = [("user", "Hello"), ("assistant", "Hi there."), ("user", "Hello")]
    assert tokenizer.encode_chat(chat) == [1, 3, *q, 4, *a, 5, 3, *q, 4]


@pytest.mark.parametrize("end", [[], [2], [5]])
def test_an_answer_given_as_ids_is_kept(tokenizer: Tokenizer, end: list[int]) -> None:
    ids = [300, 301, *end]
    prompt = tokenizer.encode_chat([("user", [290]), ("assistant", ids), ("user", [291])])
    assert prompt == [1, 3, 290, 4, 300, 301, *(end or [5]), 3, 291, 4]


def test_an_answer_that_was_stopped_at_once_gets_its_end(tokenizer: Tokenizer) -> None:
    prompt = tokenizer.encode_chat([("user", [290]), ("assistant", ()), ("user", [291])])
    assert prompt == [1, 3, 290, 4, 5, 3, 291, 4]


@pytest.mark.parametrize(
    "roles", [[], ["assistant"], ["system", "user"], ["user", "user"], ["user", "assistant"]]
)
def test_other_orders_are_refused(tokenizer: Tokenizer, roles: list[str]) -> None:
    with pytest.raises(ValueError, match=r"user, assistant|last message"):
        tokenizer.encode_chat([(role, "x") for role in roles])


@QUICK
@given(ids=st.lists(st.integers(0, 8191), max_size=30))
def test_the_detokenizer_adds_up_to_decode(tokenizer: Tokenizer, ids: list[int]) -> None:
    assert "".join(pieces(tokenizer, ids)) == tokenizer.decode(ids)
    data = b"".join(tokenizer.token_bytes(i) for i in ids)
    first = next((tokenizer.token_bytes(i) for i in ids if tokenizer.token_bytes(i)), b"")
    expected = data[1:] if first.startswith(b" ") else data
    assert tokenizer.decode(ids) == expected.decode("utf-8", "replace")


@QUICK
@given(text=TEXT)
def test_valid_bytes_never_give_the_replacement_character(tiny: Tokenizer, text: str) -> None:
    # The tiny tokenizer writes almost everything byte by byte.
    text = text.replace("\ufffd", "x").replace("\u2581", " ")
    shown = pieces(tiny, tiny.encode(text))
    assert "\ufffd" not in "".join(shown)
    assert shown[-1] == ""
    assert "".join(shown) == text


def byte_ids(tokenizer: Tokenizer, data: bytes) -> list[int]:
    """The pieces of single bytes; in ordinary text they have no other."""
    single = {tokenizer.token_bytes(i): i for i in reversed(range(tokenizer.vocab_size))}
    return [single[bytes([byte])] for byte in data]


def test_a_character_appears_with_its_last_byte(tokenizer: Tokenizer) -> None:
    ids = byte_ids(tokenizer, "🙂é".encode())
    assert pieces(tokenizer, ids) == ["", "", "", "🙂", "", "é", ""]


def test_bytes_that_are_no_character_are_shown_as_such(tokenizer: Tokenizer) -> None:
    cut = byte_ids(tokenizer, "🙂".encode()[:3])
    assert pieces(tokenizer, cut) == ["", "", "", "\ufffd"]
    assert pieces(tokenizer, [*cut, *tokenizer.encode("a")]) == ["", "", "", "\ufffd a", ""]
    assert pieces(tokenizer, byte_ids(tokenizer, b"\xff")) == ["\ufffd", ""]


def test_marks_that_text_could_write_are_refused() -> None:
    marks = dataclasses.replace(TINY.chat_template, user=(290,))
    with pytest.raises(ModelFileError, match="chat mark 290 must be a control symbol"):
        Tokenizer(tiny_tokenizer(), tiny_config(chat_template=marks), "tiny")


def test_a_tokenizer_larger_than_the_model_is_refused() -> None:
    with pytest.raises(ModelFileError, match="300 pieces, but the config's vocab_size is 299"):
        Tokenizer(tiny_tokenizer(), tiny_config(vocab_size=299), "tiny")


def test_a_template_may_be_empty() -> None:
    bare = tiny_config(chat_template=ChatTemplate((), (), (), ()))
    assert Tokenizer(tiny_tokenizer(), bare, "tiny").encode_chat([("user", [9])]) == [9]


def test_it_is_read_from_a_file_alone(tmp_path: Path, tiny: Tokenizer) -> None:
    read = Tokenizer.from_file(write_tiny_model(tmp_path / "m.tinyloop"))
    assert read.encode("What is 7?") == tiny.encode("What is 7?")
    with pytest.raises(ModelFileError, match="No such file"):
        Tokenizer.from_file(tmp_path / "none")
