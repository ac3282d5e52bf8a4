"""Models of a given shape with random weights, made in memory: to measure speed, not quality."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import ChatTemplate, ModelConfig, Quantization
from engine.file_header import FileHeader, StoredTensor
from engine.tensor_names import expected_tensors, quantisable
from engine.weights import ModelFile

SHAPES: dict[str, dict[str, Any]] = {
    "seed-407m": {
        "vocab_size": 61696, "hidden_size": 2048, "num_heads": 16, "num_kv_heads": 16,
        "head_dim": 128, "intermediate_size": 5632, "num_pre_layers": 2, "num_loop_layers": 1,
        "norm_style": "pre", "loop_exit_norm": False, "trained_loops": (1, 32),
        "efforts": (8, 16, 32),
    },
    "ouro-1.4b": {
        "vocab_size": 49152, "hidden_size": 2048, "num_heads": 16, "num_kv_heads": 16,
        "head_dim": 128, "intermediate_size": 5632, "num_pre_layers": 0, "num_loop_layers": 24,
        "norm_style": "sandwich", "loop_exit_norm": True, "trained_loops": (1, 4),
        "efforts": (2, 3, 4),
    },
}  # fmt: skip
DTYPES = {"uint8": "U8", "float16": "F16", "float32": "F32"}
LEVELS_RMS = 4.32  # of the levels 1 to 15, less 8, all equally likely


class Arrays(dict[str, NDArray[Any]]):
    """Stands where a model file keeps its mapped tensors."""

    def get_tensor(self, name: str) -> NDArray[Any]:
        """Return the array ``name``."""
        return self[name]


def shape_config(name: str, max_seq_len: int = 4608) -> ModelConfig:
    """Return the config of one of SHAPES: INT4 in groups of 128."""
    fixed: dict[str, Any] = {
        "num_post_layers": 0, "max_seq_len": max_seq_len, "rope_base": 10000.0,
        "rope_scaling": None, "norm_eps": 1e-5, "qk_norm": "none", "mlp": "swiglu",
        "injection": "none", "entry_norm": False, "initial_state": "input", "embed_scale": 1.0,
        "tied_head": False, "max_loops": 64, "bos_id": 1, "stop_ids": (2,),
        "chat_template": ChatTemplate((), (), (), ()), "quantization": Quantization(4, 128),
    }  # fmt: skip
    return ModelConfig(**(fixed | SHAPES[name]))


def random_model(config: ModelConfig, name: str = "random", seed: int = 0) -> ModelFile:
    """Return an open model file that lies nowhere; its activations stay near 1.

    Matrices are INT4 where the config says so, else FP16. It has no tokenizer.
    """
    random = np.random.default_rng(seed)
    group = config.quantization.group if config.quantization else 0
    arrays = Arrays()
    for tensor, spec in expected_tensors(config).items():
        if len(spec.shape) == 1:
            value = 0.5 if tensor.startswith("inject.") else 1.0
            arrays[tensor] = np.full(spec.shape, value, np.float32)
        elif group and quantisable(tensor, spec, group):
            base = tensor.removesuffix(".weight")
            arrays[f"{base}.qweight"], arrays[f"{base}.scales"] = _int4(random, spec.shape, group)
        else:
            arrays[tensor] = random.standard_normal(spec.shape, np.float32).astype(np.float16)
    return ModelFile(
        name=name,
        license="",
        source="random numbers",
        path=Path(name),
        config=config,
        tokenizer=b"",
        fingerprint="",
        header=_header(arrays),
        _tensors=arrays,
    )


def _int4(
    random: np.random.Generator, shape: tuple[int, ...], group: int
) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Return levels and scales of a matrix that keeps the size of what it is multiplied with."""
    outputs, inputs = shape
    levels = random.integers(1, 16, (outputs, inputs), np.uint8)
    scales = random.uniform(0.3, 0.7, (outputs, inputs // group)) / (LEVELS_RMS * np.sqrt(inputs))
    return levels[:, 0::2] | levels[:, 1::2] << 4, scales.astype(np.float16)


def _header(arrays: Arrays) -> FileHeader:
    """Return the header that a file of these tensors would have."""
    tensors: dict[str, StoredTensor] = {}
    at = 0
    for name, array in arrays.items():
        dtype = DTYPES[array.dtype.name]
        tensors[name] = StoredTensor(dtype, array.shape, at, at + array.nbytes)
        at += array.nbytes
    return FileHeader(b"", at, {}, tensors)
