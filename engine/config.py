"""The model's shape and numbers, as a `.tinyloop` file states them, checked once."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

from engine.errors import ModelFileError

MAX_LOOPS = 64  # the deepest any call may ask for; slots are ordered so that growing only appends

NormStyle = Literal["pre", "sandwich", "postsum", "postsub"]
QKNorm = Literal["none", "per_head", "full"]
Injection = Literal["none", "add", "diagonal", "linear"]
InitialState = Literal["input", "zeros", "noise"]


@dataclass(frozen=True, slots=True)
class RopeScaling:
    """The llama3 rule: low frequencies divided by ``factor``, a ramp between two wavelengths."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_position_embeddings: int


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """Token ids around each part of a conversation."""

    start: tuple[int, ...]
    user: tuple[int, ...]
    assistant: tuple[int, ...]
    end: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quantization:
    """Symmetric integer weights: ``w = (q - 8) * scale``, one scale for ``group`` inputs."""

    bits: int
    group: int


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """One looped model: pre layers, a block of layers run ``L`` times, post layers."""

    vocab_size: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    intermediate_size: int
    num_pre_layers: int
    num_loop_layers: int
    num_post_layers: int
    max_seq_len: int
    rope_base: float
    rope_scaling: RopeScaling | None
    norm_eps: float
    norm_style: NormStyle
    qk_norm: QKNorm
    mlp: Literal["swiglu"]
    injection: Injection
    entry_norm: bool
    initial_state: InitialState
    loop_exit_norm: bool
    embed_scale: float
    tied_head: bool
    trained_loops: tuple[int, int]
    efforts: tuple[int, ...]
    max_loops: int
    bos_id: int
    stop_ids: tuple[int, ...]
    chat_template: ChatTemplate
    qk_bias: bool = False
    post_entry_norm: bool = False
    initial_std: float = 0.0
    quantization: Quantization | None = None

    @classmethod
    def from_json(cls, text: str, file: str) -> ModelConfig:
        """Parse and check the ``config`` entry of a model file; ModelFileError names ``file``."""
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ModelFileError(f"{file}: the config is not JSON ({error}).") from error
        config: ModelConfig = _build(cls, fields, file, "config")
        _check(config, file)
        return config

    def to_json(self) -> str:
        """Return the config as JSON with sorted keys; ``from_json`` reads it back equal."""
        fields = dataclasses.asdict(self)
        if self.quantization is None:
            del fields["quantization"]
        return json.dumps(fields, sort_keys=True)

    @property
    def q_width(self) -> int:
        """Channels of all query heads."""
        return self.num_heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Channels of all key (or value) heads."""
        return self.num_kv_heads * self.head_dim


def _build(cls: Any, fields: object, file: str, where: str) -> Any:
    """Make dataclass ``cls`` from a JSON object: no field missing, none unknown, types right."""
    if not isinstance(fields, dict):
        raise ModelFileError(f"{file}: {where} must be a JSON object, found {fields!r:.60}.")
    hints = get_type_hints(cls)
    unknown = sorted(set(fields) - set(hints))
    if unknown:
        raise ModelFileError(f"{file}: {where} has the unknown field '{unknown[0]}'.")
    required = [f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING]
    missing = [name for name in required if name not in fields]
    if missing:
        raise ModelFileError(f"{file}: {where} lacks the field '{missing[0]}'.")
    values = {k: _value(hints[k], v, file, f"{where}.{k}") for k, v in fields.items()}
    return cls(**values)


def _value(hint: Any, value: Any, file: str, where: str) -> Any:
    """Check one JSON value against its type hint and return it in that type."""
    options = get_args(hint)
    if value is None and type(None) in options:
        return None
    nested = next((o for o in (hint, *options) if dataclasses.is_dataclass(o)), None)
    if nested is not None:
        return _build(nested, value, file, where)
    if getattr(hint, "__origin__", None) is tuple:
        if isinstance(value, list) and all(type(v) is int for v in value):
            return tuple(value)
        raise ModelFileError(f"{file}: {where} must be a list of integers, found {value!r:.60}.")
    if options:  # a Literal
        if value in options:
            return value
        raise ModelFileError(f"{file}: {where} must be one of {options}, found {value!r:.60}.")
    if hint is float and type(value) is int:
        value = float(value)
    if type(value) is not hint or (hint is float and not math.isfinite(value)):
        raise ModelFileError(f"{file}: {where} must be a {hint.__name__}, found {value!r:.60}.")
    return value


def _check(config: ModelConfig, file: str) -> None:
    """Refuse shapes that no model has, before anything is sized by them."""
    ids = (
        config.bos_id,
        *config.stop_ids,
        *config.chat_template.start,
        *config.chat_template.user,
        *config.chat_template.assistant,
        *config.chat_template.end,
    )
    rules: list[tuple[bool, str]] = [
        (min(config.vocab_size, config.hidden_size, config.num_heads, config.num_kv_heads,
             config.head_dim, config.intermediate_size, config.num_loop_layers,
             config.max_seq_len) >= 1, "sizes must be positive"),
        (max(config.vocab_size, config.hidden_size, config.intermediate_size, config.max_seq_len,
             config.q_width) <= 1 << 20, "sizes must stay below 2^20"),
        (0 <= config.num_pre_layers <= 256 and 0 <= config.num_post_layers <= 256
         and config.num_loop_layers <= 256, "layer counts must be 0 to 256"),
        (config.num_heads % config.num_kv_heads == 0,
         "num_heads must be a multiple of num_kv_heads"),
        (config.head_dim % 2 == 0, "head_dim must be even"),
        (config.norm_eps > 0 and config.rope_base > 0, "norm_eps and rope_base must be positive"),
        (1 <= config.max_loops <= MAX_LOOPS, f"max_loops must be 1 to {MAX_LOOPS}"),
        (len(config.efforts) == 3 and list(config.efforts) == sorted(set(config.efforts))
         and config.efforts[0] > 0 and config.efforts[-1] <= config.max_loops,
         "efforts must be three rising depths up to max_loops"),
        (len(config.trained_loops) == 2, "trained_loops must be two numbers"),
        (all(0 <= i < config.vocab_size for i in ids),
         "special token ids must lie in the vocabulary"),
        (bool(config.stop_ids), "stop_ids must not be empty"),
        (config.quantization is None
         or (config.quantization.bits == 4 and config.quantization.group in (32, 64, 128)),
         "quantization must be 4 bits in groups of 32, 64 or 128"),
    ]  # fmt: skip
    for holds, rule in rules:
        if not holds:
            raise ModelFileError(f"{file}: config: {rule}.")
