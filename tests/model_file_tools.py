"""Takes a model file apart and puts it together wrong, for tests of the reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.tokenizer import Tokenizer
from engine.weights import ModelFile, open_model_file


def split(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return a file's header as an object, and its data."""
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    return json.loads(raw[8 : 8 + length]), raw[8 + length :]


def join(path: Path, header: dict[str, Any] | bytes, data: bytes) -> Path:
    """Write a file with any header before any data."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + data)
    return path


def overwrite(path: Path, name: str, data: bytes) -> Path:
    """Replace the first bytes of one tensor."""
    header, _ = split(path)
    raw = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(raw[:8], "little") + header[name]["data_offsets"][0]
    raw[begin : begin + len(data)] = data
    path.write_bytes(raw)
    return path


def edit_config(path: Path, **changes: Any) -> Path:
    """Change fields of the config inside the header; None as a value removes the field."""
    header, data = split(path)
    config = {**json.loads(header["__metadata__"]["config"]), **changes}
    kept = {k: v for k, v in config.items() if v is not None or k not in changes}
    header["__metadata__"]["config"] = json.dumps(kept)
    return join(path, header, data)


def load(path: Path) -> tuple[ModelFile, Tokenizer]:
    """Open a file the way an engine does: everything in it is checked."""
    file = open_model_file(path)
    return file, Tokenizer(file.tokenizer, file.config, file.path)
