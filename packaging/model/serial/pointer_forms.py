"""The sentences of who points to whom, and the questions of where one arrives."""

from __future__ import annotations

from typing import NamedTuple

from serial.forms import Forms
from serial.narration import Asking


class Relation(NamedTuple):
    """Who points to whom: ``says`` of ``a`` and ``b``; one of ``first`` or ``last`` asks.

    In a ``row`` everyone has one behind and one before; else two may point to the same one.
    """

    says: str
    first: tuple[Asking, ...]
    last: tuple[Asking, ...]
    row: bool = False


POINTS = (
    Asking("Start at {a} and follow {steps}. Where are you?", "You are at {v}."),
    Asking("Start at {a} and follow {steps}. Where are you?", "You are at {v}."),
    Asking("Start at {a} and follow {steps}. Who do you reach?", "You reach {v}."),
    Asking("If I begin at {a} and take {steps}, where do I end up?", "You end up at {v}."),
    Asking("Beginning at {a}, who is {steps} further on?", "{v} is."),
    Asking("Go {steps} from {a}. Who is it? Just the name.", "{v}."),
    Asking("Starting from {a}, go on {steps}. Where are you now?", "You are at {v} now."),
    Asking("From {a}, take {steps}. Who do you come to?", "You come to {v}."),
    Asking("Who do you get to after {steps} from {a}?", "You get to {v}."),
    Asking("You are at {a}. Move on {steps}. Who is there?", "{v} is there."),
    Asking("After {steps} from {a}, where am I?", "You are at {v}."),
    Asking("I set out from {a} and make {steps}. Where do I stop?", "You stop at {v}."),
    Asking("Which person do I come to if I go {steps} from {a}?", "You come to {v}."),
    Asking("Name the person {steps} on from {a}.", "{v}."),
    Asking("Trace the way for {steps} from {a}. Who is at the end?", "{v} is at the end."),
    Asking("Count {steps} on from {a}. Who is that?", "That is {v}."),
    Asking("Put a finger on {a} and move it on {steps}. Where is it now?", "It is at {v}."),
    Asking("If {a} is the start, who is found {steps} later?", "{v} is found."),
    Asking("The way begins at {a}. Who is on it after {steps}?", "{v} is."),
    Asking("Can you tell me who I meet {steps} after {a}?", "You meet {v}."),
)
POINTS_HELD = (
    Asking("Begin at {a} and take {steps}. Where are you?", "You are at {v}."),
    Asking("If I start at {a} and follow {steps}, who do I reach?", "You reach {v}."),
    Asking("Go {steps} from {a}. Where do you end up?", "You end up at {v}."),
)
POINTS_FIRST = (
    Asking("Start at {a} and follow {steps}: who do you reach?", "You reach {v}."),
    Asking("Where do I end up {steps} from {a}?", "You end up at {v}."),
    Asking("Who is {steps} on from {a}?", "{v} is."),
    Asking("Start from {a} and go {steps}. Who is there?", "{v} is there."),
    Asking("Take {steps} from {a}: where are you?", "You are at {v}."),
    Asking("I stand at {a} and make {steps}. Who do I come to?", "You come to {v}."),
    Asking("Find the one who is {steps} on from {a}.", "It is {v}."),
    Asking("Which person do you reach from {a} in {steps}?", "You reach {v}."),
    Asking("If you move {steps} from {a}, who do you get to?", "You get to {v}."),
    Asking("Tell me who comes {steps} after {a}.", "{v} does."),
)
POINTS_FIRST_HELD = (
    Asking("Begin at {a} and follow {steps}: where do you end up?", "You end up at {v}."),
)
LETTER = (
    Asking("{a} gets the letter first. Who has it after it is sent {times}?", "{v} has it."),
    Asking("{a} has the letter. It is sent on {times}. Who has it then?", "{v} has the letter."),
    Asking("If {a} has the letter now, where is it after {steps}?", "It is with {v}."),
    Asking("The letter is with {a}. After it moves on {times}, who has it?", "{v} has it."),
    Asking("{a} holds the letter. Who holds it {steps} later?", "{v} holds it."),
    Asking("Suppose {a} has the letter. Who will have it after {steps}?", "{v} will have it."),
    Asking("The letter sets out from {a} and moves on {times}. Who gets it last?", "{v} does."),
    Asking(
        "{a} is the first with the letter. To whom does it come in {steps}?", "It comes to {v}."
    ),
    Asking("Where has the letter got to {steps} after {a} had it?", "It has got to {v}."),
    Asking("Follow the letter from {a} for {steps}. Who has it now?", "{v} has it now."),
)
LETTER_FIRST = (
    *LETTER[:2],
    Asking("{a} has the letter. Where will it be after {steps}?", "It will be with {v}."),
    Asking("Who gets the letter {steps} after {a}?", "{v} gets it."),
    Asking("Follow the letter: it is with {a}, then goes {steps}. Who has it?", "{v} has it."),
    Asking("Tell me where the letter is {steps} after {a} has it.", "It is with {v}."),
)
BALL = (
    Asking("{a} has the ball. Who has it after {throws}?", "{v} has it."),
    Asking("The ball starts with {a}. Where is it after {throws}?", "It is with {v}."),
    Asking("If {a} throws first, who catches throw number {n}?", "{v} catches it."),
    Asking("{a} makes the first throw. Who holds the ball after {throws}?", "{v} holds it."),
    Asking("The game begins with {a}. After {throws}, who has the ball?", "{v} has the ball."),
    Asking("To whom does the ball come in {throws} from {a}?", "It comes to {v}."),
)
CALLS = (
    Asking("{a} makes the first call. Who gets call number {n}?", "{v} gets it."),
    Asking("The news starts with {a}. Who hears it after {calls}?", "{v} hears it."),
    Asking("{a} has news. Who has it after {calls}?", "{v} has it."),
    Asking("{a} hears the news first. Who knows it after {calls}?", "{v} knows it."),
    Asking("Whom does the news reach after {calls} if it starts with {a}?", "It reaches {v}."),
    Asking("It is {a} who calls first. Who answers call number {n}?", "{v} answers it."),
    Asking("{a} starts it all. Who picks up at call number {n}?", "{v} does."),
)
SECRET = (
    Asking("{a} has a secret. Who learns it after {steps}?", "{v} learns it."),
    Asking(
        "The story begins with {a} and is told {times}. Who hears it last?", "{v} hears it last."
    ),
    Asking("{a} knows the secret. Who knows it after it has been told {times}?", "{v} knows it."),
    Asking("A secret starts out with {a}. Where is it {steps} later?", "It is with {v}."),
    Asking("If {a} is the first to know, who hears it in {steps}?", "{v} does."),
)
LIKES = (
    Asking("Begin with {a} and go along {likes}. Who is it?", "It is {v}."),
    Asking("Start with {a} and follow {likes}. Who do you reach?", "You reach {v}."),
    Asking("If {a} is first and I follow {likes}, who do I get to?", "You get to {v}."),
    Asking("From {a}, move along {likes}. Who do you come to?", "You come to {v}."),
    Asking("Who do I find when I follow {likes} from {a}?", "You find {v}."),
)
LINKS = (
    Asking("Begin with {a} and follow {links}. Who do you find?", "You find {v}."),
    Asking("The chain starts with {a}. Who is {links} further on?", "{v} is."),
    Asking("Go along the chain for {links} from {a}. Who is it?", "It is {v}."),
    Asking("Who is {links} from {a} in this chain?", "{v} is."),
    Asking("If the chain begins with {a}, who comes after {links}?", "{v} comes then."),
    Asking("Where does the chain lead in {links} from {a}?", "It leads to {v}."),
)
SEATS = (
    Asking("Who sits {places} behind {a}?", "{v} does."),
    Asking("Go back {places} from {a}. Who sits there?", "{v} sits there."),
    Asking("Counting back {places} from {a}, whose seat is it?", "It is the seat of {v}."),
    Asking("Which person sits {places} further back than {a}?", "{v} does."),
    Asking("From the seat of {a}, move back {places}. Who is there?", "{v} is there."),
)
QUEUE = (
    Asking("Who stands {places} behind {a}?", "{v} does."),
    Asking("Go back {places} from {a}. Who stands there?", "{v} stands there."),
    Asking("Look {places} behind {a}. Who do you see?", "You see {v}."),
    Asking("Which person is {places} further back than {a}?", "{v} is."),
    Asking("Who is {places} behind {a} in the line?", "{v} is."),
    Asking("Count back {places} from {a} and name the person.", "{v}."),
)
AFTER = (
    Asking("Who comes {places} after {a}?", "{v} does."),
    Asking("Which person is {places} after {a}?", "{v} is."),
    Asking("Count on {places} from {a}. Who is that?", "That is {v}."),
    Asking("Find {a} in the order. Who is {places} further on?", "{v} is."),
    Asking("In this order, who do you find {places} after {a}?", "You find {v}."),
)
RIGHT = (
    Asking("Who sits {places} to the right of {a}?", "{v} does."),
    Asking("Go {places} to the right from {a}. Who sits there?", "{v} sits there."),
    Asking("Move right {places} from {a}. Who is it?", "It is {v}."),
    Asking("Which person is {places} further right than {a}?", "{v} is."),
    Asking("Counting {places} to the right of {a}, who do you find?", "You find {v}."),
)
LEFT = (
    Asking("Who sits {places} to the left of {a}?", "{v} does."),
    Asking("Go {places} to the left from {a}. Who sits there?", "{v} sits there."),
    Asking("Move left {places} from {a}. Who is it?", "It is {v}."),
    Asking("Which person is {places} further left than {a}?", "{v} is."),
    Asking("Counting {places} to the left of {a}, who do you find?", "You find {v}."),
)
ABOVE = (
    Asking("Who lives {floors} above {a}?", "{v} does."),
    Asking("Whose flat is {floors} above the flat of {a}?", "It is the flat of {v}."),
    Asking("From the floor of {a} go {floors} up. Who is at home there?", "{v} is."),
    Asking("Go up {floors} from {a}. Who lives there?", "{v} lives there."),
    Asking("I take the stairs up {floors} from {a}. Whose home is it?", "It is the home of {v}."),
)
BELOW = (
    Asking("Who lives {floors} below {a}?", "{v} does."),
    Asking("Whose flat is {floors} below the flat of {a}?", "It is the flat of {v}."),
    Asking("From the floor of {a} go {floors} down. Who is at home there?", "{v} is."),
    Asking("Go down {floors} from {a}. Who lives there?", "{v} lives there."),
    Asking("I walk down {floors} from {a}. Who do I visit?", "You visit {v}."),
)
BOSSES = (
    Asking("Who is {levels} above {a}?", "{v} is."),
    Asking("Go up {levels} from {a}. Who is the boss there?", "{v} is the boss there."),
    Asking("Which boss is {levels} higher than {a}?", "{v} is."),
    Asking("Starting with {a}, climb {levels}. Whose desk is it?", "It is the desk of {v}."),
    Asking("Who do I find if I go {levels} up from {a}?", "You find {v}."),
)
LETTER_HELD = (
    Asking("{a} has the letter first. Where is it after it is sent on {times}?", "{v} has it."),
    Asking("If {a} gets the letter, who has it after {steps}?", "{v} has the letter."),
)

RELATIONS = Forms(
    train=(
        Relation("{a} points to {b}", POINTS_FIRST, POINTS),
        Relation("{a} points to {b}", POINTS_FIRST, POINTS),
        Relation("{a} points at {b}", POINTS_FIRST, POINTS),
        Relation("{a} is pointing at {b}", POINTS_FIRST, POINTS),
        Relation("{a} looks at {b}", POINTS_FIRST, POINTS),
        Relation("{a} is looking at {b}", POINTS_FIRST, POINTS),
        Relation("{a} faces {b}", POINTS_FIRST, POINTS),
        Relation("{a} leads to {b}", POINTS_FIRST, POINTS),
        Relation("{a} links to {b}", POINTS_FIRST, POINTS),
        Relation("{a} sends you to {b}", POINTS_FIRST, POINTS),
        Relation("{a} -> {b}", POINTS_FIRST, POINTS),
        Relation("{b} is the one {a} points to", POINTS_FIRST, POINTS),
        Relation("{b} is pointed at by {a}", POINTS_FIRST, POINTS),
        Relation("the one {a} looks at is {b}", POINTS_FIRST, POINTS),
        Relation("an arrow goes from {a} to {b}", POINTS_FIRST, POINTS),
        Relation("there is an arrow from {a} to {b}", POINTS_FIRST, POINTS),
        Relation("{a}'s arrow points to {b}", POINTS_FIRST, POINTS),
        Relation("the path from {a} goes to {b}", POINTS_FIRST, POINTS),
        Relation("from {a} you go to {b}", POINTS_FIRST, POINTS),
        Relation("from {a} the way leads to {b}", POINTS_FIRST, POINTS),
        Relation("at {a} you go on to {b}", POINTS_FIRST, POINTS),
        Relation("one step takes you from {a} to {b}", POINTS_FIRST, POINTS),
        Relation("if you are at {a}, you go to {b}", POINTS_FIRST, POINTS),
        Relation("after {a} comes {b}", POINTS_FIRST, POINTS, row=True),
        Relation("next after {a} is {b}", POINTS_FIRST, POINTS, row=True),
        Relation("right after {a} there is {b}", POINTS_FIRST, POINTS, row=True),
        Relation("{b} is next after {a}", POINTS_FIRST, POINTS, row=True),
        Relation("{a} sends the letter to {b}", LETTER_FIRST, LETTER),
        Relation("{a} gives the letter to {b}", LETTER_FIRST, LETTER),
        Relation("{a} hands the letter to {b}", LETTER_FIRST, LETTER),
        Relation("{a} mails the letter to {b}", LETTER_FIRST, LETTER),
        Relation("{b} gets the letter from {a}", LETTER_FIRST, LETTER),
        Relation("from {a} the letter goes to {b}", LETTER_FIRST, LETTER),
        Relation("if {a} has the letter, {b} gets it next", LETTER_FIRST, LETTER),
        Relation("{a} throws the ball to {b}", BALL, BALL),
        Relation("{a} throws {b} the ball", BALL, BALL),
        Relation("{b} catches the ball from {a}", BALL, BALL),
        Relation("{a} calls {b}", CALLS, CALLS),
        Relation("{a} phones {b}", CALLS, CALLS),
        Relation("{b} is called by {a}", CALLS, CALLS),
        Relation("{b} gets a call from {a}", CALLS, CALLS),
        Relation("{a} tells {b}", SECRET, SECRET),
        Relation("{a} whispers to {b}", SECRET, SECRET),
        Relation("{b} hears everything from {a}", SECRET, SECRET),
        Relation("{a} likes {b}", LIKES, LIKES),
        Relation("{b} is liked by {a}", LIKES, LIKES),
        Relation("the one {a} likes is {b}", LIKES, LIKES),
        Relation("{a} trusts {b}", LINKS, LINKS),
        Relation("{a} helps {b}", LINKS, LINKS),
        Relation("{a}'s best friend is {b}", LINKS, LINKS),
        Relation("{a} has chosen {b}", LINKS, LINKS),
        Relation("{a} sits in front of {b}", SEATS, SEATS, row=True),
        Relation("{b} sits behind {a}", SEATS, SEATS, row=True),
        Relation("right behind {a} sits {b}", SEATS, SEATS, row=True),
        Relation("{b} stands behind {a}", QUEUE, QUEUE, row=True),
        Relation("{b} waits right behind {a}", QUEUE, QUEUE, row=True),
        Relation("{a} is right in front of {b}", QUEUE, QUEUE, row=True),
        Relation("directly behind {a} is {b}", QUEUE, QUEUE, row=True),
        Relation("{b} follows {a}", AFTER, AFTER, row=True),
        Relation("{a} is followed by {b}", AFTER, AFTER, row=True),
        Relation("{a} comes just before {b}", AFTER, AFTER, row=True),
        Relation("{b} comes right after {a}", AFTER, AFTER, row=True),
        Relation("{b} sits to the right of {a}", RIGHT, RIGHT, row=True),
        Relation("to the right of {a} sits {b}", RIGHT, RIGHT, row=True),
        Relation("{b} sits to the left of {a}", LEFT, LEFT, row=True),
        Relation("to the left of {a} sits {b}", LEFT, LEFT, row=True),
        Relation("{b} lives just above {a}", ABOVE, ABOVE, row=True),
        Relation("one floor above {a} lives {b}", ABOVE, ABOVE, row=True),
        Relation("{b} lives just below {a}", BELOW, BELOW, row=True),
        Relation("one floor below {a} lives {b}", BELOW, BELOW, row=True),
        Relation("{a} works for {b}", BOSSES, BOSSES, row=True),
        Relation("{a}'s boss is {b}", BOSSES, BOSSES, row=True),
    ),
    heldout=(
        Relation("{a} looks to {b}", POINTS_FIRST_HELD, POINTS_HELD),
        Relation("you go from {a} to {b}", POINTS_FIRST_HELD, POINTS_HELD),
        Relation("{a} sends the letter on to {b}", LETTER_HELD[1:], LETTER_HELD),
        Relation(
            "{a} calls up {b}",
            (Asking("The news starts with {a}. Who gets call number {n}?", "{v} gets it."),),
            (Asking("{a} makes the first call. Who has the news after {calls}?", "{v} has it."),),
        ),
        Relation(
            "{a} stands in front of {b}",
            (Asking("Start at {a} and go back {places}. Who is it?", "It is {v}."),),
            (Asking("Who do you reach {places} behind {a}?", "You reach {v}."),),
            row=True,
        ),
    ),
)
# What may stand between two statements.
JOINERS = Forms(
    train=(
        (". ",),
        (". ",),
        (".\n",),
        ("; ",),
        (", ",),
        (", and ",),
        (", ", " and "),
        (";\n",),
        (",\n",),
        (". ", ". ", " and "),
        (". ", ". ", ". ", ", while "),
        (". ", "; ", ", "),
        (", ", ", and "),
        (", ", ", ", "; "),
        ("; ", "; and "),
        (".\n", ". "),
    ),
    heldout=((". ", ", and "), (". ", "; "), (". ", ", ")),
)
UNITS = {
    "steps": "step", "times": "time", "places": "place", "calls": "call", "likes": "like",
    "throws": "throw", "links": "link", "floors": "floor", "levels": "level",
}  # fmt: skip
