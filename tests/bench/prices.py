"""Prices: the time to the first word that a button promised against what it took."""

from __future__ import annotations

import random
import statistics
import sys
from typing import Any

from budget import OtherLoad, heading, verdict
from whole_app import running_app

from app.domain.price import Deepening

MOST_WRONG = 0.30  # median error of the promise
QUESTIONS, SEED = 12, 5
SHORTEST = 2  # chats of so many runs before the first promise counts


def questions() -> list[str]:
    """Return sums and walks of very different lengths."""
    words = random.Random(SEED)
    asked = []
    for number in range(QUESTIONS):
        terms = [str(words.randint(1, 9)) for _ in range(4 + 24 * (number % 5))]
        asked.append(f"What is {' + '.join(terms)} ?")
    return asked


def promised(rig: Any, target: int) -> float | None:
    """Return the seconds to the first word that the button to ``target`` speaks of."""
    answer = rig.newest
    prompt = rig.scene.prompt_of(answer)
    kept = next(
        (k.depth for k in reversed(rig.scene.kept) if k.message_id == answer.id), 0
    )  # nothing else runs: the newest state is the answer's own
    return Deepening(len(prompt.tokens), kept, target).first_word(rig.scene.speeds)


def measure(rig: Any) -> list[float]:
    """Ask and deepen as a user does, half of the time from scratch; return relative errors."""
    errors = []
    for number, text in enumerate(questions()):
        rig.library.new_chat()
        rig.ask(text)
        for depth in (16, 32):
            if number % 2:
                rig.service.free()
                rig.until(lambda: not rig.scene.kept)
            price = promised(rig, depth)
            report = rig.deepen(depth).report
            if price is not None and number >= SHORTEST:
                errors.append(abs(price - report.first_word) / report.first_word)
                kind = "from scratch" if number % 2 else "resumed"
                print(f"       {report.prompt_tokens:4} tokens to {depth:2} loops, {kind:<13}"
                      f"promised {price:5.2f} s, took {report.first_word:5.2f} s")  # fmt: skip
    return errors


def main() -> int:
    """Print each promise and the median error."""
    with running_app() as rig:
        heading("Prices: promised against taken, time to the first word")
        with OtherLoad() as load:
            errors = measure(rig)
    median = statistics.median(errors)
    figure = f"{median:.0%} over {len(errors)} runs, worst {max(errors):.0%}"
    what = f"median error of the price at most {MOST_WRONG:.0%}"
    return 0 if verdict(what, figure, median <= MOST_WRONG, load) else 1


if __name__ == "__main__":
    sys.exit(main())
