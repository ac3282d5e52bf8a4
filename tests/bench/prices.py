"""Prices: the time to the first word that a button promised against what it took."""

from __future__ import annotations

import os
import random
import statistics
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from app_rig import Rig
from budget import OtherLoad, heading, verdict
from PySide6.QtWidgets import QApplication
from real_engine import RealEngine

from app.domain.price import Deepening
from engine.resources import bundled_model

MOST_WRONG = 0.30  # median error of the promise
QUESTIONS, SEED = 12, 5
SHORTEST = 2  # chats of so many runs before the first promise counts


def questions() -> list[str]:
    """Return sums and walks of very different lengths."""
    words = random.Random(SEED)
    asked = []
    for number in range(QUESTIONS):
        terms = [str(words.randint(1, 9)) for _ in range(4 + 6 * (number % 5))]
        asked.append(f"What is {' + '.join(terms)} ?")
    return asked


def promised(rig: Rig, target: int) -> float | None:
    """Return the seconds to the first word that the button to ``target`` speaks of."""
    answer = rig.newest
    prompt = rig.scene.prompt_of(answer)
    kept = next(
        (k.depth for k in reversed(rig.scene.kept) if k.message_id == answer.id), 0
    )  # nothing else runs: the newest state is the answer's own
    return Deepening(len(prompt.tokens), kept, target).first_word(rig.scene.speeds)


def main() -> int:
    """Ask and deepen as a user does, half of the time from scratch; print each promise."""
    application = QApplication([])
    rig = Rig(RealEngine())
    rig.chat.load(str(bundled_model()), "cpu")
    rig.until(lambda: not rig.scene.loading)
    heading("Prices: promised against taken, time to the first word")
    errors = []
    with OtherLoad() as load:
        for number, text in enumerate(questions()):
            rig.library.new_chat()
            rig.ask(text)
            for depth in (16, 32):
                if number % 2:  # from scratch
                    rig.service.free()
                    rig.until(lambda: not rig.scene.kept)
                price = promised(rig, depth)
                taken = rig.deepen(depth).report.first_word
                if price is not None and number >= SHORTEST:
                    errors.append(abs(price - taken) / taken)
                    kind = "from scratch" if number % 2 else "resumed"
                    size = rig.newest.report.prompt_tokens
                    print(f"       {size:4} tokens to {depth:2} loops, {kind:<13}"
                          f"promised {price:5.2f} s, took {taken:5.2f} s")  # fmt: skip
    rig.close()
    median = statistics.median(errors)
    figure = f"{median:.0%} over {len(errors)} runs, worst {max(errors):.0%}"
    met = verdict(f"median error of the price at most {MOST_WRONG:.0%}", figure,
                  median <= MOST_WRONG, load)  # fmt: skip
    application.quit()
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
