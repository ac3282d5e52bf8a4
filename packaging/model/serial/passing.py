"""Makes questions of who has a thing in the end, as things go from hand to hand."""

from __future__ import annotations

import random
from dataclasses import replace

from serial import words
from serial.base import Draw, Mark, Split, capital
from serial.forms import Forms
from serial.narration import Asking, Narration, Step, listed

MOST_PEOPLE = 8
# Giving is learned soon; swapping is what has to be taught.
SWAP_RATES: dict[Split, float] = {"train": 0.7, "heldout": 0.35}

HOLDS = Forms(
    train=(
        "{a} has the {t}",
        "{a} has the {t}",
        "{a} is holding the {t} at first",
        "the {t} is with {a}",
        "at first {a} has the {t}",
        "{a} starts with the {t}",
        "{a} holds the {t}",
        "{a} begins with the {t}",
        "{a} starts out with the {t}",
        "{a} has got the {t}",
        "{a} is carrying the {t}",
        "{a} is the one with the {t}",
        "{a} is the first to have the {t}",
        "to begin with, {a} has the {t}",
        "in the beginning the {t} is with {a}",
        "before anything happens, {a} has the {t}",
        "it is {a} who has the {t} first",
        "the {t} is in {a}'s hands",
        "the {t} is held by {a}",
        "the {t} can be found with {a}",
        "the one with the {t} is {a}",
        "the first to have the {t} is {a}",
        "the person holding the {t} is {a}",
    ),
    heldout=(
        "at first {a} is holding the {t}",
        "the {t} starts with {a}",
        "{a} has the {t} at the start",
        "at first the {t} is with {a}",
    ),
)
# The same where one sentence says it of all the things.
LISTED = Forms(
    train=(
        "{a} has the {t}",
        "{a} has the {t}",
        "the {t} is with {a}",
        "{a} holds the {t}",
        "{a} has got the {t}",
        "{a} carries the {t}",
        "{a} begins with the {t}",
        "{a} starts out with the {t}",
        "the {t} is held by {a}",
        "the {t} is in {a}'s hands",
    ),
    heldout=("the {t} starts with {a}", "{a} is holding the {t}"),
)
# What may stand before that sentence.
LIST_LEADS = Forms(
    train=("", "", "", "", "here is who has what: ", "this is the situation: ", "look: "),
    heldout=(),
)
# What one gives to the other, the giver ``a`` and the thing ``t`` both named.
GIVES = Forms(
    train=(
        "{a} gives the {t} to {b}",
        "{a} gives the {t} to {b}",
        "{a} gives {b} the {t}",
        "{a} passes the {t} to {b}",
        "{a} hands the {t} to {b}",
        "{a} throws the {t} to {b}",
        "{a} sends {b} the {t}",
        "{b} gets the {t} from {a}",
        "{b} takes over the {t} from {a}",
        "{a} brings {b} the {t}",
        "{a} tosses the {t} to {b}",
        "{a} lends the {t} to {b}",
        "the {t} goes from {a} to {b}",
        "the {t} is handed to {b}",
        "{a} hands over the {t} to {b}",
        "{a} passes the {t} on to {b}",
        "{a} sells the {t} to {b}",
        "{a} delivers the {t} to {b}",
        "{a} offers the {t} to {b}, who takes it",
        "{a} leaves the {t} with {b}",
        "{a} lets {b} have the {t}",
        "{a} lends {b} the {t}",
        "{a} slips {b} the {t}",
        "{a} throws {b} the {t}",
        "{a} lets go of the {t} and {b} takes it",
        "{b} receives the {t} from {a}",
        "{b} borrows the {t} from {a}",
        "{b} buys the {t} from {a}",
        "{b} picks up the {t} from {a}",
        "{b} grabs the {t} from {a}",
        "{b} is given the {t} by {a}",
        "{b} is handed the {t} by {a}",
        "{b} asks {a} for the {t} and gets it",
        "from {a} the {t} goes to {b}",
        "the {t} moves from {a} to {b}",
        "the {t} is given to {b} by {a}",
        "the {t} is sent by {a} to {b}",
        "the {t} is thrown to {b}",
        "the {t} goes over to {b}",
        "it is {b} who gets the {t} from {a}",
        "the one who gets the {t} from {a} is {b}",
    ),
    heldout=(
        "{a} passes {b} the {t}",
        "{a} hands {b} the {t}",
        "{a} sends the {t} to {b}",
        "{b} takes the {t} from {a}",
        "the {t} is passed to {b}",
    ),
)
# Three people who hold one thing each, and change what they hold.
SWAPS = Forms(
    train=(
        "{a} and {b} swap",
        "{a} swaps with {b}",
        "{a} and {b} swap things",
        "{a} and {b} trade",
        "{a} trades things with {b}",
        "{a} exchanges things with {b}",
        "{a} and {b} swap items",
        "{a} and {b} swap what they have",
        "{a} and {b} trade what they are holding",
        "{a} and {b} exchange what they hold",
        "{a} and {b} switch things",
        "{a} and {b} make a trade",
        "{a} and {b} do a swap",
        "{a} and {b} take each other's things",
        "{a} makes a swap with {b}",
        "{a} makes a trade with {b}",
        "{a} switches items with {b}",
        "{a} agrees to a swap with {b}",
        "there is a swap between {a} and {b}",
        "a trade takes place between {a} and {b}",
        "the things of {a} and {b} are swapped",
        "the items of {a} and {b} are exchanged",
    ),
    heldout=(
        "{a} swaps things with {b}",
        "{a} and {b} trade things",
        "{a} trades with {b}",
        "{a} and {b} exchange things",
    ),
)
LAST = Forms(
    train=(
        Asking("Who has the {t}?", "{v} has the {t}."),
        Asking("Who has the {t} now?", "{v} has the {t} now."),
        Asking("Who is holding the {t} at the end?", "{v} is holding the {t}."),
        Asking("Who ends up with the {t}?", "{v} ends up with the {t}."),
        Asking("Who has the {t}? Just the name, please.", "{v}."),
        Asking("Where is the {t} now?", "{v} has it."),
        Asking("With whom is the {t} in the end?", "The {t} is with {v}."),
        Asking("Do you know who has the {t}?", "{v} has it."),
        Asking("I need the {t}. Who should I ask?", "Ask {v}."),
        Asking("So who got the {t} in the end?", "{v} got the {t}."),
        Asking("Who holds the {t} now?", "{v} holds the {t} now."),
        Asking("Who has got the {t} now?", "{v} has got it."),
        Asking("After all that, who has the {t}?", "{v} has the {t}."),
        Asking("Finally, who is holding the {t}?", "{v} is holding it."),
        Asking("Which of them has the {t} now?", "{v} does."),
        Asking("Which person ends up with the {t}?", "{v} does."),
        Asking("Can you tell me who has the {t} now?", "{v} has the {t}."),
        Asking("Could you say where the {t} is now?", "It is with {v}."),
        Asking("Where did the {t} end up?", "The {t} ended up with {v}."),
        Asking("Where can I find the {t}?", "{v} has the {t}."),
        Asking("Who is the {t} with?", "The {t} is with {v}."),
        Asking("The {t} is now with whom?", "It is now with {v}."),
        Asking("By whom is the {t} held at the end?", "It is held by {v}."),
        Asking("In whose hands is the {t} now?", "It is in the hands of {v}."),
        Asking("What is the name of the person with the {t}?", "The name is {v}."),
        Asking("Name the person who has the {t} now.", "{v}."),
        Asking("Say who the {t} is with.", "It is with {v}."),
        Asking("I am looking for the {t}. Who has it?", "{v} has it."),
        Asking("I would like to have the {t}. Who can give it to me?", "{v} can."),
        Asking("If I need the {t}, whom do I ask?", "You ask {v}."),
        Asking("Think of the {t}. Which person has it?", "{v} has it."),
        Asking("Somebody has the {t}. Who is it?", "It is {v}."),
        Asking("What about the {t}: who has it in the end?", "{v} has it in the end."),
    ),
    heldout=(
        Asking("Who has the {t} at the end?", "{v} has the {t}."),
        Asking("So who ends up with the {t}?", "{v} ends up with the {t}."),
        Asking("Do you know who is holding the {t} now?", "{v} is holding the {t}."),
        Asking("In the end, who has the {t}?", "{v} has the {t}."),
    ),
)
FIRST = Forms(
    train=(
        Asking("Tell me who ends up with the {t}.", "{v} ends up with the {t}."),
        Asking("Who has the {t} at the end of this?", "{v} has the {t}."),
        Asking("I want to know who has the {t} in the end.", "{v} has the {t}."),
        Asking("Where does the {t} go?", "{v} has it in the end."),
        Asking("Who will have the {t} in the end?", "{v} will have the {t}."),
        Asking("Who holds the {t} when all of this is done?", "{v} holds it."),
        Asking("Which person has the {t} once this is over?", "{v} does."),
        Asking("Where does the {t} end up?", "It ends up with {v}."),
        Asking("With whom does the {t} end up?", "The {t} ends up with {v}."),
        Asking("In whose hands does the {t} end up?", "It ends up in the hands of {v}."),
        Asking("Can you work out who has the {t} after all this?", "{v} has it."),
        Asking("Find out who has the {t} after this.", "{v} has the {t}."),
        Asking("Please say where the {t} is at the end.", "It is with {v}."),
        Asking("Follow the {t} and say who has it at the end.", "{v} has it at the end."),
        Asking("Watch the {t}. Who has it last?", "{v} has it last."),
        Asking("The question is who gets to keep the {t}.", "{v} gets to keep it."),
        Asking("What I need to know is who will get the {t}.", "{v} will get it."),
    ),
    heldout=(
        Asking("Tell me who has the {t} in the end.", "{v} has the {t}."),
        Asking("I want to know who ends up with the {t}.", "{v} ends up with the {t}."),
    ),
)
FIRST_RATE = 0.3

Holders = dict[str, str]  # thing: person


def _opening(rng: random.Random, split: Split, holders: Holders) -> str:
    if rng.random() < 0.5:
        form = LISTED.pick(rng, split)
        lead = LIST_LEADS.pick(rng, split) if split == "train" else ""
        return lead + listed([form.format(a=a, t=t) for t, a in holders.items()]) + "."
    held = [HOLDS.pick(rng, split).format(a=a, t=t) for t, a in holders.items()]
    return " ".join(f"{capital(clause)}." for clause in held)


def _follow_up(rng: random.Random, drawn: Draw, asked: str, holders: Holders) -> Draw:
    """Return a question of another thing; one more, of three things, would give itself away."""
    thing = rng.choice([thing for thing in holders if thing != asked])
    asking, value = LAST.pick(rng, "train"), holders[thing]
    question = asking.question.format(t=thing)
    reply = capital(asking.reply.format(t=thing, v=value))
    mark = Mark(len(question), drawn.steps, value)
    return replace(drawn, question=question, reply=reply, value=value, marks=(mark,))


def passing(rng: random.Random, steps: int, split: Split) -> Draw:
    """Two or three things that are given away, or swapped among three."""
    swapped = rng.random() < SWAP_RATES[split]
    count = 3 if swapped else rng.choice((2, 2, 3))
    people = words.names(rng, split, 3 if swapped else rng.randint(3, MOST_PEOPLE))
    holders = dict(zip(words.things(rng, split, count), people, strict=False))
    asked = rng.choice(list(holders))
    first = rng.random() < FIRST_RATE
    opening = _opening(rng, split, holders)
    forms = (SWAPS if swapped else GIVES).some(rng, split)
    # Whose holder a swap marks: what is asked, or else each of three things as they were told of.
    at_second, at_end, before = [asked] * 3 if first or not swapped else list(holders)
    story = []
    for _ in range(steps):
        early: tuple[tuple[int, str], ...] = ()
        if swapped:
            a, b = rng.sample(people, 2)
            clause = rng.choice(forms).format(a=a, b=b)
            at_first = (clause.index(a) + len(a), holders[before])
            holders = {t: {a: b, b: a}.get(p, p) for t, p in holders.items()}
            early = (at_first, (clause.rindex(b) + len(b), holders[at_second]))
            value = holders[at_end]
        else:
            thing = rng.choice(list(holders))
            a = holders[thing]
            b = rng.choice([person for person in people if person != a])
            holders[thing] = b
            clause = rng.choice(forms).format(a=a, b=b, t=thing)
            value = holders[asked] if first else b
        story.append(Step(clause, value, early=early))
    asking = (FIRST if first else LAST).pick(rng, split)
    told = Narration(rng, split)
    told.ask(asking.question.format(t=asked), opening, story, first=first)
    value = holders[asked]
    drawn = told.draw("passing", asking.reply.format(t=asked, v=value), people, value)
    if split == "heldout":
        return drawn
    return replace(drawn, follow_ups=(_follow_up(rng, drawn, asked, holders),))
