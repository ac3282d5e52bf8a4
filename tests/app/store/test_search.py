"""Search: whole words and parts of them, any script, any characters, the newest first."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_rig import WAIT, Kept, answer, question

from app.domain.conversation import Conversation

Open = Callable[..., Kept]
TEXTS = {
    "coins": "The coin is under cup 2.\nSwap 1 and 2.", "japanese": "正しい答えは七です。",
    "german": "ÄRGERLICH: Größe und Maß", "percent": "100% of a_b\\c", "quotes": 'say "no" (now)*',
    "arabic": "ما هو الجواب الصحيح", "emoji": "well done 🎉🎉",
    "long": "x" * 5000 + " needle " + "y" * 99,
}  # fmt: skip
FINDS = [
    ("coin", ["coins"]), ("COIN under", ["coins"]), ("oin und", ["coins"]),
    ("swap coin", ["coins"]),
    ("swap needle", []), ("答え", ["japanese"]), ("答", ["japanese"]), ("答えは", ["japanese"]),
    ("七です", ["japanese"]), ("ärger", ["german"]), ("größe", ["german"]), ("maß", ["german"]),
    ("100%", ["percent"]), ("%", ["percent"]), ("_", ["percent"]), ("\\", ["percent"]),
    ("a_b", ["percent"]), ('"no"', ["quotes"]), ("(now)*", ["quotes"]), ('"', ["quotes"]),
    ("الجواب", ["arabic"]), ("هو", ["arabic"]), ("🎉", ["emoji"]), ("🎉🎉", ["emoji"]),
    ("needle", ["long"]), ("2", ["coins"]), ("cup 2", ["coins"]), ("", []), ("   ", []),
    ("NEAR", []), ("coin NOT cup", []), ("text:coin", []), ("\ud83d", []), ("\0", []),
    ("a\0_b", ["percent"]), ("🎉🎉🎉", []),
]  # fmt: skip


@pytest.fixture
def filled(open_store: Open) -> Kept:
    store = open_store()
    for n, (name, text) in enumerate(TEXTS.items()):
        chat = Conversation(title=name)
        question(chat, text).created = 1.0
        chat.updated = float(n)
        store.put(chat)
    return store


@pytest.mark.parametrize(("text", "titles"), FINDS)
def test_what_is_found(filled: Kept, text: str, titles: list[str]) -> None:
    assert [hit.title for hit in filled.search(text)] == titles


def test_an_excerpt_shows_the_place(filled: Kept) -> None:
    (hit,) = filled.search("needle")
    assert " needle " in hit.excerpt
    assert hit.excerpt.startswith("…x")
    assert len(hit.excerpt) < 100
    (hit,) = filled.search("swap")
    assert hit.excerpt == "The coin is under cup 2. Swap 1 and 2."


@pytest.mark.parametrize(
    ("text", "words"), [("COIN  is", "COIN is"), ("swap coin", "swap"), ("2.", "2.")]
)
def test_a_hit_names_words_that_stand_in_its_message(filled: Kept, text: str, words: str) -> None:
    (hit,) = filled.search(text)
    assert hit.words == words
    assert words.casefold() in hit.excerpt.casefold()


def test_titles_are_found_and_chats_shown_once_newest_first(filled: Kept) -> None:
    for n in range(3):
        chat = Conversation(title=f"lagoon {n}")
        answer(chat, question(chat, "blue lagoon").id, "a lagoon again")
        chat.updated = chat.created = 10.0 + n
        for message in chat:
            message.created = 1.0
        filled.put(chat)
    renamed = Conversation(title="Lagoon by name")
    question(renamed, "nothing of it")
    filled.put(renamed)
    hits = filled.search("lagoon")
    assert [hit.title for hit in hits] == ["Lagoon by name", "lagoon 2", "lagoon 1", "lagoon 0"]
    assert [bool(hit.message_id) for hit in hits] == [False, True, True, True]
    assert len(filled.search("lagoon", limit=2)) == 2


def test_a_changed_text_is_found_by_its_new_words_only(filled: Kept) -> None:
    chat = Conversation(title="An animal")
    message = question(chat, "an ocelot")
    filled.put(chat)
    message.text = "a marmoset"
    filled.save(chat, message).result(WAIT)
    assert filled.search("ocelot") == []
    assert [hit.message_id for hit in filled.search("marmoset")] == [message.id]


def test_any_query_is_answered(open_store: Open) -> None:
    store = open_store(None)
    chat = Conversation()
    question(chat, "words")
    store.put(chat)

    @settings(max_examples=150, deadline=None)
    @given(st.text(st.characters(), max_size=12))
    def answered(text: str) -> None:
        store.search(text)

    answered()
