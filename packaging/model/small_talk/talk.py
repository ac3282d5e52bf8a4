"""Reads the talk files: what a user may say on a subject, and what TinyLoop answers to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene
from small_talk.tables import HERE


@dataclass(slots=True)
class Intent:
    """One thing a user may want, in many phrasings, with answers that fit every one of them.

    ``asks`` and ``tells`` are for what is told now and asked about later in the conversation.
    """

    name: str
    users: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)
    shorts: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    tells: list[str] = field(default_factory=list)
    phrases: Phrases = field(default_factory=lambda: Phrases(()))
    later: Phrases = field(default_factory=lambda: Phrases(()))

    def draw(self, scene: Scene) -> list[Said]:
        """Return one exchange; every draw fills its slots anew."""
        scene.forget()
        user = scene.ask(self.phrases)
        reply = scene.say(scene.rng.choice(self.replies))
        why, short = (scene.say(scene.rng.choice(x)) if x else "" for x in (self.whys, self.shorts))
        return [Said(user, reply, why, short)]


MARKS = {">": "users", "<": "replies", "w": "whys", "s": "shorts", "?": "asks", "=": "tells"}


@cache
def intents(name: str) -> dict[str, Intent]:
    """Return the intents of the talk file ``name``, by their name."""
    found: dict[str, Intent] = {}
    path = HERE / "talk" / f"{name}.txt"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark, _, text = line.partition(" ")
        if mark == "@":
            found[text] = intent = Intent(text)
        elif mark in MARKS:
            getattr(intent, MARKS[mark]).append(text)
        elif mark and mark != "#":
            raise ValueError(f"{path.name}:{number}: expected @, # or one of {list(MARKS)}.")
    for intent in found.values():
        intent.phrases, intent.later = Phrases(intent.users), Phrases(intent.asks)
    return found


def any_of(*names: str) -> list[Intent]:
    """Return all intents of the talk files ``names``."""
    return [intent for name in names for intent in intents(name).values()]
