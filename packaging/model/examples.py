"""Finds the example questions: wrong at the first effort, right deeper, and short.

Run ``python packaging/model/examples.py`` to write ``resources/examples.json``, 50 questions of
the kinds that depth helps, and ``resources/cards.json``, the four of them that an empty chat
offers. They are fresh draws in held-out phrasings, none of them one of ``heldout.py``'s. At every
effort the model chooses each token by a clear margin, so that the answers are the same on other
processors.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import heldout
import numpy as np
from serial import KINDS

from engine import Model
from engine.evaluate import ANSWER_TOKENS, Question, ask
from engine.resources import bundled_model, resource

CARDS = {"chain": "A sum", "story": "How many?", "turning": "Which way?", "cups": "Which cup?"}
COUNT = 50
MOST_TOKENS = 180  # a whole prompt, chat marks included
STEPS = (10, 24)  # fewer are seldom wrong at the first effort, more are seldom short
DRAWS = 30  # of a kind in a round; one that gives none has no turn any more, unless a card needs it
ROUNDS = 12
CLEAR_MARGIN = 0.25  # logits between the first and second choice; processors differ by 1e-3


def draw(kind: str, rng: random.Random) -> Question:
    """Return a fresh question of ``kind``."""
    drawn = KINDS[kind](rng, rng.randint(*STEPS), "heldout")
    return Question(kind, drawn.steps, drawn.question, drawn.value, drawn.choices)


def needs(model: Model, question: Question) -> int:
    """Return the depth from which on ``question`` is answered right, 0 if it is no example.

    An example is short, wrong at the first effort, right from a deeper one on, always clearly.
    """
    efforts = model.config.efforts
    prompt = model.tokenizer.encode_chat([("user", question.question)])
    if len(prompt) > MOST_TOKENS or ask(model, question, efforts[:1]).right(efforts[0]):
        return 0
    if margin(model, prompt, efforts[0]) < CLEAR_MARGIN:
        return 0
    outcome = ask(model, question, efforts)
    if not outcome.right(efforts[-1]):
        return 0
    if any(margin(model, prompt, depth) < CLEAR_MARGIN for depth in efforts[1:]):
        return 0
    return next(depth for depth in efforts if outcome.right(depth))


def margin(model: Model, prompt: list[int], loops: int) -> float:
    """Return the smallest gap between the two best tokens, over a greedy answer's tokens."""
    tokens, handle = model.generate(
        prompt, loops, max_tokens=ANSWER_TOKENS, return_handle=True, max_loops=loops
    )
    gaps = []
    for end in range(len(prompt), len(tokens)):
        part = model.build_resume_handle(tokens[:end], loops, loops, start=handle)
        second, best = np.partition(model.score_with_uncertainty(part, loops, loops)[0], -2)[-2:]
        gaps.append(float(best - second))
    return min(gaps)


def find(model: Model, seed: int, known: set[str]) -> Iterator[dict[str, Any]]:
    """Yield examples, one a kind in every round; none of the questions ``known``."""
    dice = {kind: random.Random(f"examples {seed} {kind}") for kind in KINDS}
    for _ in range(ROUNDS):
        for kind, rng in list(dice.items()):
            for question in (draw(kind, rng) for _ in range(DRAWS)):
                depth = 0 if question.question in known else needs(model, question)
                if depth:
                    known.add(question.question)
                    yield {**dataclasses.asdict(question), "right_from": depth}
                    break
            else:
                if kind not in CARDS:
                    del dice[kind]


def cards(examples: list[dict[str, Any]], second: int) -> list[dict[str, Any]]:
    """Return the shortest example of each card's kind that the ``second`` effort gets right.

    Raises ValueError when a kind has none.
    """
    chosen = []
    for kind, title in CARDS.items():
        fit = [e for e in examples if (e["kind"], e["right_from"]) == (kind, second)]
        if not fit:
            raise ValueError(f"There is no example of the kind {kind} for a card; "
                             "try another --seed.")  # fmt: skip
        best = min(fit, key=lambda example: len(example["question"]))
        fields = ("steps", "question", "answer", "choices")
        chosen.append({"title": title, **{field: best[field] for field in fields}})
    return chosen


def main() -> None:
    """Write the examples and the cards."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=bundled_model())
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda (default: auto)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    lines = heldout.FILE.read_text(encoding="utf-8").splitlines()
    known = {json.loads(line)["question"] for line in lines}
    found: list[dict[str, Any]] = []
    with Model(arguments.model, device=arguments.device) as model:
        for example in find(model, arguments.seed, known):
            found.append(example)
            print(f"{len(found)}: {example['question']} {example['answer']}", flush=True)
            if len(found) == COUNT:
                break
        if len(found) < COUNT:
            raise ValueError(f"Only {len(found)} examples were found; try another --seed.")
        chosen = cards(found, model.config.efforts[1])
    for name, content in (("examples.json", found), ("cards.json", chosen)):
        text = json.dumps(content, indent=2, ensure_ascii=False)
        resource(name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
