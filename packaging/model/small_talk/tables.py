"""Reads the hand-written tables beside this module: words, facts and what is known of things."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent


def lines(name: str) -> Iterator[str]:
    """Yield the lines of a table, without comments and blank ones."""
    for line in (HERE / "tables" / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()


@cache
def rows(name: str) -> list[list[str]]:
    """Return the cells of a table whose columns are parted by "|"."""
    return [line.split("|") for line in lines(name)]


@cache
def groups(name: str) -> dict[str, list[str]]:
    """Return the lines under each "@ heading" of a table."""
    found: dict[str, list[str]] = {}
    for line in lines(name):
        if line.startswith("@ "):
            found[line[2:]] = heading = []
        else:
            heading.append(line)
    return found


@cache
def slots() -> dict[str, list[str]]:
    """Return the words that may fill each slot."""
    found: dict[str, list[str]] = {}
    for line in lines("slots.txt"):
        name, _, words = line.partition(":")
        found.setdefault(name, []).extend(word.strip() for word in words.split(","))
    return {name: sorted(set(words)) for name, words in found.items()}


@cache
def forms() -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Return irregular plurals by singular, and (past, participle) by verb."""
    found = groups("forms.txt")
    nouns = " ".join(found["plural"]).split()
    verbs = [line.split() for line in found["verb"]]
    return (
        dict(zip(nouns[::2], nouns[1::2], strict=True)),
        {base: (past, participle) for base, past, participle in verbs},
    )


@cache
def categories() -> dict[str, tuple[str, list[str]]]:
    """Return by kind ("fruit") its plural ("fruits") and its members."""
    found = {}
    for line in lines("categories.txt"):
        kinds, _, members = line.partition(":")
        kind, many = kinds.split("; ")
        found[kind] = (many, [member.strip() for member in members.split(",")])
    return found
