"""The CUDA backend's host program against a GPU that only remembers: no device is needed."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fake_gpu import FakeGpu
from gpu_tools import style_file
from invariants import STYLES

import engine.backends.cuda.backend as backend_module
from engine.backends.cuda.answer_loop import QUEUED
from engine.backends.cuda.backend import CudaBackend
from engine.backends.cuda.device import CUDAError, Gpu
from engine.errors import ContextFull, DeviceError, OutOfMemory
from engine.kv_layout import kv_bytes
from engine.sampling import Sampling
from engine.watch import Watch

W = Watch()
BANNED = frozenset({0})


@pytest.fixture(autouse=True)
def _no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend_module, "cubins", lambda wanted, heard: [b""] * len(wanted))


def opened(style: str = "bundled", **options: Any) -> tuple[CudaBackend, FakeGpu]:
    gpu = FakeGpu(**options)
    return CudaBackend(gpu, style_file(style), 512, BANNED), gpu  # type: ignore[arg-type]


def ids(count: int) -> np.ndarray[Any, Any]:
    return np.arange(6, 6 + count).astype(np.int32)


def write(backend: CudaBackend, cache: Any, loops: int, count: int, **options: Any) -> list[int]:
    answer: list[int] = []

    def emit(token: int) -> bool:
        answer.append(token)
        return len(answer) < count

    backend.decode(cache, loops, Sampling(**options), emit)
    return answer


def kernels(gpu: FakeGpu) -> list[str]:
    return [name for name, *_ in gpu.launches]


LAYER = ["stage_rows", "rows_linear", "rotate_rows", "attend_rows", "quantise_heads", "heads_rows",
         "stage_rows", "swiglu_rows", "quantise_inner", "inner_rows"]  # fmt: skip
TOKEN_LAYER = ["row_linear", "attend_token_bands", "heads_linear", "row_swiglu", "inner_linear"]


def kinded(names: list[str], kind: str) -> list[str]:
    """Names as loaded: linears carry their weights' kind."""
    plain = {"stage_rows", "rotate_rows", "attend_rows", "attend_token_bands", "quantise_heads",
             "quantise_inner"}  # fmt: skip
    return [n if n in plain else f"{n}_{kind}" for n in names]


def test_reading_runs_every_layer_in_order() -> None:
    backend, gpu = opened()
    cache = backend.new_cache(20, 4, 0)
    backend.prefill(cache, ids(9), 0, 3, W)
    segment = [*kinded(LAYER, "int4"), "stage_rows"]
    pre = [*kinded(LAYER, "int4") * 2, "stage_rows"]
    assert kernels(gpu) == pre + segment * 3
    assert {grid[-1] for name, grid, *_ in gpu.launches if name == "stage_rows"} == {9}
    assert (cache.length, cache.depth, backend.work.cells) == (9, 3, 27)
    gpu.launches.clear()
    backend.extend(cache, 3, 4, W)
    assert kernels(gpu) == segment


def test_a_token_is_five_kernels_a_layer_and_three_more() -> None:
    backend, gpu = opened("ouro")
    cache = backend.new_cache(40, 4, 0)
    backend.prefill(cache, ids(9), 0, 2, W)
    gpu.launches.clear()
    write(backend, cache, 2, 2)
    token = [*kinded(TOKEN_LAYER, "fp16") * 6, "row_head_fp16", "pick_best"]
    assert kernels(gpu)[: 2 + len(token)] == ["row_head_fp16", "pick_best", *token]


def test_a_score_reads_the_head_twice_and_compares_on_the_device() -> None:
    backend, gpu = opened()
    cache = backend.new_cache(20, 4, 0)
    backend.prefill(cache, ids(9), 0, 1, W)
    gpu.launches.clear()
    assert backend.score(cache, 2, W).logits.shape == (backend.config.vocab_size,)
    segment = [*kinded(LAYER, "int4"), "stage_rows"]
    assert kernels(gpu) == ["row_head_fp16", *segment, "row_head_fp16", "divergence"]
    gpu.launches.clear()
    backend.score(cache, 2, W)
    assert kernels(gpu) == ["row_head_fp16", "row_head_fp16", "divergence"]
    assert cache.depth == 2


def test_graphs_are_captured_once_for_all_handles() -> None:
    backend, gpu = opened()
    kept = []
    for k in range(5):
        cache = backend.new_cache(60, 8, 0)
        backend.prefill(cache, ids(5 + k), 0, 2, W)
        kept.append(cache)
    for turn in range(200):
        cache = backend.clone(kept[turn % 5], kept[turn % 5].length, 60, 8)
        backend.extend(cache, 2, 4, W)
        assert write(backend, cache, 4, 3) == [7, 7, 7]
        cache.free()
    assert backend._answers.captures == 1
    assert all(graph is gpu.runs[0] for graph in gpu.runs)
    write(backend, kept[0], 2, 3, temperature=0.5)  # another depth, another sampler
    assert backend._answers.captures == 2


@pytest.mark.parametrize(("window", "ahead"), [(0, QUEUED), (1, 1)])
def test_tokens_are_queued_ahead_but_never_over_a_window(window: int, ahead: int) -> None:
    backend, gpu = opened()
    cache = backend.new_cache(300, 4, window)
    backend.prefill(cache, ids(90), 0, 2, W)
    waiting = []
    backend.decode(
        cache, 2, Sampling(), lambda token: waiting.append(len(gpu.runs)) or len(waiting) < 20
    )
    assert [runs - taken for taken, runs in enumerate(waiting)][:-1] == [ahead - 1] * 19
    assert cache.length == 90 + 19
    assert backend._space.stop[0] == 1


def test_an_answer_stops_at_the_end_of_its_cache() -> None:
    backend, gpu = opened()
    cache = backend.new_cache(12, 4, 0)
    backend.prefill(cache, ids(9), 0, 2, W)
    with pytest.raises(ContextFull):
        write(backend, cache, 2, 50)
    assert cache.length == 12
    assert len(gpu.runs) == 3


def test_an_exception_of_the_caller_passes_and_the_next_answer_works() -> None:
    backend, _ = opened()
    cache = backend.new_cache(60, 4, 0)
    backend.prefill(cache, ids(9), 0, 2, W)

    def fail(token: int) -> bool:
        raise KeyError(token)

    with pytest.raises(KeyError):
        backend.decode(cache, 2, Sampling(), fail)
    assert cache.length == 9
    assert write(backend, cache, 2, 4) == [7] * 4


def test_every_buffer_is_given_back() -> None:
    backend, gpu = opened("huginn")
    before = dict(gpu.open)
    cache = backend.new_cache(20, 4, 0)
    assert cache.kv_bytes == kv_bytes(backend.config, 20, 4)
    assert cache.kv_bytes + cache.state_bytes == sum(gpu.open.values()) - sum(before.values())
    copy = backend.clone(cache, 0, 30, 8)
    cache.free(), copy.free()
    assert gpu.open == before
    backend.close()
    assert not gpu.open


@functools.cache
def allocations(style: str) -> int:
    """How many allocations opening a model takes."""
    return opened(style)[1].allocations


@pytest.mark.parametrize("style", sorted(STYLES))
def test_out_of_memory_while_opening_leaves_nothing(style: str) -> None:
    for k in range(allocations(style)):
        gpu = FakeGpu(fail_at=k)
        with pytest.raises(OutOfMemory):
            CudaBackend(gpu, style_file(style), 512, BANNED)  # type: ignore[arg-type]
        assert not gpu.open, f"allocation {k}"


def test_out_of_memory_in_a_cache_leaves_nothing_and_names_the_whole_need() -> None:
    backend, gpu = opened("olmo")
    kept = backend.new_cache(20, 4, 0)
    backend.prefill(kept, ids(9), 0, 2, W)
    before = dict(gpu.open)
    size = kept.kv_bytes + kept.state_bytes
    for k in range(6):  # keys, values, state, injected, ids, exits
        gpu.fail_at = gpu.allocations + k
        with pytest.raises(OutOfMemory) as caught:
            backend.clone(kept, 9, 20, 4)
        assert caught.value.needed == size
        assert gpu.open == before
    gpu.fail_at = None
    assert write(backend, backend.clone(kept, 9, 40, 4), 2, 3) == [7] * 3


def test_what_does_not_fit_is_refused_before_anything_is_taken() -> None:
    backend, gpu = opened()
    kept = backend.new_cache(20, 4, 0)
    backend.prefill(kept, ids(9), 0, 2, W)
    size, taken = kept.kv_bytes + kept.state_bytes, gpu.allocations
    gpu.free = size - 1
    for refused in (lambda: backend.new_cache(20, 4, 0), lambda: backend.clone(kept, 9, 20, 4)):
        with pytest.raises(OutOfMemory, match=r"MiB needed, .* MiB free: free what") as caught:
            refused()
        assert (caught.value.needed, caught.value.free) == (size, size - 1)
        assert gpu.allocations == taken
    gpu.free = size
    assert write(backend, backend.clone(kept, 9, 20, 4), 2, 3) == [7] * 3


def test_freeing_on_a_failed_device_is_no_second_failure() -> None:
    closed = []

    def fail(stream: object) -> None:
        closed.append(stream)
        raise CUDAError("CUDA_ERROR_ILLEGAL_ADDRESS: pretended")

    device = SimpleNamespace(stream="stream")
    Gpu.release(device, [SimpleNamespace(close=fail)] * 2)  # type: ignore[arg-type]
    assert closed == ["stream"] * 2


def test_an_error_of_the_driver_is_one_sentence_and_the_model_closes() -> None:
    backend, gpu = opened()
    cache = backend.new_cache(60, 4, 0)
    backend.prefill(cache, ids(9), 0, 2, W)

    def fail(graph: object = None) -> None:
        raise CUDAError("CUDA_ERROR_LAUNCH_FAILED: pretended")

    gpu.run = gpu.sync = fail  # type: ignore[method-assign]
    with pytest.raises(DeviceError, match=r"CUDA_ERROR_LAUNCH_FAILED.*restart the program"):
        write(backend, cache, 2, 4)
    cache.free(), backend.close()
    assert not gpu.open


def test_a_clone_copies_what_the_ring_holds_and_no_more() -> None:
    backend, _ = opened()
    cache = backend.new_cache(400, 4, 70)
    backend.prefill(cache, ids(290), 0, 2, W)
    copy = backend.clone(cache, 280, 500, 6)
    assert (copy.length, copy.depth, copy.ring, copy.window) == (280, 2, 192, 70)
    assert copy.first_stored == 98 == cache.first_stored
    assert np.array_equal(copy.ids[:280], cache.ids[:280])
