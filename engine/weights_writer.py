"""Writes `.tinyloop` model files: the same input gives the same bytes, and all or nothing."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import save_file

from engine.config import ModelConfig
from engine.file_header import LENGTH_BYTES
from engine.tensor_names import TOKENIZER
from engine.weights import FORMAT, ModelInfo, open_model_file


def write_model_file(
    path: str | Path,
    config: ModelConfig,
    info: ModelInfo,
    tensors: Mapping[str, NDArray[Any]],
    tokenizer: bytes,
) -> None:
    """Write a model file to ``path``, replacing what is there only when the new one is good.

    ``tensors`` are stored as they are (float16, float32 or uint8; names and shapes as
    ``stored_tensors`` says). The written file is opened and checked before it takes its place.
    Raises ModelFileError when the tensors do not fit the config, OSError when the disk fails.
    """
    path = Path(path)
    arrays = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    arrays[TOKENIZER] = np.frombuffer(tokenizer, dtype=np.uint8)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            save_file(arrays, draft, metadata=_metadata(config, info))
        except SafetensorError as error:  # a folder that is not there, a full disk
            raise OSError(errno.EIO, str(error), str(path)) from error
        _sort_header(draft)
        draft.chmod(0o644)  # safetensors makes it private
        open_model_file(draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _metadata(config: ModelConfig, info: ModelInfo) -> dict[str, str]:
    """Return the texts of the header's ``__metadata__``."""
    texts = {
        **FORMAT,
        "config": config.to_json(),
        "tokenizer_type": info.tokenizer_type,
        "name": info.name,
        "license": info.license,
        "source": info.source,
    }
    if info.loops_eval is not None:
        texts["loops_eval"] = json.dumps(info.loops_eval, sort_keys=True)
    return texts


def _sort_header(path: Path) -> None:
    """Rewrite the header with sorted keys, in place; safetensors orders metadata at random."""
    with open(path, "r+b") as file:
        length = int.from_bytes(file.read(LENGTH_BYTES), "little")
        fields = json.loads(file.read(length))
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        file.seek(LENGTH_BYTES)
        file.write(text.encode().ljust(length))  # the padding is spaces, as the format asks
        file.flush()
        os.fsync(file.fileno())
