"""Conversations of a small, honest assistant: who it is, small talk, simple facts, short tasks."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path

from serial.base import Split

from small_talk import (
    creative,
    explain,
    facts,
    knowledge,
    measures,
    memory,
    play,
    rewriting,
    things,
    words,
)
from small_talk.manner import typed
from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, Subject, capital
from small_talk.talk import any_of, intents

PROMPTS = Path(__file__).resolve().parent.parent / "prompts.jsonl"


def of(*names: str) -> Subject:
    """Return the subject that draws any intent of the talk files ``names``."""

    def draw(scene: Scene) -> list[Said]:
        return scene.rng.choice(any_of(*names)).draw(scene)

    return draw


def of_intents(file: str, *names: str) -> Subject:
    """Return the subject that draws one of some intents of a talk file."""

    def draw(scene: Scene) -> list[Said]:
        return intents(file)[scene.rng.choice(names)].draw(scene)

    return draw


# What is talked about, and how often.
SUBJECTS: dict[Subject, float] = {
    of("identity"): 13, of("loops"): 9, of("limits"): 13, of("unknown"): 10, of("office"): 1,
    of("greetings"): 5, of("feelings"): 5.5, of("chat"): 6, of("advice"): 6, of("letters"): 2.5,
    facts.fact: 19, facts.should: 2.5, facts.how_to: 2.5, facts.definition: 5, facts.capitals: 4,
    knowledge.concept: 4, knowledge.person: 2.5, knowledge.city: 1.5, knowledge.country: 1.5,
    knowledge.job: 1.5, knowledge.use: 1.5, knowledge.ability: 1.5, knowledge.quality: 1,
    facts.geography: 2, facts.homonym: 1, explain.meaning: 3, explain.difference: 2.5,
    explain.proverb: 1.2, words.opposite: 2, words.synonym: 1.2, words.rhyme: 1.5, words.form: 2.5,
    words.letters: 1.5, words.order: 1.5, words.begins: 0.7, words.sentence: 1, words.groups: 1.2,
    things.lists: 4.5, things.is_a: 1, things.animal: 3, things.colour: 1, things.size: 1.5,
    measures.sum_of_two: 3, measures.about_number: 1.5, measures.convert: 2.5,
    measures.calendar: 2, measures.apples: 1.5, measures.two_steps: 1, rewriting.tenses: 4,
    rewriting.mistake: 2.5, rewriting.polite: 2, play.quiz: 1, play.fun_fact: 1, play.favour: 1.2,
    play.figures: 1, play.series: 1.5, creative.story: 4, creative.poem: 3, creative.joke: 2.5,
    creative.riddle: 1, creative.recipe: 2.5,
}  # fmt: skip
HELLO = of_intents("greetings", "hello", "how are you")
THANKS = of_intents("greetings", "thanks", "thanks", "yes")
BYE = of_intents("greetings", "bye")

WHY = Phrases((
    "Why?", "why", "Why is that?", "Why so?", "And why?", "But why?", "How come?",
    "For what reason?", "Can you say why?", "Tell me why.", "Can you explain that?",
))  # fmt: skip
SHORTER = Phrases((
    "Shorter, please.", "Say that shorter.", "Can you say it in fewer words?", "In short?",
    "Make it shorter.", "That's too long.", "Shorter!", "Say it in one short sentence.",
    "Briefly, please.", "Can you make that shorter?", "Too long, shorter please",
))  # fmt: skip
SURE = Phrases((
    "Are you sure?", "Really?", "Is that true?", "Are you certain?", "Is that right?", "Sure?",
    "Can I believe that?", "No, that's wrong.", "I don't believe you.",
))  # fmt: skip
TELL_MORE = Phrases((
    "Tell me more.", "Can you tell me more?", "More, please.", "What else?", "Go on.",
    "And what else?", "Tell me more about that.", "Is that all?", "Explain more.",
    "More details, please.",
))  # fmt: skip
NO_MORE = (
    "That is about all I know of it, I'm afraid. A book or the internet can tell you more.",
    "I'm small and know no more about it. Is there something else you'd like to ask?",
    "That's all I can say for sure.",
)  # fmt: skip
SURE_REPLIES = (
    "I think so, but I'm small and sometimes wrong. Please check it if it matters.",
    "I believe it's right. Still, look it up if it is important.",
    "Yes, as far as I know. I do make mistakes, though.",
)  # fmt: skip


def conversation(rng: random.Random, split: Split) -> list[str]:
    """Return user and assistant turns by turns; none of the user's is one of the fixed prompts."""
    while True:
        said = draw(Scene(rng, split))
        turns = [turn for one in said for turn in (one.user, capital(one.reply))]
        if not is_prompt(turns):
            return turns


def draw(scene: Scene) -> list[Said]:
    """Return one conversation, its user turns as they are typed."""
    way = scene.rng.random()
    if way < 0.5:
        return as_typed(scene, subject(scene))
    if way < 0.64:
        return as_typed(scene, memory.told_and_asked(scene, subject))
    said: list[Said] = []
    if scene.chance(0.25):
        said += as_typed(scene, HELLO(scene))
    for _ in range(scene.rng.choice((1, 1, 1, 2, 2, 3))):
        said += as_typed(scene, subject(scene))
        said += follow_up(scene, said)
    if scene.chance(0.2):
        said += as_typed(scene, scene.rng.choice((THANKS, THANKS, BYE))(scene))
    return said


def subject(scene: Scene) -> list[Said]:
    """Return an exchange on one of the subjects."""
    return scene.rng.choices(*table())[0](scene)


@cache
def table() -> tuple[tuple[Subject, ...], tuple[float, ...]]:
    """Return the subjects and their shares."""
    return tuple(SUBJECTS), tuple(SUBJECTS.values())


def as_typed(scene: Scene, said: list[Said]) -> list[Said]:
    """Return ``said`` with its user turns as people type them."""
    return [one._replace(user=typed(scene.rng, one.user, scene.split)) for one in said]


def follow_up(scene: Scene, said: list[Said]) -> list[Said]:
    """Return what the user may say to the last reply, or nothing."""
    last = said[-1]
    if last.why and scene.chance(0.5):
        return as_typed(scene, [Said(scene.ask(WHY), last.why)])
    if last.short and scene.chance(0.5):
        return as_typed(scene, [Said(scene.ask(SHORTER), last.short)])
    way = scene.rng.random()
    if way < 0.08:
        return as_typed(scene, [memory.again(scene, said)])
    if way < 0.14:
        return as_typed(scene, [memory.just_asked(scene, said)])
    if way < 0.18 and len(said) > 1:
        return as_typed(scene, [memory.first_asked(scene, said)])
    if way < 0.26 and last.is_fact:
        return as_typed(scene, [Said(scene.ask(SURE), scene.rng.choice(SURE_REPLIES))])
    if way < 0.31 and last.is_fact:
        return as_typed(scene, [Said(scene.ask(TELL_MORE), scene.rng.choice(NO_MORE))])
    if way < 0.42:
        return as_typed(scene, THANKS(scene))
    return []


@cache
def prompts() -> frozenset[str]:
    """Return the user turns, made plain, of the prompts that training must not see."""
    lines = PROMPTS.read_text(encoding="utf-8").splitlines()
    return frozenset(plain(json.loads(line)["turns"][0]) for line in lines)


def is_prompt(turns: list[str]) -> bool:
    """Return whether a user turn is the first turn of one of the fixed prompts."""
    return any(plain(turn) in prompts() for turn in turns[::2])


def plain(text: str) -> str:
    """Return ``text`` in small letters and figures alone, so that looks don't matter."""
    return re.sub("[^a-z0-9]+", " ", text.lower()).strip()
