"""Questions of fact: the tables, definitions, and the countries of the world.

The tables were written from general knowledge. On 1 December 2026 every line was read again,
critically but without a work of reference, and the capitals were compared by program with the
World Factbook questions of the training data: 148 of 150 agree, the Factbook has an older one
for Myanmar and none for the United Arab Emirates.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, capital
from small_talk.tables import lines, rows

TABLES = ("facts_nature.txt", "facts_people.txt", "facts_more.txt", "whys.txt")


class Fact(NamedTuple):
    """A question in some phrasings, its answer, and the answer to "why?" if there is one."""

    phrases: Phrases
    answer: str
    why: str = ""


class Country(NamedTuple):
    """What is asked about a country.

    ``continent`` is empty where it lies on two, or where it is disputed that it is a country.
    """

    name: str
    capital: str
    continent: str
    languages: str


@cache
def facts(table: str) -> list[Fact]:
    """Return the facts of a table of lines "question / question = answer ~ why"."""
    found = []
    for line in lines(table):
        questions, _, answer = line.partition(" = ")
        answer, _, why = answer.partition(" ~ ")
        found.append(Fact(Phrases(questions.split(" / ")), answer, why))
    return found


@cache
def countries() -> list[Country]:
    """Return the countries of the table."""
    return [Country(*cells) for cells in rows("capitals.txt")]


@cache
def definitions() -> list[list[str]]:
    """Return [thing with its article, what it is] for each definition."""
    return rows("definitions.txt")


def fact(scene: Scene) -> list[Said]:
    """Return a question of one of the tables."""
    drawn = scene.rng.choice([f for table in TABLES for f in usable(scene, table)])
    reply = drawn.answer
    return [Said(scene.ask(drawn.phrases), reply, drawn.why, shortened(reply), is_fact=True)]


def shortened(answer: str) -> str:
    """Return only what "A week has seven days." says of the week, or nothing."""
    found = re.fullmatch(r"[^,;:]+? (?:has|have) ((?:about )?[\w,]+ \w+)\.", answer)
    return capital(found[1]) + "." if found else ""


def usable(scene: Scene, table: str) -> list[Fact]:
    """Return the facts of ``table`` that can be asked in the scene's split."""
    return held_out_facts(table) if scene.split == "heldout" else facts(table)


@cache
def held_out_facts(table: str) -> list[Fact]:
    """Return the facts with a phrasing that training does not see."""
    return [f for f in facts(table) if f.phrases.held_out]


def should(scene: Scene) -> list[Said]:
    """Return a question of common sense, whose answer has a reason to give when asked."""
    drawn = scene.rng.choice(usable(scene, "common_sense.txt"))
    return [Said(scene.ask(drawn.phrases), drawn.answer, drawn.why, is_fact=True)]


def how_to(scene: Scene) -> list[Said]:
    """Return a question how something in the house is done."""
    drawn = scene.rng.choice(usable(scene, "howtos.txt"))
    return [Said(scene.ask(drawn.phrases), drawn.answer)]


WHAT_IS = Phrases((
    "What is {x}?", "What's {x}?", "(Can you|Could you|Please) explain what {x} is.",
    "Define {x}.", "What does the word {noun_of_x} mean?", "What does {noun_of_x} mean?",
    "(Can|Could) you tell me what {x} is?", "Tell me what {x} is(|, please).",
    "Do you know what {x} is?", "Explain {x} to me.", "Explain {x} to a child.",
    "In one sentence, what is {x}?", "What do people mean by {x}?",
    "What is the meaning of {noun_of_x}?", "I don't know what {x} is.",
    "(Give|Write) a definition of {noun_of_x}.", "{noun_of_x}, what is that?",
    "My child asks: what is {x}?", "How would you explain {x}?", "what is {noun_of_x}",
    "Describe {x} in a few words.",
))  # fmt: skip


def definition(scene: Scene) -> list[Said]:
    """Return a question what something is."""
    thing, meaning = scene.rng.choice(definitions())
    noun = thing.split(" ", 1)[1]
    user = scene.ask(WHAT_IS, x=thing, noun_of_x=noun)
    return [Said(user, f"{capital(thing)} is {meaning}.", short=capital(meaning) + ".")]


CAPITAL = Phrases((
    "What is the capital of {country}?", "What's the capital of {country}?",
    "What is the capital city of {country}?", "Which city is the capital of {country}?",
    "(Tell|Give) me the capital of {country}(|, please).", "Name the capital of {country}.",
    "Do you know the capital of {country}?", "Can you tell me the capital of {country}?",
    "capital of {country}", "{country}: what's the capital?", "What is {country}'s capital?",
    "I need the capital of {country}.", "Which is the capital of {country}?",
    "What city is the capital of {country}?", "Please tell me {country}'s capital.",
))  # fmt: skip
WHOSE = Phrases((
    "{capital} is the capital of which country?", "Which country has the capital {capital}?",
    "What country is {capital} the capital of?", "Of which country is {capital} the capital?",
    "In which country is {capital}?", "Where is {capital}?",
))  # fmt: skip
CONTINENT = Phrases((
    "On which continent is {country}?", "Which continent is {country} in?", "Where is {country}?",
    "Where does {country} lie?", "Is {country} in {wrong} or in {continent}?",
    "What continent does {country} belong to?", "In which part of the world is {country}?",
))  # fmt: skip
LANGUAGE = Phrases((
    "What language do they speak in {country}?", "Which language is spoken in {country}?",
    "What do people speak in {country}?", "What is the language of {country}?",
    "Which language do people in {country} speak?", "What languages are spoken in {country}?",
))  # fmt: skip
OTHER = Phrases((
    "And of {country}?", "And {country}?", "and {country}", "What about {country}?",
    "And the one of {country}?", "And what is it for {country}?", "How about {country}?",
    "and of {country}", "Ok, and of {country}?", "(Now|And now) {country}.",
    "The same for {country}?",
))  # fmt: skip
CORRECTION = Phrases((
    "No, I meant {country}.", "Sorry, I meant {country}.", "Oh, I wanted to say {country}.",
    "I meant {country}, not {before}.", "Not {before}, {country}!",
    "Sorry, {country}, not {before}.",
))  # fmt: skip
PARTS = ("Africa", "Asia", "Europe", "South America", "North America")


def told(country: Country) -> str:
    """Return the sentence that names the capital."""
    return f"The capital of {country.name} is {country.capital.rstrip('.')}."


def capitals(scene: Scene) -> list[Said]:
    """Return a question for a capital, sometimes with one or two more countries after it."""
    chosen = scene.rng.sample(countries(), 3)
    said = [
        Said(
            scene.ask(CAPITAL, country=chosen[0].name),
            told(chosen[0]),
            short=f"{chosen[0].capital.rstrip('.')}.",
            is_fact=True,
        )
    ]
    for before, country in pairwise(chosen):
        if scene.chance(0.6):
            break
        follow = CORRECTION if scene.chance(0.2) else OTHER
        user = scene.ask(follow, country=country.name, before=before.name)
        said.append(Said(user, told(country), is_fact=True))
    return said


def geography(scene: Scene) -> list[Said]:
    """Return a question for a country's continent or language, or the country of a capital."""
    country = scene.rng.choice([c for c in countries() if c.continent])
    wrong = scene.rng.choice([part for part in PARTS if part != country.continent])
    name = capital(country.name)
    kind = scene.rng.choice((WHOSE, CONTINENT, LANGUAGE))
    user = scene.ask(
        kind,
        country=country.name,
        capital=country.capital,
        continent=country.continent,
        wrong=wrong,
    )
    replies = {
        WHOSE: f"{country.capital} is the capital of {country.name}.",
        CONTINENT: f"{name} is in {country.continent}.",
        LANGUAGE: f"People in {country.name} mostly speak {country.languages}.",
    }
    return [Said(user, replies[kind], is_fact=True)]


HOMONYM = Phrases((
    "What is {x}?", "What's {x}?", "Can you explain what {x} is?", "Explain {x}.",
    "Tell me what {x} is.", "Do you know what {x} is?",
))  # fmt: skip
MEANT = Phrases((
    "No, I meant {clue}.", "I mean {clue}.", "Not that one, {clue}.", "Sorry, I meant {clue}.",
    "No, {clue}.", "I was thinking of {clue}.", "And {clue}?", "What about {clue}?",
))  # fmt: skip


def homonym(scene: Scene) -> list[Said]:
    """Return a word with two meanings: the user wants the other one."""
    row = scene.rng.choice(rows_of_homonyms())
    thing, meanings = row[0], [(row[1], row[2]), (row[3], row[4])]
    scene.rng.shuffle(meanings)
    (_, first), (clue, second) = meanings
    begin = capital(thing)
    return [
        Said(scene.ask(HOMONYM, x=thing), f"{begin} is {first}."),
        Said(scene.ask(MEANT, clue=clue), f"{begin} is also {second}."),
    ]


@cache
def rows_of_homonyms() -> list[list[str]]:
    """Return [thing, clue, meaning, clue, meaning] for each word with two meanings."""
    return rows("homonyms.txt")
