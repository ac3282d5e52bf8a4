"""Adds what only the cuda flavour holds: NVIDIA's packages, NVRTC, kernels compiled ahead."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from pathlib import Path

from bundle_facts import ROOT

DISTRIBUTIONS = ("cuda-core", "cuda-bindings", "cuda-pathfinder", "nvidia-cuda-nvrtc")
NVRTC = {"linux": "libnvrtc*.so.*", "win32": "nvrtc*.dll"}  # win32: not tested
# Built for CUDA 12, sources, and what only NVIDIA's own tests use.
LEFT_OUT = shutil.ignore_patterns(
    "cu12", "__pycache__", "*.pxd", "*.pxi", "*.pyx", "*.pyi", "*.h", "*.hpp", "*.md",
    "_test_helpers", "_example_helpers", "*.alt.*",
)  # fmt: skip


def add_nvidia_parts(inside: Path) -> None:
    """Complete a bundle whose inner folder is ``inside``; takes some seconds an architecture."""
    packages = Path(str(distribution("cuda-core").locate_file("cuda")))
    shutil.copytree(packages, inside / "cuda", ignore=LEFT_OUT)
    for name in DISTRIBUTIONS:  # they look each other's versions up
        info = Path(str(distribution(name).locate_file("."))) / _info_folder(name)
        shutil.copytree(info, inside / info.name)
    for library in _nvrtc_libraries():
        shutil.copy2(library, inside)
    write_seeds(inside / "resources" / "cubins")


def _info_folder(name: str) -> str:
    """Return the folder of a distribution's metadata, beside its packages."""
    return f"{name.replace('-', '_')}-{distribution(name).version}.dist-info"


def _nvrtc_libraries() -> list[Path]:
    """Return the compiler's library and the one with its builtins; both are needed."""
    files = distribution("nvidia-cuda-nvrtc").files or []
    pattern = NVRTC["win32" if sys.platform == "win32" else "linux"]
    found = [Path(str(file.locate())) for file in files if file.match(pattern)]
    return [file for file in found if ".alt." not in file.name]


def write_seeds(folder: Path) -> None:
    """Compile the bundled model's kernels for every architecture, two at a time."""
    folder.mkdir(parents=True)
    # A process each: NVRTC takes turns within one.
    program = (
        "import sys; from pathlib import Path; from engine.backends.cuda.seeds import write_seeds\n"
        "write_seeds(int(sys.argv[1]), Path(sys.argv[2]))"
    )

    def compile_for(arch: int) -> None:
        command = [sys.executable, "-c", program, str(arch), str(folder)]
        subprocess.run(command, cwd=ROOT, check=True)

    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(compile_for, architectures()))


def architectures() -> tuple[int, ...]:
    """Return the compute capabilities that seeds are compiled for."""
    from engine.backends.cuda.seeds import ARCHITECTURES

    return ARCHITECTURES


def seeds() -> int:
    """Return how many kernels of the bundled model a bundle holds: all, for every GPU."""
    from engine.backends.cuda.seeds import missing_seeds

    return sum(len(missing_seeds(arch)) for arch in architectures())  # a checkout has none
