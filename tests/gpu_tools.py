"""Tools of the GPU tests: the device or the reason there is none, small backends, raw buffers."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from invariants import STYLES
from numpy.typing import NDArray
from tiny_models import tiny_config, write_tiny_model

from engine.backends.cuda.probe import find_gpu
from engine.backends.reference import ReferenceBackend
from engine.errors import DeviceError
from engine.weights import ModelFile, open_model_file

F32 = NDArray[np.float32]
SIZES = (1, 2, 7, 8, 31, 33, 64, 255, 512)
BANNED = frozenset({0, 3, 4})
POSITIONS = 512
BACKENDS: dict[tuple[int, int], Any] = {}


@functools.cache
def no_gpu() -> str:
    """Return why there is no GPU, or nothing."""
    try:
        find_gpu(0, 0).close()
    except DeviceError as error:
        return str(error)
    return ""


def require_gpu() -> None:
    """Skip the test, with the reason, where there is no GPU."""
    if no_gpu():
        pytest.skip(no_gpu())


@functools.cache
def style_file(style: str) -> ModelFile:
    """Return the model file of one of the invariants' styles."""
    folder = Path(tempfile.mkdtemp(prefix="tinyloop-gpu-"))
    path = write_tiny_model(folder / "m.tinyloop", tiny_config(**STYLES[style]), seed=3)
    return open_model_file(path)


@functools.cache
def reference_of(style: str) -> ReferenceBackend:
    """Return the CPU backend of a style."""
    return ReferenceBackend(style_file(style), POSITIONS, BANNED)


def gpu_backend(file: Any, positions: int = POSITIONS) -> Any:
    """Return the CUDA backend of a file that is kept for the process, and so is this."""
    from engine.backends.cuda.backend import CudaBackend

    key = id(file), positions
    if key not in BACKENDS:
        BACKENDS[key] = CudaBackend(find_gpu(0, 0), file, positions, BANNED)
    return BACKENDS[key]


def put(backend: Any, name: str, array: NDArray[Any]) -> None:
    """Fill a workspace buffer."""
    backend._gpu.upload(backend._space.address(name), array)


def get(backend: Any, name: str, shape: tuple[int, ...], dtype: type = np.float32) -> Any:
    """Read a workspace buffer."""
    return backend._gpu.download(backend._space.address(name), shape, dtype)


def distance(found: NDArray[Any], wanted: NDArray[Any]) -> float:
    """Return the relative error in the 2-norm; not a number counts as infinite."""
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    error = float(np.linalg.norm(a - b) / max(float(np.linalg.norm(b)), 1e-30))
    return error if np.isfinite(error) else np.inf


def same_bits(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Say whether two arrays are equal bit for bit."""
    pair = [np.ascontiguousarray(a).view(np.uint8) for a in (one, other)]
    return one.shape == other.shape and np.array_equal(*pair)
