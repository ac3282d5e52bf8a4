"""What words mean, how two things differ, and proverbs."""

from __future__ import annotations

from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, capital
from small_talk.tables import rows

MEANING = Phrases((
    "What does {x} mean?", "What does the word {x} mean?", "What is the meaning of {x}?",
    "What's the meaning of {x}?", "Explain the word {x}.", "Define {x}.", "meaning of {x}",
    "Can you explain the word {x}?", "What do people mean when they say {x}?",
    "I don't know the word {x}.", "What does it mean when somebody says {x}?",
    "{x}, what does that mean?", "Tell me what {x} means.",
    "Could you tell me the meaning of {x}?", "Do you know what {x} means?",
))  # fmt: skip
TO_BE = Phrases((
    "What does it mean to be {x}?", "What does being {x} mean?", "When is somebody {x}?",
    "What is it to be {x}?", "Explain what being {x} is.",
))  # fmt: skip
EXAMPLE = Phrases((
    "Give me an example.", "An example, please.", "Can you use it in a sentence?",
    "For example?", "And in a sentence?", "Can you give an example?", "Example?",
    "How would I use it?",
))  # fmt: skip
DIFFERENCE = Phrases((
    "What is the difference between {x} and {y}?", "What's the difference between {x} and {y}?",
    "How is {x} different from {y}?", "difference between {x} and {y}",
    "{x} or {y}, what's the difference?", "How does {x} differ from {y}?",
    "Explain the difference between {x} and {y}.", "Is there a difference between {x} and {y}?",
    "How do I tell {x} from {y}?", "{x} vs {y}", "Can you compare {x} and {y}?",
    "Is {x} the same as {y}?", "Are {x} and {y} the same?",
))  # fmt: skip
FINISH = Phrases((
    "Finish the proverb: {x} ...", "How does it go on: {x} ...?", "Complete the saying: {x} ...",
    "{x} ...", "What comes after \"{x}\" in the proverb?", "How does the saying \"{x} ...\" end?",
    "Complete this: {x} ...",
))  # fmt: skip
MEANT = Phrases((
    "What does \"{x}\" mean?", "What is the meaning of the proverb \"{x}\"?",
    "Explain the saying \"{x}\".", "What do people mean by \"{x}\"?", "Why do people say \"{x}\"?",
    "What does the proverb \"{x}\" mean?",
))  # fmt: skip
PROVERB = Phrases((
    "Tell me a proverb.", "Do you know a proverb?", "Give me a saying.", "A proverb, please.",
    "Do you know any wise sayings?", "Tell me something wise.", "Give me a quote.",
    "Say something wise.",
))  # fmt: skip


def meaning(scene: Scene) -> list[Said]:
    """Return a question what a word means, sometimes with one for an example."""
    word, means, example = scene.rng.choice(rows("meanings.txt"))
    plain = word.removeprefix("to ")
    quality = means.startswith("being ")
    user = scene.ask(TO_BE if quality and scene.chance(0.4) else MEANING, x=plain)
    subject = f'"{capital(plain)}"' if plain == word else f'"To {plain}"'
    said = [Said(user, f"{subject} means {means}.", short=f"{capital(means)}.")]
    if scene.chance(0.3):
        said.append(Said(scene.ask(EXAMPLE), example))
    return said


def difference(scene: Scene) -> list[Said]:
    """Return a question how two things differ."""
    one, other, reply = scene.rng.choice(rows("differences.txt"))
    x, y = scene.rng.sample((one, other), 2)
    return [Said(scene.ask(DIFFERENCE, x=x, y=y), reply)]


def proverb(scene: Scene) -> list[Said]:
    """Return a proverb to be finished, explained or told."""
    begin, end, means = scene.rng.choice(rows("proverbs.txt"))
    whole = f"{begin} {end}"
    kind = scene.rng.choice((FINISH, MEANT, MEANT, PROVERB))
    user = scene.ask(kind, x=begin.rstrip(",") if kind is FINISH else whole)
    return [Said(user, means if kind is MEANT else f"{whole}.", why=f"It means: {lower(means)}")]


def lower(text: str) -> str:
    """Return ``text`` with a small first letter."""
    return text[0].lower() + text[1:]
