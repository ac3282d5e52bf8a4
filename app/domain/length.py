"""How much of a conversation the model sees: the prompt, the cut, and the room for an answer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from app.domain.answer import ModelFacts
from app.domain.conversation import Message, Role

ANSWER_ROOM = 128  # tokens an answer must have left
CHARS_PER_TOKEN = 64  # no vocabulary has longer pieces in ordinary text


class Tokenizer(Protocol):
    """The part of the engine's tokenizer that prompts and the meter need."""

    def encode(self, text: str) -> list[int]:
        """Return a text's ids, without marks."""

    def encode_chat(self, turns: Sequence[tuple[str, str | Sequence[int]]]) -> list[int]:
        """Return the prompt of a conversation, ending with the assistant's mark."""


class TooLong(Exception):
    """A question that does not fit even alone; ``needed`` and ``limit`` are prompt tokens."""

    def __init__(self, needed: int, limit: int, at_least: bool = False) -> None:
        count = f"at least {needed:,}" if at_least else f"{needed:,}"
        percent = ceil(100 * (needed - limit) / needed)
        super().__init__(
            f"This message is too long, {count} of {limit:,} tokens: "
            f"shorten it by {percent} % or more."
        )
        self.needed = needed
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Prompt:
    """The ids the model reads; ``first_held`` is the first message among them."""

    tokens: tuple[int, ...]
    first_held: str


def prompt_limit(max_seq_len: int) -> int:
    """Return how long a prompt may be; a short context keeps a quarter for the answer."""
    return max_seq_len - min(ANSWER_ROOM, max_seq_len // 4)


def room_left(prompt_tokens: int, max_seq_len: int, wanted: int) -> int:
    """Return max_tokens of an answer: the setting, or what the context has left."""
    return max(1, min(wanted, max_seq_len - prompt_tokens))


def encode_prompt(messages: Sequence[Message], tokenizer: Tokenizer, file: str) -> tuple[int, ...]:
    """Return the prompt for the last of ``messages`` from their stored ids.

    Ids that belong to another model ``file`` are of another vocabulary: there the text is
    encoded instead. A question that was never answered is left out; the template needs turns.
    """
    turns: list[tuple[str, str | Sequence[int]]] = []
    for message, following in zip(messages, (*messages[1:], None), strict=True):
        if following is not None and message.role is following.role:
            continue
        own = message.token_ids and message.model is not None and message.model.file == file
        turns.append((message.role.value, message.token_ids if own else message.text))
    return tuple(tokenizer.encode_chat(turns))


def fit(path: Sequence[Message], tokenizer: Tokenizer, facts: ModelFacts) -> Prompt:
    """Return the prompt for the question at the end of ``path``; raises TooLong.

    The cut of the newest answer stays until prompt and answer room no longer fit; then whole
    turns are left out from the front until the prompt fills at most half of the context.
    """
    question = path[-1]
    if len(question.text) > CHARS_PER_TOKEN * facts.max_seq_len:  # not worth encoding
        least = len(question.text) // CHARS_PER_TOKEN
        raise TooLong(least, prompt_limit(facts.max_seq_len), at_least=True)

    def read_from(start: int) -> tuple[int, ...]:
        return encode_prompt(path[start:], tokenizer, facts.id.file)

    start = cut_of(path)
    tokens = read_from(start)
    limit = prompt_limit(facts.max_seq_len)
    later = [i for i in range(start + 1, len(path)) if path[i].role is Role.USER]
    if len(tokens) > limit and later:
        half = facts.max_seq_len // 2
        first = bisect_left(later, True, key=lambda i: len(read_from(i)) <= half)
        start = later[min(first, len(later) - 1)]
        tokens = read_from(start)
    if len(tokens) > limit:
        raise TooLong(len(tokens), limit)
    return Prompt(tokens, path[start].id)


def meter(path: Sequence[Message], tokenizer: Tokenizer, facts: ModelFacts) -> str:
    """Return the count of the prompt that the draft at the end of ``path`` would make.

    It is empty below half of the limit.
    """
    limit = prompt_limit(facts.max_seq_len)
    try:
        fit(path[-1:], tokenizer, facts)
    except TooLong as error:
        return f"{error.needed:,} of {limit:,} tokens, too long to send"
    count = len(encode_prompt(path[cut_of(path) :], tokenizer, facts.id.file))
    if count > limit:
        return f"{count:,} of {limit:,} tokens, earlier messages will be left out"
    return f"{count:,} of {limit:,} tokens" if count * 2 >= limit else ""


def rebuild(path: Sequence[Message], first_held: str, tokenizer: Tokenizer, file: str) -> Prompt:
    """Return the prompt an earlier answer was given: ``path`` ends in its question."""
    start = next((i for i, message in enumerate(path) if message.id == first_held), 0)
    return Prompt(encode_prompt(path[start:], tokenizer, file), path[start].id)


def cut_of(path: Sequence[Message]) -> int:
    """Return the position in ``path`` of the first message its newest answer's prompt held."""
    held = next((m.first_held for m in reversed(path) if m.role is Role.ASSISTANT), "")
    return next((i for i, message in enumerate(path) if message.id == held), 0)
