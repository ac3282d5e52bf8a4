"""Verbs of stories in the tense and person of each.

A verb in square brackets is the hero's, one in angle brackets another person's; both stand in the
third person. An angled verb without its s is that of the things counted.
"""

from __future__ import annotations

import re

from serial.forms import Forms

PAST = {
    "adds": "added", "begins": "began", "borrows": "borrowed", "buys": "bought",
    "collects": "collected", "costs": "cost", "drops": "dropped", "earns": "earned",
    "finds": "found",
    "gets": "got", "gives": "gave", "goes": "went", "hands": "handed", "has": "had",
    "lends": "lent", "loses": "lost", "owns": "owned", "pays": "paid", "picks": "picked",
    "puts": "put", "receives": "received", "saves": "saved", "sells": "sold", "sends": "sent",
    "shows": "showed", "spends": "spent", "starts": "started", "takes": "took",
    "throws": "threw", "wins": "won", "returns": "returned", "uses": "used", "keeps": "kept",
    "scores": "scored", "accepts": "accepted", "acquires": "acquired", "arrives": "arrived",
    "asks": "asked", "brings": "brought", "cancels": "cancelled", "carries": "carried",
    "charges": "charged", "chooses": "chose", "comes": "came", "counts": "counted",
    "decides": "decided", "disappears": "disappeared", "donates": "donated", "drives": "drove",
    "ends": "ended", "enters": "entered", "gains": "gained", "grabs": "grabbed", "is": "was",
    "leaves": "left", "lets": "let", "makes": "made", "misplaces": "misplaced",
    "obtains": "obtained", "orders": "ordered", "parts": "parted", "passes": "passed",
    "presents": "presented", "purchases": "purchased", "pushes": "pushed", "removes": "removed",
    "sets": "set", "steals": "stole", "stops": "stopped", "turns": "turned",
    "visits": "visited", "walks": "walked", "wastes": "wasted",
}  # fmt: skip
BASE = {"goes": "go", "has": "have", "is": "am", "passes": "pass", "carries": "carry",
        "pushes": "push"}  # fmt: skip


def conjugated(forms: Forms, past: bool, first: bool) -> Forms:
    """Return the forms with their verbs in the tense and person of a story."""

    def own(match: re.Match[str]) -> str:
        verb = match[1]
        return PAST[verb] if past else BASE.get(verb, verb[:-1]) if first else verb

    def others(match: re.Match[str]) -> str:
        verb = match[1] if match[1].endswith("s") else f"{match[1]}s"
        return PAST[verb] if past else match[1] if match[1] == verb else f"{match[1]}{{s}}"

    def put(form: str) -> str:
        return re.sub(r"<(\w+)>", others, re.sub(r"\[(\w+)\]", own, form))

    return Forms(*(tuple(put(form) for form in part) for part in forms))
