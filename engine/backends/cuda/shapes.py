"""What the kernels know at compile time: a model's constants, and the structs shared with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.config import ModelConfig
from engine.errors import DeviceError

# Stage flags, in the order the stage runs them (cuda_src/rows.cuh has the same numbers).
EMBED = 1
LOAD_STATE = 2
LOAD_EXIT = 4
TAKE_BRANCH = 8
ADD_BRANCH = 16
ENTRY_STAGE = 32
LOOP_END = 64
INJECT = 128
POST_ENTRY = 256
STORE_EXIT = 512

AT_LIVE = np.uint32(0xFFFFFFFF)  # "the position stands in the live struct"
MAILBOX = 64  # ids published before the host must have read the first
THREADS = 512  # of a block that works on rows
K_SPANS = 16  # partial sums of a linear layer
TILE_ROWS = 16
PREFILL_TILES = 8  # tiles of one block of a prefill linear
PREFILL_TOKENS = 32  # tokens of one block of a prefill linear
PREFILL_ROWS = 512  # rows of the prefill workspace: tokens that pass a layer together
BLOCK_CHUNKS = 4  # chunks of keys of one block of decode attention
BAND_CHANNELS = 64  # channels of its values
QUERY_ROWS = 32  # queries of one block of prefill attention

# struct Live and struct Vectors of cuda_src/common.cuh, field by field.
LIVE = np.dtype([
    ("keys", "u8"), ("values", "u8"), ("state", "u8"), ("injected", "u8"), ("exits", "u8"),
    ("ids", "u8"), ("mailbox", "u8"), ("stop", "u8"), ("best", "u8"), ("seed", "u8"),
    ("capacity", "u4"), ("ring", "u4"), ("window", "u4"), ("position", "u4"), ("token", "u4"),
    ("sequence", "u4"), ("done", "u4"), ("stopped", "u4"), ("top_k", "u4"),
    ("temperature", "f4"), ("top_p", "f4"), ("penalty", "f4"),
])  # fmt: skip
VECTORS = np.dtype([
    (name, "u8") for name in
    ("entry_norm", "loop_norm", "final_norm", "state_scale", "input_scale", "embed", "start")
])  # fmt: skip

_ENUMS: dict[str, tuple[str, ...]] = {
    "norm_style": ("pre", "sandwich", "postsum", "postsub"),
    "qk_norm": ("none", "per_head", "full"),
    "injection": ("none", "add", "diagonal", "linear"),
    "initial_state": ("input", "zeros", "noise"),
}


@dataclass(frozen=True, slots=True)
class Shapes:
    """A model's constants as the kernels see them."""

    config: ModelConfig
    embed_f32: bool

    @property
    def group(self) -> int:
        """Inputs that share a scale: the file's group, else 64 (32 where 64 does not fit)."""
        if self.config.quantization is not None:
            return self.config.quantization.group
        return 32 if self.config.hidden_size % 64 else 64

    @property
    def block(self) -> int:
        """Inputs that hold whole groups and whole weight units; rows are padded to it."""
        return max(self.group, 64)

    def stream_bytes(self, arch: int) -> int:
        """Return the shared memory a decode linear streams its weights through.

        Two blocks share a multiprocessor where that holds six tiles each (9.0, 10.0); elsewhere
        what the architecture's multiprocessor leaves for two.
        """
        return {75: 32, 80: 64, 86: 32, 87: 64, 89: 32, 90: 99, 100: 99}.get(arch, 32) * 1024

    def padded(self, inputs: int) -> int:
        """Return ``inputs`` rounded up to whole blocks."""
        return -(-inputs // self.block) * self.block

    def groups(self, inputs: int) -> int:
        """Return the groups of a padded row."""
        return self.padded(inputs) // self.group

    @property
    def widest(self) -> int:
        """The longest padded input of any linear layer."""
        config = self.config
        inputs = [config.hidden_size, config.q_width, config.intermediate_size]
        if config.injection == "linear":
            inputs.append(2 * config.hidden_size)
        return max(self.padded(n) for n in inputs)

    def check(self) -> None:
        """Raise DeviceError for a shape the kernels were not written for."""
        config = self.config
        for name, value in (("hidden_size", config.hidden_size),
                            ("the width of all heads", config.q_width),
                            ("intermediate_size", config.intermediate_size)):  # fmt: skip
            if value % 4:
                raise DeviceError(f"On the GPU {name} must be a multiple of 4, found {value}.")
        if config.injection == "linear" and config.hidden_size % self.group:
            raise DeviceError(
                f"On the GPU hidden_size must be whole groups of {self.group}, "
                f"found {config.hidden_size}."
            )

    def defines(self) -> str:
        """Return the text that stands before every kernel source."""
        config = self.config
        integers = {
            "HIDDEN": config.hidden_size,
            "FFN": config.intermediate_size,
            "HEADS": config.num_heads,
            "KV_HEADS": config.num_kv_heads,
            "HEAD_DIM": config.head_dim,
            "Q_WIDTH": config.q_width,
            "KV_WIDTH": config.kv_width,
            "VOCAB": config.vocab_size,
            "GROUP": self.group,
            "ROWS": PREFILL_ROWS,
            "ENTRY_NORM": int(config.entry_norm),
            "LOOP_NORM": int(config.loop_exit_norm),
            "QK_BIAS": int(config.qk_bias),
            "EMBED_F32": int(self.embed_f32),
        }
        log2_e = 1.4426950408889634
        floats = {
            "NORM_EPS": config.norm_eps,
            "EMBED_SCALE": config.embed_scale,
            "SCORE_SCALE": log2_e * config.head_dim**-0.5,
        }
        lines = [f"#define {name} {value}" for name, value in integers.items()]
        lines += [f"#define {name} {np.float32(value):.9e}f" for name, value in floats.items()]
        for field, words in _ENUMS.items():
            lines += [f"#define {word.upper()} {number}" for number, word in enumerate(words)]
            number = words.index(getattr(config, field))
            lines.append(f"#define {field.upper()} {number}")
        return "\n".join(lines) + "\n"
