"""Questions about words: opposites, synonyms, rhymes, plurals, verb forms, letters and order."""

from __future__ import annotations

from functools import cache

from small_talk.grammar import NUMBERS, VERBS, a, listed, past, plural
from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, capital
from small_talk.tables import categories, forms, lines, slots

OPPOSITE = Phrases((
    "What is the opposite of {word}?", "What's the opposite of {word}?", "Opposite of {word}",
    "Give me the opposite of {word}.", "Tell me the opposite of {word}(|, please).",
    "Name the opposite of {word}.", "the opposite of {word} is?", "What is the contrary of {word}?",
    "Which word is the opposite of {word}?", "What is not {word} but the opposite?",
    "What word means the opposite of {word}?", "{word}: what's the opposite?",
))  # fmt: skip
SYNONYM = Phrases((
    "What is another word for {word}?", "What's a synonym for {word}?",
    "Give me a synonym of {word}.", "Another word for {word}(|, please)?",
    "Which word means the same as {word}?", "Can you find a synonym for {word}?",
    "I need another word for {word}.", "synonym for {word}", "What can I say instead of {word}?",
    "How else can I say {word}?",
))  # fmt: skip
RHYME = Phrases((
    "What rhymes with {word}?", "Which word rhymes with {word}?",
    "Tell me a word that rhymes with {word}.", "A rhyme for {word}, please.",
    "I need a rhyme for {word}.", "Find a rhyme for {word}.",
    "Do you know a word that rhymes with {word}?", "Does anything rhyme with {word}?",
    "{word} rhymes with what?", "rhyme {word}",
))  # fmt: skip
PLURAL = Phrases((
    "What is the plural of {word}?", "plural of {word}", "Give me the plural of {word}.",
    "How do you say more than one {word}?", "What do you call more than one {word}?",
    "Tell me the plural form of {word}.", "Write the plural of {word}.", "one {word}, two ...?",
    "What is the plural form of the word {word}?", "Make {word} plural.",
))  # fmt: skip
PAST = Phrases((
    "What is the past tense of {word}?", "past tense of {word}", "What's the past of {word}?",
    "Give me the past tense of {word}.", "What is the simple past of {word}?",
    "How do you say {word} in the past?", "Tell me the past form of {word}.",
    "Today I {word}, yesterday I ...?", "Put the verb {word} into the past.",
))  # fmt: skip
SPELL = Phrases((
    "How do you spell {word}?", "How do I spell {word}?", "Spell {word}(|, please).",
    "Spell the word {word}.", "Can you spell {word} for me?", "How is {word} spelled?",
    "What are the letters of {word}?", "Write {word} letter by letter.",
    "How do you write {word}?",
))  # fmt: skip
COUNT = Phrases((
    "How many letters are in {word}?", "How many letters does {word} have?",
    "Count the letters of {word}.", "How long is the word {word}?",
    "How many letters has the word {word}?", "Tell me the number of letters in {word}.",
))  # fmt: skip
FIRST = Phrases((
    "What is the first letter of {word}?", "With which letter does {word} begin?",
    "Which letter does {word} start with?", "What letter comes first in {word}?",
))  # fmt: skip
LAST = Phrases((
    "What is the last letter of {word}?", "With which letter does {word} end?",
    "Which letter does {word} end with?", "What letter comes last in {word}?",
))  # fmt: skip
ORDER = Phrases((
    "Put these words in alphabetical order: {list}", "Sort these words alphabetically: {list}",
    "Order alphabetically: {list}", "Can you sort {list} from A to Z?",
    "alphabetical order please: {list}", "Arrange these words from A to Z: {list}",
    "Bring these words into alphabetical order: {list}", "Please sort {list} by the alphabet.",
))  # fmt: skip
BEGINS = Phrases((
    "Tell me a word that begins with {letter}.", "Give me a word starting with {letter}.",
    "A word with {letter}, please.", "Which word begins with the letter {letter}?",
    "I need a word that starts with {letter}.", "Name something that begins with {letter}.",
))  # fmt: skip
SENTENCE = Phrases((
    "Use the word {word} in a sentence.", "Make a sentence with {word}.",
    "Write a sentence with the word {word}.", "Give me an example sentence with {word}.",
    "Can you put {word} into a sentence?", "A sentence with {word}, please.",
    "Form a sentence with {word}.",
))  # fmt: skip
FRAMES = (
    "I saw {a x} in the shop window (today|yesterday|this morning).",
    "My (sister|brother|uncle|friend) gave me {a x}.",
    "There is {a x} (on the table|in the picture|behind the door|in the garden).",
    "(She|He) drew {a x} on the paper.",
    "(We|They) found an old {x} in the (garden|cellar|attic).",
    "This {x} belongs to my (aunt|mother|grandfather).",
)  # fmt: skip


COUNTED = (
    "fruit", "vegetable", "animal", "bird", "insect", "farm animal", "wild animal", "flower",
    "piece of furniture", "piece of clothing", "tool", "musical instrument", "vehicle", "shape",
    "job", "room", "thing in a kitchen", "thing in a school bag", "thing made of wood",
    "thing that can fly", "toy",
)  # fmt: skip


UNCOUNTED = ("spinach", "broccoli", "celery")  # kinds of vegetables, but nobody says "a spinach"


@cache
def opposites() -> list[tuple[str, str]]:
    """Return all pairs of opposites, both ways round; a word keeps its first opposite."""
    pairs = [tuple(pair.split("=")) for line in lines("pairs.txt") for pair in line.split()]
    found: dict[str, str] = {}
    for left, right in [*pairs, *((right, left) for left, right in pairs)]:
        found.setdefault(left, right)
    return list(found.items())


@cache
def synonyms() -> list[list[str]]:
    """Return [word, synonym, …] for each word."""
    return [group.split("=") for line in lines("synonyms.txt") for group in line.split()]


@cache
def rhymes() -> list[list[str]]:
    """Return the groups of words that rhyme."""
    return [line.split() for line in lines("rhymes.txt")]


@cache
def nouns() -> list[str]:
    """Return lower-case nouns of one word for things that can be counted."""
    members = [m for kind in COUNTED for m in categories()[kind][1]]
    found = {*slots()["noun"], *slots()["thing"], *slots()["animal"], *members}
    found -= {*UNCOUNTED}
    return sorted(n for n in found if n.isalpha() and n.islower() and plural(n) != n)


def opposite(scene: Scene) -> list[Said]:
    """Return a question for an opposite."""
    word, other = scene.rng.choice(opposites())
    user = scene.ask(OPPOSITE, word=word)
    return [Said(user, f"The opposite of {word} is {other}.", short=capital(other) + ".")]


def synonym(scene: Scene) -> list[Said]:
    """Return a question for a synonym."""
    word, *others = scene.rng.choice(synonyms())
    user = scene.ask(SYNONYM, word=word)
    return [Said(user, f"Another word for {word} is {scene.rng.choice(others)}.")]


def rhyme(scene: Scene) -> list[Said]:
    """Return a question for a rhyme, sometimes with one more."""
    word, one, *_ = group = scene.rng.sample(found := scene.rng.choice(rhymes()), len(found))
    said = [Said(scene.ask(RHYME, word=word), f"{capital(one)} rhymes with {word}.")]
    if len(group) > 2 and scene.chance(0.3):
        said.append(Said(scene.say("(Another one|One more|And another), please."),
                         f"{capital(group[2])} rhymes with {word}, too."))  # fmt: skip
    return said


def form(scene: Scene) -> list[Said]:
    """Return a question for a plural or a past tense."""
    if scene.chance(0.5):
        word = scene.rng.choice((scene.rng.choice(nouns()), scene.rng.choice([*forms()[0]])))
        user = scene.ask(PLURAL, word=word)
        return [
            Said(
                user, f"The plural of {word} is {plural(word)}.", short=capital(plural(word)) + "."
            )
        ]
    word = scene.rng.choice([verb for verb in VERBS if verb != "be"])
    user = scene.ask(PAST, word=word)
    return [
        Said(user, f"The past tense of {word} is {past(word)}.", short=capital(past(word)) + ".")
    ]


def letters(scene: Scene) -> list[Said]:
    """Return a question about the letters of a word."""
    word = scene.rng.choice(nouns())
    kind = scene.rng.choice((SPELL, SPELL, COUNT, FIRST, LAST))
    user = scene.ask(kind, word=word)
    count = len(word)
    replies = {
        SPELL: f"{capital(word)} is spelled {'-'.join(word.upper())}.",
        COUNT: f"The word {word} has {NUMBERS[count] if count < len(NUMBERS) else count} letters.",
        FIRST: f"The first letter of {word} is {word[0].upper()}.",
        LAST: f"The last letter of {word} is {word[-1].upper()}.",
    }
    return [Said(user, replies[kind])]


def order(scene: Scene) -> list[Said]:
    """Return words to be put in alphabetical order."""
    chosen = scene.rng.sample(nouns(), scene.rng.randint(3, 5))
    user = scene.ask(ORDER, list=", ".join(chosen))
    return [Said(user, f"In alphabetical order: {', '.join(sorted(chosen))}.")]


def begins(scene: Scene) -> list[Said]:
    """Return a question for a word that begins with a letter."""
    word = scene.rng.choice(nouns())
    user = scene.ask(BEGINS, letter=word[0].upper())
    return [Said(user, scene.say("{cap word} begins with {letter}.", word=word))]


def sentence(scene: Scene) -> list[Said]:
    """Return a request for a sentence with a word."""
    word = scene.rng.choice(nouns())
    user = scene.ask(SENTENCE, word=word)
    return [Said(user, scene.say(scene.rng.choice(FRAMES), x=word))]


MISSING = Phrases((
    "Which word does not belong: {list}?", "Which one is different: {list}?",
    "Find the odd one out: {list}.", "What doesn't fit here: {list}?",
    "One of these does not belong: {list}. Which one?",
))  # fmt: skip
COMMON = Phrases((
    "What do {list} have in common?", "What are {list}?", "Which group do {list} belong to?",
    "How are {list} alike?", "One word for {list}?",
))  # fmt: skip
PLAIN = (
    "fruit", "vegetable", "bird", "insect", "colour", "piece of furniture", "piece of clothing",
    "tool", "musical instrument", "sport", "vehicle", "drink", "job", "metal",
)  # fmt: skip


def groups(scene: Scene) -> list[Said]:
    """Return a question what words have in common, or which one does not belong."""
    kind, other = scene.rng.sample(PLAIN, 2)
    many, members = categories()[kind]
    chosen = scene.rng.sample(members, 3)
    if scene.chance(0.5):
        return [Said(scene.ask(COMMON, list=listed(chosen)), f"They are all {many}.")]
    odd = scene.rng.choice([m for m in categories()[other][1] if m not in members])
    mixed = scene.rng.sample([*chosen, odd], 4)
    user = scene.ask(MISSING, list=", ".join(mixed))
    reason = f"{capital(odd)} does not belong: the others are {many}."
    return [
        Said(user, reason, why=f"Because {listed(chosen)} are {many}, and {odd} is {a(other)}.")
    ]
