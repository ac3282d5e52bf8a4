"""Measures a model through its public calls: writing, and the first word, fresh and resumed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from engine import Model

MOST_ANSWERS = 100
FILLER = "The cat sat on the mat and looked at the rain. "


@dataclass(frozen=True, slots=True)
class Deepening:
    """Seconds to the first word at ``loops``, from nothing and from a handle at ``kept``.

    ``same_word`` says whether both wrote the same token, without which no time counts.
    """

    kept: int
    loops: int
    fresh_s: float
    resumed_s: float
    same_word: bool

    @property
    def sooner(self) -> float:
        """Return the share of the fresh time that resuming saves, 0 to 1."""
        return 1 - self.resumed_s / self.fresh_s


def prompt_of(model: Model, tokens: int) -> list[int]:
    """Return a chat prompt of exactly ``tokens`` ids about nothing in particular."""
    marks = len(model.tokenizer.encode_chat([("user", [])]))
    filler = model.tokenizer.encode(FILLER * tokens)[: tokens - marks]
    return model.tokenizer.encode_chat([("user", filler)])


def writing_speed(model: Model, loops: int, tokens: int) -> float:
    """Return tokens written a second, over ``tokens`` of them, first words left out.

    Raises ValueError for a model that never writes a second word.
    """
    prompt = model.tokenizer.encode_chat([("user", "Tell me a story about a dog.")])
    gaps: list[float] = []
    for seed in range(MOST_ANSWERS):  # an answer may end early; the next one is another
        times: list[float] = []
        model.generate(
            prompt,
            loops,
            max_tokens=tokens - len(gaps) + 1,
            temperature=1.0,
            seed=seed,
            on_token=lambda _: times.append(time.perf_counter()),  # noqa: B023 - used at once
        )
        gaps += [after - before for before, after in pairwise(times)]
        if len(gaps) >= tokens:
            break
    if not gaps:
        raise ValueError("The model ends every answer at once: there is no writing to measure.")
    return len(gaps) / sum(gaps)


def deepening(model: Model, kept: int, loops: int, prompt: int, repeats: int) -> Deepening:
    """Measure the first word at ``loops`` side by side; medians of interleaved ``repeats``."""
    ids = prompt_of(model, prompt)
    handle = model.build_resume_handle(ids, kept, max_loops=loops)
    fresh, resumed = [], []
    words: set[int] = set()
    for _ in range(repeats):
        fresh.append(_seconds(lambda: words.add(model.generate(ids, loops, max_tokens=1)[-1])))
        resumed.append(
            _seconds(lambda: words.add(model.resume_generate(handle, loops, max_tokens=1)[-1]))
        )
    return Deepening(
        kept, loops, statistics.median(fresh), statistics.median(resumed), len(words) == 1
    )


def _seconds(work: Callable[[], object]) -> float:
    """Return how long ``work`` takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
