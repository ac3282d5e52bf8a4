"""GPTQ for a whole looped model: layer by layer, each from the inputs it gets in all loops.

Later matrices see what the earlier ones, already rounded, really give them. The shared layer's
second moments are the mean over every position of every loop, all of equal weight: its rounding
error comes back in each loop, so no loop's inputs may be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import gptq
import torch
from plain_forward import Plain
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

# Matrices with the same input are rounded together; each stage is calibrated after the one before.
STAGES = (("attn.q", "attn.k", "attn.v"), ("attn.o",), ("mlp.gate", "mlp.up"), ("mlp.down",))
BATCH_TOKENS = 4096  # read at once; with more, short documents are mostly padding

Run = Callable[[Tensor], Tensor]


def batches(documents: list[Tensor], most: int = BATCH_TOKENS) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield ids [rows, tokens] of documents alike in length, and which of them are not padding."""
    waiting = sorted(documents, key=len)
    while waiting:
        count = max(1, most // len(waiting[-1]))
        part, waiting = waiting[-count:], waiting[:-count]
        ids = pad_sequence(part, batch_first=True)
        lengths = torch.tensor([len(document) for document in part], device=ids.device)
        yield ids, torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]


class Rounding:
    """A model on its way to four bits; ``model.w`` gets the rounded matrices.

    ``levels`` (-8 … 7, [out, in]) and ``scales`` ([out, in/group]) hold them by name, ``errors``
    the mean square by which their products change, relative to the products.
    """

    def __init__(self, model: Plain, documents: list[Tensor], loops: int, group: int) -> None:
        """``documents`` are ids to calibrate on, each read through ``loops`` loops."""
        self.model, self.loops, self.group = model, loops, group
        self.levels: dict[str, Tensor] = {}
        self.scales: dict[str, Tensor] = {}
        self.errors: dict[str, float] = {}
        read = [(ids, real) for ids, real in batches([d.to(model.device) for d in documents])]
        self._inputs = [model.embed(ids) for ids, _ in read]  # of the layer that is next
        self._real = [real for _, real in read]

    @torch.no_grad()
    def run(self) -> None:
        """Round every layer matrix."""
        config = self.model.config
        for i in range(config["num_pre_layers"]):
            layer = partial(self.model.layer, name=f"pre.{i}")
            self._round_layer(f"pre.{i}", layer)
            self._inputs = [layer(x) for x in self._inputs]
        self._inputs = [self.model.rms(x, "entry_norm") for x in self._inputs]
        for j in range(config["num_loop_layers"]):
            self._round_layer(f"loop.{j}", self._all_loops)

    def _all_loops(self, entry: Tensor) -> Tensor:
        state = entry
        for _ in range(self.loops):
            state = self.model.loop(state, entry)
        return state

    def _round_layer(self, layer: str, run: Run) -> None:
        for stage in STAGES:
            names = [f"{layer}.{matrix}" for matrix in stage]
            moments = self._moments(names[0], run)
            for name in names:
                self._round_matrix(name, moments)

    def _moments(self, name: str, run: Run) -> Tensor:
        """Return the mean of x xᵀ over all inputs x that matrix ``name`` gets in ``run``."""
        width = self.model.w[f"{name}.weight"].shape[1]
        total, seen = torch.zeros(width, width, device=self.model.device), []
        for x, real in zip(self._inputs, self._real, strict=True):

            def watch(used: str, given: Tensor, real: Tensor = real) -> None:
                if used == name:
                    flat = given[real]
                    total.addmm_(flat.T, flat)
                    seen.append(len(flat))

            self.model.watch = watch
            run(x)
        self.model.watch = lambda _name, _x: None
        return total / sum(seen)

    def _round_matrix(self, name: str, moments: Tensor) -> None:
        key = f"{name}.weight"
        weight = self.model.w[key]
        scales = gptq.search_scales(weight, moments.diagonal(), self.group)
        levels = gptq.quantise(weight, moments, scales)
        rounded = (levels.unflatten(1, (-1, self.group)) * scales[..., None]).flatten(1)
        self.model.w[key], self.levels[key], self.scales[key] = rounded, levels, scales
        self.errors[key] = gptq.output_error(weight, rounded, moments)
