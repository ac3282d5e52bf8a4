"""The cubins a bundle brings along, so that no computer has to compile the bundled model's."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.backends.cuda.compiler import (
    SEEDS,
    Source,
    compile_source,
    cubin_name,
    sources,
)
from engine.backends.cuda.shapes import Shapes
from engine.resources import bundled_model, resource
from engine.weights import ModelFile, open_model_file

# Turing to Blackwell, as found in desktops and servers. Any other GPU compiles at first use.
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 103, 120)
KINDS = frozenset({True, False})  # INT4 matrices, and a head that shares the FP16 embedding
SMALLEST = "sample"


def shapes_of(file: ModelFile) -> Shapes:
    """Return the constants of a file's kernels."""
    return Shapes(file.config, file.tensor("embed.weight").dtype == np.float32)


def write_seeds(arch: int, folder: Path) -> list[Path]:
    """Compile the bundled model's kernels for one architecture; return the files."""
    file = open_model_file(bundled_model())
    written = []
    for source in sources(shapes_of(file), arch, KINDS):
        path = folder / cubin_name(source)
        path.write_bytes(compile_source(source)[0])
        written.append(path)
    return written


def missing_seeds(arch: int) -> list[str]:
    """Return which of the bundled model's kernels would be compiled on such a GPU."""
    shapes = shapes_of(open_model_file(bundled_model()))
    names = [cubin_name(source) for source in sources(shapes, arch, KINDS)]
    return [name for name in names if not (resource(SEEDS) / name).exists()]


def compile_one(arch: int) -> int:
    """Compile the smallest program of the bundled model; return the cubin's bytes."""
    shapes = shapes_of(open_model_file(bundled_model()))
    return len(compile_source(Source(SMALLEST, shapes, arch))[0])
