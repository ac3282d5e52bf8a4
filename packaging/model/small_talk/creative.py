"""Stories, poems, jokes, riddles and recipes."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, capital
from small_talk.tables import groups, lines, rows, slots

STORY = Phrases((
    "Tell me a (|short |little )story.", "Write a (|short )story.", "Can you tell me a story?",
    "I'd like to hear a story.", "Tell a (nice|sweet|short) story(|, please).",
    "Do you know a story?", "A bedtime story, please.", "Tell me a bedtime story.",
    "Invent a (short |)story.", "Make up a story for my (daughter|son|child).", "story please",
))  # fmt: skip
STORY_ABOUT = Phrases((
    "Tell me a (|short |little )story about {x}.", "Write a (|short )story about {x}.",
    "Can you tell me a story about {x}?", "A story about {x}(|, please).",
    "Invent a story about {x}.", "Make up a little story about {x}.",
    "I'd like to hear a story about {x}.",
    "Please write a story about {x} for my (daughter|son|child).",
    "Do you know a story about {x}?", "story about {x}", "Give me a short story about {x}.",
))  # fmt: skip
POEM = Phrases((
    "Write a (|short )poem about {x}.", "Write me a poem about {x}(|, please).",
    "Can you write a poem about {x}?", "A poem about {x}, please.",
    "Make a little rhyme about {x}.", "I need a short poem about {x}.", "poem about {x}",
    "Tell me a poem about {x}.", "Please rhyme something about {x}.",
    "Write four lines about {x} that rhyme.", "Write a verse about {x}.",
    "Can you rhyme about {x}?",
))  # fmt: skip
ANY_POEM = Phrases((
    "Write a poem.", "Tell me a poem.", "Can you write poems?", "A short poem, please.",
    "Make a rhyme for me.", "Write something that rhymes.",
))  # fmt: skip
JOKE = Phrases((
    "Tell me a joke.", "Tell a joke.", "Do you know a joke?", "Make me laugh.",
    "Can you tell me a joke?", "joke please", "A joke, please!", "I want to hear a joke.",
    "Say something funny.", "Tell me something funny.", "Got a joke?", "I need a laugh.",
    "Do you know any jokes?", "Be funny!", "Tell me a (short|clean|silly|bad) joke.",
    "Crack a joke.", "Tell me your best joke.", "Can you make jokes?",
))  # fmt: skip
ANOTHER = Phrases((
    "Another one!", "One more(|, please).", "Tell me another one.", "Haha, another one!",
    "Do you have one more?", "Again!", "More!", "That was good. One more?",
))  # fmt: skip
RIDDLE = Phrases((
    "Tell me a riddle.", "Do you know a riddle?", "Give me a riddle.", "Ask me a riddle.",
    "A riddle, please!", "Can you ask me a riddle?", "I like riddles. Have you got one?",
    "Let's do a riddle.",
))  # fmt: skip
GIVE_UP = Phrases((
    "I don't know.", "I give up.", "No idea.", "What is it?", "Tell me the answer.",
    "Hmm, I don't know.", "I have no clue.", "What's the answer?",
))  # fmt: skip
GUESS = Phrases((
    "Is it {guess}?", "{cap guess}?", "{cap guess}!", "I think it's {guess}.", "It's {guess}.",
    "Maybe {guess}?", "The answer is {guess}.", "{guess}",
))  # fmt: skip
RECIPE = Phrases((
    "How do I make {x}?", "How can I make {x}?", "How do you make {x}?", "How do I cook {x}?",
    "Give me a recipe for {x}.", "Do you have a recipe for {x}?",
    "I want to make {x}. How does it work?", "A simple recipe for {x}, please.",
    "What do I need for {x}?", "recipe for {x}", "Tell me how to make {x}.", "How is {x} made?",
    "Can you explain how to make {x}?", "I'd like to cook {x} today.", "How do I prepare {x}?",
    "What's a quick way to make {x}?",
))  # fmt: skip
FEMALE = ("girl", "princess", "forest fairy", "girl with a small boat")
MALE = ("boy", "prince", "old man", "stable boy", "boy with a small boat", "fisherman")
GIRLS = (
    "Anna", "Alice", "Bella", "Clara", "Daisy", "Ella", "Emma", "Eva", "Fiona", "Greta", "Hannah",
    "Ida", "Ines", "Julia", "Lena", "Lily", "Lola", "Lucy", "Luna", "Maya", "Mia", "Molly", "Nina",
    "Nora", "Olga", "Pia", "Rosa", "Ruby", "Sara", "Sofia", "Stella", "Tara", "Tilda", "Uma",
    "Vera", "Wanda", "Yara", "Zoe",
)  # fmt: skip
BOYS = (
    "Adam", "Anton", "Ben", "Boris", "Bruno", "Carl", "David", "Emil", "Eli", "Felix", "Finn",
    "Henry", "Hugo", "Ivan", "Jack", "Jonas", "Kai", "Karim", "Leo", "Liam", "Louis", "Max", "Milo",
    "Noah", "Omar", "Oscar", "Otto", "Paul", "Pip", "Sam", "Theo", "Tim", "Tom", "Toby", "Victor",
    "Walter", "Willy", "Yusuf",
)  # fmt: skip
KEPT = re.compile("[a-z]+: ")  # a line "guest: crow, mole" of the table of stories
GENERIC = (
    "You asked me for a verse today,\nso here is what I have to say:",
    "I thought of {x} the whole night through\nand wrote this little rhyme for you.",
    "There's much to say on {x}, I know,\nbut words are small and time is slow.",
    "Of {x} the poets like to sing,\nfor joy can live in anything.",
    "When I hear {x}, I stop and smile\nand let my thoughts go play a while.",
    "I'm just a tiny thing of code,\nbut {x} can brighten up my road.",
)  # fmt: skip


class Plot(NamedTuple):
    """What a story is about, who may be in it, words that stay the same in it, its sentences."""

    themes: list[str]
    heroes: list[str]
    kept: dict[str, list[str]]
    sentences: list[str]


@cache
def plots() -> list[Plot]:
    """Return the plots of the table."""
    found = []
    for heading, sentences in groups("stories.txt").items():
        themes, _, heroes = heading.partition(" | ")
        kept = dict(line.split(": ") for line in sentences if KEPT.match(line))
        found.append(
            Plot(
                themes.split("; "),
                heroes.split(", "),
                {slot: words.split(", ") for slot, words in kept.items()},
                [line for line in sentences if not KEPT.match(line)],
            )
        )
    return found


@cache
def couplets() -> dict[str, list[str]]:
    """Return rhymed couplets by subject, each of two lines."""
    return {
        x: [pair.replace("/", "\n") for pair in pairs] for x, pairs in groups("poems.txt").items()
    }


def story(scene: Scene) -> list[Said]:
    """Return a request for a story and the story."""
    rng = scene.rng
    scene.forget()
    plot = rng.choice(plots())
    hero = rng.choice(plot.heroes)
    she = hero in FEMALE or (hero not in MALE and scene.chance(0.5))
    name = rng.choice(GIRLS if she else BOYS)
    theme = rng.choice((*plot.themes, "{a hero}", "{a hero} called {name}"))
    about = scene.say(theme, hero=hero, name=name)
    user = scene.ask(STORY) if scene.chance(0.2) else scene.ask(STORY_ABOUT, x=about)
    words = {slot: rng.choice(options) for slot, options in plot.kept.items()}
    words |= pronouns("it" if "robot" in hero else "she" if she else "he")
    words["name2"] = rng.choice([girl for girl in GIRLS if girl != name])
    sentences = [capital(scene.say(line, hero=hero, **words)) for line in plot.sentences]
    return [Said(user, " ".join(sentences))]


def pronouns(subject: str) -> dict[str, str]:
    """Return the words for {he}, {his}, {him} and with capitals for {He}, {His}, {Him}."""
    own, to = {"he": ("his", "him"), "she": ("her", "her"), "it": ("its", "it")}[subject]
    words = {"he": subject, "his": own, "him": to}
    return words | {capital(slot): capital(word) for slot, word in words.items()}


def poem(scene: Scene) -> list[Said]:
    """Return a request for a poem and four lines, now and then more, that rhyme in pairs."""
    subject = scene.rng.choice(list(couplets()))
    first, *others = couplets()[subject]
    chosen = [first, scene.rng.choice(others)]
    if scene.chance(0.15):
        chosen = [first, *others]
    if scene.chance(0.12):
        user = scene.ask(ANY_POEM)
    elif scene.chance(0.2):
        subject = scene.rng.choice(slots()["topic"])
        user = scene.ask(POEM, x=subject)
        chosen = [scene.say(pair, x=subject) for pair in scene.rng.sample(GENERIC, 2)]
        chosen.sort(key=lambda pair: not pair.startswith("You asked"))
    else:
        user = scene.ask(POEM, x=scene.rng.choice(subject.split("; ")))
    return [Said(user, "\n".join(capital(pair) for pair in chosen))]


@cache
def jokes() -> list[str]:
    """Return the jokes of the table."""
    return list(lines("jokes.txt"))


def joke(scene: Scene) -> list[Said]:
    """Return a joke, sometimes with another one."""
    first, second = scene.rng.sample(jokes(), 2)
    said = [Said(scene.ask(JOKE), first)]
    if scene.chance(0.25):
        said.append(Said(scene.ask(ANOTHER), second))
    return said


def riddle(scene: Scene) -> list[Said]:
    """Return a riddle, and what follows when the user gives up or guesses."""
    (question, answer), (_, other) = scene.rng.sample(rows("riddles.txt"), 2)
    said = [Said(scene.ask(RIDDLE), question)]
    way = scene.rng.choice(("up", "right", "wrong"))
    if way == "up" or other == answer:
        said.append(Said(scene.ask(GIVE_UP), f"The answer is: {answer}."))
    elif way == "right":
        said.append(Said(scene.ask(GUESS, guess=answer), f"Yes, that's right: it is {answer}!"))
    else:
        said.append(Said(scene.ask(GUESS, guess=other), f"No, not quite. The answer is: {answer}."))
    return said


def recipe(scene: Scene) -> list[Said]:
    """Return a question for a dish and a short recipe."""
    dish, steps = scene.rng.choice(rows("recipes.txt"))
    return [Said(scene.ask(RECIPE, x=dish), steps)]
