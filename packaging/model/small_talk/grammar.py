"""Small English grammar: articles, plurals, verb forms, lists of words, numbers in words."""

from __future__ import annotations

from collections.abc import Sequence

from small_talk.tables import forms

IRREGULAR, VERBS = forms()
SILENT_H = ("hour", "honest", "heir")
LIKE_YOU = ("uni", "use", "euro", "ukulele", "one")
NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


def a(noun: str) -> str:
    """Return ``noun`` with "a" or "an" before it."""
    vowel = noun[0] in "aeiouAEIOU" and not noun.startswith(LIKE_YOU)
    return f"{'an' if vowel or noun.startswith(SILENT_H) else 'a'} {noun}"


def plural(noun: str) -> str:
    """Return the plural of ``noun``, which may be several words, the last one counted."""
    head, space, last = noun.rpartition(" ")
    if last in IRREGULAR:
        return head + space + IRREGULAR[last]
    if last.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def third(verb: str) -> str:
    """Return the form of ``verb`` after he, she or it."""
    if verb in ("have", "be"):
        return {"have": "has", "be": "is"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def past(verb: str) -> str:
    """Return the simple past of ``verb``; "was" for "be"."""
    if verb in VERBS:
        return VERBS[verb][0]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "ed"


def listed(words: Sequence[str]) -> str:
    """Return the words with commas and a last "and"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def number(value: int) -> str:
    """Return small numbers as words, others in digits."""
    return NUMBERS[value] if 0 <= value < len(NUMBERS) else f"{value:,}"
