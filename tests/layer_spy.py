"""Watches every layer that the reference backend runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from engine import Model


@dataclass
class Ran:
    """Tokens run through each loop, summed over its layers; pre and post layers are left out."""

    tokens: dict[int, int] = field(default_factory=dict)
    before_first_word: dict[int, int] = field(default_factory=dict)


@contextmanager
def spy(model: Model) -> Iterator[Ran]:
    """Count loops and tokens; ``before_first_word`` is the count when decoding begins."""
    backend: Any = model._runner._backend
    config, ran = model.config, Ran()
    run_layer, decode = backend.run_layer, backend.decode
    fixed = config.num_pre_layers + config.num_post_layers

    def record(slot: int, cache: Any, first: int, x: Any) -> Any:
        if slot >= fixed:
            loop = (slot - fixed) // config.num_loop_layers
            ran.tokens[loop] = ran.tokens.get(loop, 0) + len(x)
        return run_layer(slot, cache, first, x)

    def note(*arguments: Any) -> Any:
        ran.before_first_word = dict(ran.tokens)
        return decode(*arguments)

    backend.run_layer, backend.decode = record, note
    try:
        yield ran
    finally:
        del backend.run_layer, backend.decode
