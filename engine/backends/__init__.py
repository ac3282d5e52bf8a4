"""The devices the model can run on; the only place that names them."""

from __future__ import annotations

import re

from engine.backends.base import Backend
from engine.backends.reference import ReferenceBackend
from engine.errors import DeviceError
from engine.threads import limit_blas
from engine.weights import ModelFile

NO_GPU_YET = "this version runs on the CPU only"


def open_backend(
    device: str, file: ModelFile, max_seq_len: int, banned_ids: frozenset[int]
) -> tuple[Backend, str]:
    """Return the backend for ``device`` and, where ``auto`` fell back to the CPU, the reason.

    Raises ValueError for a name that is no device, DeviceError when a GPU was asked for by
    name and cannot be used.
    """
    if re.fullmatch(r"auto|cpu|cuda(:\d+)?", device) is None:
        raise ValueError(f"device must be auto, cpu, cuda or cuda:N, found {device!r}.")
    if device.startswith("cuda"):
        raise DeviceError(f"Device {device} cannot be used: {NO_GPU_YET}. Use --device cpu.")
    limit_blas()
    backend = ReferenceBackend(file, max_seq_len, banned_ids)
    return backend, NO_GPU_YET if device == "auto" else ""
