"""The code paths of older GPUs, run on the one at hand: the same text compiled as if for them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from gpu_tools import BANNED, POSITIONS, distance, reference_of, require_gpu, same_bits, style_file

from engine.backends.cuda.compiler import Source
from engine.backends.cuda.probe import find_gpu
from engine.sampling import Sampling
from engine.watch import Watch

pytestmark = pytest.mark.gpu
W = Watch()
ARRAYS = ("keys", "values", "state", "injected")


@pytest.mark.parametrize("style", ["bundled", "llama", "olmo"])
@pytest.mark.parametrize("arch", [75, 86])
def test_the_text_for_an_older_gpu_is_right(
    arch: int, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_gpu()
    from engine.backends.cuda.backend import CudaBackend

    text = Source.text
    monkeypatch.setattr(Source, "text", lambda self: text(dataclasses.replace(self, arch=arch)))
    backend = CudaBackend(find_gpu(0, 0), style_file(style), POSITIONS, BANNED)
    reference = reference_of(style)
    ids = np.random.default_rng(0).integers(6, 300, 150).astype(np.int32)
    written, wanted = backend.new_cache(200, 4, 0), reference.new_cache(200, 4, 0)
    for step in range(0, 150, 50):
        backend.prefill(written, ids[step : step + 50], step, 3, W)
    reference.prefill(wanted, ids, 0, 3, W)
    found, right = backend.read(written), reference.read(wanted)
    assert all(distance(getattr(found, n), getattr(right, n)) < 5e-3 for n in ARRAYS)
    answer: list[int] = []
    backend.decode(written, 3, Sampling(), lambda t: answer.append(t) or len(answer) < 10)
    again = backend.new_cache(200, 4, 0)
    backend.prefill(again, np.concatenate([ids, np.array(answer[:-1], np.int32)]), 0, 3, W)
    one, other = backend.read(written), backend.read(again)
    assert all(same_bits(getattr(one, n), getattr(other, n)) for n in ARRAYS)
    backend.close()
