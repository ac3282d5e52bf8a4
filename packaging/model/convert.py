"""Turns a folder of trained weights into the `.tinyloop` file that ships with the product."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from engine.config import ModelConfig, Quantization
from engine.errors import ModelFileError
from engine.quantize import quantize_int4
from engine.resources import bundled_model
from engine.tensor_names import expected_tensors, quantisable
from engine.weights import ModelInfo
from engine.weights_writer import write_model_file

SOURCE = Path("../shared/models/tinyloop-27m-v0")
GROUP = 64  # with groups of 128 fewer answers were right at 8 loops
INFO = ModelInfo(
    name="tinyloop-27m",
    license="Apache-2.0",
    source="TinyLoop 27M v0, layers rounded from FP16 to INT4; training data: tinyloop-27m.md",
)


def convert(source: Path, out: Path, loops_eval: dict[str, Any] | None = None) -> None:
    """Write ``out`` from ``source``: config.json, model.safetensors and tokenizer.model.

    Layer matrices become INT4, embeddings stay FP16, vectors FP32.
    """
    config = ModelConfig.from_json((source / "config.json").read_text("utf-8"), str(source))
    config = dataclasses.replace(config, quantization=Quantization(4, GROUP))
    tensors = quantise(config, read_weights(source / "model.safetensors", config))
    info = dataclasses.replace(INFO, loops_eval=loops_eval)
    write_model_file(out, config, info, tensors, (source / "tokenizer.model").read_bytes())


def read_weights(path: Path, config: ModelConfig) -> dict[str, NDArray[Any]]:
    """Return the trained tensors; ModelFileError names ``path`` and the first one missing."""
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise ModelFileError(f"{path}: no safetensors file can be read there ({error}).") from error
    missing = sorted(set(expected_tensors(config)) - set(weights))
    if missing:
        raise ModelFileError(f"{path}: the tensor '{missing[0]}' is missing.")
    return weights


def quantise(config: ModelConfig, weights: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the tensors to store: INT4 for every layer matrix, the others as they are."""
    tensors = dict(weights)
    for name, spec in expected_tensors(config).items():
        if quantisable(name, spec, GROUP):
            base = name.removesuffix(".weight")
            matrix = tensors.pop(name).astype(np.float32)
            tensors[f"{base}.qweight"], tensors[f"{base}.scales"] = quantize_int4(matrix, GROUP)
    return tensors


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, nargs="?", default=SOURCE, help="default: %(default)s")
    parser.add_argument("out", type=Path, nargs="?", default=bundled_model())
    parser.add_argument("--loops-eval", type=Path, help="JSON with accuracy by loops, to store")
    arguments = parser.parse_args()
    try:
        table = json.loads(arguments.loops_eval.read_text()) if arguments.loops_eval else None
        convert(arguments.source, arguments.out, table)
    except OSError as error:
        print(f"convert: {error.filename} cannot be used: {error.strerror}.", file=sys.stderr)
        return 1
    except (ValueError, ModelFileError) as error:
        print(f"convert: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
