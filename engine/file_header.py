"""Reads and checks the header of a safetensors file without touching its data."""

from __future__ import annotations

import json
import math
import os
import reprlib
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import ModelFileError

ITEM_BYTES = {"F16": 2, "F32": 4, "U8": 1}  # the only dtypes of a model file
MAX_HEADER_BYTES = 2**20  # 400 layers fit; more would let junk take time and memory to parse
LENGTH_BYTES = 8  # a little-endian uint64 stands before the header


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """One tensor as the header describes it; ``begin`` and ``end`` count from the data's start."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class FileHeader:
    """A checked header: every tensor lies inside the file, none overlap, nothing is left over."""

    raw: bytes
    file_size: int
    metadata: dict[str, str]
    tensors: dict[str, StoredTensor]

    def data_offset(self, tensor: StoredTensor) -> int:
        """Return where in the file ``tensor`` begins, in bytes."""
        return LENGTH_BYTES + len(self.raw) + tensor.begin


def read_header(path: Path) -> FileHeader:
    """Read the header of the file at ``path``; at most 1 MiB is read, whatever it claims.

    Raises ModelFileError that names the file, the tensor and what was expected.
    """
    raw, file_size = _read_raw(path)
    try:
        fields = json.loads(raw, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path}: the header is not valid JSON ({error}).") from error
    if not isinstance(fields, dict):
        raise ModelFileError(
            f"{path}: the header must be a JSON object, found {reprlib.repr(fields)}."
        )
    metadata = fields.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise ModelFileError(f"{path}: the header's __metadata__ must map names to texts.")
    tensors = {name: _tensor(path, name, entry) for name, entry in fields.items()}
    _check_layout(path, tensors, file_size - LENGTH_BYTES - len(raw))
    return FileHeader(raw, file_size, metadata, tensors)


def _read_raw(path: Path) -> tuple[bytes, int]:
    """Return the header's bytes and the file's size."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):  # before opening: a pipe would block
            raise ModelFileError(
                f"{path}: expected a .tinyloop model file, found a folder or device."
            )
        size = status.st_size
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(LENGTH_BYTES), "little")
            room = size - LENGTH_BYTES
            if room < 2 or length > room:
                raise ModelFileError(
                    f"{path}: expected a .tinyloop model file, but its {size} bytes end before "
                    "the header does; it is cut off or of another kind."
                )
            if length > MAX_HEADER_BYTES:
                raise ModelFileError(
                    f"{path}: the header claims {length} bytes, more than {MAX_HEADER_BYTES}."
                )
            return file.read(length), size
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(f"{path}: the model file cannot be read ({reason}).") from error


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object and refuse a key that appears twice."""
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise ValueError(f"the key {key!r:.60} appears twice")
        fields[key] = value
    return fields


def _tensor(path: Path, name: str, entry: object) -> StoredTensor:
    """Check one tensor's entry by itself: fields, dtype, and offsets that fit its shape."""
    where = f"{path}: tensor '{name:.80}'"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(
            f"{where} must have dtype, shape and data_offsets, found {reprlib.repr(entry)}."
        )
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in ITEM_BYTES:
        raise ModelFileError(f"{where} must be F16, F32 or U8, found {reprlib.repr(dtype)}.")
    if not _sizes(shape) or len(shape) > 4:
        raise ModelFileError(f"{where} must have a shape of sizes, found {reprlib.repr(shape)}.")
    if not _sizes(offsets) or len(offsets) != 2:
        raise ModelFileError(f"{where} must have two data offsets, found {reprlib.repr(offsets)}.")
    needed = math.prod(shape) * ITEM_BYTES[dtype]
    if offsets[1] - offsets[0] != needed:
        raise ModelFileError(
            f"{where} of shape {shape} needs {needed:.12g} bytes, its offsets hold "
            f"{offsets[1] - offsets[0]:.12g}."
        )
    return StoredTensor(dtype, tuple(shape), offsets[0], offsets[1])


def _sizes(values: object) -> bool:
    """Say whether ``values`` is a list of integers in 0 … 2^63-1."""
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 2**63 for v in values)


def _check_layout(path: Path, tensors: dict[str, StoredTensor], data_bytes: int) -> None:
    """Refuse data with holes, overlaps or an end that is not the file's."""
    end = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)):
        if tensor.begin != end:
            raise ModelFileError(
                f"{path}: tensor '{name:.80}' must begin at byte {end} of the data, where the one "
                f"before it ends, found {tensor.begin}."
            )
        end = tensor.end
    if end != data_bytes:
        raise ModelFileError(
            f"{path}: the tensors need {end} bytes of data, the file holds {data_bytes}; "
            "it is cut off or damaged."
        )
