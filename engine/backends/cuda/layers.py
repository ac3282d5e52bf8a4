"""Queues the kernels of layers and stages: over many rows, or fused for one token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.backends.cuda.device import Gpu
from engine.backends.cuda.shapes import (
    ADD_BRANCH,
    AT_LIVE,
    BAND_CHANNELS,
    BLOCK_CHUNKS,
    EMBED,
    ENTRY_STAGE,
    INJECT,
    LOAD_EXIT,
    LOAD_STATE,
    LOOP_END,
    POST_ENTRY,
    PREFILL_TILES,
    PREFILL_TOKENS,
    QUERY_ROWS,
    STORE_EXIT,
    TAKE_BRANCH,
    THREADS,
    TILE_ROWS,
    Shapes,
)
from engine.backends.cuda.weights import DeviceLayer, DeviceWeights, Matrix
from engine.backends.cuda.workspace import Workspace
from engine.config import ModelConfig
from engine.kv_layout import loop_slot, post_slot, pre_slot

ATTENTION_THREADS = 128
TOKEN_ATTENTION_THREADS = 576
SAMPLER_THREADS = 1024
MANY_TILES = 600  # of a linear; found on an H200: cuda_src/README.md


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of layers with what happens to the row before and after it, as stage flags."""

    start: int
    layers: tuple[tuple[int, DeviceLayer], ...]  # (K/V slot, weights)
    end: int


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows a pass runs over: ``count`` positions from ``first``."""

    first: int
    count: int


def segments(config: ModelConfig, weights: DeviceWeights, loops: range) -> list[Segment]:
    """Return the whole model for one token at the depths of ``loops``: pre, loops, post."""
    return [
        read_segment(weights),
        *(loop_segment(config, weights, t) for t in loops),
        *post_segments(config, weights),
    ]


def read_segment(weights: DeviceWeights) -> Segment:
    """From ids to the injected input and the initial state."""
    layers = tuple((pre_slot(i), layer) for i, layer in enumerate(weights.pre))
    return Segment(EMBED, layers, ENTRY_STAGE)


def loop_segment(config: ModelConfig, weights: DeviceWeights, loop: int) -> Segment:
    """One loop, from state to state."""
    layers = enumerate(weights.loop)
    slots = tuple((loop_slot(config, loop, j), layer) for j, layer in layers)
    return Segment(INJECT, slots, LOOP_END)


def post_segments(config: ModelConfig, weights: DeviceWeights) -> list[Segment]:
    """The post layers, from the state to what the head reads; none without such layers."""
    if not weights.post:
        return []
    layers = tuple((post_slot(config, i), layer) for i, layer in enumerate(weights.post))
    return [Segment(POST_ENTRY if config.post_entry_norm else 0, layers, STORE_EXIT)]


class Launcher:
    """What both passes need: the device, addresses, and arguments as NumPy scalars."""

    def __init__(self, gpu: Gpu, shapes: Shapes, weights: DeviceWeights, work: Workspace) -> None:
        self.gpu, self.shapes, self.weights, self.work = gpu, shapes, weights, work
        self.config = shapes.config

    def at(self, *names: str) -> list[np.uint64]:
        """Return workspace addresses as kernel arguments."""
        return [np.uint64(self.work.address(name)) for name in names]

    def heads(self, layer: DeviceLayer) -> list[np.uint64]:
        """Return the arguments that rotate q and k of a layer."""
        tables = self.weights.cosines, self.weights.sines
        vectors = layer.q_bias, layer.k_bias, layer.q_norm, layer.k_norm
        return [np.uint64(a) for a in (*vectors, *tables)]

    def stage(self, flags: int, post: int, norm: int) -> tuple[np.generic, ...]:
        """Return the arguments of a stage after its buffers: branch, post, norm, flags."""
        return *self.at("branch"), np.uint64(post), np.uint64(norm), np.uint32(flags)

    def joins(self, flags: int) -> bool:
        """Say whether a stage ends in the linear adapter."""
        return self.config.injection == "linear" and bool(flags & INJECT)


class RowPass(Launcher):
    """Prefill and deepening: each stage and linear once over all rows."""

    def run(self, segment: Segment, rows: Rows, before_layer: Callable[[], None]) -> None:
        """Run a segment; between segments a row lives in the cache's state.

        ``before_layer`` is called before every layer and ends the pass by an exception.
        """
        flags, post = segment.start, 0
        if not flags & EMBED:
            flags |= LOAD_STATE
        if self.joins(flags):
            self._stage(flags, 0, 0, rows)
            assert self.weights.adapter is not None
            self._linear("adapter_rows", self.weights.adapter, "branch", rows)
            flags = TAKE_BRANCH
        for slot, layer in segment.layers:
            before_layer()
            self._stage(flags, post, layer.attn_norm, rows)
            self._attention(slot, layer, rows)
            self._stage(ADD_BRANCH, layer.attn_post_norm, layer.mlp_norm, rows)
            self._linear("swiglu_rows", layer.gate_up, "inner", rows)
            self._quantise("quantise_inner", "inner", rows)
            self._linear("inner_rows", layer.down, "branch", rows)
            flags, post = ADD_BRANCH, layer.mlp_post_norm
        self._stage(flags | segment.end, post, 0, rows, quantise=False)

    def _stage(
        self, flags: int, post: int, norm: int, rows: Rows, *, quantise: bool = True
    ) -> None:
        digits = self.at("digits", "scales", "sums") if quantise else [np.uint64(0)] * 3
        self.gpu.launch(
            "stage_rows", (rows.count,), THREADS, *self.at("live"),
            np.uint64(self.weights.vectors), *self.at("x"), *self.stage(flags, post, norm),
            np.uint32(rows.first), *digits,
        )  # fmt: skip

    def _quantise(self, kernel: str, source: str, rows: Rows) -> None:
        arguments = self.at(source, "digits", "scales", "sums")
        self.gpu.launch(kernel, (rows.count,), THREADS, *arguments)

    def _linear(self, entry: str, matrix: Matrix, out: str, rows: Rows) -> None:
        outputs = -(-matrix.rows // (TILE_ROWS * PREFILL_TILES))
        grid = (outputs, -(-rows.count // PREFILL_TOKENS))
        self.gpu.launch(
            matrix.kernel(entry), grid, 32 * PREFILL_TILES, np.uint64(matrix.weights),
            np.uint64(matrix.scales), np.uint32(matrix.rows),
            *self.at("digits", "scales", "sums"), np.uint32(rows.count), *self.at(out),
        )  # fmt: skip

    def _attention(self, slot: int, layer: DeviceLayer, rows: Rows) -> None:
        self._linear("rows_linear", layer.qkv, "qkv", rows)
        self.attend(slot, layer, rows)
        self._quantise("quantise_heads", "heads", rows)
        self._linear("heads_rows", layer.o, "branch", rows)

    def attend(self, slot: int, layer: DeviceLayer, rows: Rows) -> None:
        """Queue attention from the rows ``qkv`` to the rows ``heads``."""
        self.gpu.launch(
            "rotate_rows", (rows.count,), THREADS, *self.at("live", "qkv"), *self.heads(layer),
            np.uint32(slot), np.uint32(rows.first), *self.at("queries"),
        )  # fmt: skip
        grid = (self.config.num_heads, -(-rows.count // QUERY_ROWS))
        self.gpu.launch(
            "attend_rows", grid, ATTENTION_THREADS, *self.at("live", "queries"), np.uint32(slot),
            np.uint32(rows.first), np.uint32(rows.count), *self.at("heads"),
        )  # fmt: skip


class TokenPass(Launcher):
    """Decode: one token, stages fused into the linear that follows."""

    def __init__(self, gpu: Gpu, shapes: Shapes, weights: DeviceWeights, work: Workspace) -> None:
        super().__init__(gpu, shapes, weights, work)
        self._residual = ("x", "x_other")

    def run(self, parts: list[Segment], chunks: int) -> None:
        """Run all segments and the head on the token the live struct names.

        ``chunks``: the most chunks of keys that token may look at.
        """
        adds = self.config.norm_style == "pre"
        branch = 0 if adds else ADD_BRANCH
        flags, post = 0, 0
        for segment in parts:
            flags |= segment.start
            if self.joins(flags):
                self._adapter(flags, post)
                flags = 0
            for slot, layer in segment.layers:
                self._row("row_linear", layer.qkv, flags, (post, layer.attn_norm), "qkv")
                self.attend(slot, layer, chunks)
                self._vector("heads_linear", layer.o, "heads", adds=adds)
                norms = layer.attn_post_norm, layer.mlp_norm
                self._row("row_swiglu", layer.gate_up, branch, norms, "inner")
                self._vector("inner_linear", layer.down, "inner", adds=adds)
                flags, post = branch, layer.mlp_post_norm
            flags |= segment.end
        self._head(flags, post, AT_LIVE)

    def head_of(self, position: int) -> None:
        """Compute the logits of a position that was read before."""
        self._head(LOAD_EXIT, 0, np.uint32(position))

    def sample(self, *, greedy: bool, first: bool) -> None:
        """Choose the next token from the logits and publish it."""
        if greedy:
            self.gpu.launch("pick_best", (1,), 1, *self.at("live", "flags"), np.uint32(first))
            return
        arguments = self.at("live", "logits", "scores", "flags")
        self.gpu.launch("sample_token", (1,), SAMPLER_THREADS, *arguments, np.uint32(first))

    def compare(self) -> None:
        """Compute how far the logits are from the shallow ones that were kept."""
        count = np.uint32(self.config.vocab_size)
        arguments = self.at("logits", "shallow", "divergence")
        self.gpu.launch("divergence", (1,), THREADS, *arguments, count)

    def _adapter(self, flags: int, post: int) -> None:
        """Queue the linear adapter; the residual is what it makes, in the other buffer.

        Not in ``branch``, as in ``RowPass``: its blocks still read that.
        """
        assert self.weights.adapter is not None
        out = self.at(self._residual[1])
        self._launch(
            "row_adapter", self.weights.adapter, self._stage(flags, (post, 0), keep=False), *out
        )

    def _row(
        self, entry: str, matrix: Matrix, flags: int, norms: tuple[int, int], out: str
    ) -> None:
        self._launch(entry, matrix, self._stage(flags, norms), *self.at(out))

    def _head(self, flags: int, post: int, first: np.uint32) -> None:
        stage = self._stage(flags, (post, self.weights.final_norm))
        self._launch("row_head", self.weights.head, stage, *self.at("logits", "banned"), first)

    def _stage(self, flags: int, norms: tuple[int, int], *, keep: bool = True) -> list[np.generic]:
        """Return a stage's arguments; a residual that it changes moves to the other buffer.

        ``keep`` False: the stage does not put it there, its linear puts something else.
        """
        source, other = self._residual
        to = 0
        if flags:
            self._residual = (other, source)
            to = self.work.address(other) if keep else 0
        return [*self.at("live"), np.uint64(self.weights.vectors), *self.at(source), np.uint64(to),
                *self.stage(flags, *norms)]  # fmt: skip

    def _vector(self, entry: str, matrix: Matrix, source: str, *, adds: bool = False) -> None:
        """Queue a linear of a vector, added to the residual or into ``branch``."""
        out = self._residual[0] if adds else "branch"
        self._launch(entry, matrix, self.at(source), *self.at(out), np.uint32(adds))

    def _launch(
        self, entry: str, matrix: Matrix, before: Sequence[np.generic], *after: np.generic
    ) -> None:
        """Queue a linear: each block has the same number of tiles.

        A block a multiprocessor leaves room for the next kernel's first weights; two read faster,
        which pays where there is much to read.
        """
        tiles = -(-matrix.rows // TILE_ROWS)
        blocks = self.gpu.multiprocessors * (2 if tiles > MANY_TILES else 1)
        turns = -(-tiles // blocks)
        grid = (-(-tiles // turns),)
        packed = np.uint64(matrix.weights), np.uint64(matrix.scales), np.uint32(matrix.rows)
        self.gpu.launch(matrix.kernel(entry), grid, THREADS, *before, *packed, *after)

    def attend(self, slot: int, layer: DeviceLayer, chunks: int) -> None:
        """Queue attention from the row ``qkv`` to the row ``heads``."""
        blocks = -(-chunks // BLOCK_CHUNKS)
        kernel, bands = "attend_token", 1
        if blocks == 1:
            kernel, bands = "attend_token_bands", -(-self.config.head_dim // BAND_CHANNELS)
        grid = (self.config.num_heads, blocks, bands)
        self.gpu.launch(
            kernel, grid, TOKEN_ATTENTION_THREADS, *self.at("live", "qkv"),
            *self.heads(layer), np.uint32(slot), *self.at("partials", "counters"),
            np.uint32(self.work.max_chunks), *self.at("heads"),
        )  # fmt: skip
