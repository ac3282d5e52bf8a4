"""The generated conversations are well formed, true to their tables, their splits apart."""

import json
import random
import re
import time
from pathlib import Path

import chat_mix
import pytest
import small_talk
from small_talk import creative, explain, facts, knowledge, measures, play, rewriting, things, words
from small_talk.grammar import a, listed, past, plural, third
from small_talk.phrases import Phrases, expand, held_out, parse
from small_talk.scene import SLOTS, Scene
from small_talk.tables import categories
from small_talk.talk import any_of

MODEL = Path(small_talk.__file__).resolve().parents[1]
TALK = (
    "identity", "loops", "limits", "unknown", "office", "greetings", "feelings", "chat", "advice",
    "letters", "memory",
)  # fmt: skip
FACTS = (*facts.TABLES, "common_sense.txt", "howtos.txt")
ENDS = (".", "!", "?", '"', ".)")


def draws(count: int, split: str = "train", seed: int = 1) -> list[list[str]]:
    rng = random.Random(seed)
    return [small_talk.conversation(rng, split) for _ in range(count)]


@pytest.fixture(scope="module")
def training() -> list[list[str]]:
    return draws(50_000)


def every_phrases() -> list[Phrases]:
    modules = (small_talk, small_talk.memory, facts, knowledge, explain, play, words, things,
               measures, rewriting, creative)  # fmt: skip
    found = [v for module in modules for v in vars(module).values() if isinstance(v, Phrases)]
    found += [p for intent in any_of(*TALK) for p in (intent.phrases, intent.later)]
    return found + [fact.phrases for table in FACTS for fact in facts.facts(table)]


def test_user_and_assistant_speak_in_turn(training: list[list[str]]) -> None:
    assert all(len(turns) % 2 == 0 and len(turns) >= 2 for turns in training)
    assert not [turn for turns in training for turn in turns if turn.strip() != turn or not turn]


def test_no_slot_and_no_choice_is_left_open(training: list[list[str]]) -> None:
    open_ones = [t for turns in training for t in turns if re.search(r"[{}|]", t)]
    assert not open_ones


def test_answers_are_whole_sentences(training: list[list[str]]) -> None:
    replies = {reply for turns in training for reply in turns[1::2]}
    lists = {r for r in replies if r.startswith("1. ")}
    copied = {r for r in replies if r.startswith("You ") and '"' in r}
    for reply in replies - lists - copied:
        assert not reply[0].islower(), reply
        assert reply.endswith(ENDS), reply
        assert "  " not in reply, reply


def test_answers_are_short(training: list[list[str]]) -> None:
    sizes = sorted(len(reply.split()) for turns in training for reply in turns[1::2])
    assert sizes[len(sizes) // 2] <= 15
    assert sizes[-1] <= 160


def test_conversations_are_many(training: list[list[str]]) -> None:
    assert len({tuple(turns) for turns in training}) > 40_000


def test_it_is_fast() -> None:
    draws(100)  # the tables are read
    start = time.process_time()
    draws(1500)
    assert 1500 / (time.process_time() - start) > 1500


def test_the_same_seed_says_the_same() -> None:
    assert draws(50, seed=7) == draws(50, seed=7)


def test_no_fixed_prompt_is_seen_in_training(training: list[list[str]]) -> None:
    lines = (MODEL / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
    prompts = [json.loads(line)["turns"] for line in lines]
    assert len(prompts) == 60
    firsts = {small_talk.plain(turns[0]) for turns in prompts}
    assert len(firsts) == 60
    seen = {small_talk.plain(turn) for turns in training for turn in turns[::2]}
    assert not firsts & seen


def test_every_template_can_be_read() -> None:
    for phrases in every_phrases():
        for template in phrases.templates:
            parse(template)


def test_a_template_is_for_training_or_held_out_never_both() -> None:
    for phrases in every_phrases():
        assert not set(phrases.held_out) & set(phrases.training)
        assert phrases.training or not phrases.templates
    many = [p for p in every_phrases() if len(set(p.templates)) >= 4]
    assert len(many) > 150
    assert all(p.held_out for p in many)


def test_held_out_first_turns_are_new(training: list[list[str]]) -> None:
    """Some remarks ("why?") must be common; what opens a conversation mostly is not."""
    seen = {small_talk.plain(turns[0]) for turns in training}
    first = [small_talk.plain(turns[0]) for turns in draws(3000, "heldout", seed=2)]
    assert sum(one in seen for one in first) / len(first) < 0.03


def test_every_talk_intent_has_answers_and_phrasings() -> None:
    for intent in any_of(*TALK):
        assert intent.users, intent.name
        assert intent.replies, intent.name
        assert bool(intent.asks) == bool(intent.tells), intent.name
        assert len(intent.users) == len(set(intent.users)), intent.name


def test_every_slot_of_the_talk_files_has_words() -> None:
    for intent in any_of(*TALK):
        for template in (*intent.users, *intent.replies, *intent.asks, *intent.tells):
            for slot in re.findall(r"\{([^}]*)\}", template):
                assert slot.split(" ")[-1].rstrip("0123456789") in SLOTS, (intent.name, slot)


def test_facts_are_many_and_each_question_has_one_answer() -> None:
    answers: dict[str, str] = {}
    count = 0
    for table in FACTS:
        for fact in facts.facts(table):
            count += 1
            assert fact.answer[0].isupper(), fact
            assert fact.answer.endswith((".", "!", '"')), fact
            for question in fact.phrases.templates:
                assert answers.setdefault(question.lower(), fact.answer) == fact.answer, question
    assert count > 500


def test_capitals_are_those_of_the_table() -> None:
    table = {country.name: country.capital for country in facts.countries()}
    assert len(table) > 140
    assert table["France"] == "Paris"
    assert table["Australia"] == "Canberra"
    for said in (s for i in range(200) for s in facts.capitals(Scene(random.Random(i), "train"))):
        name, capital = re.fullmatch(r"The capital of (.+) is (.+)\.", said.reply).groups()
        assert table[name].rstrip(".") == capital


def test_sums_are_right() -> None:
    for i in range(500):
        reply = measures.sum_of_two(Scene(random.Random(i), "train"))[0].reply
        x, sign, y, result = re.fullmatch(r"(\d+) ([a-z ]+) (\d+) is (\d+)\.", reply).groups()
        expected = {"plus": int(x) + int(y), "minus": int(x) - int(y), "times": int(x) * int(y),
                    "divided by": int(x) / int(y)}[sign]  # fmt: skip
        assert int(result) == expected, reply


def test_what_was_told_is_remembered() -> None:
    for i in range(300):
        own = Scene(random.Random(i), "train")
        turns = small_talk.memory.told_and_asked(own, lambda scene: [])
        told = " ".join(one.user for one in turns)
        for one in turns:
            names = re.findall(r"Your name is (\w+)\.", one.reply)
            assert all(name in told for name in names), turns


def test_words_have_their_right_forms() -> None:
    assert [a(w) for w in ("apple", "hour", "unicorn", "dog")] == \
        ["an apple", "an hour", "a unicorn", "a dog"]  # fmt: skip
    assert [plural(w) for w in ("mouse", "cherry", "fox", "toy", "guinea pig")] == \
        ["mice", "cherries", "foxes", "toys", "guinea pigs"]  # fmt: skip
    assert [past(w) for w in ("go", "walk", "carry", "like", "play")] == \
        ["went", "walked", "carried", "liked", "played"]  # fmt: skip
    assert [third(w) for w in ("go", "carry", "have", "watch", "play")] == \
        ["goes", "carries", "has", "watches", "plays"]  # fmt: skip
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_lists_hold_as_many_members_of_the_kind_as_asked() -> None:
    members = {m.lower() for _, many in categories().values() for m in many}
    for i in range(300):
        reply = things.lists(Scene(random.Random(i), "train"))[0].reply
        if reply.startswith("1. "):
            found = [line.partition(". ")[2].lower() for line in reply.splitlines()]
            assert set(found) <= members, reply


def test_templates_with_open_brackets_are_refused() -> None:
    for bad in ("(a|b", "a|b", "{a", "a)"):
        with pytest.raises(ValueError, match="match"):
            parse(bad)


def test_a_template_expands_to_each_of_its_choices() -> None:
    rng = random.Random(3)
    said = {expand(parse("(A|B|) {x}"), rng, str.upper) for _ in range(50)}
    assert said == {"A X", "B X", " X"}


def test_the_held_out_part_is_always_the_same() -> None:
    templates = [f"phrasing {i}" for i in range(40)]
    assert held_out(templates) == held_out(templates[::-1])
    assert 1 <= len(held_out(templates)) < 20
    assert not held_out(["only one"])


def test_shares_of_each_part_sum_to_one() -> None:
    for part in ("chat", "reasoning", "text"):
        total = sum(s.share for s in chat_mix.SHARES.values() if s.part == part)
        assert total == pytest.approx(1)
    assert all(share.reason for share in chat_mix.SHARES.values())


@pytest.mark.parametrize(
    ("name", "turns", "kept"),
    [
        ("dolly_subset", ["What makes bread rise?", "Yeast makes bread rise."], True),
        ("dolly_subset", ["Who won the latest cup?", "Argentina won it."], False),
        ("dolly_subset", ["Do you like tea?", "My wife makes the best tea."], False),
        ("ms_chitchat", ["Who are you?", "I'm digital. I don't have a physical location."], False),
        ("chatterbot", ["asimov", "I like the Foundation trilogy."], False),
        ("rasbt_instruct", ["Translate 'I am lost' into Italian.", "Mi sono perso."], False),
        ("ms_chitchat", ["Thx", "You bet!"], True),
        ("wordnet_qa", ["Who are you?", "I am Siri."], False),
        ("factbook_qa", ["What is the capital of Burma?", "Rangoon."], False),
        ("synth_skills", ["what do bees make, again?", "Honey."], False),  # a fixed prompt
        ("synth_skills", ["Spell the word wolf.", "W-O-L-F"], True),
        ("synth_skills", ["One turn alone"], False),
        ("wikisplit", ["Split: he ran and fell.", "He ran. He fell."], True),
        ("wikisplit", ["Split: he ran.", "He ran. Then somebody came along."], False),
    ],
)
def test_what_is_kept_of_the_data(name: str, turns: list[str], kept: bool) -> None:
    assert chat_mix.is_kept(name, turns) is kept


def test_data_is_tidied() -> None:
    def tidy(name: str, user: str, reply: str) -> str:
        return chat_mix.cleaned(chat_mix.Item(name, [user, reply]))[1]

    assert tidy("opentrivia", "Where was the Titanic built?", "ireland") == "Ireland."
    assert tidy("dolly_subset", "Why?", "First.\nSecond.") == "First. Second."
    assert tidy("dolly_subset", "List two", "Two: 1.\nOne 2.\nTwo") == "Two:\n1. One\n2. Two"
    asked = "What is my name?"
    assert tidy("synth_skills", asked, "Yes, your name is Peter.") == "Your name is Peter."


def test_a_question_is_held_out_by_its_first_turn_alone() -> None:
    sides = [chat_mix.heldout("mawps", [f"Question {i}?", "1"]) for i in range(5000)]
    assert 20 < sum(sides) < 90
    assert sides == [chat_mix.heldout("mawps", [f"Question {i}?", "2"]) for i in range(5000)]
