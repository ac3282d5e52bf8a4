"""How well a model looks things up: one that does is told from one that does not."""

from __future__ import annotations

from importlib import import_module

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is needed for training only")
lookups = import_module("lookups")  # an error in it is no reason to skip


class LooksBack:
    """Stands for a model that from its second loop on names what followed a piece before."""

    def __init__(self) -> None:
        self.config = {"vocab_size": 8192}

    def states(self, ids, loops):
        found = torch.zeros_like(ids)
        for at in range(1, ids.shape[1]):
            before = (ids[0, : at - 1] == ids[0, at]).nonzero()
            if len(before):
                found[0, at] = ids[0, before[-1] + 1]
        return [torch.zeros_like(ids), *[found] * (loops - 1)]

    def logits(self, state):
        return torch.nn.functional.one_hot(state, 8192)


def test_a_model_that_looks_back_names_what_came_before():
    shares = lookups.right(LooksBack(), lookups.repeats, (1, 3), 4)
    assert shares[1] == 0
    assert 0.3 < shares[3] < 1  # what follows the same pieces in every pair needs more than that
