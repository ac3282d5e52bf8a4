"""Rewriting a sentence: another tense, a question, more politely, without its mistake."""

from __future__ import annotations

from typing import NamedTuple

from small_talk.grammar import past, third
from small_talk.phrases import Phrases
from small_talk.scene import Said, Scene, capital

DOING = (
    "walk to {place}", "go to {place}", "drive to {place}", "run to {place}", "play in {garden}",
    "read {reading}", "eat {a food}", "drink {a drink}", "write {a letter}", "see {a beast}",
    "buy {a ware}", "sell {a ware}", "find {a ware}", "lose {a ware}", "sing {a song}",
    "work in {garden}", "cook {meal}", "clean {room}", "help {person}", "visit {person}",
    "call {person}", "meet {person}", "watch {a film}", "open {opening}", "close {opening}",
    "take {a ride}", "make {a cake}", "draw {a beast}", "feed {a beast}", "carry {a ware}",
    "speak to {person}", "sleep in {room}", "sit in {garden}", "swim in {water}", "teach {person}",
    "bring {a ware}", "paint {room}", "wash {a ware}", "learn {skill}", "like {skill}",
    "play {game}", "wear {a hat}", "give {person} {a ware}", "tell {person} {a song}",
    "think of {person}", "wait for {person}", "talk to {person}",
)  # fmt: skip
OBJECTS = {
    "place": ("school", "the park", "the market", "the station", "work", "the library", "town"),
    "garden": ("the garden", "the park", "the yard", "the sun", "the shade"),
    "reading": ("a book", "the newspaper", "a letter", "a long story", "a poem"),
    "food": ("apple", "sandwich", "pear", "piece of cake", "banana", "salad"),
    "drink": ("glass of water", "cup of tea", "glass of milk", "cup of coffee"),
    "letter": ("letter", "postcard", "short story", "message", "poem"),
    "beast": ("cat", "bird", "horse", "rabbit", "dog", "duck"),
    "ware": ("bag", "bicycle", "hat", "lamp", "red cup", "small box", "coat", "ball", "basket"),
    "song": ("song", "story", "lullaby"), "film": ("film", "football match", "play"),
    "meal": ("soup", "dinner", "rice", "pasta", "some fish"),
    "room": ("the kitchen", "the bedroom", "the house", "the hall"),
    "person": ("a friend", "the teacher", "an old man", "the neighbour", "a child", "the doctor"),
    "opening": ("the door", "the window", "the box", "the gate"),
    "ride": ("bus", "train", "taxi", "boat"), "cake": ("cake", "pie", "salad", "kite"),
    "water": ("the lake", "the sea", "the river"),
    "skill": ("English", "music", "chess", "history"),
    "game": ("football", "chess", "tennis", "cards"),
    "hat": ("hat", "blue coat", "warm scarf", "new dress"),
}  # fmt: skip
WHEN = ("every day", "every morning", "on Sundays", "in the evening", "after lunch", "", "")
PRONOUNS = ("I", "You", "We", "They", "He", "She")
NAMED = (
    "The boy",
    "The girl",
    "My sister",
    "My brother",
    "The old man",
    "Our neighbour",
    "The teacher",
)


class Sentence(NamedTuple):
    """Subject, verb, the rest, and when; ``inside`` is the subject within a sentence."""

    subject: str
    inside: str
    verb: str
    rest: str
    when: str

    @property
    def single(self) -> bool:
        """Whether the verb takes its form for he, she or it."""
        return self.subject not in PRONOUNS[:4]

    def text(self, *verb: str) -> str:
        """Return the sentence with ``verb`` in the verb's place."""
        return " ".join(w for w in (self.subject, *verb, self.rest, self.when) if w) + "."

    def question(self, first: str) -> str:
        """Return the question that begins with ``first``."""
        words = (first, self.inside, self.verb, self.rest, self.when)
        return " ".join(w for w in words if w) + "?"

    @property
    def present(self) -> str:
        """The sentence in the simple present."""
        return self.text(third(self.verb) if self.single else self.verb)


def sentence(scene: Scene) -> Sentence:
    """Return a short sentence in the simple present."""
    rng = scene.rng
    scene.forget()
    name = scene.word("name")
    subject = rng.choice((*PRONOUNS, *NAMED, name, name, name))
    inside = subject if subject in ("I", name) else subject[0].lower() + subject[1:]
    objects = {slot: rng.choice(words) for slot, words in OBJECTS.items()}
    verb, _, rest = scene.say(rng.choice(DOING), **objects).partition(" ")
    return Sentence(subject, inside, verb, rest, rng.choice(WHEN))


INTO_PAST = Phrases((
    "Put this into the past: {s}", "Write this in the past tense: {s}",
    "Change this sentence to the past tense: {s}", "Past tense, please: {s}",
    "Rewrite this in the past: {s}", "Turn this into the past tense: {s}",
    "Can you put this sentence in the past? {s}", "How do I say this in the past? {s}",
    "{s} Put that in the past tense.", "{s} Now in the past, please.",
))  # fmt: skip
INTO_FUTURE = Phrases((
    "Put this into the future: {s}", "Write this in the future tense: {s}",
    "Change this sentence to the future: {s}", "Future tense, please: {s}",
    "How do I say this in the future? {s}", "{s} Put that in the future tense.",
))  # fmt: skip
INTO_NEGATIVE = Phrases((
    "Make this negative: {s}", "Say the opposite with not: {s}", "Negate this sentence: {s}",
    "Put a not into this: {s}", "Turn this into a negative sentence: {s}", "{s} Make it negative.",
))  # fmt: skip
INTO_QUESTION = Phrases((
    "Make this a question: {s}", "Turn this into a question: {s}", "Write this as a question: {s}",
    "Change this into a question, please: {s}", "How do I ask this? {s}", "{s} Make it a question.",
))  # fmt: skip
INTO_CAPITALS = Phrases((
    "Write this in capital letters: {s}", "Put this in capitals: {s}", "All caps, please: {s}",
    "Make this upper case: {s}", "Capitalise every letter: {s}",
))  # fmt: skip
REPEAT = Phrases((
    "Repeat after me: {s}", "Say this: {s}", "Please repeat: {s}", "Repeat this sentence: {s}",
    "Write this down: {s}",
))  # fmt: skip
MISTAKE = Phrases((
    "Fix the mistake: {s}", "Correct this sentence: {s}", "What is wrong here? {s}",
    "Please correct: {s}", "Correct the mistake in this sentence: {s}", "Is this right? {s}",
    "Find the mistake: {s}", "Fix this: {s}", "Can you correct my English? {s}",
    "Correct my sentence, please: {s}", "There is a mistake in this sentence: {s}",
    "Fix the grammar: {s}", "Make this sentence correct: {s}",
))  # fmt: skip
WORDS = Phrases((
    "How many words are in this sentence? {s}", "Count the words: {s}",
    "How many words does this sentence have? {s}", "Tell me how many words this is: {s}",
))  # fmt: skip


def tenses(scene: Scene) -> list[Said]:
    """Return a sentence to be put into another tense, negated, asked, repeated or counted."""
    line = sentence(scene)
    does, do_not = ("Does", "doesn't") if line.single else ("Do", "don't")
    count = len(line.present.split())
    kind, reply = scene.rng.choice((
        (INTO_PAST, line.text(past(line.verb))),
        (INTO_PAST, line.text(past(line.verb))),
        (INTO_FUTURE, line.text("will", line.verb)),
        (INTO_NEGATIVE, line.text(do_not, line.verb)),
        (INTO_QUESTION, line.question(does)),
        (INTO_CAPITALS, line.present.upper()),
        (REPEAT, line.present),
        (WORDS, f"This sentence has {count} words."),
    ))  # fmt: skip
    return [Said(scene.ask(kind, s=line.present), reply)]


def mistake(scene: Scene) -> list[Said]:
    """Return a sentence with a mistake in the verb, an article or a spelling."""
    line = sentence(scene)
    if scene.chance(0.35):
        wrong, right = scene.rng.choice(MISTAKES)
        return [Said(scene.ask(MISTAKE, s=wrong), right)]
    if scene.chance(0.3):
        last = line._replace(when=scene.rng.choice(("yesterday", "last week")))
        right = last.text(past(line.verb))
        wrong = last.text(third(line.verb) if line.single else line.verb)
    else:
        right = line.present
        wrong = line.text(line.verb if line.single else third(line.verb))
    if wrong == right:
        return mistake(scene)
    return [Said(scene.ask(MISTAKE, s=wrong), right)]


POLITE = Phrases((
    "Make this polite: {s}", "Say this more politely: {s}", "How do I say this politely? {s}",
    "Politer, please: {s}", "Make this sentence friendlier: {s}",
    "Can you make this sound polite? {s}", "Say it in a polite way: {s}",
    "Rewrite this politely: {s}", "A more polite way to say: {s}", "{s} Make that polite, please.",
))  # fmt: skip
ORDERS = (
    "give me {the thing}", "bring me {the thing}", "pass me {the thing}",
    "close the (door|window)", "open the (door|window)",
    "help me with (my homework|this box|the dishes)", "turn off the (light|music|television)",
    "come here", "wait (here|outside)", "be quiet", "call me back",
    "send me the (report|letter|photos)", "tell me your name", "show me the (way|menu|list)",
    "move your (car|chair|bag)", "let me (in|through|speak)", "answer my (question|letter)",
    "take off your shoes", "lend me your (pen|book|umbrella)", "repeat that",
    "speak (louder|more slowly)", "sit down", "stop (shouting|that noise)",
)  # fmt: skip
THINGS = (
    "the pepper", "the bread", "a glass of water", "the bill", "that book", "the key",
    "a cup of tea", "the newspaper", "the sugar", "my coat", "the menu", "a fork", "the butter",
)  # fmt: skip


def polite(scene: Scene) -> list[Said]:
    """Return an order to be made polite."""
    order = scene.say(scene.rng.choice(ORDERS).replace("{the thing}", scene.rng.choice(THINGS)))
    user = scene.ask(POLITE, s=capital(order) + scene.rng.choice((".", "!")))
    asking = scene.rng.choice(("Could you please", "Would you please", "Could you"))
    return [Said(user, f"{asking} {order}{', please' if asking == 'Could you' else ''}?")]


MISTAKES = (
    ("I has a cat.", "I have a cat."), ("They was late.", "They were late."),
    ("She don't like tea.", "She doesn't like tea."),
    ("He have two brothers.", "He has two brothers."), ("I eats an apple.", "I eat an apple."),
    ("We was at home.", "We were at home."), ("I saw a elephant.", "I saw an elephant."),
    ("This is an dog.", "This is a dog."), ("I have two cat.", "I have two cats."),
    ("There is many people here.", "There are many people here."),
    ("He can sings.", "He can sing."), ("I am agree.", "I agree."),
    ("She is more taller than me.", "She is taller than me."), ("I goed home.", "I went home."),
    ("He runned fast.", "He ran fast."), ("I buyed a book.", "I bought a book."),
    ("The childs are playing.", "The children are playing."),
    ("Three mans came in.", "Three men came in."), ("My foots hurt.", "My feet hurt."),
    ("I did not saw him.", "I did not see him."), ("Did you went there?", "Did you go there?"),
    ("She is good in maths.", "She is good at maths."),
    ("I recieve a letter.", "I receive a letter."),
    ("This is definately true.", "This is definitely true."),
    ("I will meet you tommorow.", "I will meet you tomorrow."),
    ("He is my freind.", "He is my friend."),
    ("It is a beautifull day.", "It is a beautiful day."), ("I beleive you.", "I believe you."),
    ("Thankyou very much.", "Thank you very much."), ("Its raining.", "It's raining."),
    ("Your right.", "You're right."), ("I could of done it.", "I could have done it."),
    ("Me and him went home.", "He and I went home."), ("Where is you?", "Where are you?"),
    ("What are she doing?", "What is she doing?"), ("He work in a bank.", "He works in a bank."),
    ("The dogs barks.", "The dogs bark."), ("The bird sing.", "The bird sings."),
    ("I am here since Monday.", "I have been here since Monday."),
    ("How much apples do you want?", "How many apples do you want?"),
    ("She sing beautiful.", "She sings beautifully."),
    ("He drives very careful.", "He drives very carefully."),
)  # fmt: skip
