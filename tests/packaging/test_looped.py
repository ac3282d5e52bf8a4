"""The model as it is trained computes what the product computes."""

from __future__ import annotations

import dataclasses
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from batches import read_recipe
from quantise import grid_int4

from engine import Model
from engine.config import ModelConfig
from engine.resources import bundled_model
from engine.weights import ModelInfo, open_model_file
from engine.weights_writer import write_model_file

torch = pytest.importorskip("torch", reason="PyTorch is needed for training only")
looped, train, carry = map(import_module, ("looped", "train", "carry"))  # errors are no reason

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


def test_weights_that_were_carried_are_the_weights_to_eight_bits():
    model = shaken()
    back, update = carry.unpacked(carry.packed(model.state_dict(), 1234))
    assert update == 1234
    assert set(back) == set(model.state_dict())
    for name, value in model.state_dict().items():
        limit = value.abs().amax() / 254 if ".matrices." in name else value.abs().amax() * 2**-11
        assert (back[name] - value).abs().max() <= limit * 1.01, name


def test_training_goes_on_from_a_finished_model(tmp_path: Path):
    carry.unpack(bundled_model(), tmp_path, 14)
    saved = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    tokenizer = (tmp_path / "tokenizer.model").read_bytes()
    assert tokenizer == bytes(open_model_file(bundled_model()).tokenizer)
    recipe = read_recipe()
    model = looped.Looped(looped.Shape(**recipe["model"]))
    model.load_state_dict(saved["model"])
    written, file = looped.product_tensors(model), open_model_file(bundled_model())
    assert saved["update"] == 14
    for name in file.tensor_names & set(written):  # what is no INT4 matrix comes back as it was
        error = np.abs(written[name].numpy() - file.tensor(name)).max()
        assert error < 1e-6, (name, error)
    name = "loop.0.mlp.down.weight"
    assert np.array_equal(grid_int4(written[name].float().numpy(), 64)[0],
                          file.tensor(name.replace("weight", "qweight")))  # fmt: skip


def test_updates_have_even_and_odd_depths_that_grow():
    schedule = train.Schedule(read_recipe(), 1)
    drawn = [schedule.loops(update) for update in range(schedule.updates)]
    assert set(drawn) == {n - odd for n in schedule.recipe["depth"]["loops"] for odd in (0, 1)}
    assert max(drawn[:500]) < 16
    seconds = dict.fromkeys(schedule.recipe["depth"]["loops"], 1.0)
    assert schedule.mean(seconds) == 1


def small_recipe() -> dict:
    """The recipe for a model small enough for a test."""
    recipe = read_recipe()
    recipe["model"] = RECIPE["model"] | {"hidden": 64, "heads": 2, "inner": 64, "pre_layers": 1}
    return recipe


def one_document() -> train.Batch:
    """A batch of 64 tokens, all of them taught."""
    ids, ones = np.random.default_rng(0).integers(6, 8000, 64), np.ones(64, np.float32)
    return train.Batch(
        tokens=ids, starts=np.array([0, 64], np.int32), positions=np.arange(64),
        targets=np.roll(ids, -1), text=ones, reply=ones, mark_at=np.array([3]),
        mark_class=np.array([7]),
    )  # fmt: skip


def trainer(folder, recipe):
    """A trainer on the CPU."""
    return train.Trainer(recipe, folder, torch.device("cpu"))


def test_a_run_that_is_cut_short_leaves_its_last_checkpoint(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(train, "SAVED_EVERY", 2)
    recipe = small_recipe()

    def three():
        yield from [one_document()] * 3
        raise RuntimeError("the machine is gone")

    with pytest.raises(RuntimeError, match="gone"):
        train.run(trainer(tmp_path, recipe), train.Schedule(recipe, 1), three(), float("inf"))
    again = trainer(tmp_path, recipe)
    again.load()
    assert again.update == 2


def test_losses_that_are_no_numbers_end_a_run_before_it_is_saved(tmp_path: Path):
    recipe = small_recipe()
    lost = trainer(tmp_path, recipe)
    lost.update = train.SAVED_EVERY - 1
    spoilt = dataclasses.replace(one_document(), text=np.full(64, np.nan, np.float32))
    with pytest.raises(SystemExit, match="update 1000"):
        train.run(lost, train.Schedule(recipe, 1), iter([spoilt]), float("inf"))
    assert not (tmp_path / "checkpoint.pt").exists()


def test_an_optimiser_without_memory_warms_up_in_the_middle_of_training(tmp_path: Path):
    recipe = small_recipe()
    made = trainer(tmp_path, recipe)
    made.update = 5000
    made.save()
    carry.pack(tmp_path, tmp_path / "carried")
    carry.unpack(tmp_path / "carried", tmp_path)
    again = trainer(tmp_path, recipe)
    again.load()
    assert again.update == 5000
    assert again.optimiser.factor(0.3) == 1 / recipe["optimiser"]["warm_up"]


def test_a_run_that_goes_on_is_the_run_that_never_stopped(tmp_path: Path):
    recipe = small_recipe()
    schedule = train.Schedule(recipe, 1)
    batch = train.to_device(one_document(), torch.device("cpu"))
    whole, part = (trainer(tmp_path, recipe) for _ in range(2))
    losses = [whole.train(batch, schedule, 3)[0].item() for _ in range(4)]
    part.train(batch, schedule, 3)
    part.train(batch, schedule, 3)
    part.save()
    again = trainer(tmp_path, recipe)
    again.load()
    assert again.update == again.optimiser.updates == 2
    rest = [again.train(batch, schedule, 3)[0].item() for _ in range(2)]
    np.testing.assert_allclose(rest, losses[2:], rtol=1e-4)
    assert losses[3] < losses[0]
