"""GPTQ and the forward it listens to, where PyTorch is: see packaging/model/README.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_models import tiny_config, write_tiny_model, write_trained

from engine import Model
from engine.config import Quantization

torch = pytest.importorskip("torch", reason="GPTQ and the plain forward need PyTorch")

import calibration  # noqa: E402
import gptq  # noqa: E402
import quantise  # noqa: E402
from plain_forward import Plain  # noqa: E402

CONFIG = tiny_config(hidden_size=64, head_dim=16, intermediate_size=128, vocab_size=300)
IDS = [1, 3, *range(40, 90), 4]


def inputs(seed: int, count: int = 4096, width: int = 256) -> torch.Tensor:
    """Inputs that are alike in many ways, as those of real layers are."""
    random = torch.Generator().manual_seed(seed)
    few = torch.randn(count, width // 8, generator=random)
    mixed = few @ torch.randn(width // 8, width, generator=random)
    return mixed + 0.5 * torch.randn(count, width, generator=random)


def test_products_change_less_than_by_rounding_to_nearest() -> None:
    weight = torch.randn(96, 256, generator=torch.Generator().manual_seed(1))
    x, unseen = inputs(2)[:3000], inputs(2)[3000:]
    moments = x.T @ x / len(x)
    scales = gptq.search_scales(weight, moments.diagonal(), 64)
    wide = scales.repeat_interleave(64, 1)
    levels = gptq.quantise(weight, moments, scales)
    assert levels.min() >= -8
    assert levels.max() <= 7
    assert torch.equal(levels, levels.round())
    lost = [((q * wide - weight) @ unseen.T).square().sum()
            for q in (levels, gptq.nearest(weight, wide))]  # fmt: skip
    assert lost[0] < 0.5 * lost[1]


def test_inputs_that_have_nothing_in_common_leave_rounding_to_nearest() -> None:
    weight = torch.randn(32, 128, generator=torch.Generator().manual_seed(1))
    power = torch.rand(128, generator=torch.Generator().manual_seed(2)) + 0.1
    scales = gptq.search_scales(weight, power, 64)
    levels = gptq.quantise(weight, power.diag(), scales)
    assert torch.equal(levels, gptq.nearest(weight, scales.repeat_interleave(64, 1)))


def test_batches_hold_every_document_once_and_know_the_padding() -> None:
    documents = [torch.arange(1, n + 1) for n in (5, 1, 9, 3, 9)]
    read = [ids[row][real[row]].tolist() for ids, real in calibration.batches(documents, 18)
            for row in range(len(ids))]  # fmt: skip
    assert sorted(read) == sorted(document.tolist() for document in documents)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder like the one training leaves behind."""
    folder = tmp_path / "source"
    write_trained(folder, CONFIG)
    tokens = np.random.default_rng(0).integers(1, 300, 600).astype(np.uint16)
    starts = np.array([0, 100, 350, 380, 600, 600], np.int32)
    np.savez(folder / "calibration.npz", tokens=tokens, starts=starts)
    return folder


def test_the_shared_layer_is_calibrated_on_the_inputs_of_all_loops(source: Path) -> None:
    model = Plain(source / "model.safetensors", (source / "config.json").read_text())
    ids = torch.tensor([IDS])
    entry = model.embed(ids)
    for i in range(2):
        entry = model.layer(entry, f"pre.{i}")
    entry = model.rms(entry, "entry_norm")
    before = [entry, *model.states(ids, 4)]
    scale, share = model.w["inject.state_scale"], model.w["inject.input_scale"]
    x = torch.cat([model.rms(scale * s + share * entry, "loop.0.attn.norm")[0] for s in before])
    found = calibration.second_moments(model, [ids[0], ids[0][:7]], loops=5)
    assert len(found) == 4 * 3
    short = [x[i : i + 7] for i in range(0, len(x), len(IDS))]  # causal: the same states again
    seen = torch.cat([x, *short])
    assert torch.allclose(found["loop.0.attn.q"], seen.T @ seen / len(seen), rtol=1e-3, atol=1e-4)


def test_a_whole_folder_the_same_every_time_and_better_than_nearest(
    source: Path, tmp_path: Path
) -> None:
    outs = {}
    for name, method in (("a", "gptq"), ("b", "gptq"), ("c", "rtn"), ("d", "none")):
        outs[name] = tmp_path / name / "m.tinyloop"
        outs[name].parent.mkdir()
        quantise.write(source, outs[name], quantise.Options(method, loops=4), None)
    assert outs["a"].read_bytes() == outs["b"].read_bytes()
    tokens = np.load(source / "calibration.npz")["tokens"][:250].astype(np.int64)
    ids = torch.from_numpy(tokens)[None]
    state = {name: Plain(out).states(ids, 4)[-1] for name, out in outs.items()}
    lost = {name: (state[name] - state["d"]).norm() / state["d"].norm() for name in "ac"}
    assert lost["a"] < 0.9 * lost["c"]


@pytest.mark.parametrize("quantization", [None, Quantization(4, 32)])
def test_the_plain_forward_agrees_with_the_engine(
    tmp_path: Path, quantization: Quantization | None
) -> None:
    config = tiny_config(quantization=quantization, num_kv_heads=2, num_loop_layers=2)
    path = write_tiny_model(tmp_path / "m.tinyloop", config)
    plain = Plain(path)
    with Model(path, device="cpu") as model:
        for depth in (1, 4):
            found, _ = model.score_with_uncertainty(IDS, depth, depth)
            wanted = plain.logits(plain.states(torch.tensor([IDS]), depth)[-1][0, -1]).numpy()
            assert np.linalg.norm(found - wanted) < 1e-3 * np.linalg.norm(wanted)
