"""Makes serial questions: puzzles whose answer follows from their own sentences, one by one.

Run ``python packaging/model/questions.py`` to write ``resources/questions.jsonl`` again: 50
questions of each kind from seed 1, each line ``{"kind", "steps", "question", "answer"}``.
The model is not asked, so none is chosen by what it answers; only its tokenizer counts.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import random
import string
from collections.abc import Callable
from pathlib import Path

from engine.evaluate import Question
from engine.resources import bundled_model, resource
from engine.tokenizer import Tokenizer

NAMES = [
    "Amy", "Bob", "Cara", "Dan", "Eva", "Finn", "Gail", "Hugo", "Iris", "Jack", "Kate", "Leo",
    "Mia", "Ned", "Olga", "Paul", "Quinn", "Rosa", "Sam", "Tina", "Uma", "Vic", "Wendy", "Xena",
    "Yuri", "Zoe",
]  # fmt: skip
OBJECTS = [
    "apples", "pears", "coins", "books", "pens", "cards", "stamps", "shells", "marbles", "eggs",
    "cakes", "stones",
]  # fmt: skip
THINGS = ["ball", "key", "map", "hat", "lamp", "coin", "ring", "cup", "book", "flag"]
DIRECTIONS = ["north", "east", "south", "west"]
TURNS = {"left": -1, "right": 1, "around": 2}
PER_KIND = 50
FEWEST_STEPS, MOST_STEPS = 2, 28
TOKENS_BELOW = 300  # a whole prompt, chat marks included

Draw = tuple[str, str]  # question, answer


def _change(rng: random.Random, value: int) -> int:
    """Return a step of 1 to 9 up or down that keeps ``value`` within 0 to 99."""
    while True:
        change = rng.choice((1, -1)) * rng.randint(1, 9)
        if 0 <= value + change <= 99:
            return change


def _signed(change: int) -> str:
    return f"{'+' if change > 0 else '-'} {abs(change)}"


def chain(rng: random.Random, steps: int) -> Draw:
    """A sum read from left to right."""
    value = rng.randint(0, 9)
    parts = ["What is", str(value)]
    for _ in range(steps):
        change = _change(rng, value)
        value += change
        parts.append(_signed(change))
    return " ".join([*parts, "?"]), str(value)


def story(rng: random.Random, steps: int) -> Draw:
    """One person's heap of objects that grows and shrinks."""
    name, objects, value = rng.choice(NAMES), rng.choice(OBJECTS), rng.randint(1, 12)
    others = [other for other in NAMES if other != name]
    sentences = [f"{name} has {value} {objects}."]
    for _ in range(steps):
        change, other = _change(rng, value), rng.choice(others)
        value += change
        d = abs(change)
        gains = [f"{name} buys {d} more {objects}.", f"{name} finds {d} {objects}.",
                 f"{other} gives {name} {d} {objects}."]  # fmt: skip
        losses = [f"{name} gives {d} {objects} to {other}.", f"{name} loses {d} {objects}.",
                  f"{name} sells {d} {objects}."]  # fmt: skip
        sentences.append(rng.choice(gains if change > 0 else losses))
    return " ".join([*sentences, f"How many {objects} does {name} have now?"]), str(value)


def variables(rng: random.Random, steps: int) -> Draw:
    """Letters defined one by the other, half of the time in shuffled order."""
    letters = rng.sample(string.ascii_lowercase, steps + 1)
    value = rng.randint(0, 9)
    lines = [f"{letters[0]} = {value}."]
    for before, letter in itertools.pairwise(letters):
        change = _change(rng, value)
        value += change
        lines.append(f"{letter} = {before} {_signed(change)}.")
    if rng.random() < 0.5:
        rng.shuffle(lines)
    return " ".join([*lines, f"What is {letters[-1]}?"]), str(value)


def passing(rng: random.Random, steps: int) -> Draw:
    """Two things that go from hand to hand."""
    people = rng.sample(NAMES, min(8, steps + 2))
    holders = dict(zip(rng.sample(THINGS, 2), rng.sample(people, 2), strict=True))
    sentences = [f"{holder} has the {thing}." for thing, holder in holders.items()]
    for _ in range(steps):
        thing = rng.choice(list(holders))
        holder = holders[thing]
        other = rng.choice([person for person in people if person != holder])
        sentences.append(f"{holder} gives the {thing} to {other}.")
        holders[thing] = other
    asked = rng.choice(list(holders))
    return " ".join([*sentences, f"Who has the {asked}?"]), holders[asked]


def turning(rng: random.Random, steps: int) -> Draw:
    """Quarter and half turns on the spot."""
    facing = rng.randrange(4)
    sentences = [f"You face {DIRECTIONS[facing]}."]
    for _ in range(steps):
        turn = rng.choice(list(TURNS))
        facing += TURNS[turn]
        sentences.append(f"Turn {turn}.")
    return " ".join([*sentences, "Which way do you face?"]), DIRECTIONS[facing % 4]


def cups(rng: random.Random, steps: int) -> Draw:
    """A coin under one of five cups that change places."""
    coin = rng.randint(1, 5)
    sentences = [f"The coin is under cup {coin}."]
    for _ in range(steps):
        i, j = rng.sample(range(1, 6), 2)
        coin = {i: j, j: i}.get(coin, coin)
        sentences.append(f"Swap {i} and {j}.")
    return " ".join([*sentences, "Where is the coin?"]), str(coin)


KINDS: dict[str, Callable[[random.Random, int], Draw]] = {
    "chain": chain, "story": story, "variables": variables, "passing": passing,
    "turning": turning, "cups": cups,
}  # fmt: skip
# `variables` needs a letter of its own for the start and for every step.
MOST_STEPS_OF = {"variables": len(string.ascii_lowercase) - 1}


def spread(kind: str, count: int) -> list[int]:
    """Return ``count`` rising numbers of steps that cover the range of ``kind`` evenly."""
    choices = range(FEWEST_STEPS, MOST_STEPS_OF.get(kind, MOST_STEPS) + 1)
    return [choices[i * len(choices) // count] for i in range(count)]


def generate(seed: int, per_kind: int, tokens: Callable[[str], int]) -> list[Question]:
    """Return ``per_kind`` questions of every kind, none of which repeats or is too long.

    ``tokens`` counts a whole prompt. The same seed and tokenizer give the same questions.
    """
    questions = []
    seen: set[str] = set()
    for kind, draw in KINDS.items():
        rng = random.Random(f"{seed} {kind}")
        for steps in spread(kind, per_kind):
            text, answer = draw(rng, steps)
            while text in seen or tokens(text) >= TOKENS_BELOW:
                text, answer = draw(rng, steps)
            seen.add(text)
            questions.append(Question(kind, steps, text, answer))
    return questions


def main() -> None:
    """Write the file of held-out questions."""
    parser = argparse.ArgumentParser(description="Write the held-out questions.")
    parser.add_argument("output", type=Path, nargs="?", default=resource("questions.jsonl"))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    tokenizer = Tokenizer.from_file(bundled_model())
    questions = generate(
        arguments.seed, PER_KIND, lambda text: len(tokenizer.encode_chat([("user", text)]))
    )
    lines = [json.dumps(dataclasses.asdict(question)) for question in questions]
    arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(questions)} questions written to {arguments.output}.")


if __name__ == "__main__":
    main()
