"""Turns a folder of trained weights into a `.tinyloop` file.

The folder holds config.json, model.safetensors (names as in the product's files), tokenizer.model
and, for GPTQ, calibration.npz: ``tokens`` [tokens] of whole documents one behind the other, and
``starts`` [documents + 1], where each begins and the last one ends; those of zeros are left out.
Layer matrices become INT4 in groups along the input, embeddings stay FP16, vectors FP32. Given a
`.tinyloop` file in place of the folder, it only puts the figures of ``--loops-eval`` into it.
"""

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
from engine.quantize import SMALLEST_SCALE, pack_int4, quantize_int4
from engine.tensor_names import TOKENIZER, expected_tensors, quantisable
from engine.weights import ModelInfo, open_model_file
from engine.weights_writer import write_model_file

SAID = {
    "none": "as trained, in FP16",
    "grid": "layers rounded to INT4 on the grid of training",
    "rtn": "layers rounded to INT4",
    "gptq": "layers in INT4 by GPTQ over the inputs of all loops",
}
Tensors = dict[str, NDArray[Any]]
Int4 = tuple[NDArray[np.uint8], NDArray[np.float16]]  # packed levels and scales


@dataclasses.dataclass(frozen=True)
class Options:
    """How to round: a method of ``SAID`` and how many inputs share a scale; for GPTQ on what data.

    About ``tokens`` of calibration are read through ``loops`` loops on ``device``.
    """

    method: str = "grid"
    group: int = 64
    device: str = "cpu"
    tokens: int = 65536
    loops: int = 32


def write(source: Path, out: Path, options: Options, loops_eval: dict[str, Any] | None) -> None:
    """Write ``out`` from the folder ``source``; ``loops_eval`` goes into the file's metadata."""
    config = ModelConfig.from_json((source / "config.json").read_text("utf-8"), str(source))
    tensors = read_weights(source / "model.safetensors", config)
    if options.method != "none":
        config = dataclasses.replace(config, quantization=Quantization(4, options.group))
        tensors = quantise(source, config, tensors, options)
    info = ModelInfo(
        name=out.stem,
        license="Apache-2.0",
        source=f"TinyLoop, {SAID[options.method]}; its card says how it was trained and on what",
        loops_eval=loops_eval,
    )
    write_model_file(out, config, info, tensors, (source / "tokenizer.model").read_bytes())


def add_figures(source: Path, out: Path, loops_eval: dict[str, Any] | None) -> None:
    """Write the model file ``source`` again as ``out`` with ``loops_eval``; no weight changes."""
    file = open_model_file(source)
    tensors = {name: file.tensor(name) for name in file.tensor_names - {TOKENIZER}}
    info = ModelInfo(name=out.stem, license=file.license, source=file.source, loops_eval=loops_eval)
    write_model_file(out, file.config, info, tensors, file.tokenizer)


def read_weights(path: Path, config: ModelConfig) -> Tensors:
    """Return the trained tensors; ModelFileError names ``path`` and the first one missing."""
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise ModelFileError(f"{path}: no safetensors file can be read there ({error}).") from error
    missing = sorted(set(expected_tensors(config)) - set(weights))
    if missing:
        raise ModelFileError(f"{path}: the tensor '{missing[0]}' is missing.")
    return weights


def quantise(source: Path, config: ModelConfig, weights: Tensors, options: Options) -> Tensors:
    """Return the tensors to store: INT4 for every layer matrix, the others as they are."""
    specs = expected_tensors(config).items()
    names = [name for name, spec in specs if quantisable(name, spec, options.group)]
    if options.method == "gptq":
        rounded = gptq_int4(source, options)
    else:
        rounding = {"grid": grid_int4, "rtn": quantize_int4}[options.method]
        rounded = {n: rounding(weights[n].astype(np.float32), options.group) for n in names}
    tensors = {name: tensor for name, tensor in weights.items() if name not in names}
    for name in names:
        base = name.removesuffix(".weight")
        tensors[f"{base}.qweight"], tensors[f"{base}.scales"] = rounded[name]
    return tensors


def grid_int4(weight: NDArray[np.float32], group: int) -> Int4:
    """Round on the grid that training rounds on: the largest value of a group is seven scales."""
    grouped = weight.reshape(len(weight), -1, group)
    scales = np.maximum(np.abs(grouped).max(axis=2) / 7, SMALLEST_SCALE).astype(np.float16)
    levels = np.rint(grouped / scales[..., np.newaxis].astype(np.float32)).clip(-8, 7)
    return pack_int4(levels.reshape(weight.shape)), scales


def gptq_int4(source: Path, options: Options) -> dict[str, Int4]:
    """Return packed levels and scales of every layer matrix by GPTQ; prints each one's error.

    Raises OSError, or ValueError when calibration.npz does not hold documents of ids.
    """
    import torch
    from calibration import quantise_layers
    from plain_forward import Plain

    config = (source / "config.json").read_text("utf-8")
    model = Plain(source / "model.safetensors", config, options.device)
    vocabulary = model.config["vocab_size"]
    read = calibration_documents(source / "calibration.npz", options.tokens, vocabulary)
    documents = [torch.from_numpy(ids) for ids in read]
    found = {}
    for name, rounded in quantise_layers(model, documents, options.loops, options.group).items():
        print(f"{name:<24} products change by {100 * rounded.error**0.5:.2f} %")
        levels, scales = rounded.levels.cpu().numpy(), rounded.scales.half().cpu().numpy()
        found[name] = (pack_int4(levels), scales)
    return found


def calibration_documents(path: Path, most: int, vocabulary: int) -> list[NDArray[np.int64]]:
    """Return the first documents in ``path``, about ``most`` tokens in all.

    Raises ValueError when there are none or ids lie outside the vocabulary.
    """
    with np.load(path) as file:
        stored = [file[name] if name in file else np.zeros(0) for name in ("tokens", "starts")]
    tokens, starts = stored
    if any(array.ndim != 1 or array.dtype.kind not in "iu" or not array.size for array in stored):
        raise ValueError(f"{path}: expected whole numbers 'tokens' [tokens] and 'starts' "
                         f"[documents + 1], found {tokens.dtype} {list(tokens.shape)} and "
                         f"{starts.dtype} {list(starts.shape)}.")  # fmt: skip
    if tokens.min() < 0 or tokens.max() >= vocabulary:
        raise ValueError(f"{path}: token ids must lie in 0 … {vocabulary - 1}, "
                         f"found {tokens.min()} … {tokens.max()}.")  # fmt: skip
    documents = zip(np.split(tokens.astype(np.int64), starts[1:]), starts, strict=True)
    found = [d for d, start in documents if d.any() and start < most]  # zeros are padding
    if not found:
        raise ValueError(f"{path} holds no document.")
    return found


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="what train.py filled, or a model file")
    parser.add_argument("out", type=Path, help="the file to write, named as the model")
    parser.add_argument("--method", choices=SAID, default=Options.method)
    parser.add_argument("--group", type=int, choices=(64, 128), default=Options.group)
    parser.add_argument("--device", default=Options.device, help="of GPTQ: cpu or cuda")
    parser.add_argument("--tokens", type=int, default=Options.tokens, help="of calibration to read")
    parser.add_argument("--loops", type=int, default=Options.loops, help="calibrate on loops 1 … N")
    parser.add_argument("--loops-eval", type=Path, help="figures of `tinyloop eval --json` to keep")
    given = parser.parse_args()
    options = Options(given.method, given.group, given.device, given.tokens, given.loops)
    try:
        table = json.loads(given.loops_eval.read_text("utf-8")) if given.loops_eval else None
        if given.source.is_file() and table is None:
            raise ValueError("a model file is read only to add figures; name them: --loops-eval.")
        if given.source.is_file():
            add_figures(given.source, given.out, table)
        else:
            write(given.source, given.out, options, table)
    except OSError as error:
        print(f"quantise: {error.filename} cannot be used: {error.strerror}.", file=sys.stderr)
        return 1
    except (ValueError, ModelFileError) as error:
        print(f"quantise: {error}", file=sys.stderr)
        return 1
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
