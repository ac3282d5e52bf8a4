"""Every row of the error table: the right type, one sentence, and the model answers afterwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from invariants import model_of, prompt_of
from tiny_models import tiny_config, write_tiny_model

from engine import EngineError, Model, PrefixPool
from engine.errors import (
    ContextFull,
    DeviceError,
    HandleClosed,
    LoopDepthError,
    ModelClosed,
    ModelFileError,
    OutOfMemory,
    WrongModel,
)
from engine.resources import bundled_model

P = [9, 8, 7]
Call = Callable[[Model], Any]


def _pool_without_depth(model: Model) -> None:
    pool = PrefixPool()
    pool.register_prefix(model, P, 2)
    pool.register_prefix(model, P, 4)
    with pytest.raises(LoopDepthError, match="2, 4 loops"):
        model.generate_with_pool(pool, [*P, 5], 3)
    model.generate_with_pool(pool, [*P, 5], 3)


def _suffixed(model: Model, suffix: Any) -> Any:
    return model.generate_from_prefix_cache(model.build_prefix_cache(P, 1), 1, suffix)


def _closed_handle(model: Model) -> None:
    handle = model.build_resume_handle(P, 1)
    handle.close()
    handle.close()
    model.resume_generate(handle, 1)


VALUE_ERRORS: dict[str, Call] = {
    "L_used < 0": lambda m: m.build_resume_handle(P, -1),
    "loops < 0": lambda m: m.generate(P, -1),
    "loops > 64": lambda m: m.generate(P, 65),
    "loops is a float": lambda m: m.generate(P, 8.0),
    "loops is a bool": lambda m: m.generate(P, True),
    "new_L > 64": lambda m: m.resume_generate(m.build_resume_handle(P, 1), 65),
    "max_loops < 1": lambda m: m.build_resume_handle(P, 0, max_loops=0),
    "max_loops > 64": lambda m: m.build_resume_handle(P, 1, max_loops=65),
    "capacity < 1": lambda m: PrefixPool(capacity=0),
    "cache_window < 0": lambda m: m.generate(P, 1, cache_window=-1),
    "max_tokens < 1": lambda m: m.generate(P, 1, max_tokens=0),
    "temperature < 0": lambda m: m.generate(P, 1, temperature=-0.1),
    "temperature nan": lambda m: m.generate(P, 1, temperature=math.nan),
    "temperature inf": lambda m: m.generate(P, 1, temperature=math.inf),
    "top_k < 0": lambda m: m.generate(P, 1, top_k=-1),
    "top_p 0": lambda m: m.generate(P, 1, top_p=0.0),
    "top_p > 1": lambda m: m.generate(P, 1, top_p=1.01),
    "penalty 0": lambda m: m.generate(P, 1, repetition_penalty=0),
    "seed < 0": lambda m: m.generate(P, 1, seed=-1),
    "seed 2^64": lambda m: m.generate(P, 1, seed=1 << 64),
    "id outside": lambda m: m.generate([300], 1),
    "id negative": lambda m: m.generate([-1], 1),
    "empty": lambda m: m.generate([], 1),
    "two dimensions": lambda m: m.generate(np.zeros((1, 3), np.int32), 1),
    "ragged": lambda m: m.generate([[1], [1, 2]], 1),
    "floats": lambda m: m.generate([1.0, 2.0], 1),
    "bools": lambda m: m.generate([True, 5], 1),
    "bool array": lambda m: m.generate(np.array([True]), 1),
    "text": lambda m: m.generate("hello", 1),
    "huge id": lambda m: m.generate([2**80], 1),
    "L_lo > L_hi": lambda m: m.score_with_uncertainty(P, 3, 2),
    "cache_window beyond 2^31": lambda m: m.generate(P, 1, cache_window=1 << 63),
    "temperature beyond float32": lambda m: m.generate(P, 1, temperature=1e300),
    "penalty 0 in float32": lambda m: m.generate(P, 1, repetition_penalty=1e-300),
    "numpy bool": lambda m: m.generate([np.True_, 3], 1),
    "stop id outside": lambda m: m.generate(P, 1, stop_sequences=[[300]]),
    "stop sequence without ids": lambda m: m.generate(P, 1, stop_sequences=[[]]),
    "stop sequence 0-d": lambda m: m.generate(P, 1, stop_sequences=[np.array(3)]),
    "suffix None": lambda m: _suffixed(m, None),
    "suffix a number": lambda m: _suffixed(m, 5),
    "suffix of floats": lambda m: _suffixed(m, np.zeros(0)),
    "suffix a text": lambda m: _suffixed(m, ""),
    "max_loops without a handle": lambda m: m.generate(P, 2, max_loops=4),
    "stop sequence empty": lambda m: m.generate(P, 1, stop_sequences=[""]),
    "stop sequences a string": lambda m: m.generate(P, 1, stop_sequences="end"),
    "stop sequence a number": lambda m: m.generate(P, 1, stop_sequences=[3]),
    "decode_loops > 64": lambda m: m.generate(P, 1, decode_loops=65),
    "decode_loops with a handle":
        lambda m: m.generate(P, 2, decode_loops=1, return_handle=True),
}  # fmt: skip

ENGINE_ERRORS: dict[str, tuple[type[EngineError], Call]] = {
    "L_used > max_loops": (LoopDepthError, lambda m: m.build_resume_handle(P, 9, max_loops=8)),
    "new_L below": (LoopDepthError, lambda m: m.resume_generate(m.build_resume_handle(P, 3), 2)),
    "new_L above": (
        LoopDepthError,
        lambda m: m.extend_handle(m.build_resume_handle(P, 3, max_loops=4), 5),
    ),
    "loops != n_loops": (
        LoopDepthError,
        lambda m: m.generate_from_prefix_cache(m.build_prefix_cache(P, 2), 3),
    ),
    "decode_loops above": (LoopDepthError, lambda m: m.generate(P, 2, decode_loops=3)),
    "start of another depth": (
        LoopDepthError,
        lambda m: m.build_resume_handle(P, 3, start=m.build_resume_handle(P, 2)),
    ),
    "start of another window": (
        LoopDepthError,
        lambda m: m.build_resume_handle(P, 2, start=m.build_resume_handle(P, 2, cache_window=4)),
    ),
    "handle with max_loops below": (
        LoopDepthError,
        lambda m: m.generate(P, 4, return_handle=True, max_loops=3),
    ),
    "prompt too long": (ContextFull, lambda m: m.build_resume_handle([9] * 513, 1)),
    "no room for the answer": (ContextFull, lambda m: m.generate([9] * 500, 1, max_tokens=13)),
    "pool without the depth": (LoopDepthError, _pool_without_depth),
    "handle of another model": (
        WrongModel,
        lambda m: m.resume_generate(model_of("ouro").build_resume_handle(P, 1), 1),
    ),
    "start of another model": (
        WrongModel,
        lambda m: m.build_resume_handle(P, 1, start=model_of("ouro").build_prefix_cache(P, 1)),
    ),
    "closed handle": (HandleClosed, _closed_handle),
}


def answers_still(model: Model) -> None:
    assert len(model.generate(P, 2, max_tokens=2)) >= 4


@pytest.mark.parametrize("row", VALUE_ERRORS)
def test_bad_values(row: str) -> None:
    model = model_of("bundled")
    with pytest.raises(ValueError, match=r"^[^\n]{15,}\.$"):
        VALUE_ERRORS[row](model)
    answers_still(model)


@pytest.mark.parametrize("row", ENGINE_ERRORS)
def test_what_the_engine_refuses(row: str) -> None:
    kind, call = ENGINE_ERRORS[row]
    model = model_of("bundled")
    with pytest.raises(kind, match=r"^[^\n]{15,}\.$") as caught:
        call(model)
    assert caught.value.code == kind.code
    answers_still(model)


@pytest.mark.parametrize("suffix", [[], [5]])
def test_all_integer_types_are_prompts(suffix: list[int]) -> None:
    model = model_of("bundled")
    expected = model.generate([*P, *suffix], 2, max_tokens=2)
    for prompt in (tuple(P), np.array(P, np.uint8), np.array(P, np.int64), np.array(P, np.uint16)):
        cache = model.build_prefix_cache(prompt, 2)
        assert model.generate_from_prefix_cache(cache, 2, suffix, max_tokens=2) == expected


def test_unknown_keywords_name_the_nearest() -> None:
    model = model_of("bundled")
    with pytest.raises(TypeError, match="did you mean 'temperature'"):
        model.generate(P, 1, temprature=1.0)
    with pytest.raises(TypeError, match="did you mean 'should_stop'"):
        model.build_resume_handle(P, 1, shuold_stop=None)
    answers_still(model)


WRONG_KINDS: dict[str, Call] = {
    "a cache resumed": lambda m: m.resume_generate(m.build_prefix_cache(P, 1), 1),
    "a cache extended": lambda m: m.extend_handle(m.build_prefix_cache(P, 1), 2),
    "a handle as a cache": lambda m: m.generate_from_prefix_cache(m.build_resume_handle(P, 1), 1),
    "nothing resumed": lambda m: m.resume_generate(None, 1),
    "a text as start": lambda m: m.build_resume_handle(P, 1, start="x"),
    "nothing as pool": lambda m: m.generate_with_pool(None, P, 1),
}


@pytest.mark.parametrize("row", WRONG_KINDS)
def test_handles_of_the_wrong_kind(row: str) -> None:
    model = model_of("bundled")
    with pytest.raises(TypeError, match=r"^expected a \w+, found \w+\.$"):
        WRONG_KINDS[row](model)
    answers_still(model)


@pytest.mark.parametrize("option", [{"grammar": "{}"}, {"draft": [1]}])
def test_later_features_say_so(option: dict[str, Any]) -> None:
    with pytest.raises(NotImplementedError, match="later"):
        model_of("bundled").generate(P, 1, **option)
    answers_still(model_of("bundled"))


def test_kv_modes(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    path = write_tiny_model(tmp_path / "m.tinyloop")
    for mode in ("int8", "int4", "h", "h_int4"):
        with pytest.raises(NotImplementedError, match="later"):
            Model(path, kv_mode=mode)
    with pytest.raises(ValueError, match="kv_mode must be one of"):
        Model(path, kv_mode="fp8")
    for name in ("TINYLOOP_KV_H_MODE", "TINYLOOP_KV_INT4"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "1")
            with pytest.raises(NotImplementedError, match="later"):
                Model(path)
            Model(path, kv_mode="fp16", device="cpu").close()  # asked for by name: it counts


def test_opening(tmp_path: Any) -> None:
    path = write_tiny_model(tmp_path / "m.tinyloop")
    with pytest.raises(EngineError, match="512 positions"):
        Model(path, max_seq_len=513)
    with pytest.raises(ValueError, match="max_seq_len"):
        Model(path, max_seq_len=0)
    with pytest.raises(ValueError, match="device must be"):
        Model(path, device="gpu")
    with pytest.raises(ModelFileError, match=r"nowhere\.tinyloop"):
        Model(tmp_path / "nowhere.tinyloop")
    with Model(path, max_seq_len=20, device="cpu") as model:
        with pytest.raises(ContextFull, match="20 positions"):
            model.generate([9] * 15, 1, max_tokens=6)
        assert len(model.generate([9] * 15, 1, max_tokens=5)) > 15


def test_a_gpu_that_is_not_there(tmp_path: Any) -> None:
    path = write_tiny_model(tmp_path / "m.tinyloop")
    with pytest.raises(DeviceError, match="cpu"):
        Model(path, device="cuda:97")  # no machine has it
    model = Model(path, device="auto")
    assert model.device.startswith("cuda") or model.device_note


def test_a_closed_model(tmp_path: Any) -> None:
    model = Model(write_tiny_model(tmp_path / "m.tinyloop", tiny_config()), device="cpu")
    handle = model.build_resume_handle(P, 1)
    pool = PrefixPool()
    model.close()
    model.close()
    calls: list[Callable[[], Any]] = [
        lambda: model.generate(P, 1),
        lambda: model.build_resume_handle(P, 1),
        lambda: model.resume_generate(handle, 1),
        lambda: model.extend_handle(handle, 2),
        lambda: model.score_with_uncertainty(P, 1, 2),
        model.memory_report,
        lambda: pool.register_prefix(model, P, 1),
        lambda: model.generate_with_pool(pool, P, 1),
    ]
    for call in calls:
        with pytest.raises(ModelClosed, match="closed"):
            call()
    handle.close()


def test_out_of_memory_names_the_bytes_and_frees_all(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of("bundled")
    prompt = prompt_of(model, 40, seed=0)
    handle = model.build_resume_handle(prompt, 2)
    before = model.memory_report()
    import engine.backends.reference_cache as cache

    with monkeypatch.context() as patch:
        patch.setattr(cache, "host_memory", lambda: (1000, 2000))
        for call in (
            lambda: model.build_resume_handle(prompt, 2),
            lambda: model.generate(prompt, 2),
            lambda: model.resume_generate(handle, 4),
            lambda: model.extend_handle(handle, 4),
        ):
            with pytest.raises(OutOfMemory, match="MiB needed") as caught:
                call()
            assert (caught.value.needed > 1000, caught.value.free) == (True, 1000)
    after = model.memory_report()
    assert (before.kv, before.states) == (after.kv, after.states)
    answers_still(model)


def test_the_allocator_itself_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of("bundled")
    import engine.backends.reference_cache as cache

    class NoMemory:
        def __getattr__(self, name: str) -> Any:
            return getattr(np, name)

        def zeros(self, *_: Any) -> Any:
            raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(cache, "np", NoMemory())
        with pytest.raises(OutOfMemory):
            model.generate(P, 2)
    answers_still(model)


def test_the_bundled_file_is_there() -> None:
    assert bundled_model().is_file()
