"""`tinyloop bench`: what it measures, what it refuses, and that wrong bits stop the clock."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from cli_tools import assert_one_sentence, small_model, tinyloop
from fake_gpu import FakeGpu
from tiny_models import tiny_config

from engine import bench
from engine.backends.reference import ReferenceBackend
from engine.config import Quantization
from engine.kv_layout import kv_bytes
from engine.random_model import SHAPES, random_model, shape_config
from engine.watch import Watch
from engine.weights import open_model_file


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_model(tmp_path_factory.mktemp("bench"))


def test_it_ends_with_one_json_document_that_repeats_the_table(capsys, small):
    ran = tinyloop(capsys, "bench", "--model", small, "--device", "cpu", "--contexts", "8", "20")
    assert ran.code == 0
    assert "on the CPU" in ran.out
    assert "Resumed equals fresh: 12 tokens" in ran.out
    document = json.loads(ran.out.splitlines()[-1])
    (shape,) = document["shapes"]
    assert (shape["shape"], shape["device"], shape["correct"]) == ("bundled", "cpu", True)
    rows = shape["rows"]
    assert [(r["context"], r["loops"]) for r in rows] == [
        (context, loops) for context in (8, 20) for loops in (2, 3, 4)
    ]
    lines = [line.split()[:3] for line in ran.out.splitlines()]
    for row in rows:
        assert [str(row["context"]), str(row["loops"]), f"{row['us_token']:.1f}"] in lines
        assert row["read_us_token"] > 0
        assert row["tokens_per_s"] == pytest.approx(1e6 / row["us_token"])
        speed = row["bytes_token"] / row["us_token"] * 1e6
        assert row["share_of_copy"] == pytest.approx(speed / shape["copy_bytes_per_s"])
        assert row["host_us_token"] is None
    added = (rows[2]["us_token"] - rows[0]["us_token"]) / 2
    assert rows[2]["us_loop"] == pytest.approx(added)
    assert all(value > 0 for value in shape["resuming"].values())


@pytest.mark.parametrize("name", ["keys", "values", "state", "injected"])
def test_nothing_is_measured_when_bits_differ(capsys, small, monkeypatch, name):
    read = ReferenceBackend.read
    calls: list[int] = []

    def wrong(self: Any, cache: Any) -> Any:
        arrays = read(self, cache)
        calls.append(1)
        if len(calls) == 3:  # the reading at once, the fresh run, the resumed run
            getattr(arrays, name).flat[-1] += 1
        return arrays

    monkeypatch.setattr(ReferenceBackend, "read", wrong)
    ran = tinyloop(capsys, "bench", "--model", small, "--device", "cpu")
    assert ran.code == 1
    assert f"WRONG: {name} of the resumed run" in ran.out
    assert "µs/token" not in ran.out
    (shape,) = json.loads(ran.out.splitlines()[-1])["shapes"]
    assert not shape["correct"]
    assert "rows" not in shape


def test_nothing_is_measured_when_a_resumed_answer_differs(capsys, small, monkeypatch):
    def skips(self: Any, cache: Any, from_loop: int, to_loop: int, watch: object) -> None:
        cache.depth = to_loop

    monkeypatch.setattr(ReferenceBackend, "extend", skips)
    ran = tinyloop(capsys, "bench", "--model", small, "--device", "cpu")
    assert ran.code == 1
    assert "WRONG: the resumed answer" in ran.out


def test_large_shapes_need_a_gpu(capsys):
    for shape in SHAPES:
        for device in ("auto", "cpu"):
            ran = tinyloop(capsys, "bench", "--shapes", shape, "--device", device)
            assert_one_sentence(ran, shape, "GPU")


def test_contexts_must_hold_a_token(capsys):
    assert_one_sentence(tinyloop(capsys, "bench", "--contexts", "0"), "--contexts", "at least 1")


def test_bytes_of_a_token_are_weights_of_every_layer_run_the_head_and_kv(small):
    file = open_model_file(small)
    config, on_cpu = file.config, bench.Bench(file, "cpu")
    block = on_cpu.loop_bytes()
    matrices = [t for n, t in file.header.tensors.items() if n.startswith("loop.")]
    assert block == 4 * sum(int(np.prod(t.shape)) for t in matrices)
    four, two = (on_cpu.bytes_a_token(loops, 50) for loops in (4, 2))
    assert four - two == 2 * block + kv_bytes(config, 50, 4) - kv_bytes(config, 50, 2)
    on_cpu.close()


def test_a_gpu_is_measured_by_its_own_instruments(monkeypatch, tmp_path):
    """The host program only: a GPU that remembers gives zeros, which agree with themselves."""
    gpu = FakeGpu()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("engine.backends.cuda.compiler.compile_source", lambda source: (b"x", ""))
    monkeypatch.setattr("engine.backends.cuda.probe.find_gpu", lambda ordinal, size: gpu)
    config = tiny_config(quantization=Quantization(4, 32))
    measured = bench.Bench(random_model(config), "cuda", (40,))
    assert measured.on_gpu
    before = dict(gpu.open)
    assert measured.agreement().tokens == bench.CHECKED_ANSWER
    assert measured.copy_bandwidth() > 0
    rows = list(measured.rows(1e9))
    assert all(row.host_us_token is not None and row.host_us_token > 0 for row in rows)
    assert measured.resuming().resume_ms > 0
    assert gpu.open == before  # nothing is left on the device
    stored = [t.end - t.begin for n, t in measured._file.header.tensors.items()
              if n.startswith("loop.")]  # fmt: skip
    assert measured.loop_bytes() == sum(stored)


def test_random_weights_keep_activations_sane():
    fields = {"hidden_size": 256, "num_heads": 2, "num_kv_heads": 2, "intermediate_size": 512,
              "vocab_size": 300}  # fmt: skip
    config = shape_config("seed-407m", 256)
    small = type(config)(**{f: getattr(config, f) for f in config.__slots__} | fields)
    file = random_model(small)
    assert file.matrix("loop.0.attn.q.weight").shape == (256, 256)
    backend = ReferenceBackend(file, 256, frozenset())
    cache = backend.new_cache(20, 32, 0)
    backend.prefill(cache, np.arange(6, 26, dtype=np.int32), 0, 32, Watch())
    rms = float(np.sqrt((backend.read(cache).state ** 2).mean()))
    assert 0.3 < rms < 30
