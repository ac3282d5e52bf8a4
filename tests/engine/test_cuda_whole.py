"""The whole model on a GPU: agreement with the CPU's definition, and every path bit for bit."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu_tools import distance, gpu_backend, reference_of, require_gpu, same_bits, style_file
from invariants import GREEDY, SEEDED, STYLES

from engine import Model
from engine.backends.base import CacheArrays
from engine.errors import DeviceError, OutOfMemory, Stopped
from engine.kv_layout import kv_bytes
from engine.resources import bundled_model
from engine.sampling import Sampling
from engine.uncertainty import divergence
from engine.watch import Watch

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).resolve().parents[2]
W = Watch()
DEEP = 9
LENGTHS = (1, 2, 7, 8, 31, 33, 64, 255, 480)
ARRAYS = ("keys", "values", "state", "injected")
ONLY_ON_THE_HOST = (
    "windows.py::test_the_bytes_are_those_allocated",  # looks into NumPy arrays; own test below
    "calls.py::test_stop_while_reading",  # counts passes of 64 tokens, here they are of 512
)


@pytest.fixture(autouse=True)
def _gpu() -> None:
    require_gpu()


def ids_of(length: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(6, 300, length).astype(np.int32)


def read_at(backend: Any, ids: Any, loops: int, step: int = 512, max_loops: int = DEEP) -> Any:
    """Return a cache with ``ids`` read ``step`` at a time."""
    cache = backend.new_cache(len(ids) + 24, max_loops, 0)
    for first in range(0, len(ids), step):
        backend.prefill(cache, ids[first : first + step], first, loops, W)
    return cache


def write(backend: Any, cache: Any, loops: int, count: int, **options: Any) -> list[int]:
    """Return ``count`` ids written after what ``cache`` holds."""
    answer: list[int] = []

    def emit(token: int) -> bool:
        answer.append(token)
        return len(answer) < count

    backend.decode(cache, loops, Sampling(**options), emit)
    return answer


def state_hash(backend: Any, cache: Any) -> str:
    return hashlib.sha256(backend.read(cache).state.tobytes()).hexdigest()


def assert_equal(one: CacheArrays, other: CacheArrays, what: str) -> None:
    for name in ARRAYS:
        left, right = getattr(one, name), getattr(other, name)
        if not same_bits(left, right):
            first = tuple(np.argwhere(left != right)[0])
            raise AssertionError(f"{what}: {name} differs first at {first}")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("style", sorted(STYLES))
def test_it_agrees_with_the_definition(style: str, length: int) -> None:
    backend, reference = gpu_backend(style_file(style)), reference_of(style)
    ids = ids_of(length)
    loops = 1 if style == "huginn" else 4  # that random model doubles any difference each loop
    cache, wanted = read_at(backend, ids, loops), read_at(reference, ids, loops)
    found, right = backend.read(cache), reference.read(wanted)
    for name in ARRAYS:
        assert distance(getattr(found, name), getattr(right, name)) < 5e-3, name
    logits = backend.score(cache, loops, W).logits
    expected = reference.score(wanted, loops, W).logits
    second, best = np.sort(expected)[-2:]
    assert distance(logits, expected) < 5e-3
    assert best - second < 0.05 or np.argmax(logits) == np.argmax(expected)
    cache.free()


@pytest.mark.parametrize("step", [1, 7, 64])
@pytest.mark.parametrize("style", sorted(STYLES))
def test_reading_in_pieces_gives_the_same_bits(style: str, step: int) -> None:
    backend = gpu_backend(style_file(style))
    ids = ids_of(150)
    whole, pieces = read_at(backend, ids, 4), read_at(backend, ids, 4, step)
    assert_equal(backend.read(pieces), backend.read(whole), f"{step} at a time")
    logits = [backend.score(cache, 4, W).logits for cache in (pieces, whole)]
    assert same_bits(*logits)
    whole.free(), pieces.free()


@pytest.mark.parametrize("style", sorted(STYLES))
def test_the_divergence_is_that_of_both_readings(style: str) -> None:
    backend = gpu_backend(style_file(style))
    cache = read_at(backend, ids_of(33), 3)
    shallow, deep = backend.score(cache, 3, W), backend.score(cache, 5, W)
    wanted = divergence(deep.logits, shallow.logits)
    assert shallow.divergence == 0 < wanted
    assert abs(deep.divergence - wanted) < 1e-3 * wanted
    cache.free()


@pytest.mark.parametrize("style", sorted(STYLES))
def test_resuming_gives_the_same_state_after_every_loop(style: str) -> None:
    backend = gpu_backend(style_file(style))
    ids = ids_of(70)
    fresh = []
    for loops in range(DEEP + 1):
        cache = read_at(backend, ids, loops)
        fresh.append((state_hash(backend, cache), backend.read(cache)))
        cache.free()
    for start in (0, 1, 4, 8):
        cache = read_at(backend, ids, start)
        for loops in range(start, DEEP):
            backend.extend(cache, loops, loops + 1, W)
            assert state_hash(backend, cache) == fresh[loops + 1][0], (start, loops)
        assert_equal(backend.read(cache), fresh[DEEP][1], f"from {start}")
        cache.free()


@pytest.mark.parametrize("sampling", [GREEDY, SEEDED], ids=["greedy", "seeded"])
@pytest.mark.parametrize("length", [1, 60, 250, 470])  # across chunks, and both ways to merge them
@pytest.mark.parametrize("style", sorted(STYLES))
def test_writing_equals_reading_what_was_written(
    style: str, length: int, sampling: dict[str, Any]
) -> None:
    backend = gpu_backend(style_file(style))
    ids = ids_of(length, seed=length)
    written = read_at(backend, ids, 3)
    answer = write(backend, written, 3, 12, **sampling)
    assert written.length == length + 11
    both = np.concatenate([ids, np.array(answer[:-1], np.int32)])
    again = read_at(backend, both, 3)
    assert_equal(backend.read(written), backend.read(again), "decode against prefill")
    assert answer == write(backend, read_at(backend, ids, 3, 7), 3, 12, **sampling)
    written.free(), again.free()


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    require_gpu()
    with Model(bundled_model(), device="cuda") as opened:
        yield opened


def test_memory_returns_after_200_resumes_of_5_handles(model: Model) -> None:
    prompts = [ids_of(20 + 9 * k, k).tolist() for k in range(5)]
    handles = [model.build_resume_handle(p, 8, max_loops=16) for p in prompts]
    first = [model.resume_generate(h, 16, max_tokens=4) for h in handles]
    before = model.memory_report().free
    captures = model._runner._backend._answers.captures
    for turn in range(200):
        assert model.resume_generate(handles[turn % 5], 16, max_tokens=4) == first[turn % 5]
    assert model.memory_report().free == before
    assert model._runner._backend._answers.captures == captures


@pytest.mark.parametrize("window", [0, 1, 64, 70])
def test_the_bytes_are_those_allocated(model: Model, window: int) -> None:
    handle = model.build_resume_handle(ids_of(150).tolist(), 1, 5, cache_window=window)
    cache = handle.state.cache
    sizes = {name: buffer.size for name, buffer in cache._buffers.items()}
    assert cache.kv_bytes == kv_bytes(model.config, 150, 5, window) == sizes["keys"] * 2
    assert handle.nbytes() == sum(sizes.values())


def test_a_handle_too_large_is_refused_and_leaves_nothing(model: Model) -> None:
    backend = model._runner._backend
    free = backend.memory().free
    with pytest.raises(OutOfMemory) as caught:
        backend.new_cache(1 << 20, 64, 0)
    assert caught.value.needed > caught.value.free > 0
    assert backend.memory().free == free
    assert len(model.generate([1, 3, 50, 4], 8, max_tokens=3)) > 4


def test_a_failure_in_an_answer_ends_that_answer_only(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.backends.cuda.device import CUDAError

    expected = model.generate([1, 3, 50, 4], 8, max_tokens=6)

    def fail(graph: object) -> None:
        raise CUDAError("CUDA_ERROR_LAUNCH_FAILED: pretended")

    with monkeypatch.context() as patch:
        patch.setattr(model._runner._backend._gpu, "run", fail)
        with pytest.raises(DeviceError, match="CUDA_ERROR_LAUNCH_FAILED"):
            model.generate([1, 3, 50, 4], 8, max_tokens=6)
    assert model.generate([1, 3, 50, 4], 8, max_tokens=6) == expected


def test_handles_may_be_built_used_and_dropped_in_other_threads(model: Model) -> None:
    prompt = ids_of(40).tolist()
    expected = model.generate(prompt, 8, max_tokens=5)
    free = model.memory_report().free
    kept: list[Any] = []

    def in_thread(call: Any) -> None:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()

    in_thread(lambda: kept.append(model.build_resume_handle(prompt, 4, max_loops=8)))
    assert model.resume_generate(kept[0], 8, max_tokens=5) == expected
    in_thread(lambda: kept.append(model.resume_generate(kept[0], 8, max_tokens=5)))
    assert kept.pop() == expected
    in_thread(kept.clear)
    assert model.memory_report().free == free


@pytest.mark.parametrize("window", [0, 100])
def test_a_build_is_stopped_between_two_passes_and_leaves_nothing(
    model: Model, window: int
) -> None:
    free = model.memory_report().free
    seen: list[tuple[int, int]] = []
    watch = {
        "on_progress": lambda done, total: seen.append((done, total)),
        "should_stop": lambda: len(seen) > 3,
    }
    with pytest.raises(Stopped):
        model.build_resume_handle(ids_of(400).tolist(), 32, cache_window=window, **watch)
    assert seen == [(0, 32), (1, 32), (2, 32), (3, 32)]
    assert (model.last_run.prefilled, model.last_run.cells) == (400, 1200)
    assert model.memory_report().free == free


def test_other_threads_run_while_it_writes(model: Model) -> None:
    turns, done = 0, threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            done.wait(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    for seed in range(20):
        model.generate(ids_of(20).tolist(), 32, max_tokens=20, temperature=1.5, top_k=0, seed=seed)
    done.set()
    counter.join()
    assert turns > 10


def test_the_engines_own_tests_pass_on_the_gpu() -> None:
    names = ("invariants", "windows", "calls", "golden")
    files = [f"tests/engine/test_{name}.py" for name in names]
    command = [sys.executable, "-m", "pytest", "-q", *files]
    for test in ONLY_ON_THE_HOST:
        command += ["--deselect", f"tests/engine/test_{test}"]
    on_gpu = os.environ | {"TINYLOOP_TEST_DEVICE": "cuda"}
    run = subprocess.run(command, cwd=ROOT, check=False, text=True, capture_output=True, env=on_gpu)
    assert run.returncode == 0, run.stdout[-6000:]
