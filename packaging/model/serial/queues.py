"""Makes questions of who stands where in a queue that moves."""

from __future__ import annotations

import random

from serial import words
from serial.base import Draw, Split
from serial.forms import Forms
from serial.narration import Asking, Narration, Step, listed

# Counted from the front, and what ``k`` people are.
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six"}

# Followed from one of its places --------------------------------------------------------------

ROWS = Forms(
    train=(
        "{row} stand in a line, {front} in front.",
        "From front to back, the queue is {row}.",
        "In a queue stand {row}, in this order.",
        "{row} are in line, with {front} at the front.",
        "There is a line of {k} people: {row}, from front to back.",
        "{front} stands at the front of a queue, and behind {front} stand {rest}.",
        "{row} form a line, with {front} at its head.",
        "A line is made of {row}, starting at the front.",
        "{row} wait in a queue, in this order from the front.",
        "{front} is first in line, then come {rest}.",
        "First in the queue is {front}, followed by {rest}.",
        "{k} people queue up: {row}, in that order.",
        "We see a line with {front} in front, then {rest}.",
        "The people in the queue are, in order, {row}.",
        "The line starts with {front}, after whom come {rest}.",
        "{row} line up one behind the other, {front} in front.",
        "Picture a queue: {front} at the front, then {rest}.",
        "Here is a queue of {k} people: {row}, from front to back.",
        "A queue of {k} people has {front} at its head, then come {rest}.",
        "There is a line of {k}: {row}, and {front} stands in front.",
        "{k} people wait in line: {row}, the first being {front}.",
        "Look at this line of {k} people: first {front}, then {rest}.",
    ),
    heldout=(
        "The queue, from front to back: {row}.",
        "In line stand {row}, in this order.",
        "There is a queue of {k} people: {row}, with {front} at the front.",
    ),
)
ROW_SWAPS = Forms(
    train=(
        "{a} and {b} swap places", "{a} swaps with {b}", "{a} and {b} change places",
        "{a} trades places with {b}", "{a} switches with {b}", "{a} and {b} swap",
        "{a} and {b} exchange places", "{a} exchanges places with {b}", "{a} trades with {b}",
        "{a} and {b} swap spots", "{a} changes places with {b}", "{a} and {b} trade spots",
        "the places of {a} and {b} are swapped", "{a} and {b} are swapped", "swap {a} and {b}",
        "swap {a} with {b}", "let {a} and {b} change places", "{a} is swapped with {b}",
        "someone swaps {a} and {b}", "we swap {a} with {b}", "{a} and {b} switch positions",
        "{a} and {b} take each other's places", "there is a swap of {a} and {b}",
    ),
    heldout=("{a} swaps places with {b}", "{a} and {b} trade places", "{a} and {b} switch"),
)  # fmt: skip
FRONT = Forms(
    train=(
        Asking("Who is first in line?", "{v} is first in line."),
        Asking("Who is at the front now?", "{v} is at the front."),
        Asking("Who stands first now?", "{v} stands first."),
        Asking("Who is in front at the end? Just the name.", "{v}."),
        Asking("So who is first now?", "{v} is first now."),
        Asking("Which person is at the front?", "{v} is at the front."),
        Asking("Who has the first place now?", "{v} has the first place."),
        Asking("Who is at the head of the line?", "{v} is at the head of the line."),
        Asking("Who ends up in front?", "{v} ends up in front."),
        Asking("Which of them is first in the end?", "In the end, {v} is first."),
        Asking("Now who leads the queue?", "{v} leads the queue."),
        Asking("Who is the first one in the queue now?", "It is {v}."),
        Asking("And who is standing in front now?", "{v} is standing in front."),
        Asking("Can you tell me who is first in the line?", "It is {v}."),
        Asking("Do you know who is in front?", "{v} is in front."),
        Asking("Tell me who has come to the front.", "{v} has come to the front."),
        Asking("After all this, who is first?", "After all this, {v} is first."),
        Asking("Name whoever is at the front now.", "{v}."),
    ),
    heldout=(
        Asking("Who is at the front at the end?", "{v} is at the front."),
        Asking("So who stands first in line now?", "{v} stands first."),
    ),
)  # fmt: skip
PLACE_FIRST = Forms(
    train=(
        Asking("Tell me who is {w} in line at the end.", "{v} is {w}."),
        Asking("Who stands {w} at the end of this?", "{v} stands {w}."),
        Asking("I want to know who ends up {w}.", "{v} ends up {w}."),
        Asking("Who will be {w} after all the swaps?", "{v} will be {w}."),
        Asking("Who is {w} in the queue once all is done?", "{v} is {w}."),
        Asking("Find out who is {w} in the end.", "In the end, {v} is {w}."),
        Asking("Which person ends up {w} in line?", "It is {v}."),
        Asking("Who has the {w} place when this is over?", "{v} has the {w} place."),
        Asking("Keep track of who is {w}: who is it in the end?", "It is {v}."),
        Asking("Just give me the name: who is {w} at the end?", "{v}."),
    ),
    heldout=(
        Asking("Tell me who stands {w} at the end.", "{v} stands {w}."),
        Asking("I want to know who is {w} in line at the end.", "{v} is {w}."),
    ),
)
PLACE_FIRST_RATES: dict[Split, float] = {"train": 0.6, "heldout": 0.35}  # it is harder


def row(rng: random.Random, steps: int, split: Split) -> Draw:
    """People in a row who swap places by name: who is first, or in another place if asked first."""
    people = words.names(rng, split, rng.randint(3, 5))
    first = rng.random() < PLACE_FIRST_RATES[split]
    place = rng.randrange(len(people)) if first else 0
    opening = ROWS.pick(rng, split).format(
        row=listed(people), front=people[0], rest=listed(people[1:]), k=NUMBERS[len(people)]
    )
    there = people[place]
    forms = ROW_SWAPS.some(rng, split)
    story = []
    for _ in range(steps):
        a, b = rng.sample(people, 2)
        there = {a: b, b: a}.get(there, there)
        story.append(Step(rng.choice(forms).format(a=a, b=b), there))
    asking = (PLACE_FIRST if first else FRONT).pick(rng, split)
    w = ORDINALS[place]
    narration = Narration(rng, split)
    narration.ask(asking.question.format(w=w), opening, story, first=first)
    return narration.draw("sorting", asking.reply.format(w=w, v=there), people, there)


# Followed with one of its people --------------------------------------------------------------

QUEUES = Forms(
    train=(
        "There are {k} people in a queue, and {p} is number {i}.",
        "{p} is number {i} in a line of {k}.",
        "In a queue of {k} people, {p} is in place {i}.",
        "{k} people stand in line. {p} has place {i}.",
        "{p} stands in a queue of {k} people, as number {i} from the front.",
        "{p} is {o} in a queue of {k}.",
        "{k} people are waiting in line, and {p} is the {o} of them.",
        "A line of {k} people has {p} in place {i}.",
        "Counted from the front, {p} is number {i} of the {k} people in a line.",
        "{p} is the {o} of {k} people in a queue.",
        "We have a queue of {k}. The {o} person in it is {p}.",
        "In place {i} of a line of {k} stands {p}.",
        "{p} waits with others in a line of {k}, in place {i}.",
        "Number {i} in a queue of {k} people is {p}.",
    ),
    heldout=(
        "There are {k} people in line, and {p} is in place {i}.",
        "{p} has place {i} in a queue of {k}.",
        "{k} people stand in a queue. {p} is number {i}.",
    ),
)
# The front goes to the back, the back to the front, the first two swap, the last two swap.
QUEUE_MOVES = Forms(
    train=(
        ("the first one goes to the back", "the last one comes to the front",
         "the first two swap", "the last two swap"),
        ("the one in front goes to the end", "the one at the end goes to the front",
         "the two in front swap places", "the two at the end swap places"),
        ("the first person moves to the end", "the last person moves to the front",
         "the first two people change places", "the last two people change places"),
        ("the one at the front walks to the back", "the one at the back walks to the front",
         "the first two trade places", "the last two trade places"),
        ("whoever is first goes to the back", "whoever is last goes to the front",
         "the front two swap", "the back two swap"),
        ("the person at the front moves to the back", "the person at the back moves to the front",
         "the two people at the front swap", "the two people at the back swap"),
        ("the front person steps to the end", "the back person steps to the front",
         "the front two change places", "the back two change places"),
        ("the first in line is sent to the back", "the last in line is sent to the front",
         "the first two are swapped", "the last two are swapped"),
        ("move the first person to the back", "move the last person to the front",
         "swap the first two", "swap the last two"),
        ("send the one in front to the end", "bring the one at the end to the front",
         "swap the two in front", "swap the two at the end"),
        ("the one at the head runs to the back", "the one at the end runs to the head",
         "the two at the head switch", "the two at the end switch"),
        ("the first one has to go to the back", "the last one has to go to the front",
         "the first two have to swap", "the last two have to swap"),
        ("to the back goes the first one", "to the front goes the last one",
         "places are swapped by the first two", "places are swapped by the last two"),
        ("the first person is moved to the very end", "the last person is moved to the very front",
         "the first two people exchange places", "the last two people exchange places"),
        ("the one who stands first goes to the end", "the one who stands last goes to the front",
         "the two who stand first swap", "the two who stand last swap"),
        ("we send the first person to the back", "we let the last person go to the front",
         "we swap the first two people", "we swap the last two people"),
    ),
    heldout=(
        ("the first one walks to the end", "the last one walks to the front",
         "the first two swap places", "the last two swap places"),
        ("the first person goes to the back", "the last person comes to the front",
         "the first two change places", "the last two change places"),
    ),
)  # fmt: skip
QUEUE_LAST = Forms(
    train=(
        Asking("Which place is {p} in?", "{p} is in place {v}."),
        Asking("Where is {p} now?", "{p} is in place {v} now."),
        Asking("What number is {p} now?", "{p} is number {v}."),
        Asking("Which place does {p} have in the end? Just the number.", "{v}."),
        Asking("Where in the line does {p} end up?", "{p} ends up in place {v}."),
        Asking("What place does {p} have now?", "{p} has place {v} now."),
        Asking("Which number in the queue is {p}?", "{p} is number {v}."),
        Asking("In what place is {p} in the end?", "In the end, {p} is in place {v}."),
        Asking("And now what place is {p} in?", "Now {p} is in place {v}."),
        Asking("Tell me the place of {p}.", "{p} is in place {v}."),
        Asking("What is the place of {p} now?", "The place of {p} is {v}."),
        Asking("What is the number of {p} in the line?", "It is {v}."),
        Asking("Can you tell me where {p} stands now?", "{p} stands in place {v}."),
        Asking("Counted from the front, what number is {p}?", "{p} is number {v}."),
        Asking("Which number in line does {p} have by now?", "{p} has number {v}."),
        Asking("Give the place of {p} as a number.", "{v}."),
    ),
    heldout=(
        Asking("Which place is {p} in at the end?", "{p} is in place {v}."),
        Asking("So what number is {p} now?", "{p} is number {v}."),
        Asking("Where does {p} end up?", "{p} ends up in place {v}."),
    ),
)  # fmt: skip

# Only training asks it first.
QUEUE_FIRST = (
    Asking("Which place will {p} be in?", "{p} will be in place {v}."),
    Asking("Tell me where {p} stands after all of this.", "{p} stands in place {v}."),
    Asking("I want to know the place of {p} at the end.", "{p} is in place {v}."),
    Asking("Follow {p}: what number in line is that at the end?", "It is number {v}."),
    Asking("Find out which place {p} ends up in.", "{p} ends up in place {v}."),
    Asking("What number will {p} be when all is done?", "{p} will be number {v}."),
)
QUEUE_FIRST_RATE = 0.3


def _moved(place: int, move: int, count: int) -> int:
    """Return the place, from 1, of who stood in ``place`` of a queue of ``count`` before."""
    match move:
        case 0:
            return (place - 2) % count + 1
        case 1:
            return place % count + 1
        case 2:
            return {1: 2, 2: 1}.get(place, place)
        case _:
            return {count: count - 1, count - 1: count}.get(place, place)


def queue(rng: random.Random, steps: int, split: Split) -> Draw:
    """A person in a queue of four to six, the ends of which move: which place is it in?"""
    person, count = words.name(rng, split), rng.randint(4, 6)
    place = rng.randint(1, count)
    opening = QUEUES.pick(rng, split).format(
        p=person, i=place, o=ORDINALS[place - 1], k=NUMBERS[count]
    )
    forms = QUEUE_MOVES.pick(rng, split)
    story = []
    for _ in range(steps):
        move = rng.randrange(4)
        place = _moved(place, move, count)
        story.append(Step(forms[move], str(place)))
    first = split == "train" and rng.random() < QUEUE_FIRST_RATE
    asking = rng.choice(QUEUE_FIRST) if first else QUEUE_LAST.pick(rng, split)
    narration = Narration(rng, split)
    narration.ask(asking.question.format(p=person), opening, story, first=first)
    return narration.draw("sorting", asking.reply.format(p=person, v=place), (), str(place))
