"""Model files: what is written comes back, in the same bytes, and only whole files are opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_file_tools import edit_config, join, overwrite, split
from tiny_models import TINY, tiny_config, tiny_tensors, tiny_tokenizer, write_tiny_model

from engine.config import Quantization
from engine.errors import ModelFileError
from engine.resources import bundled_model
from engine.tensor_names import expected_tensors
from engine.weights import ModelInfo, open_model_file
from engine.weights_writer import write_model_file

INT4 = Quantization(4, 32)
SHAPES: list[dict[str, Any]] = [
    {"quantization": INT4},
    {"norm_style": "pre", "injection": "none", "qk_norm": "none", "tied_head": False},
    {"norm_style": "postsub", "injection": "add", "qk_norm": "full", "num_kv_heads": 2},
    {
        "norm_style": "postsum", "injection": "linear", "initial_state": "noise", "qk_bias": True,
        "num_loop_layers": 2, "num_post_layers": 2, "post_entry_norm": True, "quantization": INT4,
    },
    {"entry_norm": False, "loop_exit_norm": False, "num_pre_layers": 0, "tied_head": False,
     "quantization": INT4},
]  # fmt: skip


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tiny_model(tmp_path / "tiny.tinyloop", tiny_config(quantization=INT4))


@pytest.mark.parametrize("changes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_what_is_written_comes_back(tmp_path: Path, changes: dict[str, Any], dtype: type) -> None:
    config = tiny_config(**changes)
    file = open_model_file(write_tiny_model(tmp_path / "m.tinyloop", config, 3, dtype))
    assert file.config == config
    assert (file.name, file.license) == ("tiny", "Apache-2.0")
    assert file.tokenizer == tiny_tokenizer()
    written = tiny_tensors(config, 3, dtype)
    assert file.tensor_names == written.keys() | {"tokenizer"}
    for name, tensor in written.items():
        assert file.tensor(name).dtype == tensor.dtype
        assert np.array_equal(file.tensor(name), tensor), name


def test_matrices_are_read_as_float32_with_the_low_nibble_first(tiny: Path) -> None:
    file = open_model_file(tiny)
    packed = file.tensor("loop.0.mlp.down.qweight")
    scales = file.tensor("loop.0.mlp.down.scales").astype(np.float32)
    matrix = file.matrix("loop.0.mlp.down.weight")
    assert matrix.shape == (32, 64)
    assert matrix.dtype == np.float32
    for row, column in [(0, 0), (0, 1), (31, 62), (7, 63)]:
        byte = int(packed[row, column // 2])
        q = byte >> 4 if column % 2 else byte & 15
        assert matrix[row, column] == np.float32(q - 8) * scales[row, column // 32]
    assert np.array_equal(file.matrix("embed.weight"), file.tensor("embed.weight").astype("f4"))
    assert file.vector("final_norm.weight").shape == (32,)


@pytest.mark.parametrize(
    ("style", "norms"),
    [
        ("pre", {"attn.norm", "mlp.norm"}),
        ("sandwich", {"attn.norm", "attn.post_norm", "mlp.norm", "mlp.post_norm"}),
        ("postsum", {"attn.norm", "attn.post_norm", "mlp.norm", "mlp.post_norm"}),
        ("postsub", {"attn.post_norm", "mlp.post_norm"}),
    ],
)
def test_each_style_has_its_norms(style: str, norms: set[str]) -> None:
    names = expected_tensors(tiny_config(norm_style=style, qk_norm="none"))
    found = {n.removeprefix("loop.0.").removesuffix(".weight") for n in names if "loop.0" in n}
    assert {n for n in found if "norm" in n} == norms


def test_full_and_per_head_norms_of_grouped_heads_have_their_own_widths() -> None:
    grouped = tiny_config(num_kv_heads=2, qk_norm="full", qk_bias=True)
    specs = expected_tensors(grouped)
    assert specs["loop.0.attn.q_norm.weight"].shape == (32,)
    assert specs["loop.0.attn.k_norm.weight"].shape == (16,)
    assert specs["loop.0.attn.k.bias"].shape == (16,)
    assert specs["loop.0.attn.k.weight"].shape == (16, 32)
    assert expected_tensors(TINY)["loop.0.attn.k_norm.weight"].shape == (8,)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_tiny_model(tmp_path / "a", seed=5).read_bytes()
    assert write_tiny_model(tmp_path / "b", seed=5).read_bytes() == first
    header, _ = split(tmp_path / "a")
    assert list(header) == sorted(header)
    assert list(header["__metadata__"]) == sorted(header["__metadata__"])


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tiny: Path) -> None:
    before = tiny.read_bytes()
    tensors = tiny_tensors(TINY)
    del tensors["final_norm.weight"]
    info = ModelInfo(name="n", license="l", source="s")
    with pytest.raises(ModelFileError, match="final_norm"):
        write_model_file(tiny, TINY, info, tensors, tiny_tokenizer())
    assert tiny.read_bytes() == before
    assert list(tiny.parent.iterdir()) == [tiny]


def test_the_accuracy_table_travels_with_the_file(tmp_path: Path) -> None:
    table = {"accuracy": {"8": 0.65, "16": 0.82}, "questions": 300}
    info = ModelInfo(name="n", license="l", source="s", loops_eval=table)
    write_model_file(tmp_path / "m", TINY, info, tiny_tensors(TINY), tiny_tokenizer())
    assert open_model_file(tmp_path / "m").loops_eval == table


def test_the_exit_gate_is_welcome_but_only_whole(tmp_path: Path) -> None:
    info = ModelInfo(name="n", license="l", source="s")
    gate = {"exit_gate.weight": np.ones((1, 32), "f4"), "exit_gate.bias": np.zeros(1, "f4")}
    tensors = {**tiny_tensors(TINY), **gate}
    write_model_file(tmp_path / "m", TINY, info, tensors, tiny_tokenizer())
    del tensors["exit_gate.bias"]
    with pytest.raises(ModelFileError, match=r"exit_gate\.bias"):
        write_model_file(tmp_path / "m", TINY, info, tensors, tiny_tokenizer())


def test_the_fingerprint_is_the_content_not_the_place(tmp_path: Path) -> None:
    config = tiny_config(quantization=INT4)
    first = open_model_file(write_tiny_model(tmp_path / "a", config, 1)).fingerprint
    assert open_model_file(write_tiny_model(tmp_path / "b", config, 1)).fingerprint == first
    assert open_model_file(write_tiny_model(tmp_path / "c", config, 2)).fingerprint != first
    other = tiny_config(quantization=INT4, norm_eps=2e-5)
    assert open_model_file(write_tiny_model(tmp_path / "d", other, 1)).fingerprint != first


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("final_norm.weight", np.float32(np.nan), "finite"),
        ("loop.0.attn.q_norm.weight", np.float32(np.inf), "finite"),
        ("embed.weight", np.float16(np.nan), "finite"),
        ("loop.0.attn.q.scales", np.float16(np.nan), "finite"),
        ("pre.1.mlp.up.scales", np.float16(-np.inf), "finite"),
        ("pre.0.mlp.down.scales", np.float16(0), "zero"),
    ],
)
def test_bad_values_are_named(tiny: Path, name: str, value: Any, reason: str) -> None:
    overwrite(tiny, name, value.tobytes())
    with pytest.raises(ModelFileError, match=f"{tiny}.*'{name}'.*{reason}"):
        open_model_file(tiny)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("loop.0.attn.q.qweight", {"shape": [16, 32]}, r"U8 \[32, 16\], found U8 \[16, 32\]"),
        ("embed.weight", {"dtype": "U8", "shape": [300, 64]}, "F16 or F32 .*found U8"),
        ("final_norm.weight", {"dtype": "F16", "shape": [64]}, "must be F32"),
        ("tokenizer", {"dtype": "F16", "shape": [1]}, "tokenizer"),
        ("embed.weight", {"dtype": "BF16"}, "must be F16, F32 or U8, found 'BF16'"),
    ],
)
def test_wrong_shapes_and_dtypes_are_named(
    tiny: Path, name: str, change: dict[str, Any], reason: str
) -> None:
    header, data = split(tiny)
    header[name].update(change)
    with pytest.raises(ModelFileError, match=reason) as error:
        open_model_file(join(tiny, header, data))
    assert name in str(error.value)


def test_missing_and_unknown_tensors_are_named(tiny: Path) -> None:
    header, data = split(tiny)
    original = json.dumps(header)
    header["loop.0.attn.extra.weight"] = header.pop("loop.0.attn.norm.weight")
    with pytest.raises(ModelFileError, match=r"'loop\.0\.attn\.norm\.weight' \[32\] is missing"):
        open_model_file(join(tiny, header, data))
    header = json.loads(original)
    end = len(data)
    header["pre.7.surprise"] = {"dtype": "U8", "shape": [4], "data_offsets": [end, end + 4]}
    with pytest.raises(ModelFileError, match=r"'pre\.7\.surprise' is unknown"):
        open_model_file(join(tiny, header, data + b"1234"))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": "other"}, "with format 'tinyloop', found 'other'"),
        ({"format_version": "2"}, "format_version '1', found '2'"),
        ({"tokenizer_type": "tokenizers"}, "reads only tokenizer_type 'sentencepiece'"),
        ({"mood": "good"}, "unknown entry 'mood'"),
        ({"license": None}, "lacks 'license'"),
        ({"loops_eval": "[1"}, "loops_eval is not JSON"),
        ({"loops_eval": '{"accuracy": {"8": 65}}'}, "loops mapped to fractions"),
        ({"loops_eval": '{"accuracy": {"eight": 0.5}}'}, "loops mapped to fractions"),
        ({"config": "{"}, "config is not JSON"),
        ({"config": "[" * 100_000}, "config is not JSON"),
    ],
)
def test_wrong_metadata_is_named(tiny: Path, changes: dict[str, Any], reason: str) -> None:
    header, data = split(tiny)
    texts = {**header["__metadata__"], **changes}
    header["__metadata__"] = {k: v for k, v in texts.items() if v is not None}
    with pytest.raises(ModelFileError, match=reason) as error:
        open_model_file(join(tiny, header, data))
    assert str(tiny) in str(error.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"colour": 1}, "unknown field 'colour'"),
        ({"norm_eps": None}, "lacks the field 'norm_eps'"),
        ({"norm_style": "batch"}, "norm_style must be one of"),
        ({"hidden_size": 64}, r"must be F16 or F32 \[300, 64\], found F16 \[300, 32\]"),
        ({"hidden_size": 1 << 40}, "sizes must stay below"),
        ({"stop_ids": [400]}, "must lie in the vocabulary"),
        ({"quantization": {"bits": 3, "group": 32}}, "4 bits"),
    ],
)
def test_wrong_configs_are_named(tiny: Path, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ModelFileError, match=reason):
        open_model_file(edit_config(tiny, **changes))


def test_an_unquantised_config_allows_no_int4(tiny: Path) -> None:
    header, data = split(tiny)
    config = json.loads(header["__metadata__"]["config"])
    del config["quantization"]
    header["__metadata__"]["config"] = json.dumps(config)
    with pytest.raises(ModelFileError, match=r"\.weight' \[32, 32\] is missing"):
        open_model_file(join(tiny, header, data))


def test_the_bundled_model_is_small_and_quantised() -> None:
    file = open_model_file(bundled_model())
    assert bundled_model().stat().st_size <= 30_000_000
    assert file.config.efforts == (8, 16, 32)
    assert file.config.quantization == Quantization(4, 64)
    quantised = {n for n in file.tensor_names if n.endswith(".qweight")}
    assert len(quantised) == 7 * (file.config.num_pre_layers + file.config.num_loop_layers)
    assert file.tensor("embed.weight").dtype == np.float16
