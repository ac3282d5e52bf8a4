"""The engine against golden activations that a forward without the engine's code computed.

The file is made by `python packaging/model/golden.py --write`: short prompts and long ones, states
of the last positions, logits and answers at 1, 8, 16 and 32 loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from invariants import arrays
from numpy.typing import NDArray

from engine import Model
from engine.resources import bundled_model

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / f"{bundled_model().stem}.npz"
DEPTHS = (1, 8, 16, 32)
with np.load(GOLDEN) as names:
    PROMPTS = range(sum(name.startswith("ids") for name in names))
TOLERANCE = 1e-3  # K and V are kept in FP16, which alone moves a state by about 2e-4


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    with Model(bundled_model(), device="cpu") as opened:
        yield opened


@pytest.fixture(scope="module")
def golden() -> dict[str, NDArray[Any]]:
    with np.load(GOLDEN) as file:
        return dict(file)


def error(found: NDArray[np.float32], wanted: NDArray[np.float32]) -> float:
    assert found.shape == wanted.shape
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def test_the_file_is_small_and_holds_what_it_should(golden: dict[str, NDArray[Any]]) -> None:
    assert GOLDEN.stat().st_size <= 3_000_000
    assert len(PROMPTS) >= 5
    assert len(golden) == len(PROMPTS) * (1 + 3 * len(DEPTHS))
    assert max(len(golden[f"ids{k}"]) for k in PROMPTS) >= 150
    changed = [k for k in PROMPTS if len({tuple(golden[f"greedy{k}_L{d}"]) for d in DEPTHS}) > 1]
    assert changed, "no answer depends on the loops"


@pytest.mark.parametrize("k", PROMPTS)
def test_states_logits_and_answers(model: Model, golden: dict[str, NDArray[Any]], k: int) -> None:
    ids = golden[f"ids{k}"].tolist()
    handle = model.build_resume_handle(ids, DEPTHS[0], max_loops=DEPTHS[-1])
    for depth in DEPTHS:
        handle = model.extend_handle(handle, depth)
        wanted = golden[f"state{k}_L{depth}"]
        state = arrays(model, handle).state[-len(wanted) :]
        logits, _ = model.score_with_uncertainty(handle, depth, depth)
        assert error(state, wanted) <= TOLERANCE
        assert error(logits, golden[f"logits{k}_L{depth}"]) <= TOLERANCE
        answer = model.resume_generate(handle, depth, max_tokens=24)
        assert answer == golden[f"greedy{k}_L{depth}"].tolist()


def test_a_fresh_answer(model: Model, golden: dict[str, NDArray[Any]]) -> None:
    ids = golden["ids3"].tolist()
    for depth in DEPTHS:
        answer = model.generate(ids, loops=depth, max_tokens=24)
        assert answer == golden[f"greedy3_L{depth}"].tolist()
