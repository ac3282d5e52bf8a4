"""Budget: 200 tokens are read at the first effort in under 1.5 s."""

from __future__ import annotations

import statistics
import sys
import time

from budget import OtherLoad, heading, verdict
from model_speed import prompt_of

from engine import Model
from engine.resources import bundled_model

TOKENS, LOOPS, SECONDS, REPEATS = 200, 8, 1.5, 7


def main() -> int:
    """Measure the median of some builds."""
    with Model(bundled_model(), device="cpu") as model:
        heading("Reading a prompt")
        prompt = prompt_of(model, TOKENS)
        seconds = []
        with OtherLoad() as load:
            for _ in range(REPEATS):
                started = time.perf_counter()
                model.build_resume_handle(prompt, LOOPS)
                seconds.append(time.perf_counter() - started)
    median = statistics.median(seconds)
    what = f"{TOKENS} tokens at {LOOPS} loops, under {SECONDS} s"
    return 0 if verdict(what, f"{median:.2f} s", median < SECONDS, load) else 1


if __name__ == "__main__":
    sys.exit(main())
