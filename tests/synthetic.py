"""Models of a given shape with random weights, made in memory: no file, no training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import ChatTemplate, ModelConfig, Quantization
from engine.quantize import dequantize_int4
from engine.tensor_names import expected_tensors, quantisable

SHAPES: dict[str, dict[str, Any]] = {
    "bundled": {
        "vocab_size": 8192, "hidden_size": 768, "num_heads": 12, "num_kv_heads": 12,
        "head_dim": 64, "intermediate_size": 2048, "num_pre_layers": 2, "num_loop_layers": 1,
        "norm_style": "sandwich", "qk_norm": "per_head", "injection": "diagonal",
        "entry_norm": True, "loop_exit_norm": True, "tied_head": True,
        "quantization": Quantization(4, 64),
    },
    "seed-407m": {
        "vocab_size": 61696, "hidden_size": 2048, "num_heads": 16, "num_kv_heads": 16,
        "head_dim": 128, "intermediate_size": 5632, "num_pre_layers": 2, "num_loop_layers": 1,
        "norm_style": "pre", "qk_norm": "none", "injection": "none", "entry_norm": False,
        "loop_exit_norm": False, "tied_head": False, "quantization": Quantization(4, 128),
    },
    "ouro-1.4b": {
        "vocab_size": 49152, "hidden_size": 2048, "num_heads": 16, "num_kv_heads": 16,
        "head_dim": 128, "intermediate_size": 5632, "num_pre_layers": 0, "num_loop_layers": 24,
        "norm_style": "sandwich", "qk_norm": "none", "injection": "none", "entry_norm": False,
        "loop_exit_norm": True, "tied_head": False, "quantization": Quantization(4, 128),
        "efforts": (2, 3, 4), "trained_loops": (1, 4),
    },
}  # fmt: skip


def shape_config(name: str, max_seq_len: int = 4608) -> ModelConfig:
    """Return the config of one of SHAPES."""
    fixed: dict[str, Any] = {
        "num_post_layers": 0, "max_seq_len": max_seq_len, "rope_base": 10000.0,
        "rope_scaling": None, "norm_eps": 1e-5, "mlp": "swiglu", "initial_state": "input",
        "embed_scale": 1.0, "trained_loops": (1, 32), "efforts": (8, 16, 32), "max_loops": 64,
        "bos_id": 1, "stop_ids": (2,), "chat_template": ChatTemplate((), (), (), ()),
    }  # fmt: skip
    return ModelConfig(**(fixed | SHAPES[name]))


@dataclass
class SyntheticFile:
    """Stands in for a ModelFile: random INT4 levels and scales that keep activations sane."""

    config: ModelConfig
    seed: int = 0
    tensors: dict[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        random = np.random.default_rng(self.seed)
        group = self.config.quantization.group if self.config.quantization else 0
        for name, spec in expected_tensors(self.config).items():
            if len(spec.shape) == 1:
                value = 0.5 if name.startswith("inject.") else 1.0
                self.tensors[name] = np.full(spec.shape, value, np.float32)
            elif group and quantisable(name, spec, group):
                outputs, inputs = spec.shape
                base = name.removesuffix(".weight")
                levels = random.integers(1, 16, (outputs, inputs), np.uint8)
                self.tensors[f"{base}.qweight"] = levels[:, 0::2] | levels[:, 1::2] << 4
                scale = random.uniform(0.3, 0.7, (outputs, inputs // group))
                scale /= 4.32 * np.sqrt(inputs)
                self.tensors[f"{base}.scales"] = scale.astype(np.float16)
            else:
                matrix = random.standard_normal(spec.shape, np.float32)
                self.tensors[name] = matrix.astype(np.float16)

    @property
    def tensor_names(self) -> frozenset[str]:
        return frozenset(self.tensors)

    def tensor(self, name: str) -> NDArray[Any]:
        return self.tensors[name]

    def vector(self, name: str) -> NDArray[np.float32]:
        return self.tensors[name]

    def matrix(self, name: str) -> NDArray[np.float32]:
        base = name.removesuffix(".weight")
        if f"{base}.qweight" in self.tensors:
            return dequantize_int4(self.tensors[f"{base}.qweight"], self.tensors[f"{base}.scales"])
        return self.tensors[name].astype(np.float32)
