"""`tinyloop inspect`: what a model file says about itself."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from engine.accuracy import accuracy_table
from engine.config import ModelConfig
from engine.file_header import StoredTensor
from engine.resources import bundled_model
from engine.weights import ModelFile, open_model_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the file to look into."""
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        metavar="FILE",
        default=bundled_model(),
        help="a .tinyloop file (default: the one shipped with this program)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what the file holds, section by section."""
    file = open_model_file(arguments.file)
    sections = [_facts(file), _depths(file), _config(file.config), _tensors(file)]
    print("\n\n".join("\n".join(section) for section in sections))
    return 0


def _facts(file: ModelFile) -> list[str]:
    """Return name, origin and size."""
    size = f"{file.header.file_size / 1e6:.1f} MB, {file.parameters / 1e6:.1f}M parameters"
    return [
        file.name,
        f"  file         {file.path}",
        f"  size         {size} in {len(file.header.tensors)} tensors",
        f"  licence      {file.license}",
        f"  source       {file.source}",
        f"  tokenizer    {file.tokenizer_type}, {file.config.vocab_size} tokens",
        f"  fingerprint  {file.fingerprint[:16]}",
    ]


def _depths(file: ModelFile) -> list[str]:
    """Return the three efforts, and what depth buys where the file says so."""
    efforts = ", ".join(str(loops) for loops in file.config.efforts)
    lines = ["Depth", f"  efforts      {efforts} loops; at most {file.config.max_loops}"]
    if file.loops_eval:
        questions = file.loops_eval.get("questions", "the maker's")
        lines += [f"  measured     on {questions} questions", ""]
        lines += [f"  {line}" for line in accuracy_table(file.loops_eval).splitlines()]
    return lines


def _config(config: ModelConfig) -> list[str]:
    """Return every field of the config, one a line."""
    fields = dataclasses.asdict(config)
    width = max(map(len, fields))
    return ["Config", *(f"  {name:<{width}}  {_short(value)}" for name, value in fields.items())]


def _short(value: object) -> str:
    """Return a config value as a reader would write it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_short(part)}" for name, part in value.items())
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return str(value)


def _tensors(file: ModelFile) -> list[str]:
    """Return the table of tensors by name."""
    rows = sorted(file.header.tensors.items())
    width = max(len(name) for name, _ in rows)
    return ["Tensors", *(_row(name, tensor, width) for name, tensor in rows)]


def _row(name: str, tensor: StoredTensor, width: int) -> str:
    shape = " × ".join(map(str, tensor.shape))
    size = tensor.end - tensor.begin
    return f"  {name:<{width}}  {tensor.dtype:<3}  {shape:<12}  {size:>11,} bytes"
