"""How people type: small letters, no full stop, a please or a hello, a slip here and there."""

from __future__ import annotations

import random

from serial.base import Split

SHARE_CHANGED = 0.45  # of user turns; the others stay as written
CHATTY = {
    "what's": "whats", "what is": "whats", "don't": "dont", "can't": "cant", "i'm": "im",
    "you": "u", "please": "pls", "thanks": "thx", "are": "r", "because": "cause", "it's": "its",
}  # fmt: skip
BEFORE = (
    "Hey, ", "Hi, ", "Hello, ", "Ok, ", "Okay, ", "So, ", "Well, ", "Please tell me: ",
    "Quick question: ", "Tell me, ", "Now, ", "Next question: ", "And ", "Another question: ",
    "Hmm, ", "Hi TinyLoop, ", "Question: ", "I'd like to know: ", "I wonder: ", "One more thing: ",
    "Listen, ", "By the way, ",
)  # fmt: skip
BEFORE_HELD_OUT = ("Say, ", "Excuse me, ", "Something else: ", "I have a question. ")
AFTER = (
    " Please.",
    " Thanks!",
    " Thank you.",
    " Do you know?",
    " Tell me please.",
    " Any idea?",
    " I forgot.",
)
AFTER_HELD_OUT = (" Please help me.", " Can you tell me?")


def typed(rng: random.Random, text: str, split: Split) -> str:
    """Return ``text`` as somebody may type it; its meaning stays."""
    if rng.random() > SHARE_CHANGED or not any(map(str.isalpha, text)):
        return text
    way = rng.random()
    if way < 0.3:
        return text.lower().rstrip(".?! ") if is_short(text) else text
    if way < 0.5:
        return text.rstrip(".? ")
    if way < 0.6:
        return text[0].lower() + text[1:]
    if way < 0.7 and is_short(text):
        return chatty(rng, text)
    if text.endswith("?") and is_short(text):
        return addressed(rng, text, split)
    return text


def is_short(text: str) -> bool:
    """Return whether ``text`` is a single remark, not one with a sentence to work on."""
    return len(text) < 70 and ":" not in text and text.count(".") < 2 and "?" not in text[:-1]


def chatty(rng: random.Random, text: str) -> str:
    """Return ``text`` in small letters with one chat abbreviation."""
    low = text.lower().rstrip(".?! ")
    found = [word for word in CHATTY if f" {word} " in f" {low} "]
    if not found:
        return low
    word = rng.choice(found)
    return f" {low} ".replace(f" {word} ", f" {CHATTY[word]} ", 1).strip()


def addressed(rng: random.Random, text: str, split: Split) -> str:
    """Return a question with a remark before or after it."""
    before, after = (BEFORE_HELD_OUT, AFTER_HELD_OUT) if split == "heldout" else (BEFORE, AFTER)
    if rng.random() < 0.7:
        return rng.choice(before) + text[0].lower() + text[1:] if text[:2] != "I " else text
    return text + rng.choice(after)
