"""A model file's weights on the device, matrices in the kernels' fragment order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backends.cuda.device import Gpu
from engine.backends.cuda.packing import (
    interleave,
    nibbles,
    pack_fp16,
    pack_int4,
    pack_scales,
)
from engine.backends.cuda.shapes import VECTORS, Shapes
from engine.backends.numerics import rope_table
from engine.backends.reference import noise_state
from engine.config import ModelConfig
from engine.errors import OutOfMemory
from engine.weights import ModelFile


@dataclass(frozen=True, slots=True)
class Matrix:
    """One packed matrix: device addresses and its outputs (gate and up: in whole tiles)."""

    int4: bool
    weights: int
    scales: int
    rows: int

    def kernel(self, entry: str) -> str:
        """Return the name of the linear kernel ``entry`` for this matrix."""
        return f"{entry}_{'int4' if self.int4 else 'fp16'}"


@dataclass(frozen=True, slots=True)
class DeviceLayer:
    """One layer: matrices, and addresses of vectors (0 where the model has none)."""

    qkv: Matrix
    o: Matrix
    gate_up: Matrix
    down: Matrix
    attn_norm: int
    attn_post_norm: int
    mlp_norm: int
    mlp_post_norm: int
    q_norm: int
    k_norm: int
    q_bias: int
    k_bias: int


class DeviceWeights:
    """Uploads everything at once; ``nbytes`` is what was asked of the device."""

    def __init__(self, gpu: Gpu, file: ModelFile, shapes: Shapes, max_seq_len: int) -> None:
        self.nbytes = 0
        self._gpu, self._file, self._shapes = gpu, file, shapes
        self._buffers: list[Any] = []
        try:
            self._upload(file.config, max_seq_len)
        except OutOfMemory:
            self.close()
            raise

    def _upload(self, config: ModelConfig, max_seq_len: int) -> None:
        """Upload everything."""
        self.pre = [self._layer(f"pre.{i}") for i in range(config.num_pre_layers)]
        self.loop = [self._layer(f"loop.{i}") for i in range(config.num_loop_layers)]
        self.post = [self._layer(f"post.{i}") for i in range(config.num_post_layers)]
        self.head = self._matrix(["embed" if config.tied_head else "head"])
        linear = config.injection == "linear"
        self.adapter = self._matrix(["inject.adapter"]) if linear else None
        self.final_norm = self._vector("final_norm.weight")
        self.vectors = self._put(self._shared_vectors(max_seq_len))
        cosines, sines = rope_table(config, max_seq_len)
        self.cosines, self.sines = self._put(cosines), self._put(sines)

    def close(self) -> None:
        """Give the memory back."""
        self._gpu.release(self._buffers)
        self._buffers.clear()

    def _put(self, array: NDArray[Any]) -> int:
        """Upload an array and return its address."""
        buffer = self._gpu.allocate(array.nbytes)
        self._buffers.append(buffer)
        self._gpu.upload(int(buffer.handle), array)
        self.nbytes += array.nbytes
        return int(buffer.handle)

    def _vector(self, name: str) -> int:
        """Upload a float32 vector; 0 when the file has none of that name."""
        return self._put(self._file.vector(name)) if name in self._file.tensor_names else 0

    def _shared_vectors(self, max_seq_len: int) -> NDArray[Any]:
        """Return struct Vectors, after uploading what it points to."""
        config = self._file.config
        record = np.zeros(1, VECTORS)
        record["entry_norm"] = self._vector("entry_norm.weight")
        record["loop_norm"] = self._vector("loop_norm.weight")
        record["final_norm"] = self.final_norm
        record["state_scale"] = self._vector("inject.state_scale")
        record["input_scale"] = self._vector("inject.input_scale")
        record["embed"] = self._put(self._file.tensor("embed.weight"))
        if config.initial_state == "noise":
            noise = noise_state(max_seq_len, config.hidden_size, 0)
            record["start"] = self._put(noise * np.float32(config.initial_std))
        return record

    def _layer(self, prefix: str) -> DeviceLayer:
        """Upload the layer ``prefix``."""
        attention, mlp = f"{prefix}.attn", f"{prefix}.mlp"
        return DeviceLayer(
            qkv=self._matrix([f"{attention}.{n}" for n in "qkv"]),
            o=self._matrix([f"{attention}.o"]),
            gate_up=self._matrix([f"{mlp}.gate", f"{mlp}.up"], interleave),
            down=self._matrix([f"{mlp}.down"]),
            attn_norm=self._vector(f"{attention}.norm.weight"),
            attn_post_norm=self._vector(f"{attention}.post_norm.weight"),
            mlp_norm=self._vector(f"{mlp}.norm.weight"),
            mlp_post_norm=self._vector(f"{mlp}.post_norm.weight"),
            q_norm=self._vector(f"{attention}.q_norm.weight"),
            k_norm=self._vector(f"{attention}.k_norm.weight"),
            q_bias=self._vector(f"{attention}.q.bias"),
            k_bias=self._vector(f"{attention}.k.bias"),
        )

    def _matrix(self, names: list[str], join: Callable[..., Any] | None = None) -> Matrix:
        """Pack the matrices ``names`` as one, their rows joined (stacked when ``join`` is None).

        INT4 when all of them are; a mixture becomes FP16.
        """
        block = self._shapes.block
        if all(f"{n}.qweight" in self._file.tensor_names for n in names):
            levels = [nibbles(self._file.tensor(f"{n}.qweight")) for n in names]
            scales = [self._file.tensor(f"{n}.scales") for n in names]
            all_levels = join(*levels, value=8) if join else np.concatenate(levels)
            all_scales = join(*scales) if join else np.concatenate(scales)
            groups = self._shapes.groups(all_levels.shape[1])
            packed = self._put(pack_int4(all_levels, block))
            factors = self._put(pack_scales(all_scales, groups))
            return Matrix(True, packed, factors, _rows(len(all_levels), join))
        values = [self._half(f"{n}.weight") for n in names]
        whole = join(*values) if join else np.concatenate(values)
        return Matrix(False, self._put(pack_fp16(whole, block)), 0, _rows(len(whole), join))

    def _half(self, name: str) -> NDArray[np.float16]:
        """Return a matrix as FP16: as it is stored, or dequantised."""
        stored = name in self._file.tensor_names
        matrix = self._file.tensor(name) if stored else self._file.matrix(name)
        return matrix.astype(np.float16, copy=False)


def _rows(rows: int, join: Callable[..., Any] | None) -> int:
    """Return the rows a kernel is told: joined matrices are whole tiles."""
    return rows + -rows % 16 if join else rows


def kinds(weights: DeviceWeights) -> frozenset[bool]:
    """Return which kinds of linear a model has: INT4 (True), FP16 (False)."""
    matrices = [weights.head, *([weights.adapter] if weights.adapter else [])]
    for layer in (*weights.pre, *weights.loop, *weights.post):
        matrices += [layer.qkv, layer.o, layer.gate_up, layer.down]
    return frozenset(m.int4 for m in matrices)
