"""What a caller sees of a running call: tokens, stops, progress, threads, memory."""

from __future__ import annotations

import gc
import sys
import threading
import time
from typing import Any

import pytest
from invariants import SEEDED, assert_same_bits, model_of, prompt_of

from engine import EngineError, PrefixPool
from engine.errors import Stopped

MODEL = "bundled"


def test_max_tokens_ends_with_length() -> None:
    model = model_of(MODEL)
    prompt = prompt_of(model, 5, seed=1)
    out = model.generate(prompt, 2, max_tokens=7, temperature=1.0)
    assert out[:5] == prompt
    assert len(out) == 12 or out[-1] in model.config.stop_ids
    assert model.last_run.finish_reason in ("length", "stop")


def test_control_ids_are_never_sampled() -> None:
    model = model_of(MODEL)
    allowed = model.tokenizer.control_ids - set(model.config.stop_ids)
    for seed in range(40):
        out = model.generate([9], 1, max_tokens=20, temperature=8.0, top_k=0, seed=seed)
        assert not allowed & set(out[1:])


def _long_answer() -> tuple[list[int], list[int]]:
    """A prompt and a seeded answer of 30 tokens in which ids differ."""
    model = model_of(MODEL)
    for seed in range(100):
        prompt = prompt_of(model, 6, seed)
        out = model.generate(prompt, 2, max_tokens=30, **SEEDED)
        if len(out) == 36 and len(set(out[6:])) > 10:
            return prompt, out[6:]
    raise AssertionError("no long answer found")


def test_a_stop_sequence_of_ids_is_cut_and_never_announced() -> None:
    model = model_of(MODEL)
    prompt, answer = _long_answer()
    at = next(i for i in range(5, 25) if answer.index(answer[i]) == i)
    seen: list[int] = []
    out, kept = model.generate(
        prompt, 2, max_tokens=30, stop_sequences=[answer[at : at + 3]], on_token=seen.append,
        return_handle=True, **SEEDED,
    )  # fmt: skip
    assert out == prompt + answer[:at]
    assert seen == answer[:at]
    assert model.last_run.finish_reason == "stop"
    assert kept is not None
    assert kept.tokens() == out
    assert_same_bits(model, kept, model.build_resume_handle(out, 2))


def test_a_stop_string_is_found_across_tokens() -> None:
    model = model_of(MODEL)
    prompt, answer = _long_answer()
    pieces = [model.tokenizer.token_bytes(i) for i in answer]
    text = b"".join(pieces)
    for cut in range(8, 20):
        needle = b"".join(pieces[cut : cut + 3])
        try:
            stop = needle.decode()
        except UnicodeDecodeError:
            continue
        if stop and text.find(needle) == len(b"".join(pieces[:cut])):
            seen: list[int] = []
            out = model.generate(
                prompt, 2, max_tokens=30, stop_sequences=[stop], on_token=seen.append, **SEEDED
            )
            assert out == prompt + answer[:cut]
            assert seen == answer[:cut]
            return
    raise AssertionError("no stop string found")


def test_ids_held_back_are_announced_when_no_stop_comes() -> None:
    model = model_of(MODEL)
    prompt, answer = _long_answer()
    seen: list[int] = []
    never = [answer[-2], answer[-1], 7, 7]
    out = model.generate(
        prompt, 2, max_tokens=30, stop_sequences=[never], on_token=seen.append, **SEEDED
    )
    assert out == prompt + answer
    assert seen == answer


def test_stop_while_writing_keeps_what_there_is() -> None:
    model = model_of(MODEL)
    prompt, answer = _long_answer()
    seen: list[int] = []
    out, kept = model.generate(
        prompt, 2, max_tokens=30, on_token=seen.append, should_stop=lambda: len(seen) >= 4,
        return_handle=True, **SEEDED,
    )  # fmt: skip
    assert out == prompt + answer[:4]
    assert model.last_run.finish_reason == "cancelled"
    assert kept is not None
    assert kept.tokens() == out  # the dropped fifth token was sampled from the fourth, read


def test_stop_while_reading() -> None:
    model = model_of(MODEL)
    prompt = prompt_of(model, 200, seed=1)
    polls: list[int] = []

    def third_time() -> bool:
        polls.append(1)
        return len(polls) >= 3

    before = model.memory_report()
    with pytest.raises(Stopped):
        model.build_resume_handle(prompt, 8, should_stop=third_time)
    assert len(polls) == 3  # once a layer: chunk 0 through pre layers 0 and 1, chunk 1 begins
    assert (model.last_run.prefilled, model.last_run.last_loop) == (64, None)
    after = model.memory_report()
    assert (before.kv, before.states) == (after.kv, after.states)
    polls.clear()
    assert model.generate(prompt, 8, should_stop=third_time, return_handle=True) == (prompt, None)
    assert model.last_run.finish_reason == "cancelled"


def test_progress_counts_kept_loops() -> None:
    model = model_of(MODEL)
    prompt = prompt_of(model, 100, seed=1)
    seen: list[tuple[int, int]] = []
    handle = model.build_resume_handle(prompt, 3, on_progress=lambda d, t: seen.append((d, t)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    seen.clear()
    model.extend_handle(handle, 5, on_progress=lambda d, t: seen.append((d, t)))
    assert seen == [(3, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize("callback", ["on_token", "on_progress", "should_stop"])
def test_an_exception_of_a_callback_reaches_the_caller_unchanged(callback: str) -> None:
    model = model_of(MODEL)
    error = KeyError("mine")

    def broken(*_: Any) -> Any:
        raise error

    before = model.memory_report()
    options: dict[str, Any] = {callback: broken}
    with pytest.raises(KeyError) as caught:
        model.generate([9, 8], 2, return_handle=True, **options)
    assert caught.value is error
    after = model.memory_report()
    assert (before.kv, before.states) == (after.kv, after.states)
    assert model.generate([9, 8], 2, max_tokens=1)


def test_calling_the_model_from_a_callback_raises() -> None:
    model = model_of(MODEL)
    with pytest.raises(EngineError, match="callback"):
        model.generate([9, 8], 2, on_token=lambda _: model.generate([9], 1))
    with pytest.raises(EngineError, match="callback"):
        model.generate([9, 8], 2, on_token=lambda _: model.close())
    assert model.generate([9, 8], 2, max_tokens=1)


def test_two_threads_on_one_model() -> None:
    model = model_of(MODEL)
    prompts = [prompt_of(model, 30 + i, seed=i) for i in range(6)]
    expected = [model.generate(p, 4, max_tokens=8, **SEEDED) for p in prompts]
    got: dict[int, Any] = {}

    def run(which: int) -> None:
        for i in range(which, 6, 2):
            handle = model.build_resume_handle(prompts[i], 2)
            got[i] = model.resume_generate(handle, 4, max_tokens=8, **SEEDED)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [got[i] for i in range(6)] == expected


def test_a_handle_closed_by_another_thread_is_freed_after_its_use() -> None:
    model = model_of(MODEL)
    prompt = prompt_of(model, 50, seed=1)
    expected = model.generate(prompt, 8, max_tokens=5)
    handle = model.build_resume_handle(prompt, 2)
    started = threading.Event()
    result: list[Any] = []

    def slow(*_: Any) -> bool:
        started.set()
        time.sleep(0.002)
        return False

    def use() -> None:
        result.append(model.resume_generate(handle, 8, max_tokens=5, should_stop=slow))

    thread = threading.Thread(target=use)
    thread.start()
    assert started.wait(10)
    handle.close()
    thread.join(60)
    assert result == [expected]


def test_memory_returns_to_the_baseline() -> None:
    model = model_of(MODEL)
    gc.collect()
    before = model.memory_report()
    handles = [model.build_resume_handle(prompt_of(model, 20, seed=i), 2) for i in range(3)]
    held = model.memory_report()
    assert held.kv - before.kv == sum(h.state.cache.kv_bytes for h in handles)
    assert held.kv + held.states - before.kv - before.states == sum(h.nbytes() for h in handles)
    for handle in handles:
        handle.close()
    after = model.memory_report()
    assert (before.kv, before.states) == (after.kv, after.states)
    assert after.weights > 0


def test_decode_loops_writes_at_another_depth() -> None:
    model = model_of(MODEL)
    prompt = prompt_of(model, 9, seed=3)
    mixed = model.generate(prompt, 6, decode_loops=2, max_tokens=6, **SEEDED)
    assert mixed[9] == model.generate(prompt, 6, max_tokens=1, **SEEDED)[9]
    handle = model.build_resume_handle(prompt, 3)
    assert model.resume_generate(handle, 6, decode_loops=2, max_tokens=6, **SEEDED) == mixed
    assert model.last_run.cells == 9 * 3 + (len(mixed) - 10) * 2
    zero = model.generate(prompt, 6, decode_loops=0, max_tokens=3, **SEEDED)
    assert zero[9] == mixed[9]


def test_memory_may_be_asked_for_while_another_thread_builds() -> None:
    model = model_of(MODEL)
    prompt = prompt_of(model, 4, seed=1)
    ended = threading.Event()

    def build() -> None:
        kept = [model.build_resume_handle(prompt, 1) for _ in range(150)]
        ended.set()
        del kept

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread = threading.Thread(target=build)
        thread.start()
        while not ended.is_set():
            assert model.memory_report().kv >= 0
        thread.join(60)
    finally:
        sys.setswitchinterval(interval)


def test_threads_that_register_the_same_prefix_share_an_entry() -> None:
    model = model_of(MODEL)
    pool = PrefixPool(capacity=4)
    prompt = prompt_of(model, 60, seed=1)
    entries: list[int] = []
    threads = [
        threading.Thread(target=lambda: entries.append(pool.register_prefix(model, prompt, 4)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert entries == [1, 1, 1, 1]
    assert len(pool) == 1


@pytest.mark.parametrize("style", ["huginn", "olmo"])
def test_decode_loops_with_post_layers_is_the_same_on_every_path(style: str) -> None:
    model = model_of(style)
    prompt = prompt_of(model, 9, seed=3)
    mixed = model.generate(prompt, 5, decode_loops=2, max_tokens=6, **SEEDED)
    for k in range(6):
        handle = model.build_resume_handle(prompt, k)
        again = model.resume_generate(handle, 5, decode_loops=2, max_tokens=6, **SEEDED)
        assert again == mixed


def test_a_pool_is_least_recently_used() -> None:
    model = model_of(MODEL)
    pool = PrefixPool(capacity=2)
    one = pool.register_prefix(model, [9, 8], 2)
    two = pool.register_prefix(model, [7, 6], 2)
    assert (one, two) == (1, 2)
    assert pool.register_prefix(model, [9, 8], 2) == one  # bumped
    three = pool.register_prefix(model, [5], 2)
    assert pool.ids() == [one, three]
    assert two == three  # ids may be reused
    assert one in pool
    assert 99 not in pool
    assert pool.nbytes() == sum(c.nbytes() for c in pool._entries.values())
    pool.register_prefix(model, [5], 3)
    assert len(pool) == 2
    pool.evict(three)
    pool.evict(99)
    pool.close()
    assert len(pool) == 0
