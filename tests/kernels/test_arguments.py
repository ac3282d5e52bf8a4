"""What the host hands to a kernel is what the compiled kernel takes: number, order and sizes."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from fake_gpu import FakeGpu
from gpu_tools import style_file
from invariants import STYLES

import engine.backends.cuda.backend as backend_module
from engine.backends.cuda.backend import CudaBackend
from engine.backends.cuda.compiler import compile_source, sources
from engine.backends.cuda.kernels import entries
from engine.backends.cuda.shapes import Shapes
from engine.sampling import Sampling
from engine.watch import Watch

PARAMETER = 0x17  # EIATTR_KPARAM_INFO, one record a parameter, the last one first


def sections(elf: bytes) -> dict[str, bytes]:
    """Return the sections of a 64-bit ELF file by name."""
    at, size, count, names = struct.unpack_from("<Q10xHHH", elf, 0x28)
    heads = [struct.unpack_from("<I20xQQ", elf, at + i * size) for i in range(count)]
    texts = elf[heads[names][1] :]
    return {
        texts[name : texts.index(b"\0", name)].decode(): elf[start : start + length]
        for name, start, length in heads
    }


def parameters(info: bytes) -> list[int]:
    """Return the bytes of each parameter, as a kernel's .nv.info section tells them."""
    found, at = {}, 0
    while at < len(info):
        form, attribute, value = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == 4:  # a record of ``value`` bytes
            if attribute == PARAMETER:
                ordinal, packed = struct.unpack_from("<4xH2xI", info, at)
                found[ordinal] = packed >> 18
            at += value
    return [found[i] for i in sorted(found)]


def launched(style: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, set[tuple[int, ...]]]:
    """Return the sizes of the arguments of each kernel in a whole life of a cache."""
    monkeypatch.setattr(backend_module, "cubins", lambda wanted, heard: [b""] * len(wanted))
    gpu = FakeGpu()
    backend = CudaBackend(gpu, style_file(style), 512, frozenset({0}))  # type: ignore[arg-type]
    cache = backend.new_cache(40, 4, 0)
    backend.prefill(cache, np.arange(6, 15).astype(np.int32), 0, 2, Watch())
    for sampling in (Sampling(), Sampling(temperature=0.8, top_k=4)):
        backend.decode(cache, 2, sampling, lambda token: False)
    backend.score(backend.clone(cache, 9, 40, 4), 4, Watch())
    found: dict[str, set[tuple[int, ...]]] = {}
    for name, _, _, arguments in gpu.launches:
        found.setdefault(name, set()).add(tuple(a.itemsize for a in arguments))
    return found


@pytest.mark.parametrize("style", sorted(STYLES))
def test_every_launch_fits_its_kernel(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: Any = Shapes(style_file(style).config, False)
    given, taken = launched(style, monkeypatch), {}
    for source in sources(shapes, 90, frozenset({True, False})):
        info = sections(compile_source(source)[0])
        taken |= {name: tuple(parameters(info[f".nv.info.{entry}"]))
                  for name, entry in entries(source).items()}  # fmt: skip
    assert {"stage_rows", "attend_rows", "pick_best", "sample_token", "divergence"} <= set(given)
    assert any(name.startswith("row_linear") for name in given)
    assert given == {name: {taken[name]} for name in given}
