"""Which tensors a model of a given config has: their names, shapes and dtypes."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from engine.config import ModelConfig

TOKENIZER = "tokenizer"
EXIT_GATE = ("exit_gate.weight", "exit_gate.bias")  # optional, and not run by this engine

# The norms around attention and MLP that each style has.
STYLE_NORMS = {
    "pre": ("attn.norm", "mlp.norm"),
    "sandwich": ("attn.norm", "attn.post_norm", "mlp.norm", "mlp.post_norm"),
    "postsum": ("attn.norm", "attn.post_norm", "mlp.norm", "mlp.post_norm"),
    "postsub": ("attn.post_norm", "mlp.post_norm"),
}


class TensorSpec(NamedTuple):
    """What a tensor must look like; dtypes are the file's words for them."""

    shape: tuple[int, ...]
    dtypes: tuple[str, ...]


def layer_names(config: ModelConfig) -> list[str]:
    """Return the prefixes of all layers: ``pre.0`` …, ``loop.0`` …, ``post.0`` …."""
    return [
        *(f"pre.{i}" for i in range(config.num_pre_layers)),
        *(f"loop.{i}" for i in range(config.num_loop_layers)),
        *(f"post.{i}" for i in range(config.num_post_layers)),
    ]


def expected_tensors(config: ModelConfig) -> dict[str, TensorSpec]:
    """Return every tensor the model computes with, matrices as ``X.weight``.

    Left out: the tokenizer, the optional exit gate, and the two tensors that stand for a
    quantised matrix (``stored_tensors`` puts those in).
    """
    specs: dict[str, TensorSpec] = {"embed.weight": _matrix(config.vocab_size, config.hidden_size)}
    if not config.tied_head:
        specs["head.weight"] = _matrix(config.vocab_size, config.hidden_size)
    if config.entry_norm:
        specs["entry_norm.weight"] = _vector(config.hidden_size)
    if config.loop_exit_norm:
        specs["loop_norm.weight"] = _vector(config.hidden_size)
    specs["final_norm.weight"] = _vector(config.hidden_size)
    if config.injection == "diagonal":
        specs["inject.state_scale"] = _vector(config.hidden_size)
        specs["inject.input_scale"] = _vector(config.hidden_size)
    if config.injection == "linear":
        specs["inject.adapter.weight"] = _matrix(config.hidden_size, 2 * config.hidden_size)
    for layer in layer_names(config):
        specs.update({f"{layer}.{name}": spec for name, spec in _layer_tensors(config).items()})
    return specs


def stored_tensors(config: ModelConfig, present: Collection[str]) -> dict[str, TensorSpec]:
    """Return every tensor a file must hold, given the names ``present`` in it.

    Any matrix but the embedding, whose rows are looked up, may be quantised when the config
    says how and whole groups fill its inputs: it then has ``X.qweight`` and ``X.scales`` and
    no ``X.weight``. The exit gate has both of its tensors or none.
    """
    specs: dict[str, TensorSpec] = {}
    group = config.quantization.group if config.quantization else 0
    for name, spec in expected_tensors(config).items():
        base = name.removesuffix(".weight")
        quantised = f"{base}.qweight" in present or f"{base}.scales" in present
        if group and quantised and quantisable(name, spec, group):
            outputs, inputs = spec.shape
            specs[f"{base}.qweight"] = TensorSpec((outputs, inputs // 2), ("U8",))
            specs[f"{base}.scales"] = TensorSpec((outputs, inputs // group), ("F16",))
        else:
            specs[name] = spec
    if set(EXIT_GATE) & set(present):
        specs[EXIT_GATE[0]] = TensorSpec((1, config.hidden_size), ("F16", "F32"))
        specs[EXIT_GATE[1]] = TensorSpec((1,), ("F32",))
    return specs


def quantisable(name: str, spec: TensorSpec, group: int) -> bool:
    """Say whether the tensor ``name`` of ``expected_tensors`` may be stored as INT4."""
    return len(spec.shape) == 2 and name != "embed.weight" and spec.shape[1] % group == 0


def _matrix(outputs: int, inputs: int) -> TensorSpec:
    return TensorSpec((outputs, inputs), ("F16", "F32"))


def _vector(length: int) -> TensorSpec:
    return TensorSpec((length,), ("F32",))


def _layer_tensors(config: ModelConfig) -> dict[str, TensorSpec]:
    """Return the tensors of one layer without its prefix."""
    hidden, inner = config.hidden_size, config.intermediate_size
    specs = {
        "attn.q.weight": _matrix(config.q_width, hidden),
        "attn.k.weight": _matrix(config.kv_width, hidden),
        "attn.v.weight": _matrix(config.kv_width, hidden),
        "attn.o.weight": _matrix(hidden, config.q_width),
        "mlp.gate.weight": _matrix(inner, hidden),
        "mlp.up.weight": _matrix(inner, hidden),
        "mlp.down.weight": _matrix(hidden, inner),
    }
    for norm in STYLE_NORMS[config.norm_style]:
        specs[f"{norm}.weight"] = _vector(hidden)
    if config.qk_norm != "none":
        full = config.qk_norm == "full"
        specs["attn.q_norm.weight"] = _vector(config.q_width if full else config.head_dim)
        specs["attn.k_norm.weight"] = _vector(config.kv_width if full else config.head_dim)
    if config.qk_bias:
        specs["attn.q.bias"] = _vector(config.q_width)
        specs["attn.k.bias"] = _vector(config.kv_width)
    return specs
