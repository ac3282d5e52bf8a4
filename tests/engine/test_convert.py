"""The command that makes the bundled file: the same bytes each time, errors in one sentence."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tiny_models import tiny_config, tiny_tensors, tiny_tokenizer

from engine.quantize import quantize_int4
from engine.weights import open_model_file

ROOT = Path(__file__).resolve().parents[2]
CONFIG = tiny_config(hidden_size=64, head_dim=16, intermediate_size=128, vocab_size=300)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder like the one training leaves behind."""
    folder = tmp_path / "source"
    folder.mkdir()
    fields = dataclasses.asdict(CONFIG)
    del fields["quantization"]
    (folder / "config.json").write_text(json.dumps(fields))
    (folder / "tokenizer.model").write_bytes(tiny_tokenizer())
    save_file(tiny_tensors(CONFIG), folder / "model.safetensors")
    return folder


def convert(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "packaging" / "model" / "convert.py", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)


def test_two_processes_write_the_same_bytes(source: Path, tmp_path: Path) -> None:
    outs = [tmp_path / "a.tinyloop", tmp_path / "b.tinyloop"]
    for out in outs:
        run = convert(source, out)
        assert run.returncode == 0, run.stderr
        assert str(out) in run.stdout
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_layers_become_int4_and_the_rest_stays(source: Path, tmp_path: Path) -> None:
    assert convert(source, tmp_path / "m.tinyloop").returncode == 0
    file = open_model_file(tmp_path / "m.tinyloop")
    tensors = tiny_tensors(CONFIG)
    assert (file.name, file.license, file.loops_eval) == ("tinyloop-27m", "Apache-2.0", None)
    assert np.array_equal(file.tensor("embed.weight"), tensors["embed.weight"])
    assert np.array_equal(file.vector("final_norm.weight"), tensors["final_norm.weight"])
    matrices = {n for n, t in tensors.items() if t.ndim == 2 and n != "embed.weight"}
    assert len(matrices) == 21
    for name in matrices:
        base = name.removesuffix(".weight")
        qweight, scales = quantize_int4(tensors[name].astype(np.float32), 64)
        assert np.array_equal(file.tensor(f"{base}.qweight"), qweight)
        assert np.array_equal(file.tensor(f"{base}.scales"), scales)


def test_the_accuracy_table_is_stored(source: Path, tmp_path: Path) -> None:
    table = {"accuracy": {"8": 0.65, "16": 0.82, "32": 0.98}, "questions": 300}
    (tmp_path / "eval.json").write_text(json.dumps(table))
    run = convert(source, tmp_path / "m", "--loops-eval", tmp_path / "eval.json")
    assert run.returncode == 0, run.stderr
    assert open_model_file(tmp_path / "m").loops_eval == table


def test_errors_are_one_sentence(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "m"
    missing = convert(tmp_path / "nothing", out)
    assert (missing.returncode, missing.stderr.count("\n")) == (1, 1)
    assert "config.json cannot be used: No such file" in missing.stderr
    save_file({"embed.weight": np.zeros((300, 64), "f2")}, source / "model.safetensors")
    broken = convert(source, out)
    assert (broken.returncode, broken.stderr.count("\n")) == (1, 1)
    assert "the tensor 'entry_norm.weight' is missing" in broken.stderr
    (source / "model.safetensors").write_bytes(b"no tensors")
    broken = convert(source, out)
    assert (broken.returncode, broken.stderr.count("\n")) == (1, 1)
    assert "no safetensors file can be read there" in broken.stderr
    assert not out.exists()
