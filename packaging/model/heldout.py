"""Writes the held-out questions: 5 of every kind and every number of steps.

Run ``python packaging/model/heldout.py`` to write ``resources/questions.jsonl`` again, each line
``{"kind", "steps", "question", "answer", "choices"}``. Names, most nouns and a part of every
phrasing are kept out of training. No model is asked, so none is chosen by what a model answers.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

from serial import KINDS

FILE = Path(__file__).parents[2] / "resources/questions.jsonl"
SEED = 20261130
STEPS = range(1, 33)
EACH = 5  # questions of a kind and a number of steps


def held_out(seed: int = SEED) -> list[dict[str, Any]]:
    """Return the questions, none twice; the same seed gives the same."""
    questions: list[dict[str, Any]] = []
    seen: set[str] = set()
    for kind, draw in KINDS.items():
        rng = random.Random(f"held out {seed} {kind}")
        for steps in STEPS:
            for _ in range(EACH):
                question = draw(rng, steps, "heldout")
                while question.question in seen:
                    question = draw(rng, steps, "heldout")
                seen.add(question.question)
                questions.append({
                    "kind": kind, "steps": steps, "question": question.question,
                    "answer": question.value, "choices": list(question.choices),
                })  # fmt: skip
    return questions


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Write the held-out questions.")
    parser.add_argument("output", type=Path, nargs="?", default=FILE)
    arguments = parser.parse_args()
    lines = [json.dumps(question) for question in held_out()]
    arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} questions written to {arguments.output}.")


if __name__ == "__main__":
    main()
