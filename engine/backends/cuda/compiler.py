"""Compiles the kernel sources to cubins with NVRTC and keeps them on disk."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cuda.bindings import nvrtc
from cuda.core import Program, ProgramOptions
from cuda.core._utils.cuda_utils import CUDAError
from platformdirs import user_cache_path

from engine.backends.cuda.shapes import Shapes
from engine.errors import DeviceError
from engine.resources import root

COMMON = ("ptx.cuh", "common.cuh")
# Each program: its file and the headers before it (after the common ones).
PROGRAMS: dict[str, tuple[str, ...]] = {
    "rows": ("rows.cuh", "rows.cu"),
    "linear_decode": ("rows.cuh", "chunks.cuh", "linear.cuh", "linear_decode.cu"),
    "linear_prefill": ("linear.cuh", "linear_prefill.cu"),
    "attention_decode": ("chunks.cuh", "attention.cuh", "attention_decode.cu"),
    "attention_prefill": ("chunks.cuh", "attention.cuh", "attention_prefill.cu"),
    "sample": ("sample.cu",),
}
LINEAR_PROGRAMS = ("linear_decode", "linear_prefill")  # compiled for INT4 and for FP16 weights


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
    """Return the options all kernels share.

    No contraction: a fused multiply-add stands where the source says so, in every kernel alike.
    """
    return ProgramOptions(arch=f"sm_{arch}", std="c++17", fma=False, ptxas_options=["-v"])


def compile_source(source: Source) -> tuple[bytes, str]:
    """Return (cubin, what ptxas said). Raises DeviceError with the compiler's log."""
    log = io.StringIO()
    program = Program(source.text(), "c++", options(source.arch))
    try:
        code = program.compile("cubin", logs=log)
    except CUDAError as error:
        raise DeviceError(f"The GPU kernel {source.name} does not compile: {error}") from error
    finally:
        program.close()
    return bytes(code.code), log.getvalue()


def compiler_version() -> str:
    """Return NVRTC's version, ``13.0``."""
    status, major, minor = nvrtc.nvrtcVersion()
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise DeviceError(f"NVRTC fails ({status}); reinstall the package nvidia-cuda-nvrtc.")
    return f"{major}.{minor}"


def cached_cubin(source: Source, folder: Path | None = None) -> bytes:
    """Return the cubin of ``source``, from disk when the same text was compiled before.

    The key covers the text, the options, the architecture and the compiler's version. A cache
    that cannot be written only costs time.
    """
    folder = folder or user_cache_path("tinyloop-chat", appauthor=False) / "kernels"
    key = hashlib.sha256(
        "\0".join([compiler_version(), repr(options(source.arch)), source.text()]).encode()
    ).hexdigest()
    path = folder / f"{source.name}-sm{source.arch}-{key[:32]}.cubin"
    with contextlib.suppress(OSError):
        return path.read_bytes()
    cubin, _ = compile_source(source)
    with contextlib.suppress(OSError):
        _write_whole(path, cubin)
    return cubin


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
