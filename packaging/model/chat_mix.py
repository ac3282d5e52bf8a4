"""Chooses and cleans what the model learns from the shared data: which sets, which items, how much.

``conversations`` and ``texts`` yield what is kept; ``SHARES`` says how much of each part's tokens
every set should make up in training, with the reason. What would teach a small private assistant
bad habits is dropped: bookings it cannot make, lives it does not have, other assistants' names.
"""

from __future__ import annotations

import json
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from small_talk import is_prompt

Part = Literal["chat", "reasoning", "text"]


class Share(NamedTuple):
    """How much of its part's tokens a set makes up (a part's shares sum to 1), and why."""

    part: Part
    share: float
    reason: str


SHARES: dict[str, Share] = {
    "synth_skills": Share(
        "chat", 0.26, "short true answers to simple tasks, and things remembered"
    ),
    "dolly_subset": Share(
        "chat", 0.17, "people's own questions, answered by people; short answers only"
    ),
    "wordnet_qa": Share("chat", 0.12, "definitions, opposites and example sentences"),
    "word_tasks": Share(
        "chat", 0.09, "plurals, letters, feelings, larger animals: small word skills"
    ),
    "opentrivia": Share("chat", 0.05, "facts in short; few of the multiple-choice ones"),
    "fairytaleqa_qa": Share("chat", 0.07, "answers that stand in a story just read"),
    "story_prompts": Share("chat", 0.06, "short stories and fables on request"),
    "rasbt_instruct": Share("chat", 0.05, "clean short instructions with short answers"),
    "ms_chitchat": Share("chat", 0.03, "many ways of small talk; only the replies that fit us"),
    "factbook_qa": Share("chat", 0.03, "countries; capitals come from our own table"),
    "wikisplit": Share("chat", 0.02, "rewriting without adding anything"),
    "selfinstruct_seeds": Share("chat", 0.02, "varied tasks of everyday life"),
    "elements_qa": Share("chat", 0.01, "symbols and numbers of the elements"),
    "fun_dialogues": Share("chat", 0.01, "calm advice on small complaints"),
    "chatterbot": Share("chat", 0.005, "short facts; no code and no invented person"),
    "recipes": Share("chat", 0.005, "recipes as people write them; the short ones"),
    "sgd": Share("chat", 0, "books, pays and looks up things: we can do none of it"),
    "topical_chat": Share("chat", 0, "two people with lives, films seen and opinions"),
    "synthetic_persona": Share("chat", 0, "two people with families, jobs and hobbies"),
    "synth_reasoning": Share(
        "reasoning", 0.46, "small sums, places and orders, said in a sentence"
    ),
    "mawps_augmented": Share("reasoning", 0.13, "word problems with the sums written down"),
    "gsm8k_train": Share("reasoning", 0.11, "longer word problems in people's words"),
    "reasoning_gym": Share("reasoning", 0.1, "small puzzles; none with odd formats"),
    "mawps": Share("reasoning", 0.05, "word problems in people's words"),
    "openbookqa": Share("reasoning", 0.05, "simple science"),
    "arc_train": Share("reasoning", 0.05, "school science"),
    "strategyqa": Share("reasoning", 0.05, "yes or no with a reason first"),
    "gutenberg_easy": Share("text", 0.3, "plain stories, the bulk of good English"),
    "wikipedia_slice": Share("text", 0.22, "knowledge of the world"),
    "standard_ebooks": Share("text", 0.09, "children's classics, carefully edited"),
    "fairytaleqa": Share("text", 0.08, "fairy tales: stories as users want them"),
    "openstax": Share("text", 0.07, "explanations"),
    "wordnet_glosses": Share("text", 0.06, "what words mean"),
    "gutenberg_classics": Share("text", 0.04, "older prose"),
    "onestop": Share("text", 0.04, "news in simple English"),
    "pratham_books": Share("text", 0.03, "short stories for children"),
    "wordset": Share("text", 0.02, "what words mean"),
    "african_storybook": Share("text", 0.02, "short stories for children"),
    "factbook": Share("text", 0.01, "countries"),
    "bookdash": Share("text", 0.01, "short stories for children"),
    "aesop": Share("text", 0.01, "fables"),
}

MOST_WORDS = 250  # of one answer; more is rambling
MOST_CHARACTERS = 3600  # of a conversation, to fit in 1,024 tokens
SHORT = {"dolly_subset": 80, "gsm8k_train": 120, "selfinstruct_seeds": 120, "recipes": 160}
HELD_OUT_OF = 100

OTHERS = re.compile(
    r"\b(ChatGPT|GPT-?\d*|OpenAI|Siri|Alexa|Cortana|Copilot|Eliza|HAL|Gemini|Bard|Claude|LLaMA"
    r"|Samantha|Bishop|Ava|Assistant|language model)\b"
)
CODE = re.compile(r"```|\"`|<[a-z]+>|\bdef |\breturn |#include|SELECT |function\(|;\n")
ODD = re.compile(r"[^\x00-\u024f\u2010-\u2026\u20ac]")
LIVE = re.compile(
    r"\b(today|tonight|tomorrow|yesterday|current(ly)?|latest|recent(ly)?|so far|this year"
    r"|20(19|2\d))\b",
    re.I,
)
SELF = re.compile(
    r"\b(my (wife|husband|kids?|children|mom|mother|dad|father|family|boss|job|dog|cat|favou?rite)"
    r"|I (was|went|grew|live|love|work))\b",
    re.I,
)
ASKED_OF_US = re.compile(r"\b((do|did|would|are|were|have) you|you (are|do|like))\b", re.I)
ADULT = re.compile(
    r"\b(pregnan|sex|rape|drunk|murder|suicid|condom|naked|nude|kill(ed|s)? (him|her)self)", re.I
)
SYNONYM = re.compile(r"another word for|synonym|means the same", re.I)
MULTIPLE = re.compile(r"\nA\) ")
PUZZLE_FORMATS = re.compile(
    r"ASCII|base-|instruction below|significant|\\frac|\$|\['|\d{4}-\d|system operation"
    r"|maximum of|Respond only|->|format",
    re.I,
)
UNFIT_CHITCHAT = re.compile(
    r"name|funny|funnier|joke|humor|comedy|La la|Row, row|snack|flip a coin|follow your heart"
    r"|talents|Ouija|goldfish|seagulls|alligator|cookie|musically|hardware|Absolutely|Certainly"
    r"|favorite|blushing|smart|asker|ask you|professional relationship|No way|Nope|Haha|Okie|Yay"
    r"|Hooray|code|created me|made me|a bot|digital|virtual|fist|tomatoes|aim to|brains|boss"
    r"|report to|magical|pretty cool|other bots|Will do|Very well|Noted|Gotcha|I see|happy dance"
    r"|super|likes|stuff|Oh no|one answer|contest|how we'd even|not fair|face|look|see you"
    r"|Pretty much this|tech|what I do every day"
)


class Item(NamedTuple):
    """One line of the data."""

    set: str
    turns: list[str]


def items(path: Path) -> Iterator[Item]:
    """Yield the lines of a data file; a text is one turn."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            data = json.loads(line)
            yield Item(data["set"], data.get("turns") or [data["text"]])


def conversations(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield (set, turns) of the chats and reasoning questions worth learning from, each once.

    Args:
        data: The folder with ``chat.jsonl.xz`` and ``reasoning.jsonl.xz``.
    """
    seen: set[str] = set()
    for name in ("chat", "reasoning"):
        for item in items(data / f"{name}.jsonl.xz"):
            if SHARES[item.set].share == 0:
                continue
            turns = cleaned(item)
            key = "\n".join(turns)
            if turns and key not in seen and is_kept(item.set, turns):
                seen.add(key)
                yield item.set, turns


def texts(data: Path) -> Iterator[tuple[str, str]]:
    """Yield (set, text) of the texts, as they are.

    Args:
        data: The folder with ``text.jsonl.xz``.
    """
    for item in items(data / "text.jsonl.xz"):
        yield item.set, item.turns[0]


def heldout(name: str, turns: list[str]) -> bool:
    """Return whether training never sees a conversation of set ``name``: one in a hundred.

    It depends on the first turn alone, so that the same question never stands on both sides.
    """
    return zlib.crc32(f"{name}\n{turns[0]}".encode()) % HELD_OUT_OF == 0


def is_kept(name: str, turns: list[str]) -> bool:
    """Return whether a cleaned conversation teaches nothing that we do not want."""
    if (
        len(turns) % 2
        or not all(turns)
        or sum(map(len, turns)) > MOST_CHARACTERS
        or is_prompt(turns)
    ):
        return False
    most = SHORT.get(name, MOST_WORDS)
    if any(
        len(turn.split()) > most or OTHERS.search(turn) or CODE.search(turn) for turn in turns[1::2]
    ):
        return False
    if any(CODE.search(turn) or ODD.search(turn) or ADULT.search(turn) for turn in turns):
        return False
    return KEEP[name](*turns[:2]) if name in KEEP else True


def is_plain_dolly(user: str, reply: str) -> bool:
    """Keep what stays true, needs no other language and speaks of no life of its own."""
    about_us = ASKED_OF_US.search(user) or SELF.search(reply)
    return not about_us and not LIVE.search(f"{user}\n{reply}") and "ranslat" not in user


def is_impersonal(user: str, reply: str) -> bool:
    """Keep questions of fact in which nobody speaks of himself."""
    personal = re.search(r"\b(you|I|my)\b", f"{user}\n{reply}", re.I)
    return is_plain_dolly(user, reply) and not personal


def is_faithful_split(user: str, reply: str) -> bool:
    """Keep what adds no more than one word to the sentence it splits."""
    given = set(re.findall(r"\w+", user.lower()))
    return len([w for w in re.findall(r"\w+", reply.lower()) if w not in given]) <= 1


def is_limited_trivia(user: str, reply: str) -> bool:
    """Keep one in six of the multiple-choice questions, and what stays true."""
    chosen = not MULTIPLE.search(user) or zlib.crc32(user.encode()) % 6 == 0
    return chosen and not LIVE.search(user) and len(reply) > 1


def is_short_reading(user: str, reply: str) -> bool:
    """Keep questions on stories of a length that a small model can follow."""
    return len(user.split()) < 330 and len(reply) > 2


KEEP: dict[str, Callable[[str, str], bool]] = {
    "dolly_subset": is_plain_dolly,
    "selfinstruct_seeds": is_plain_dolly,
    "chatterbot": is_impersonal,
    "rasbt_instruct": lambda user, reply: "ranslat" not in user,
    "fun_dialogues": lambda user, reply: "apple picker" not in user,
    "wikisplit": is_faithful_split,
    "opentrivia": is_limited_trivia,
    "fairytaleqa_qa": is_short_reading,
    "wordnet_qa": lambda user, reply: not SYNONYM.search(user),
    "word_tasks": lambda user, reply: not SYNONYM.search(user),
    "factbook_qa": lambda user, reply: "capital" not in user,
    "ms_chitchat": lambda user, reply: not UNFIT_CHITCHAT.search(reply) and not OTHERS.search(user),
    "reasoning_gym": lambda user, reply: not PUZZLE_FORMATS.search(user + reply),
}  # fmt: skip


def cleaned(item: Item) -> list[str]:
    """Return the turns in a tidy form: joined lines, whole sentences, no ornaments."""
    turns = [turn.strip() for turn in item.turns]
    if item.set == "dolly_subset":
        return [turns[0], joined(turns[1])]
    if item.set == "recipes":
        return [
            turns[0],
            "\n".join(line for line in turns[1].splitlines() if not ODD.search(line)).strip(),
        ]
    if item.set in ("word_tasks", "opentrivia", "fairytaleqa_qa", "chatterbot", "rasbt_instruct"):
        return [turns[0], sentence(turns[1])]
    if item.set == "synth_skills":
        return ["Y" + turn.removeprefix("Yes, y") if is_misplaced_yes(turns, i) else turn
                for i, turn in enumerate(turns)]  # fmt: skip
    return turns


def is_misplaced_yes(turns: list[str], at: int) -> bool:
    """Return whether the turn says "Yes, your …" to a question that was not for yes or no."""
    return at % 2 == 1 and turns[at].startswith("Yes, y") and turns[at - 1].startswith("What")


def joined(text: str) -> str:
    """Return ``text`` with its sentences on one line, and the points of a list each on its own."""
    listed = re.sub(r"\s(\d{1,2}\.)\n", r"\n\1 ", text)
    points = listed.replace("\n", " ") if listed == text else listed
    return re.sub(r"^(\d{1,2}\.)\n", r"\1 ", points).strip()


def sentence(text: str) -> str:
    """Return a short answer with a capital letter and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", '"', ")")) else text + "."
