"""The command that makes the bundled file: the same bytes each time, errors in one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import quantise
from safetensors.numpy import save_file
from tiny_models import tiny_config, tiny_tensors, write_trained

from engine.quantize import dequantize_int4, quantize_int4
from engine.weights import open_model_file

ROOT = Path(__file__).resolve().parents[2]
CONFIG = tiny_config(hidden_size=64, head_dim=16, intermediate_size=128, vocab_size=300)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder like the one training leaves behind."""
    folder = tmp_path / "source"
    write_trained(folder, CONFIG)
    return folder


def command(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, ROOT / "packaging" / "model" / "quantise.py", *arguments]
    return subprocess.run(words, check=False, capture_output=True, text=True, cwd=ROOT)


def test_two_processes_write_the_same_bytes(source: Path, tmp_path: Path) -> None:
    outs = [tmp_path / "a.tinyloop", tmp_path / "b" / "a.tinyloop"]
    outs[1].parent.mkdir()
    for out in outs:
        run = command(source, out, "--method", "grid")
        assert run.returncode == 0, run.stderr
        assert str(out) in run.stdout
    assert outs[0].read_bytes() == outs[1].read_bytes()


@pytest.mark.parametrize("method", ["grid", "rtn"])
def test_layers_become_int4_and_the_rest_stays(source: Path, tmp_path: Path, method: str) -> None:
    quantise.write(source, tmp_path / "m.tinyloop", quantise.Options(method), None)
    file = open_model_file(tmp_path / "m.tinyloop")
    tensors = tiny_tensors(CONFIG)
    assert (file.name, file.license, file.loops_eval) == ("m", "Apache-2.0", None)
    assert np.array_equal(file.tensor("embed.weight"), tensors["embed.weight"])
    assert np.array_equal(file.vector("final_norm.weight"), tensors["final_norm.weight"])
    matrices = {n for n, t in tensors.items() if t.ndim == 2 and n != "embed.weight"}
    assert len(matrices) == 21
    rounding = {"grid": quantise.grid_int4, "rtn": quantize_int4}[method]
    for name in matrices:
        base = name.removesuffix(".weight")
        qweight, scales = rounding(tensors[name].astype(np.float32), 64)
        assert np.array_equal(file.tensor(f"{base}.qweight"), qweight)
        assert np.array_equal(file.tensor(f"{base}.scales"), scales)


def test_without_rounding_everything_stays(source: Path, tmp_path: Path) -> None:
    quantise.write(source, tmp_path / "m.tinyloop", quantise.Options("none"), None)
    file = open_model_file(tmp_path / "m.tinyloop")
    assert file.config.quantization is None
    for name, tensor in tiny_tensors(CONFIG).items():
        assert np.array_equal(file.tensor(name), tensor)


def test_the_grid_is_that_of_training() -> None:
    weight = np.random.default_rng(0).standard_normal((5, 128)).astype(np.float32)
    weight[0, :64] = 0
    qweight, scales = quantise.grid_int4(weight, 64)
    grouped = weight.reshape(5, 2, 64)
    assert np.allclose(scales[1:], np.abs(grouped[1:]).max(axis=2) / 7, rtol=1e-3)
    error = np.abs(dequantize_int4(qweight, scales).reshape(5, 2, 64) - grouped)
    assert (error <= 0.505 * scales[..., np.newaxis].astype(np.float32)).all()
    assert np.isfinite(scales).all()
    assert (scales > 0).all()


def test_the_accuracy_table_is_stored(source: Path, tmp_path: Path) -> None:
    table = {"accuracy": {"8": 0.65, "16": 0.82, "32": 0.98}, "questions": 300}
    (tmp_path / "eval.json").write_text(json.dumps(table))
    run = command(source, tmp_path / "m", "--method", "rtn", "--loops-eval", tmp_path / "eval.json")
    assert run.returncode == 0, run.stderr
    assert open_model_file(tmp_path / "m").loops_eval == table


def test_figures_are_put_into_a_file_and_no_weight_changes(source: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "a.tinyloop", tmp_path / "b.tinyloop"
    quantise.write(source, before, quantise.Options("grid"), None)
    table = {"accuracy": {"8": 0.65}}
    (tmp_path / "eval.json").write_text(json.dumps(table))
    run = command(before, after, "--loops-eval", tmp_path / "eval.json")
    assert run.returncode == 0, run.stderr
    one, two = open_model_file(before), open_model_file(after)
    assert (two.name, two.loops_eval, two.config) == ("b", table, one.config)
    assert one.tensor_names == two.tensor_names
    for name in one.tensor_names:
        assert np.array_equal(one.tensor(name), two.tensor(name))


def test_errors_are_one_sentence(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "m"

    def refused(folder: Path) -> str:
        run = command(folder, out, "--method", "rtn")
        assert (run.returncode, run.stderr.count("\n")) == (1, 1)
        return run.stderr

    assert "config.json cannot be used: No such file" in refused(tmp_path / "nothing")
    save_file({"embed.weight": np.zeros((300, 64), "f2")}, source / "model.safetensors")
    assert "the tensor 'entry_norm.weight' is missing" in refused(source)
    (source / "model.safetensors").write_bytes(b"no tensors")
    assert "no safetensors file can be read there" in refused(source)
    assert not out.exists()


def test_a_place_that_cannot_be_written_is_one_sentence(source: Path, tmp_path: Path) -> None:
    run = command(source, tmp_path / "nowhere" / "m", "--method", "rtn")
    assert (run.returncode, run.stderr.count("\n")) == (1, 1)
    assert f"{tmp_path}/nowhere/m cannot be used: " in run.stderr
    assert "No such file or directory" in run.stderr


def test_calibration_is_whole_documents(tmp_path: Path) -> None:
    path = tmp_path / "calibration.npz"
    tokens = np.array([1, 5, 6, 2, 1, 7, 2, 0, 0, 0], np.uint16)
    np.savez(path, tokens=tokens, starts=np.array([0, 4, 7, 10, 10], np.int32))
    found = quantise.calibration_documents(path, 100, 8)
    assert [document.tolist() for document in found] == [[1, 5, 6, 2], [1, 7, 2]]
    assert len(quantise.calibration_documents(path, 4, 8)) == 1
    with pytest.raises(ValueError, match="must lie in 0 … 6, found 0 … 7"):
        quantise.calibration_documents(path, 100, 7)
    np.savez(path, rows=tokens)
    with pytest.raises(ValueError, match="expected whole numbers 'tokens'"):
        quantise.calibration_documents(path, 100, 8)
