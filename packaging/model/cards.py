"""Finds the four cards of the empty chat: short questions that need the second effort.

Run ``python packaging/model/cards.py`` to write ``resources/cards.json`` again. A card's question
has as few steps as possible and at most 120 tokens; the bundled model gets it wrong at its
first effort and right at the second and third, every time by a clear margin, so that it does so
on other processors too.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from serial import KINDS

from engine import Model
from engine.evaluate import Question, ask
from engine.resources import bundled_model, resource

# title, kind, a word the question must hold
CARDS = (("A sum", "chain", ""), ("Eggs", "story", "eggs"), ("Which way?", "turning", ""),
         ("Which cup?", "cups", ""))  # fmt: skip
MOST_TOKENS = 120  # a whole prompt, chat marks included
FEWEST_STEPS, MOST_STEPS = 6, 32
DRAWS = 60  # questions tried at each number of steps
CLEAR_MARGIN = 0.5  # logits between the first and second choice; processors differ by 1e-3


def find(model: Model, kind: str, word: str, rng: random.Random) -> Question:
    """Return the first good question of ``kind`` that holds ``word``, from few steps to many."""
    for steps in range(FEWEST_STEPS, MOST_STEPS + 1):
        for _ in range(DRAWS):
            draw = KINDS[kind](rng, steps, "train")
            question = Question(kind, steps, draw.question, draw.value, draw.choices)
            if word in draw.question and is_card(model, question):
                return question
    raise ValueError(f"No {kind} question fits a card; try another seed.")


def is_card(model: Model, question: Question) -> bool:
    """Return whether ``question`` is short, and only the first effort gets it wrong, clearly."""
    prompt = model.tokenizer.encode_chat([("user", question.question)])
    first, *deeper = model.config.efforts
    if len(prompt) > MOST_TOKENS:
        return False
    if ask(model, question, [first]).right(first):
        return False
    outcome = ask(model, question, deeper)
    if not all(outcome.right(depth) for depth in deeper):
        return False
    return all(margin(model, prompt, depth) >= CLEAR_MARGIN for depth in (first, *deeper))


def margin(model: Model, prompt: Sequence[int], loops: int) -> float:
    """Return the smallest gap between the two best tokens, over a greedy answer's tokens."""
    tokens = model.generate(prompt, loops, max_tokens=8)
    gaps = []
    for end in range(len(prompt), len(tokens)):
        logits = model.score_with_uncertainty(tokens[:end], loops, loops)[0]
        second, best = np.partition(logits, -2)[-2:]
        gaps.append(float(best - second))
    return min(gaps)


def main() -> None:
    """Write the cards."""
    parser = argparse.ArgumentParser(description="Find the cards of the empty chat.")
    parser.add_argument("output", type=Path, nargs="?", default=resource("cards.json"))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    cards = []
    with Model(bundled_model()) as model:
        for title, kind, word in CARDS:
            question = find(model, kind, word, random.Random(f"card {arguments.seed} {kind}"))
            print(f"{title}: {question.question} {question.answer}", flush=True)
            cards.append({"title": title, "steps": question.steps, "question": question.question,
                          "answer": question.answer})  # fmt: skip
    arguments.output.write_text(json.dumps(cards, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
