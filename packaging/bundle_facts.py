"""What goes into a bundle and what stays out: names from pyproject, resources, unused Qt."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

Entry = tuple[str, str, str]  # as PyInstaller has them: place in the bundle, source, kind
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # this checkout's engine, whichever is installed
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAME, VERSION = "tinyloop-chat", PROJECT["version"]

# NVIDIA's packages travel as plain folders (nvidia_parts.py): analysing them finds nothing,
# their extension modules import each other at run time. readline is left out as it is GPL.
UNUSED_MODULES = [
    "cuda", "nvidia", "readline", "tkinter", "_tkinter", "curses", "lib2to3",
    "idlelib", "pydoc_data", "setuptools", "pip", "pkg_resources", "pytest", "hypothesis", "mypy",
    "numpy.f2py",
]  # fmt: skip
# Qt plugins the app never needs, by the beginning of their path below Qt/plugins/.
UNUSED_PLUGINS = (
    "egldeviceintegrations/", "generic/", "networkinformation/", "printsupport/", "qmltooling/",
    "sqldrivers/", "tls/", "platforms/libqeglfs", "platforms/libqlinuxfb", "platforms/libqminimal",
    "platforms/libqvkkhrdisplay", "platforms/libqvnc", "platformthemes/libqgtk3",
    "platforminputcontexts/libqtvirtualkeyboard", "imageformats/libqpdf", "imageformats/libqtiff",
    "imageformats/libqwebp", "imageformats/libqicns", "imageformats/libqtga",
    "imageformats/libqwbmp",
)  # fmt: skip
RESOURCES = (
    "cards.json", "examples.json", "loops_eval.json", "questions.jsonl", "icons", "models",
    "translations",
)  # fmt: skip


def is_unused(place: str) -> bool:
    """Say whether what is collected at ``place`` in the bundle is a Qt plugin of no use here."""
    _, plugins, name = place.replace("\\", "/").partition("plugins/")
    return bool(plugins) and name.startswith(UNUSED_PLUGINS)


def reachable(binaries: list[Entry], imports: Callable[[str], set[str]]) -> list[Entry]:
    """Keep what is loaded by name, and every library these link to, directly or not.

    ``imports`` gives the file names a library links to. Plugins and extension modules are loaded
    by name; the libraries PyInstaller found for a plugin left out are in nobody's way but large.
    """
    by_name: dict[str, list[Entry]] = {}
    for entry in binaries:
        by_name.setdefault(Path(entry[0]).name, []).append(entry)
    waiting = [entry for entry in binaries if not _is_plain_library(entry)]
    kept = set(waiting)
    while waiting:
        for name in imports(waiting.pop()[1]):
            found = [entry for entry in by_name.get(name, []) if entry not in kept]
            kept.update(found)
            waiting += found
    return [entry for entry in binaries if entry in kept]


def _is_plain_library(entry: Entry) -> bool:
    """Say whether an entry is a library that others link to, or a link to one."""
    place, _, kind = entry
    plugin = kind == "EXTENSION" or "plugins/" in place.replace("\\", "/")
    return not plugin and not Path(place).name.startswith("libpython")


def resource_files(root: Path) -> list[tuple[str, str]]:
    """Return (source, folder in the bundle) of the resources and the kernels' sources."""
    found = [("cuda_src", root / "cuda_src")]
    found += [("resources", root / "resources" / name) for name in RESOURCES]
    files = []
    for place, source in found:
        if source.is_dir():
            target = place if place == source.name else f"{place}/{source.name}"
            files.append((str(source), target))
        elif source.exists():
            files.append((str(source), place))
    return files


def modules_for_nvidia() -> list[str]:
    """Return the modules outside NVIDIA's packages that these import, found by importing them.

    [] on macOS, which has no such packages.
    """
    if sys.platform == "darwin":
        return []
    program = (
        "import sys; before = set(sys.modules)\n"
        "import engine.backends.cuda.backend, engine.backends.cuda.seeds, cuda.pathfinder\n"
        "print(sorted(set(sys.modules) - before))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    ours = ("cuda", "nvidia", "engine", "cython", "_cython", "__mp_main__", "typing.")
    found = [name for name in ast.literal_eval(run.stdout) if not name.startswith(ours)]
    return [name for name in found if name not in UNUSED_MODULES]
