"""Opens a `.tinyloop` model file: checked whole, tensors memory-mapped, nothing half-loaded."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from engine.config import MAX_LOOPS, ModelConfig
from engine.errors import ModelFileError
from engine.file_header import FileHeader, read_header
from engine.quantize import dequantize_int4
from engine.tensor_names import TOKENIZER, stored_tensors

FORMAT = {"format": "tinyloop", "format_version": "1"}
TOKENIZER_TYPE = "sentencepiece"  # the format also names "tokenizers", which needs a later version
REQUIRED_TEXTS = ("config", "tokenizer_type", "name", "license", "source")
SLAB_VALUES = 1 << 22  # values checked at once, so that no tensor is held twice


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What a file says about its model beside the config.

    ``loops_eval`` is None or an object whose ``accuracy`` maps loops (as text) to fractions.
    """

    name: str
    license: str
    source: str
    tokenizer_type: str = TOKENIZER_TYPE
    loops_eval: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile(ModelInfo):
    """An open, checked model file.

    ``fingerprint`` is the SHA-256 (hex) of the header, the file's size, all vectors and all
    scales: cheap, the same wherever the file lies, and another one for every other training or
    quantisation. It does not prove that the matrices are unharmed.
    """

    path: Path
    config: ModelConfig
    tokenizer: bytes
    fingerprint: str
    header: FileHeader
    _tensors: Any = field(repr=False, compare=False)

    @property
    def tensor_names(self) -> frozenset[str]:
        """The names of all tensors as stored."""
        return frozenset(self.header.tensors)

    @property
    def parameters(self) -> int:
        """How many weights the model has; two INT4 ones lie in a byte, scales are not any."""
        return sum(
            math.prod(tensor.shape) * (2 if name.endswith(".qweight") else 1)
            for name, tensor in self.header.tensors.items()
            if name != TOKENIZER and not name.endswith(".scales")
        )

    def tensor(self, name: str) -> NDArray[Any]:
        """Return the tensor ``name`` as stored; ModelFileError when the file has none."""
        if name not in self.header.tensors:
            raise ModelFileError(f"{self.path}: there is no tensor '{name}'.")
        stored: NDArray[Any] = self._tensors.get_tensor(name)
        return stored

    def matrix(self, name: str) -> NDArray[np.float32]:
        """Return the matrix ``X.weight`` as float32 [out, in], dequantised where it is INT4."""
        base = name.removesuffix(".weight")
        if f"{base}.qweight" in self.header.tensors:
            return dequantize_int4(self.tensor(f"{base}.qweight"), self.tensor(f"{base}.scales"))
        return self.tensor(name).astype(np.float32)

    def vector(self, name: str) -> NDArray[np.float32]:
        """Return the float32 vector ``name``."""
        return self.tensor(name).astype(np.float32)


def open_model_file(path: str | Path) -> ModelFile:
    """Open and check the model file at ``path``; tensors are read only when asked for.

    Raises ModelFileError naming the file, the tensor or field, what was expected and found.
    """
    path = Path(path)
    header = read_header(path)
    info = read_info(path, header)
    config = ModelConfig.from_json(header.metadata["config"], str(path))
    _check_tensors(path, config, header)
    try:
        tensors: Any = safe_open(path, framework="numpy")
    except (SafetensorError, OSError) as error:
        raise ModelFileError(f"{path}: the model file cannot be read ({error}).") from error
    return ModelFile(
        name=info.name,
        license=info.license,
        source=info.source,
        tokenizer_type=info.tokenizer_type,
        loops_eval=info.loops_eval,
        path=path,
        config=config,
        tokenizer=tensors.get_tensor(TOKENIZER).tobytes(),
        fingerprint=_check_values(path, header, tensors),
        header=header,
        _tensors=tensors,
    )


def read_info(path: Path, header: FileHeader) -> ModelInfo:
    """Return what the header's metadata says; ModelFileError when a text is missing or unknown."""
    texts = header.metadata
    for key, wanted in FORMAT.items():
        if texts.get(key) != wanted:
            raise ModelFileError(
                f"{path}: expected a TinyLoop model file with {key} '{wanted}', "
                f"found {texts.get(key)!r:.40}."
            )
    missing = [key for key in REQUIRED_TEXTS if key not in texts]
    if missing:
        raise ModelFileError(f"{path}: the metadata lacks '{missing[0]}'.")
    unknown = sorted(set(texts) - set(FORMAT) - set(REQUIRED_TEXTS) - {"loops_eval"})
    if unknown:
        raise ModelFileError(f"{path}: the metadata has the unknown entry '{unknown[0]:.60}'.")
    if texts["tokenizer_type"] != TOKENIZER_TYPE:
        raise ModelFileError(
            f"{path}: this version reads only tokenizer_type '{TOKENIZER_TYPE}', "
            f"found {texts['tokenizer_type']!r:.40}."
        )
    return ModelInfo(
        name=texts["name"],
        license=texts["license"],
        source=texts["source"],
        tokenizer_type=texts["tokenizer_type"],
        loops_eval=_loops_eval(path, texts.get("loops_eval")),
    )


def _loops_eval(path: Path, text: str | None) -> dict[str, Any] | None:
    """Parse and check the optional table of accuracy by loops."""
    if text is None:
        return None
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path}: loops_eval is not JSON ({error}).") from error
    accuracy = table.get("accuracy") if isinstance(table, dict) else None
    depths = {str(loops) for loops in range(1, MAX_LOOPS + 1)}
    if (
        not isinstance(accuracy, dict)
        or not accuracy.keys() <= depths
        or not all(type(v) in (int, float) and 0 <= v <= 1 for v in accuracy.values())
    ):
        raise ModelFileError(
            f"{path}: loops_eval must hold 'accuracy', loops mapped to fractions, found {text:.60}."
        )
    checked: dict[str, Any] = table
    return checked


def _check_tensors(path: Path, config: ModelConfig, header: FileHeader) -> None:
    """Refuse a tensor that is missing, unknown, or of another shape or dtype than the config's."""
    specs = stored_tensors(config, header.tensors)
    tokenizer = header.tensors.get(TOKENIZER)
    if tokenizer is None or tokenizer.dtype != "U8" or len(tokenizer.shape) != 1:
        found = "none" if tokenizer is None else f"{tokenizer.dtype} {list(tokenizer.shape)}"
        raise ModelFileError(f"{path}: tensor 'tokenizer' must be U8 bytes, found {found}.")
    missing = sorted(set(specs) - set(header.tensors))
    if missing:
        raise ModelFileError(
            f"{path}: the tensor '{missing[0]}' {list(specs[missing[0]].shape)} is missing."
        )
    unknown = sorted(set(header.tensors) - set(specs) - {TOKENIZER})
    if unknown:
        raise ModelFileError(f"{path}: the tensor '{unknown[0]:.80}' is unknown for this config.")
    for name, spec in specs.items():
        stored = header.tensors[name]
        if stored.shape != spec.shape or stored.dtype not in spec.dtypes:
            raise ModelFileError(
                f"{path}: tensor '{name}' must be {' or '.join(spec.dtypes)} {list(spec.shape)}, "
                f"found {stored.dtype} {list(stored.shape)}."
            )


def _check_values(path: Path, header: FileHeader, tensors: Any) -> str:
    """Refuse values that are not finite and scales that are zero; return the fingerprint."""
    digest = hashlib.sha256(header.raw)
    digest.update(str(header.file_size).encode())
    for name in sorted(header.tensors):
        stored = header.tensors[name]
        if stored.dtype == "U8":
            continue
        for values in _slabs(tensors.get_slice(name), stored.shape):
            if not np.isfinite(values).all():
                raise ModelFileError(f"{path}: tensor '{name}' must be finite, found NaN or inf.")
            if name.endswith(".scales") and not values.all():
                raise ModelFileError(f"{path}: tensor '{name}' must not hold 0, found a zero.")
            if len(stored.shape) == 1 or name.endswith(".scales"):
                digest.update(values.tobytes())
    return digest.hexdigest()


def _slabs(tensor: Any, shape: tuple[int, ...]) -> Iterator[NDArray[Any]]:
    """Read a mapped tensor some rows at a time."""
    rows = max(1, SLAB_VALUES // max(1, int(np.prod(shape[1:]))))
    for first in range(0, shape[0], rows):
        yield tensor[first : min(first + rows, shape[0])]
