"""The definition of the model in NumPy, FP32: slow, readable, and what every other path equals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import Cache, CacheArrays, DeviceMemory, Scores, Work
from engine.backends.numerics import (
    Matrix,
    attend,
    linear,
    rms_norm,
    rope_table,
    rotate,
    stable_tile,
    swiglu,
)
from engine.backends.reference_cache import ReferenceCache, host_memory
from engine.config import ModelConfig
from engine.kv_layout import CHUNK, loop_slot, num_slots, post_slot, pre_slot
from engine.sampling import Sampling, philox4x32, sample
from engine.uncertainty import divergence
from engine.watch import Watch
from engine.weights import ModelFile

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Pass:
    """Who watches a pass over tokens, polled before every layer, and where it is counted."""

    watch: Watch
    work: Work


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of one layer: matrices and vectors; absent norms and biases are None."""

    q: Matrix
    k: Matrix
    v: Matrix
    o: Matrix
    gate: Matrix
    up: Matrix
    down: Matrix
    attn_norm: F32 | None
    attn_post_norm: F32 | None
    mlp_norm: F32 | None
    mlp_post_norm: F32 | None
    q_norm: F32 | None
    k_norm: F32 | None
    q_bias: F32 | None
    k_bias: F32 | None

    @classmethod
    def load(cls, file: ModelFile, prefix: str) -> Layer:
        """Read the layer named ``prefix`` (``loop.0``…), dequantised."""

        def matrix(name: str) -> Matrix:
            return Matrix.of(file.matrix(f"{prefix}.{name}.weight"))

        def vector(name: str) -> F32 | None:
            full = f"{prefix}.{name}"
            return file.vector(full) if full in file.tensor_names else None

        return cls(
            q=matrix("attn.q"),
            k=matrix("attn.k"),
            v=matrix("attn.v"),
            o=matrix("attn.o"),
            gate=matrix("mlp.gate"),
            up=matrix("mlp.up"),
            down=matrix("mlp.down"),
            attn_norm=vector("attn.norm.weight"),
            attn_post_norm=vector("attn.post_norm.weight"),
            mlp_norm=vector("mlp.norm.weight"),
            mlp_post_norm=vector("mlp.post_norm.weight"),
            q_norm=vector("attn.q_norm.weight"),
            k_norm=vector("attn.k_norm.weight"),
            q_bias=vector("attn.q.bias"),
            k_bias=vector("attn.k.bias"),
        )

    def weights(self) -> list[Matrix | F32]:
        """Return the weights that are there."""
        return [a for a in (getattr(self, name) for name in self.__slots__) if a is not None]


class ReferenceBackend:
    """Runs the model on the CPU. See ``engine.backends.base.Backend`` for the contract."""

    name = "cpu"

    def __init__(self, file: ModelFile, max_seq_len: int, banned_ids: frozenset[int]) -> None:
        """Load all weights as FP32; ``banned_ids`` are never sampled."""
        config = file.config
        self.config: ModelConfig = config
        self.work = Work()
        self._banned = np.array(sorted(banned_ids), np.int64)
        self._layers = [
            Layer.load(file, f"{stack}.{i}")
            for stack, count in (
                ("pre", config.num_pre_layers),
                ("post", config.num_post_layers),
                ("loop", config.num_loop_layers),
            )
            for i in range(count)
        ]
        self._embed = file.tensor("embed.weight")
        head = file.matrix("embed.weight" if config.tied_head else "head.weight")
        self._head = Matrix.of(head)
        names = ("entry_norm.weight", "loop_norm.weight", "final_norm.weight",
                 "inject.state_scale", "inject.input_scale")  # fmt: skip
        self._vectors = {n: file.vector(n) for n in names if n in file.tensor_names}
        self._adapter = (
            Matrix.of(file.matrix("inject.adapter.weight"))
            if config.injection == "linear"
            else None
        )
        self._cos, self._sin = rope_table(config, max_seq_len)
        products = {w.product for w in self._weights() if isinstance(w, Matrix)}
        attention = {(config.head_dim, CHUNK), (CHUNK, config.head_dim)}
        self._tile = stable_tile(tuple(sorted(products | attention)))

    # -- the nine methods ---------------------------------------------------------------------

    def new_cache(self, capacity: int, max_loops: int, window: int) -> ReferenceCache:
        """Return an empty cache."""
        return ReferenceCache.allocate(self.config, capacity, max_loops, window)

    def clone(self, cache: Cache, length: int, capacity: int, max_loops: int) -> ReferenceCache:
        """Return a copy of the first ``length`` positions."""
        source = _own(cache)
        copy = self.new_cache(capacity, max_loops, source.window)
        copy.copy_from(source, length, num_slots(self.config, min(max_loops, source.depth)))
        return copy

    def prefill(
        self, cache: Cache, ids: NDArray[np.int32], start: int, loops: int, watch: Watch
    ) -> None:
        """Read ``ids`` at positions ``start``…, all layers, ``loops`` loops."""
        self._read_tokens(_own(cache), ids, start, loops, Pass(watch, self.work))

    def extend(self, cache: Cache, from_loop: int, to_loop: int, watch: Watch) -> None:
        """Run loops [from_loop, to_loop) over all positions from their stored states."""
        own = _own(cache)
        watch.progress(from_loop, to_loop)
        self._run_loops(own, (0, own.length), (from_loop, to_loop), Pass(watch, self.work))
        self._run_post(own, 0, own.length, watch)
        own.depth = to_loop

    def decode(
        self, cache: Cache, loops: int, sampling: Sampling, emit: Callable[[int], bool]
    ) -> None:
        """Write an answer token by token."""
        own = _own(cache)
        depth = loops if sampling.decode_loops is None else sampling.decode_loops
        while True:
            logits = self._logits(own)
            logits[self._banned] = -np.inf
            token = sample(logits, own.ids[: own.length], own.length, sampling)
            if not emit(token):
                return
            written = Pass(Watch(), Work())  # only its cells count: decode reads no prompt
            self._read_tokens(own, np.array([token], np.int32), own.length, depth, written)
            self.work.cells += written.work.cells

    def score(self, cache: Cache, deeper: int, watch: Watch) -> Scores:
        """Read the last position, extend it to ``deeper``, read again."""
        own = _own(cache)
        shallow = deep = self._logits(own)
        if deeper > own.depth:
            self.extend(own, own.depth, deeper, watch)
            deep = self._logits(own)
        return Scores(deep, divergence(deep, shallow))

    def read(self, cache: Cache) -> CacheArrays:
        """Copy the filled part of a cache out, in order of position."""
        own = _own(cache)
        slots = num_slots(self.config, own.depth)
        index = np.arange(own.first_stored, own.length) % own.ring
        return CacheArrays(
            keys=own.keys[:slots][:, :, index].swapaxes(1, 2),
            values=own.values[:slots][:, :, index].swapaxes(1, 2),
            state=own.state[: own.length].copy(),
            injected=own.injected[: own.length].copy(),
        )

    def memory(self) -> DeviceMemory:
        """Return the bytes of the FP32 weights, and the computer's memory."""
        free, total = host_memory()
        return DeviceMemory(sum(w.nbytes for w in self._weights()), free, total)

    def close(self) -> None:
        """Drop the weights."""
        self._layers.clear()
        self._vectors.clear()
        self._embed = np.zeros((0, 0), np.float32)
        self._head, self._adapter = Matrix.of(self._embed), None

    def _weights(self) -> list[Matrix | F32]:
        held: list[Matrix | F32] = [w for layer in self._layers for w in layer.weights()]
        held += [*self._vectors.values(), self._embed, self._head, self._cos, self._sin]
        return held if self._adapter is None else [*held, self._adapter]

    # -- the model ----------------------------------------------------------------------------

    def _read_tokens(
        self, cache: ReferenceCache, ids: NDArray[np.int32], start: int, loops: int, run: Pass
    ) -> None:
        """Run everything over new tokens: embedding, pre layers, loops, post layers."""
        stop = start + len(ids)
        cache.ids[start:stop] = ids
        run.watch.progress(0, loops)
        for first, last in _chunks(start, stop):
            x = self._embed[cache.ids[first:last]].astype(np.float32)
            x *= np.float32(self.config.embed_scale)
            for i in range(self.config.num_pre_layers):
                run.watch.check()
                x = self.run_layer(pre_slot(i), cache, first, x)
            if self.config.entry_norm:
                x = self._norm("entry_norm.weight", x)
            cache.injected[first:last] = x
            cache.state[first:last] = self._initial_state(x, first)
            run.work.prefilled += last - first
        self._run_loops(cache, (start, stop), (0, loops), run)
        cache.length, cache.depth = stop, loops
        self._run_post(cache, start, stop, run.watch)

    def _run_loops(
        self, cache: ReferenceCache, span: tuple[int, int], loops: tuple[int, int], run: Pass
    ) -> None:
        """Take the states of positions ``span`` through loops ``loops``, loop by loop."""
        for loop in range(*loops):
            for first, last in _chunks(*span):
                state = cache.state[first:last]
                x = self._inject(state, cache.injected[first:last])
                for j in range(self.config.num_loop_layers):
                    run.watch.check()
                    x = self.run_layer(loop_slot(self.config, loop, j), cache, first, x)
                if self.config.loop_exit_norm:
                    x = self._norm("loop_norm.weight", x)
                cache.state[first:last] = x
                run.work.cells += last - first
                run.work.loops.add(loop)
            run.watch.progress(loop + 1, loops[1])

    def _run_post(self, cache: ReferenceCache, start: int, stop: int, watch: Watch) -> None:
        """Run the post layers over positions [start, stop) from their states."""
        if not self.config.num_post_layers:
            return
        for first, last in _chunks(start, stop):
            x = cache.state[first:last]
            if self.config.post_entry_norm:
                x = self._norm("final_norm.weight", x)
            for i in range(self.config.num_post_layers):
                watch.check()
                x = self.run_layer(post_slot(self.config, i), cache, first, x)
            cache.exits[first:last] = x

    def run_layer(self, slot: int, cache: ReferenceCache, first: int, x: F32) -> F32:
        """Run the layer of K/V slot ``slot`` over ``x`` [T, hidden] at positions ``first``…."""
        fixed = self.config.num_pre_layers + self.config.num_post_layers
        loop_layer = fixed + (slot - fixed) % self.config.num_loop_layers
        layer = self._layers[slot if slot < fixed else loop_layer]
        x = self._residual(
            x, layer.attn_norm, layer.attn_post_norm,
            lambda inner: self._attention(layer, slot, cache, first, inner),
        )  # fmt: skip
        return self._residual(
            x, layer.mlp_norm, layer.mlp_post_norm, lambda inner: self._mlp(layer, inner)
        )

    def _residual(
        self, x: F32, norm: F32 | None, post: F32 | None, branch: Callable[[F32], F32]
    ) -> F32:
        """Add a branch to the residual stream in the model's norm style."""
        eps = self.config.norm_eps
        y = branch(x if norm is None else rms_norm(x, norm, eps))
        if self.config.norm_style == "postsum":
            assert post is not None
            return rms_norm(x + y, post, eps)
        return x + (y if post is None else rms_norm(y, post, eps))

    def _mlp(self, layer: Layer, x: F32) -> F32:
        gate, up = linear(x, layer.gate, self._tile), linear(x, layer.up, self._tile)
        return linear(swiglu(gate, up), layer.down, self._tile)

    def _attention(self, layer: Layer, slot: int, cache: ReferenceCache, first: int, x: F32) -> F32:
        rows, config = len(x), self.config
        q = self._heads(linear(x, layer.q, self._tile), layer.q_bias, layer.q_norm)
        k = self._heads(linear(x, layer.k, self._tile), layer.k_bias, layer.k_norm)
        v = linear(x, layer.v, self._tile).reshape(rows, config.num_kv_heads, config.head_dim)
        cos, sin = self._cos[first : first + rows], self._sin[first : first + rows]
        cache.store(slot, first, rotate(k, cos, sin), v)
        positions = np.arange(first, first + rows)
        low = max(0, first - cache.window + 1) if cache.window else 0
        padded = (low // CHUNK * CHUNK, -(-(first + rows) // CHUNK) * CHUNK)
        keys, values = cache.gather(slot, low, first + rows, padded)
        at = np.arange(*padded)
        mask = at[None, :] <= positions[:, None]
        if cache.window:
            mask &= at[None, :] > positions[:, None] - cache.window
        out = attend(rotate(q, cos, sin), keys, values, mask, self._tile)
        return linear(out.reshape(rows, config.q_width), layer.o, self._tile)

    def _logits(self, cache: ReferenceCache) -> F32:
        """Return the logits [vocab] of the last position."""
        last = cache.exits[cache.length - 1 : cache.length]
        logits: F32 = linear(self._norm("final_norm.weight", last), self._head, self._tile)[0]
        return logits

    def _heads(self, x: F32, bias: F32 | None, norm: F32 | None) -> F32:
        """Return q or k as [T, heads, head_dim]: bias, then norm (per head or over all)."""
        if bias is not None:
            x = x + bias
        if norm is not None and self.config.qk_norm == "full":
            x = rms_norm(x, norm, self.config.norm_eps)
        x = x.reshape(len(x), -1, self.config.head_dim)
        if norm is not None and self.config.qk_norm == "per_head":
            x = rms_norm(x, norm, self.config.norm_eps)
        return x

    def _norm(self, name: str, x: F32) -> F32:
        return rms_norm(x, self._vectors[name], self.config.norm_eps)

    def _inject(self, state: F32, injected: F32) -> F32:
        """Feed the pre layers' output into the state before a loop."""
        match self.config.injection:
            case "none":
                return state.copy()
            case "add":
                return state + injected
            case "diagonal":
                scaled = self._vectors["inject.state_scale"] * state
                return scaled + self._vectors["inject.input_scale"] * injected
            case "linear":
                assert self._adapter is not None
                joined = np.concatenate([state, injected], axis=1)
                return linear(joined, self._adapter, self._tile)

    def _initial_state(self, injected: F32, first: int) -> F32:
        """Return the state before loop 0 for positions ``first``…."""
        match self.config.initial_state:
            case "input":
                return injected
            case "zeros":
                return np.zeros_like(injected)
            case "noise":
                return noise_state(len(injected), injected.shape[1], first) * np.float32(
                    self.config.initial_std
                )


def noise_state(rows: int, channels: int, first: int) -> F32:
    """Return standard normal numbers [rows, channels], the same for a position on every path.

    Philox with counter (position, channel, 0, 0) and key 0; words 0 and 1 through Box-Muller.
    """
    counter = np.zeros((rows * channels, 4), np.uint32)
    counter[:, 0] = np.repeat(np.arange(first, first + rows), channels)
    counter[:, 1] = np.tile(np.arange(channels), rows)
    words = philox4x32(counter, 0)
    u = ((words >> np.uint32(9)).astype(np.float64) + 0.5) * 2.0**-23
    normal = np.sqrt(-2 * np.log(u[:, 0])) * np.cos(2 * np.pi * u[:, 1])
    return np.asarray(normal.reshape(rows, channels), np.float32)


def _chunks(start: int, stop: int) -> list[tuple[int, int]]:
    """Cut [start, stop) into runs of at most CHUNK positions: short enough to poll between."""
    return [(first, min(first + CHUNK, stop)) for first in range(start, stop, CHUNK)]


def _own(cache: Cache) -> ReferenceCache:
    assert isinstance(cache, ReferenceCache)
    return cache
