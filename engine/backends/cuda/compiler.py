"""Compiles the kernel sources to cubins with NVRTC and keeps them on disk."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cuda.bindings import nvrtc
from cuda.core import Program, ProgramOptions
from cuda.core._utils.cuda_utils import CUDAError
from cuda.pathfinder import load_nvidia_dynamic_lib
from platformdirs import user_cache_path

from engine.backends.cuda.probe import check_compiler, find_compiler
from engine.backends.cuda.shapes import Shapes
from engine.errors import DeviceError
from engine.resources import resource, root

COMMON = ("ptx.cuh", "common.cuh")
# Each program: its file and the headers before it (after the common ones).
PROGRAMS: dict[str, tuple[str, ...]] = {
    "rows": ("rows.cuh", "rows.cu"),
    "linear_decode": ("rows.cuh", "linear.cuh", "stream.cuh", "linear_decode.cu"),
    "linear_prefill": ("linear.cuh", "linear_prefill.cu"),
    "attention_decode": ("chunks.cuh", "attention.cuh", "attention_decode.cu"),
    "attention_prefill": ("chunks.cuh", "attention.cuh", "attention_prefill.cu"),
    "sample": ("sample.cu",),
    "divergence": ("divergence.cu",),
}
LINEAR_PROGRAMS = ("linear_decode", "linear_prefill")  # compiled for INT4 and for FP16 weights
# No contraction: a fused multiply-add stands where the source says so, in every kernel alike.
OPTIONS: dict[str, Any] = {"std": "c++17", "fma": False, "ptxas_options": ["-v"]}
SEEDS = "cubins"  # the resource folder of a bundle: what packaging/ compiled ahead of time
COMPILED: list[str] = []  # what this process had to compile; the self-test says how much


@dataclass(frozen=True, slots=True)
class Source:
    """One text to compile: ``program`` of PROGRAMS for compute capability ``arch`` (90 = 9.0)."""

    program: str
    shapes: Shapes
    arch: int
    int4: bool = False

    @property
    def name(self) -> str:
        """The program's name, with the weights' kind where it has one."""
        kind = ("_int4" if self.int4 else "_fp16") if self.program in LINEAR_PROGRAMS else ""
        return self.program + kind

    def text(self) -> str:
        """Return the whole text: constants, then the files one after another; no includes."""
        folder = root() / "cuda_src"
        files = [(folder / f).read_text("utf-8") for f in (*COMMON, *PROGRAMS[self.program])]
        first = (
            f"#define ARCH {self.arch}\n#define WEIGHTS_INT4 {int(self.int4)}\n"
            f"#define STREAM_BYTES {self.shapes.stream_bytes(self.arch)}\n"
        )
        return first + self.shapes.defines() + "\n".join(files)


def sources(shapes: Shapes, arch: int, kinds: frozenset[bool]) -> list[Source]:
    """Return every program for a model whose linears are INT4 (True) and or FP16 (False)."""
    found = []
    for program in PROGRAMS:
        each = sorted(kinds) if program in LINEAR_PROGRAMS else [False]
        found += [Source(program, shapes, arch, int4) for int4 in each]
    return found


def options(arch: int) -> ProgramOptions:
    """Return the options all kernels share."""
    return ProgramOptions(arch=f"sm_{arch}", **OPTIONS)


def compile_source(source: Source) -> tuple[bytes, str]:
    """Return (cubin, what ptxas said). Raises DeviceError: no compiler, or its log."""
    check_compiler(load_nvidia_dynamic_lib, nvrtc, source.arch)
    log = io.StringIO()
    program = Program(source.text(), "c++", options(source.arch))
    try:
        code = program.compile("cubin", logs=log)
    except CUDAError as error:
        raise DeviceError(f"The GPU kernel {source.name} does not compile: {error}") from error
    finally:
        program.close()
    return bytes(code.code), log.getvalue()


@functools.cache
def compiler_version() -> str:
    """Return NVRTC's version, ``13.0.48``; its own word, ``13.0``, where no package says it.

    The package comes first because asking the compiler itself means loading 140 MB, at every
    start; where the package is installed, its library is the one that is found first.
    """
    with contextlib.suppress(PackageNotFoundError):
        return version("nvidia-cuda-nvrtc")
    find_compiler(load_nvidia_dynamic_lib)
    status, major, minor = nvrtc.nvrtcVersion()
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise DeviceError(f"NVRTC fails ({status}); reinstall the package nvidia-cuda-nvrtc.")
    return f"{major}.{minor}"


def cubin_name(source: Source) -> str:
    """Return the file name of a source's cubin.

    Its key covers the text, the options, the architecture and the compiler's version.
    """
    parts = [compiler_version(), f"sm_{source.arch}", repr(OPTIONS), source.text()]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{source.name}-sm{source.arch}-{key[:32]}.cubin"


def cubins(
    wanted: Sequence[Source],
    on_compile: Callable[[int, int], None] | None = None,
    folder: Path | None = None,
) -> list[bytes]:
    """Return the cubins of ``wanted``: from the bundle, from the user's cache, or compiled.

    ``on_compile(done, total)`` hears of those that must be compiled: first with none done, then
    after each. A cache that cannot be written only costs time.
    """
    folder = folder or user_cache_path("tinyloop-chat", appauthor=False) / "kernels"
    names = [cubin_name(source) for source in wanted]
    found = [_stored(name, (resource(SEEDS), folder)) for name in names]
    missing = [i for i, cubin in enumerate(found) if not cubin]
    for done, i in enumerate(missing):
        if on_compile is not None:
            on_compile(done, len(missing))
        found[i] = compile_source(wanted[i])[0]
        COMPILED.append(wanted[i].name)
        with contextlib.suppress(OSError):
            _write_whole(folder / names[i], found[i])
    if missing and on_compile is not None:
        on_compile(len(missing), len(missing))
    return found


def _stored(name: str, places: Sequence[Path]) -> bytes:
    """Return the first file of that name; nothing when there is none."""
    for place in places:
        with contextlib.suppress(OSError):
            return (place / name).read_bytes()
    return b""


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file so that no reader ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    finally:
        Path(draft).unlink(missing_ok=True)
