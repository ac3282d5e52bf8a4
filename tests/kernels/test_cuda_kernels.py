"""Single kernels on a GPU: odd sizes, random data, float64 or the NumPy model as the measure."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from gpu_tools import SIZES, distance, get, gpu_backend, put, require_gpu, same_bits

from engine.backends.cuda.layers import Rows
from engine.backends.cuda.packing import int4_linear as model
from engine.backends.cuda.packing import nibbles
from engine.backends.cuda.shapes import THREADS
from engine.backends.numerics import rope_table, rotate
from engine.backends.reference import ReferenceBackend
from engine.config import Quantization
from engine.kv_layout import CHUNK
from engine.random_model import random_model, shape_config
from engine.sampling import Sampling, sample
from engine.uncertainty import divergence
from engine.watch import Watch
from engine.weights import ModelFile

pytestmark = pytest.mark.gpu
GROUPS = (32, 64, 128)


@functools.cache
def small(group: int | None, **changes: Any) -> ModelFile:
    """A model whose inputs are 384, 256 and 640 wide: no two alike, no power of two."""
    sizes = {"hidden_size": 384, "num_heads": 4, "num_kv_heads": 2, "head_dim": 64,
             "intermediate_size": 640, "vocab_size": 1000, "max_seq_len": 1100,
             "quantization": Quantization(4, group) if group else None}  # fmt: skip
    config = shape_config("seed-407m")
    fields = {f: getattr(config, f) for f in config.__slots__} | sizes | changes
    return random_model(type(config)(**fields), seed=group or 1)


@pytest.fixture(autouse=True)
def _gpu() -> None:
    require_gpu()


def inputs(rows: int, width: int, seed: int = 0) -> np.ndarray[Any, Any]:
    x = np.random.default_rng(seed).standard_normal((rows, width), np.float32)
    x[:, 5] *= 100
    return x


def weights(file: ModelFile, *names: str) -> tuple[Any, Any]:
    """Levels and scales of matrices as the kernels see them: one above the other."""
    levels = [nibbles(file.tensor(f"{n}.qweight")) for n in names]
    scales = [file.tensor(f"{n}.scales") for n in names]
    return levels, scales


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("group", GROUPS)
def test_the_linear_of_many_rows_equals_the_numpy_model(group: int, rows: int) -> None:
    file = small(group)
    backend = gpu_backend(file)
    x = inputs(rows, 384)
    put(backend, "x", x)
    layer = backend._weights.pre[0]
    backend._rows._stage(0, 0, 0, Rows(0, rows))
    backend._rows._linear("rows_linear", layer.qkv, "qkv", Rows(0, rows))
    levels, scales = weights(file, *(f"pre.0.attn.{n}" for n in "qkv"))
    wanted = model(x, np.concatenate(levels), np.concatenate(scales), max(group, 64))
    assert same_bits(get(backend, "qkv", wanted.shape), wanted)


@pytest.mark.parametrize("group", GROUPS)
def test_the_linear_of_one_row_equals_the_numpy_model(group: int) -> None:
    file = small(group)
    backend = gpu_backend(file)
    backend._space.bind(backend.new_cache(8, 1, 0))
    x = inputs(1, 384, seed=2)
    for name in ("x", "x_other"):
        put(backend, name, x)
    backend._tokens._row("row_linear", backend._weights.pre[0].qkv, 0, (0, 0), "qkv")
    levels, scales = weights(file, *(f"pre.0.attn.{n}" for n in "qkv"))
    wanted = model(x, np.concatenate(levels), np.concatenate(scales), max(group, 64))
    assert same_bits(get(backend, "qkv", wanted.shape), wanted)


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("group", [64, 128, None])
def test_the_gated_linear_is_close_to_float64_and_alike_in_both(
    group: int | None, rows: int
) -> None:
    file = small(group)
    backend = gpu_backend(file)
    backend._space.bind(backend.new_cache(8, 1, 0))
    x = inputs(rows, 384)
    put(backend, "x", x)
    layer = backend._weights.pre[0]
    backend._rows._stage(0, 0, 0, Rows(0, rows))
    backend._rows._linear("swiglu_rows", layer.gate_up, "inner", Rows(0, rows))
    found = get(backend, "inner", (rows, 640))
    gate, up = (x.astype(np.float64) @ file.matrix(f"pre.0.mlp.{n}.weight").astype(np.float64).T
                for n in ("gate", "up"))  # fmt: skip
    with np.errstate(over="ignore"):  # exp(-gate) may be infinite: the quotient is then 0
        wanted = gate / (1 + np.exp(-gate)) * up
    assert distance(found, wanted) < 3e-4
    for name in ("x", "x_other"):
        put(backend, name, x[-1])
    backend._tokens._row("row_swiglu", layer.gate_up, 0, (0, 0), "inner")
    assert same_bits(get(backend, "inner", (1, 640)), found[-1:])


@pytest.mark.parametrize("entry", ["heads", "inner"])
@pytest.mark.parametrize("group", [64, None])
def test_the_linears_of_vectors_are_alike_in_both(group: int | None, entry: str) -> None:
    file = small(group)
    backend = gpu_backend(file)
    layer = backend._weights.pre[0]
    matrix, name = {"heads": (layer.o, "attn.o"), "inner": (layer.down, "mlp.down")}[entry]
    weight = file.matrix(f"pre.0.{name}.weight").astype(np.float64)
    x = inputs(33, weight.shape[1])
    put(backend, entry, x)
    backend._rows._quantise(f"quantise_{entry}", entry, Rows(0, 33))
    backend._rows._linear(f"{entry}_rows", matrix, "branch", Rows(0, 33))
    found = get(backend, "branch", (33, 384))
    assert distance(found, x.astype(np.float64) @ weight.T) < 3e-4
    put(backend, entry, x[7])
    backend._tokens._vector(f"{entry}_linear", matrix, entry)
    assert same_bits(get(backend, "branch", (1, 384)), found[7:8])


@pytest.mark.parametrize("rows", SIZES)
def test_the_norm_is_close_to_float64(rows: int) -> None:
    file = small(128)
    backend = gpu_backend(file)
    weight = np.random.default_rng(1).uniform(0.5, 2, 384).astype(np.float32)
    put(backend, "scores", weight)
    x = inputs(rows, 384)
    put(backend, "x", x)
    backend._rows._stage(0, 0, backend._space.address("scores"), Rows(0, rows))
    digits = get(backend, "digits", (2, 512, 384), np.int8)[:, :rows].astype(np.float64)
    scales = get(backend, "scales", (3, 512))[:, :rows].T
    found = (256 * digits[0] + digits[1]) * np.repeat(scales, 128, 1)
    wide = x.astype(np.float64)
    wanted = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * weight
    assert distance(found, wanted) < 2e-4


def heads_of(dim: int) -> ModelFile:
    """The small model with heads of ``dim`` channels: 256 of queries, 128 of keys."""
    return small(128, num_heads=256 // dim, num_kv_heads=128 // dim, head_dim=dim)


def attention64(qkv: Any, window: int, dim: int) -> Any:
    """Causal attention of such a model's rows in float64, K and V rounded to FP16."""
    rows = len(qkv)
    cos, sin = rope_table(heads_of(dim).config, rows)
    q, k, v = np.split(qkv, [256, 384], axis=1)
    q = rotate(q.reshape(rows, -1, dim), cos, sin).astype(np.float64)
    k = rotate(k.reshape(rows, -1, dim), cos, sin).astype(np.float16).astype(np.float64)
    v = v.reshape(rows, -1, dim).astype(np.float16).astype(np.float64)
    k, v = np.repeat(k, 2, 1), np.repeat(v, 2, 1)
    scores = np.einsum("qhd,khd->hqk", q, k) / dim**0.5
    at = np.arange(rows)
    seen = at[None, :] <= at[:, None]
    if window:
        seen &= at[None, :] > at[:, None] - window
    scores = np.where(seen, scores, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hqk,khd->qhd", p / p.sum(-1, keepdims=True), v).reshape(rows, 256)


@pytest.mark.parametrize("dim", [32, 64, 128])
@pytest.mark.parametrize("window", [0, 1, 70])
@pytest.mark.parametrize("rows", [*SIZES, 1000])
def test_attention_is_close_to_float64_and_alike_in_both(rows: int, window: int, dim: int) -> None:
    backend = gpu_backend(heads_of(dim), 1100)
    cache = backend.new_cache(rows + 1, 1, window)
    layer = backend._weights.pre[0]
    qkv = np.random.default_rng(rows).standard_normal((rows, 512), np.float32)
    parts = []
    step = CHUNK if cache.ring < cache.capacity else 512
    for first in range(0, rows, step):
        part = qkv[first : first + step]
        put(backend, "qkv", part)
        backend._space.bind(cache)
        backend._rows.attend(0, layer, Rows(first, len(part)))
        parts.append(get(backend, "heads", (len(part), 256)))
    found = np.concatenate(parts)
    assert distance(found, attention64(qkv, window, dim)) < 1e-3
    cache.length = rows - 1  # the last row again, as decode does it
    put(backend, "qkv", qkv[-1])
    backend._space.bind(cache)
    chunks = -(-rows // CHUNK)
    backend._tokens.attend(0, layer, chunks)
    assert same_bits(get(backend, "heads", (1, 256)), found[-1:])
    cache.free()


def test_a_thousand_tokens_agree_with_the_definition_and_in_pieces() -> None:
    file = small(128)
    backend, reference = gpu_backend(file, 1100), ReferenceBackend(file, 1100, frozenset())
    ids = np.random.default_rng(0).integers(6, 1000, 1000).astype(np.int32)
    made = []
    for device, step in ((reference, 1000), (backend, 1000), (backend, 333)):
        cache = device.new_cache(1000, 2, 0)
        for first in range(0, 1000, step):
            device.prefill(cache, ids[first : first + step], first, 2, Watch())
        made.append((device.read(cache), device.score(cache, 2, Watch()).logits))
        cache.free()
    wanted, whole, pieces = made
    for name in ("keys", "values", "state", "injected"):
        assert distance(getattr(whole[0], name), getattr(wanted[0], name)) < 5e-3, name
        assert same_bits(getattr(whole[0], name), getattr(pieces[0], name)), name
    assert distance(whole[1], wanted[1]) < 5e-3
    assert same_bits(whole[1], pieces[1])


@pytest.mark.parametrize("spread", [0.0, 1e-3, 0.1, 3.0, 60.0])
@pytest.mark.parametrize("count", [*SIZES, 1000, 8192, 61696])
def test_the_divergence_is_close_to_float64_and_always_the_same(count: int, spread: float) -> None:
    backend = gpu_backend(small(128))
    random = np.random.default_rng(count)
    low = 4 * random.standard_normal(count, np.float32)
    high = low + np.float32(spread) * random.standard_normal(count, np.float32)
    put(backend, "x", high), put(backend, "branch", low)

    def found() -> float:
        arguments = backend._tokens.at("x", "branch", "divergence")
        backend._gpu.launch("divergence", (1,), THREADS, *arguments, np.uint32(count))
        return float(get(backend, "divergence", (1,))[0])

    wanted = divergence(high, low)
    first = found()
    assert abs(first - wanted) <= 1e-4 * wanted
    assert first == found()
    put(backend, "x", low)
    assert found() == 0


SAMPLINGS = [
    {"temperature": 0.0, "repetition_penalty": 1.3},
    {"temperature": 1.0, "top_k": 0}, {"temperature": 0.7, "top_k": 50},
    {"temperature": 1.3, "top_k": 7, "top_p": 0.8}, {"temperature": 0.9, "top_k": 0, "top_p": 0.3},
    {"temperature": 2.0, "top_k": 1}, {"temperature": 1e-38, "top_k": 0},
    {"temperature": 0.8, "top_p": 0.95, "repetition_penalty": 0.7},
]  # fmt: skip


@pytest.mark.parametrize("options", SAMPLINGS)
def test_sampling_equals_its_definition(options: dict[str, Any]) -> None:
    backend = gpu_backend(small(128))
    random = np.random.default_rng(0)
    history = random.integers(6, 1000, 20).astype(np.int32)
    cache = backend.new_cache(64, 1, 0)
    cache.ids[:20], cache.length = history, 20
    for seed in range(40):
        logits = np.round(random.standard_normal(1000) * 4, 1).astype(np.float32)  # many ties
        sampling = Sampling(seed=seed * 2**33 + seed, **options)
        backend._space.bind(cache, sampling)
        backend._space.mark_seen(history)
        put(backend, "logits", logits)
        backend._tokens.sample(greedy=False, first=True)
        backend._gpu.sync()
        found = int(backend._space.mailbox[0]) & 0xFFFFFFFF
        allowed = logits.copy()
        allowed[[0, 3, 4]] = -np.inf
        assert found == sample(allowed, history, 20, sampling)
    cache.free()


@pytest.mark.parametrize("group", [128, None])
def test_the_head_finds_the_first_best_id_that_may_be_sampled(group: int | None) -> None:
    file = small(group)
    backend = gpu_backend(file)
    cache = backend.new_cache(8, 1, 0)
    backend._gpu.upload(cache.address("state"), inputs(8, 384))
    cache.length = 3
    backend._space.bind(cache)
    backend._space.mark_seen(cache.ids[:0])
    backend._tokens.head_of(2)
    logits = get(backend, "logits", (1000,))
    backend._tokens.sample(greedy=True, first=True)
    backend._gpu.sync()
    logits[[0, 3, 4]] = -np.inf
    assert int(backend._space.mailbox[0]) == 1 << 32 | int(np.argmax(logits))
    cache.free()
