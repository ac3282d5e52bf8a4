"""Turns that look back: what the user told of himself, what was said and asked before."""

from __future__ import annotations

from collections.abc import Callable

from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene
from small_talk.talk import Intent, intents

Between = Callable[[Scene], list[Said]]

NOT_TOLD = (
    "You haven't told me that yet.", "I don't know that; you haven't told me.",
    "I can't know that, because you haven't said it in this chat.",
)  # fmt: skip
AGAIN = Phrases((
    "(Say that|Say it|Tell me) again(|, please).", "Can you repeat that(|, please)?",
    "Repeat that(|, please).", "Once more, please.", "What did you (just |)say?",
    "I didn't catch that. Again, please.", "Please say that again.",
    "Could you say that once more?", "What was your answer?", "Sorry, what did you say?", "repeat",
))  # fmt: skip
JUST_ASKED = Phrases((
    "What did I just (ask|write|say)?", "What did I ask you(| just now)?",
    "What was my last (question|message)?", "Can you repeat my question?",
    "Do you remember what I just asked?", "What was it that I asked?", "What have I just written?",
))  # fmt: skip
FIRST_ASKED = Phrases((
    "What was my first (question|message)?", "What did I (ask|write|say) first?",
    "What was the first thing I (asked|wrote|said)?", "How did our chat begin?",
    "What did I say at the beginning?",
))  # fmt: skip
WRONG_NAME = Phrases((
    "No, my name is {new}.", "Actually, my name is {new}.", "That's wrong, I'm called {new}.",
    "I made a typo: my name is {new}.", "Sorry, I meant {new}.", "Call me {new} instead.",
))  # fmt: skip


def told_and_asked(scene: Scene, between: Between) -> list[Said]:
    """Return things told, other talk between, and questions after what was told."""
    scenes = [(intent, Scene(scene.rng, scene.split)) for intent in different(scene)]
    said: list[Said] = []
    for intent, own in scenes:
        said += intent.draw(own)
        if intent.name == "name" and scene.chance(0.15):
            said.append(renamed(own))
        if scene.chance(0.3):
            said += between(scene)
    for _ in range(scene.rng.choice((0, 0, 1, 1, 2))):
        said += between(scene)
    if scene.chance(0.12):
        said.append(not_told(scene, {intent.name for intent, _ in scenes}))
    for intent, own in scene.rng.sample(scenes, scene.rng.randint(1, len(scenes))):
        said.append(Said(own.ask(intent.later), own.say(scene.rng.choice(intent.tells))))
    return said


def different(scene: Scene) -> list[Intent]:
    """Return one to three things to tell; one person and one place at most among them."""
    found = intents("memory")
    chosen = scene.rng.sample(
        [*found.values(), found["name"], found["pet"]], scene.rng.choice((1, 1, 1, 2, 2, 3))
    )
    groups = [
        {"name", "sibling", "woman", "man", "event"},
        {"city", "plan"},
        {"number", "age"},
        {"job", "hobby"},
    ]
    kept: list[Intent] = []
    for intent in chosen:
        clash = next((group for group in groups if intent.name in group), {intent.name})
        if not any(other.name in clash for other in kept):
            kept.append(intent)
    return kept


def renamed(own: Scene) -> Said:
    """Return the user's correction of the name; later questions expect the new one."""
    old = own.words.pop("name")
    new = own.word("name")
    while new == old:
        own.words.pop("name")
        new = own.word("name")
    return Said(
        own.ask(WRONG_NAME, new=new),
        own.say("(Sorry|All right|Got it), {new}! I'll call you {new}."),
    )


def not_told(scene: Scene, told: set[str]) -> Said:
    """Return a question after something that was not told."""
    intent = scene.rng.choice(
        [i for i in intents("memory").values() if i.name in NEVER_CLEAR and i.name not in told]
    )
    scene.forget()
    return Said(scene.ask(intent.later), scene.rng.choice(NOT_TOLD))


# Questions after these name nothing that would have to be told first.
NEVER_CLEAR = ("city", "colour", "job", "hobby", "age")


def again(scene: Scene, said: list[Said]) -> Said:
    """Return the request to say the last answer again."""
    return Said(scene.ask(AGAIN), said[-1].reply)


def just_asked(scene: Scene, said: list[Said]) -> Said:
    """Return the question what the user wrote last."""
    return Said(scene.ask(JUST_ASKED), quoted(said[-1].user))


def first_asked(scene: Scene, said: list[Said]) -> Said:
    """Return the question what the user wrote first."""
    return Said(scene.ask(FIRST_ASKED), quoted(said[0].user))


def quoted(text: str) -> str:
    """Return a sentence that quotes the user."""
    verb = "asked" if text.rstrip().endswith("?") else "wrote"
    return f'You {verb}: "{text}"'
