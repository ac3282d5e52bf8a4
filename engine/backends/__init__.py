"""The devices the model can run on; the only place that names them."""

from __future__ import annotations

import re

from engine.backends.base import Backend, OnCompile
from engine.backends.reference import ReferenceBackend
from engine.errors import DeviceError, OutOfMemory
from engine.threads import limit_blas
from engine.weights import ModelFile


def open_backend(
    device: str,
    file: ModelFile,
    max_seq_len: int,
    banned_ids: frozenset[int],
    on_compile: OnCompile | None = None,
) -> tuple[Backend, str]:
    """Return the backend for ``device`` and, where ``auto`` fell back to the CPU, the reason.

    ``on_compile(done, total)`` hears of a GPU's programs that must be compiled first. Raises
    ValueError for a name that is no device, DeviceError when a GPU was asked for by name and
    cannot be used.
    """
    gpu, note = gpu_number(device), ""
    if device != "cpu":
        try:
            return _open_gpu(gpu, file, max_seq_len, banned_ids, on_compile), ""
        except (DeviceError, OutOfMemory) as error:
            if device != "auto":
                raise DeviceError(f"{error} Or choose --device cpu.") from error
            note = str(error).rstrip(".")
    limit_blas()
    return ReferenceBackend(file, max_seq_len, banned_ids), note


def gpu_number(device: str) -> int:
    """Return the N of ``cuda:N``, 0 where none is named; ValueError for what is no device."""
    if re.fullmatch(r"auto|cpu|cuda(:\d+)?", device) is None:
        raise ValueError(f"device must be auto, cpu, cuda or cuda:N, found {device!r}.")
    return int(device.partition(":")[2] or 0)


def _open_gpu(
    ordinal: int,
    file: ModelFile,
    max_seq_len: int,
    banned_ids: frozenset[int],
    on_compile: OnCompile | None,
) -> Backend:
    """Return the backend of a GPU; nothing of CUDA is imported before this."""
    from engine.backends.cuda.probe import find_gpu

    gpu = find_gpu(ordinal, file.header.file_size)
    from engine.backends.cuda.backend import CudaBackend

    return CudaBackend(gpu, file, max_seq_len, banned_ids, on_compile)
