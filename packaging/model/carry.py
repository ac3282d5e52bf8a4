"""Packs a training's weights into files small enough to carry elsewhere, and unpacks them.

``python packaging/model/carry.py pack FOLDER OUT`` writes ``OUT/weights.0``, ``.1``, … of at most
14 MiB from ``checkpoint.pt``: matrices in 8 bits with a scale a row, all else in FP32 and FP16.
``unpack OUT FOLDER`` makes a ``checkpoint.pt`` of them from which ``train.py`` goes on; the
optimiser's memory is left behind and fills again while the learning rates warm up anew.
``unpack MODEL.tinyloop FOLDER --update N`` does the same from a finished model, as if N updates
were done, and leaves its tokenizer there for ``prepare.py``; what the training-only head knew is
lost too.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from batches import read_recipe
from looped import Looped, Shape, load_product
from plain_forward import Plain
from safetensors.torch import load, save
from torch import Tensor

from engine.weights import open_model_file

PIECE = 14 << 20


def packed(model: dict[str, Tensor], update: int) -> bytes:
    """Return the tensors of ``model`` and the number of updates as one safetensors file."""
    tensors = {"update": torch.tensor(update)}
    for name, value in model.items():
        tensor = value.float().cpu()
        if ".matrices." in name:
            scale = tensor.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / 127
            tensors[f"{name}.int8"] = (tensor / scale).round().to(torch.int8)
            tensors[f"{name}.scale"] = scale
        else:
            tensors[name] = tensor.half() if tensor.dim() == 2 else tensor
    return save({name: tensor.contiguous() for name, tensor in tensors.items()})


def unpacked(data: bytes) -> tuple[dict[str, Tensor], int]:
    """Return the model's tensors in FP32 and the number of updates from ``packed`` bytes."""
    tensors = load(data)
    update = int(tensors.pop("update"))
    model = {}
    for name, tensor in tensors.items():
        if name.endswith(".int8"):
            base = name.removesuffix(".int8")
            model[base] = tensor.float() * tensors[f"{base}.scale"]
        elif not name.endswith(".scale"):
            model[name] = tensor.float()
    return model, update


def pack(folder: Path, out: Path) -> None:
    """Write the pieces of ``folder``'s checkpoint into ``out``."""
    saved = torch.load(folder / "checkpoint.pt", map_location="cpu", weights_only=True)
    data = packed(saved["model"], saved["update"])
    out.mkdir(parents=True, exist_ok=True)
    for i, at in enumerate(range(0, len(data), PIECE)):
        (out / f"weights.{i}").write_bytes(data[at : at + PIECE])
    print(f"{len(data) / 2**20:.1f} MiB after {saved['update']} updates")


def unpack(source: Path, folder: Path, update: int = 0) -> None:
    """Write a checkpoint without the optimiser's memory into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        saved = from_model(source, update)
        (folder / "tokenizer.model").write_bytes(bytes(open_model_file(source).tokenizer))
    else:
        saved = from_pieces(source)
    torch.save(saved, folder / "checkpoint.pt")
    print(f"{folder / 'checkpoint.pt'}: after {saved['update']} updates")


def from_pieces(pieces: Path) -> dict[str, Any]:
    """Return the checkpoint that ``pack`` made pieces of."""
    names = sorted(pieces.glob("weights.*"), key=lambda path: int(path.suffix[1:]))
    if not names:
        raise SystemExit(f"{pieces} holds no weights.0, weights.1, …; `carry.py pack` makes them.")
    model, update = unpacked(b"".join(path.read_bytes() for path in names))
    return {"update": update, "model": model}


def from_model(file: Path, update: int) -> dict[str, Any]:
    """Return a checkpoint with the weights of the model ``file``, which has the recipe's shape."""
    recipe = read_recipe()
    model = Looped(Shape(**recipe["model"]))
    load_product(model, Plain(file).w)
    return {"update": update, "model": model.state_dict()}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=("pack", "unpack"))
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--update", type=int, default=0, help="of a model file's checkpoint")
    arguments = parser.parse_args()
    if arguments.verb == "pack":
        pack(arguments.source, arguments.out)
    else:
        unpack(arguments.source, arguments.out, arguments.update)


if __name__ == "__main__":
    main()
