"""The sentences of stories: heaps, purses, shops, buses, flocks, lifts and thermometers.

A verb in square brackets is the hero's, one in angle brackets another person's; both stand in the
third person and are put into the tense and person of the story.
"""

from __future__ import annotations

import re

from serial.telling import Forms, Manner

PAST = {
    "adds": "added", "begins": "began", "borrows": "borrowed", "buys": "bought",
    "collects": "collected", "costs": "cost", "drops": "dropped", "earns": "earned",
    "finds": "found",
    "gets": "got", "gives": "gave", "goes": "went", "hands": "handed", "has": "had",
    "lends": "lent", "loses": "lost", "owns": "owned", "pays": "paid", "picks": "picked",
    "puts": "put", "receives": "received", "saves": "saved", "sells": "sold", "sends": "sent",
    "shows": "showed", "spends": "spent", "starts": "started", "takes": "took",
    "throws": "threw", "wins": "won", "returns": "returned", "uses": "used", "keeps": "kept",
    "scores": "scored",
}  # fmt: skip
BASE = {"goes": "go", "has": "have"}

STARTS = Forms(
    ("* [has] {v} {o}", "* [has] {v} {o}", "* [starts] with {v} {o}", "* [owns] {v} {o}",
     "* [begins] the day with {v} {o}", "at first * [has] {v} {o}", "* [keeps] {v} {o} in a box",
     "in the morning * [has] {v} {o}"),
    ("* [begins] with {v} {o}", "* [starts] the day with {v} {o}",
     "in the morning * [owns] {v} {o}",
     "* [has] {v} {o} in a box"),
)  # fmt: skip
UPS = Forms(
    ("* [buys] {d} more {o}", "* [finds] {d} {o}", "{other} <gives> {whom} {d} {o}",
     "* [gets] {d} {o} from {other}", "* [picks] up {d} more {o}", "* [wins] {d} {o}",
     "* [finds] {d} more", "* [buys] {d} {o}", "{other} <gives> {whom} {d} more",
     "* [collects] {d} {o}", "* [borrows] {d} {o} from {other}", "{other} <hands> {whom} {d} {o}",
     "* [receives] {d} {o}", "* [adds] {d} more", "* [gets] {d} more",
     "{other} <sends> {whom} {d} {o}",
     "* [takes] {d} {o} from {other}"),
    ("* [wins] {d} more {o}", "* [gets] {d} more {o}", "* [collects] {d} more",
     "* [picks] up {d} {o}", "{other} <hands> {whom} {d} more", "* [receives] {d} {o} from {other}",
     "* [buys] {d} {o} from {other}", "* [finds] {d} more {o}"),
)  # fmt: skip
DOWNS = Forms(
    ("* [gives] {d} {o} to {other}", "* [loses] {d} {o}", "* [sells] {d} {o}",
     "* [gives] away {d} {o}", "* [gives] {other} {d} {o}", "* [drops] {d} {o}",
     "* [sells] {d} of them", "* [hands] {d} {o} to {other}", "* [throws] away {d} {o}",
     "{other} <takes> {d} {o} from {whom}", "{other} <borrows> {d} {o} from {whom}",
     "* [loses] {d}",
     "* [lends] {other} {d} {o}", "* [sends] {d} {o} to {other}", "* [gives] {d} to {other}",
     "{other} <buys> {d} {o} from {whom}"),
    ("* [loses] {d} of them", "* [sells] {other} {d} {o}", "* [hands] {other} {d} {o}",
     "* [gives] away {d} of them", "* [lends] {d} {o} to {other}", "* [throws] away {d} of them",
     "* [sells] {d} {o} to {other}", "* [drops] {d} of them"),
)  # fmt: skip
ASKS = Forms(
    (
        ("How many {many} does {name} have now?", "{name} has {v} {o} now."),
        ("How many {many} does {name} have now?", "{name} has {v} {o} now."),
        ("How many {many} does {name} have left?", "{name} has {v} {o} left."),
        ("How many {many} does {name} have in the end?", "{name} has {v} {o} in the end."),
        ("How many {many} does {name} own now?", "{name} owns {v} {o} now."),
        ("How many {many} are left?", "{v} {o} {are} left."),
        ("How many {many} are there at the end?", "There {are} {v} {o}."),
        ("What does {name} end up with?", "{name} ends up with {v} {o}."),
        ("How many {many} is that?", "That makes {v} {o}."),
        ("Tell me how many {many} {name} has.", "{name} has {v} {o}."),
        ("Do you know how many {many} {name} has now?", "{name} has {v} {o} now."),
        ("How many are left?", "{v} {are} left."),
        ("Count {name}'s {many}.", "{v} {o}."),
    ),
    (
        ("How many {many} does {name} have at the end?", "{name} has {v} {o} in the end."),
        ("How many {many} does {name} end up with?", "{name} ends up with {v} {o}."),
        ("Tell me how many {many} {name} has now.", "{name} has {v} {o} now."),
        ("How many {many} are left in the end?", "{v} {o} {are} left."),
        ("Do you know how many {many} {name} has left?", "{name} has {v} {o} left."),
    ),
)
MY_ASKS = Forms(
    (
        ("How many {many} do I have now?", "You have {v} {o} now."),
        ("How many {many} do I have left?", "You have {v} {o} left."),
        ("How many {many} do I have in the end?", "You have {v} {o} in the end."),
        ("How many {many} are left?", "{v} {o} {are} left."),
        ("What am I left with?", "You have {v} {o} left."),
        ("How many {many} is that?", "That makes {v} {o}."),
        ("Tell me how many {many} I have.", "You have {v} {o}."),
        ("Do you know how many {many} I have now?", "You have {v} {o} now."),
        ("How many {many} have I got?", "You have got {v} {o}."),
    ),
    (
        ("How many {many} do I have at the end?", "You have {v} {o} in the end."),
        ("How many {many} do I end up with?", "You end up with {v} {o}."),
        ("Tell me how many {many} I have now.", "You have {v} {o} now."),
        ("Do you know how many {many} I have left?", "You have {v} {o} left."),
        ("How many {many} have I got left?", "You have {v} {o} left."),
    ),
)
EARNS = Forms(
    ("* [earns] {d} {o}", "* [finds] {d} {o}", "* [saves] {d} {o}",
     "{other} <gives> {whom} {d} {o}",
     "{other} <pays> {whom} {d} {o}", "* [wins] {d} {o}", "* [gets] {d} {o} back",
     "* [sells] the {item} for {d} {o}"),
    ("* [earns] {d} {o} more", "* [saves] {d} {o} more",
     "* [sells] {other} the {item} for {d} {o}",
     "* [saves] another {d} {o}"),
)  # fmt: skip
PAYS = Forms(
    ("* [spends] {d} {o}", "* [pays] {d} {o} for the {item}", "* [loses] {d} {o}",
     "* [lends] {other} {d} {o}", "* [gives] {other} {d} {o}", "* [pays] {other} {d} {o}",
     "* [spends] another {d} {o}", "* [buys] the {item} for {d} {o}", "* [gives] {d} {o} away"),
    ("* [spends] {d} {o} on the {item}", "* [lends] {d} {o} to {other}",
     "* [pays] {d} {o} to {other}",
     "* [loses] another {d} {o}"),
)  # fmt: skip

STORE = Manner(
    Forms(
        ("there are {v} {many} in the {place}", "the {place} holds {v} {many}",
         "a {place} has {v} {many} in it",
         "{name}'s {place} holds {v} {many}"),
        ("in the {place} there are {v} {many}", "a {place} holds {v} {many}",
         "the {place} has {v} {many} in it"),
    ),
    Forms(
        ("{other} puts in {d} more", "{other} adds {d} {o}", "{d} more {o} {are} put in",
         "{other} puts {d} {o} into it", "{name} adds {d} more", "{d} {o} {are} added"),
        ("{other} puts in {d} {o}", "{other} adds {d} more", "{d} {o} {are} put into it"),
    ),
    Forms(
        ("{other} takes out {d}", "{other} takes {d} {o} out", "{d} {o} {are} taken out",
         "{other} takes {d} of them", "{name} takes {d} from the {place}", "{d} {o} {are} sold"),
        ("{other} takes out {d} {o}", "{other} takes {d} from the {place}",
         "{d} of them {are} taken out"),
    ),
    Forms(
        (
            ("How many {many} are in the {place} now?", "There {are} {v} {o} in the {place} now."),
            ("How many {many} are in it at the end?", "There {are} {v} {o} in it."),
            ("How many {many} does the {place} hold now?", "The {place} holds {v} {o} now."),
            ("How many {many} are left?", "{v} {o} {are} left."),
            ("What is in the {place} now?", "There {are} {v} {o} in the {place} now."),
        ),
        (
            ("How many {many} are in the {place} at the end?",
             "There {are} {v} {o} in the {place} now."),
            ("How many {many} are left in the {place}?", "{v} {o} {are} left."),
            ("How many {many} does it hold now?", "The {place} holds {v} {o} now."),
        ),
    ),
)  # fmt: skip
RIDE = Manner(
    Forms(
        ("there are {v} people on the {place}", "a {place} leaves with {v} people on it",
         "a {place} has {v} people on board", "{v} people are on the {place}"),
        ("{v} people are on a {place}", "the {place} leaves with {v} people on board",
         "a {place} starts with {v} people on it"),
    ),
    Forms(
        ("{d} {o} get{s} on", "{d} more get{s} on", "at the next stop {d} get{s} on",
         "{d} {o} board{s}",
         "{d} more {o} come{s} on board"),
        ("{d} more {o} get{s} on", "{d} {o} come{s} on board",
         "at the next stop {d} {o} get{s} on"),
    ),
    Forms(
        ("{d} {o} get{s} off", "{d} of them get{s} off", "at the next stop {d} get{s} off",
         "{d} {o} leave{s} the {place}", "{d} step{s} off"),
        ("{d} {o} step{s} off", "{d} of them leave{s} the {place}",
         "at the next stop {d} {o} get{s} off"),
    ),
    Forms(
        (
            ("How many people are on the {place} now?", "There {are} {v} {o} on the {place} now."),
            ("How many people are still on it?", "{v} {o} {are} still on it."),
            ("How many people are on board at the end?", "There {are} {v} {o} on board."),
            ("How many are left on the {place}?", "{v} {are} left."),
        ),
        (
            ("How many people are on the {place} at the end?",
             "There {are} {v} {o} on the {place} now."),
            ("How many people are still on board?", "{v} {o} {are} still on board."),
            ("How many people are left on it?", "{v} {o} {are} left."),
        ),
    ),
)  # fmt: skip
FLOCK = Manner(
    Forms(
        ("there are {v} {many} {place}", "{v} {many} are {place}", "I see {v} {many} {place}",
         "{v} {many} sit {place}"),
        ("{place} there are {v} {many}", "{place} I see {v} {many}", "{place} sit {v} {many}"),
    ),
    Forms(
        ("{d} more come{s}", "{d} {o} join{s} them", "{d} more {o} arrive{s}",
         "{d} {o} come{s} back",
         "{d} more {o} join{s} them"),
        ("{d} more {o} come{s} back", "{d} {o} arrive{s}", "{d} more come{s} back"),
    ),
    Forms(
        ("{d} leave{s}", "{d} {o} leave{s}", "{d} of them run{s} away", "{d} {o} walk{s} off",
         "{d} of them disappear{s}"),
        ("{d} of them leave{s}", "{d} {o} run{s} off", "{d} of them walk{s} away"),
    ),
    Forms(
        (
            ("How many {many} are there now?", "There {are} {v} {o} now."),
            ("How many {many} are {place} now?", "There {are} {v} {o} {place} now."),
            ("How many are left?", "{v} {are} left."),
            ("How many {many} do I see now?", "You see {v} {o} now."),
            ("How many {many} stay {place}?", "{v} {o} stay{s} {place}."),
        ),
        (
            ("How many {many} are left {place}?", "{v} {o} {are} left."),
            ("How many {many} are still {place}?", "{v} {o} {are} left."),
            ("How many do I see {place} now?", "You see {v} {o} now."),
        ),
    ),
)  # fmt: skip
LIFT = Manner(
    Forms(
        ("a lift is on floor {v}", "the lift starts on floor {v}", "the elevator is at floor {v}"),
        ("the lift is at floor {v}", "an elevator starts on floor {v}"),
    ),
    Forms(
        ("* goes up {d} {o}", "* rises {d} {o}", "* goes up by {d}", "* climbs {d} {o}"),
        ("* goes up by {d} {o}", "* moves up {d} {o}", "* climbs by {d}"),
    ),
    Forms(
        ("* goes down {d} {o}", "* drops {d} {o}", "* goes down by {d}", "* comes down {d} {o}"),
        ("* goes down by {d} {o}", "* moves down {d} {o}", "* comes down by {d}"),
    ),
    Forms(
        (
            ("Which floor is it on now?", "It is on floor {v}."),
            ("Where does it stop?", "It stops at floor {v}."),
            ("On which floor does it end up?", "It ends up on floor {v}."),
        ),
        (
            ("On which floor is it now?", "It is on floor {v}."),
            ("Which floor does it stop at?", "It stops at floor {v}."),
        ),
    ),
)  # fmt: skip
WEATHER = Manner(
    Forms(
        ("it is {v} {o} outside", "the thermometer shows {v} {o}", "in the morning it is {v} {o}"),
        ("outside it is {v} {o}", "in the morning the thermometer shows {v} {o}"),
    ),
    Forms(
        ("* gets {d} {o} warmer", "* warms up by {d} {o}", "* rises by {d} {o}"),
        ("* gets warmer by {d} {o}", "* warms up {d} {o}"),
    ),
    Forms(
        ("* gets {d} {o} colder", "* cools down by {d} {o}", "* falls by {d} {o}",
         "* drops {d} {o}"),
        ("* gets colder by {d} {o}", "* cools down {d} {o}", "* falls {d} {o}"),
    ),
    Forms(
        (
            ("How warm is it now?", "It is {v} {o} now."),
            ("What does the thermometer show now?", "It shows {v} {o} now."),
            ("How many degrees is it at the end?", "It is {v} {o}."),
        ),
        (
            ("How many degrees is it now?", "It is {v} {o} now."),
            ("How warm is it at the end?", "It is {v} {o}."),
        ),
    ),
)  # fmt: skip


def conjugated(forms: Forms, past: bool, first: bool) -> Forms:
    """Return the forms with their verbs in the tense and person of a story."""

    def own(match: re.Match[str]) -> str:
        verb = match[1]
        return PAST[verb] if past else BASE.get(verb, verb[:-1]) if first else verb

    def others(match: re.Match[str]) -> str:
        return PAST[match[1]] if past else match[1]

    def put(form: str) -> str:
        return re.sub(r"<(\w+)>", others, re.sub(r"\[(\w+)\]", own, form))

    return Forms(*(tuple(put(form) for form in part) for part in forms))
