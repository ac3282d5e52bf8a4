"""Says whether a finished bundle holds what it must, nothing else, and how large it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bundle_facts import NAME, ROOT

from engine.resources import bundled_model

MODEL = bundled_model().relative_to(ROOT).as_posix()
MOST_MB = {"cpu": 250, "cuda": 450}  # unpacked, 1 MB = 10^6 bytes
NEVER = (
    "webengine", "libqt6qml", "libqt6quick", "pytest", "hypothesis", "libcuda.so",
    "direct_url.json",
)  # fmt: skip
PARTS = (  # beginning of a path in the bundle: what it is
    ("_internal/PySide6", "Qt and PySide6"),
    ("_internal/shiboken6", "Qt and PySide6"),
    ("_internal/numpy", "NumPy with OpenBLAS"),
    ("_internal/sentencepiece", "the tokenizer"),
    ("_internal/resources/models", "the model"),
    ("_internal/resources/cubins", "kernels compiled ahead"),
    ("_internal/libnvrtc", "NVRTC"),
    ("_internal/cuda_src", "kernels' sources"),
    ("_internal/cuda", "NVIDIA's Python packages"),
    ("_internal/lib", "Python and system libraries"),
    ("_internal/python", "Python and system libraries"),
    ("tinyloop", "the two programs"),
    ("licences", "licences"),
    ("", "everything else"),
)


def problems(bundle: Path, flavour: str, kernels: int) -> list[str]:
    """Return what is wrong with a bundle, a sentence each; ``kernels`` is how many are seeded."""
    inside = bundle / "_internal"
    needed = [bundle / NAME, bundle / "tinyloop", inside / "resources/cards.json"]
    needed += [bundle / "licences/README.md", inside / "resources/icons/tinyloop.svg"]
    needed += [inside / "cuda_src" / file.name for file in (ROOT / "cuda_src").iterdir()]
    found = [f"{file.relative_to(bundle)} is missing." for file in needed if not file.exists()]
    if (inside / MODEL).read_bytes() != (ROOT / MODEL).read_bytes():
        found.append("The model is not the one in the tree.")
    names = [file.relative_to(bundle).as_posix() for file in bundle.rglob("*")]
    found += [f"{n} has no place here." for n in names if any(w in n.lower() for w in NEVER)]
    links = [file for file in bundle.rglob("*") if file.is_symlink()]
    found += [f"{link.relative_to(bundle)} leads nowhere." for link in links if not link.exists()]
    found += _nvidia_problems(inside, flavour, kernels)
    size = sum(sizes(bundle).values()) / 1e6
    if size > MOST_MB[flavour]:
        found.append(f"It has {size:.0f} MB, more than {MOST_MB[flavour]}.")
    return found


def _nvidia_problems(inside: Path, flavour: str, kernels: int) -> list[str]:
    """Return what is wrong with the parts only one flavour has."""
    seeds = len(list(inside.glob("resources/cubins/*.cubin")))
    compiler = {file.name.split(".")[0] for file in inside.glob("libnvrtc*")}
    both = {"libnvrtc", "libnvrtc-builtins"}
    if flavour == "cpu":
        ours = [f.name for f in inside.iterdir() if f.name.startswith(("cuda_bind", "cuda_core",
                "cuda_path", "nvidia"))]  # fmt: skip
        extra = [*compiler, *ours, *(["cuda"] if (inside / "cuda").exists() else [])]
        return [f"{name} belongs to the other flavour." for name in extra]
    found = [f"{name} is missing." for name in sorted(both - compiler)]
    if seeds != kernels:
        found.append(f"{seeds} kernels were compiled ahead instead of {kernels}.")
    return found


def sizes(bundle: Path) -> Counter[str]:
    """Return the bytes of each part."""
    total: Counter[str] = Counter()
    for file in bundle.rglob("*"):
        if file.is_file() and not file.is_symlink():
            place = file.relative_to(bundle).as_posix()
            part = next(name for start, name in PARTS if place.startswith(start))
            total[part] += file.stat().st_size
    return total


def size_report(bundle: Path) -> str:
    """Return the sizes as lines, the largest first."""
    parts = sizes(bundle)
    lines = [f"{size / 1e6:8.1f} MB  {part}" for part, size in parts.most_common()]
    return "\n".join([*lines, f"{sum(parts.values()) / 1e6:8.1f} MB  together"])
