"""The model as it is trained computes what the product computes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine import Model
from engine.config import ModelConfig
from engine.resources import bundled_model
from engine.weights import ModelInfo, open_model_file
from engine.weights_writer import write_model_file

torch = pytest.importorskip("torch", reason="PyTorch is needed for training only")
looped = pytest.importorskip("looped")
train = pytest.importorskip("train")

RECIPE = {
    "model": {"vocab": 8192, "hidden": 128, "heads": 4, "inner": 256, "pre_layers": 3,
              "positions": 1024},
    "depth": {"loops": [2, 40]},
}  # fmt: skip


def shaken():
    """A model whose every tensor matters."""
    torch.manual_seed(4)
    model = looped.Looped(looped.Shape(**RECIPE["model"]))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1 * parameter.abs().mean())
    return model


def test_two_packed_documents_are_read_as_the_product_reads_each(tmp_path: Path):
    model = shaken()
    config = ModelConfig.from_json(json.dumps(train.product_config(RECIPE)), "recipe")
    tensors = {name: tensor.numpy() for name, tensor in looped.product_tensors(model).items()}
    path, info = tmp_path / "m.tinyloop", ModelInfo(name="n", license="l", source="s")
    tokenizer = bytes(open_model_file(bundled_model()).tokenizer)
    write_model_file(path, config, info, tensors, tokenizer)
    first, second = (np.random.default_rng(n).integers(6, 8000, n).tolist() for n in (40, 7))
    packed = looped.Packed(torch.tensor(first + second),
                           torch.tensor([0, 40, 47, 47], dtype=torch.int32),
                           torch.tensor([*range(40), *range(7)]))  # fmt: skip
    with Model(path, device="cpu") as product, torch.no_grad():
        for loops in (1, 4, 12):
            logits = model.logits(model.states(packed, loops, 0)).float().numpy()
            for ids, row in ((first, 39), (second, 46)):
                expected = product.score_with_uncertainty(ids, loops, loops)[0]
                error = np.linalg.norm(logits[row] - expected) / np.linalg.norm(expected)
                assert error < 0.03, (loops, row, error)  # bf16 against FP32


def test_int4_rounding_keeps_sixteen_levels_a_group_and_passes_gradients():
    weight = torch.randn(8, 128, requires_grad=True)
    rounded = looped.fake_int4(weight, 64)
    for group in rounded.detach().unflatten(1, (2, 64)).flatten(0, 1):
        assert len(group.unique()) <= 16
    rounded.sum().backward()
    assert (weight.grad == 1).all()
    assert (rounded - weight).abs().max() <= weight.abs().max() / 14 + 1e-6
