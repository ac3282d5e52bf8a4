"""Collects the licences of everything in a bundle into one folder, with a table in front."""

from __future__ import annotations

import filecmp
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from bundle_facts import NAME, ROOT
from nvidia_parts import DISTRIBUTIONS as NVIDIA

COMMON = Path("/usr/share/common-licenses")
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|authors)", re.IGNORECASE)
# Wheels that bring no licence text, and where the text is.
TEXTS = {
    "pyside6-essentials": [COMMON / "LGPL-3", COMMON / "GPL-3"],
    "shiboken6": [COMMON / "LGPL-3", COMMON / "GPL-3"],
    "sentencepiece": [ROOT / "LICENSE"],
}
NOTES = {
    "pyside6-essentials": "Qt 6 and its Python modules, used under LGPL-3.0: the libraries lie in "
    "_internal/PySide6 as separate files and may be replaced. Sources: download.qt.io.",
    "shiboken6": "As PySide6, used under LGPL-3.0.",
    "pyinstaller": "Its start program only, under the exception for what it starts.",
    "nvidia-cuda-nvrtc": "Redistributed under the CUDA EULA, attachment A (NVRTC).",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One thing in the bundle that others wrote."""

    name: str
    version: str
    licence: str
    texts: list[Path] = field(default_factory=list)
    note: str = ""


def write_licences(bundle: Path, *, with_nvidia: bool) -> None:
    """Write ``licences/`` of a bundle. Raises RuntimeError for a part without a licence text."""
    folder = bundle / "licences"
    parts = [_python(), *map(_part, distributions(with_nvidia=with_nvidia)), *_system(bundle)]
    for part in parts:
        if not part.texts:
            raise RuntimeError(f"No licence text was found for {part.name} {part.version}.")
        for text in part.texts:
            target = folder / part.name / text.name
            while target.exists():  # NumPy has many files of one name
                target = target.with_name(f"{target.name}_")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, target)
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")
    for card in (ROOT / "resources" / "models").glob("*.md"):
        shutil.copyfile(card, folder / card.name)
    (folder / "README.md").write_text(_table(parts), encoding="utf-8")


def distributions(*, with_nvidia: bool) -> list[Distribution]:
    """Return the installed distributions the app needs, directly or not, and PyInstaller."""
    found: dict[str, Distribution] = {}
    waiting = [NAME, "pyinstaller"]
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in found or (name in NVIDIA and not with_nvidia):
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # for another system or an extra
        needed = found[name].requires or [] if name != "pyinstaller" else []
        waiting += [re.match(r"[\w.-]+", n)[0] for n in needed if "extra ==" not in n]  # type: ignore[index]
    del found[NAME]
    return [found[name] for name in sorted(found)]


def _part(found: Distribution) -> Part:
    """Return a distribution with the licence texts it was installed with."""
    name = found.metadata["Name"].lower().replace("_", "-")
    texts = [Path(str(file.locate())) for file in found.files or []
             if ".dist-info" in str(file) and LICENCE_FILE.search(file.name)]  # fmt: skip
    classifiers = [c for c in found.metadata.get_all("Classifier") or [] if "License ::" in c]
    licence = found.metadata["License-Expression"] or found.metadata["License"] or ""
    licence = licence.split("\n")[0] or " ".join(c.split(":: ")[-1] for c in classifiers)
    return Part(name, found.version, licence, texts or TEXTS.get(name, []), NOTES.get(name, ""))


def _python() -> Part:
    text = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    return Part("python", sys.version.split()[0], "PSF-2.0", [text] if text.exists() else [])


def _system(bundle: Path) -> list[Part]:
    """Return the system libraries PyInstaller took along, by the Debian package they are from."""
    if not sys.platform.startswith("linux"):
        return []
    packages: dict[str, list[str]] = {}
    for file in sorted((bundle / "_internal").glob("lib*.so*")):
        owner = None if file.is_symlink() else _owner(file)
        if owner is not None:
            packages.setdefault(owner, []).append(file.name)
    parts = []
    for package, files in packages.items():
        version = _output(["dpkg-query", "-W", "-f=${Version}", package])
        text = Path("/usr/share/doc") / package.split(":")[0] / "copyright"
        note = f"System libraries: {', '.join(files)}."
        parts.append(Part(package.split(":")[0], version, "see its file", [text], note))
    return parts


def _owner(library: Path) -> str | None:
    """Return the Debian package of a system library; None for one that a wheel or Python brought.

    Raises RuntimeError for a system library that no package owns.
    """
    folders = [Path("/lib"), Path("/usr/lib")]
    folders += [folder / str(sysconfig.get_config_var("MULTIARCH")) for folder in folders]
    for path in (folder / library.name for folder in folders):
        if path.exists() and filecmp.cmp(path, library, shallow=False):
            for candidate in (path, path.resolve(), Path(f"/usr{path}")):
                found = _output(["dpkg-query", "-S", str(candidate)])
                if found:
                    return found.split(": ")[0].split(",")[0]
            raise RuntimeError(f"No Debian package owns {path}: build on Debian or Ubuntu.")
    return None


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _table(parts: list[Part]) -> str:
    """Return the table of all parts."""
    lines = [
        "# Licences",
        "",
        "TinyLoop Chat is licensed under Apache-2.0 (`LICENSE`). The model's data and their",
        "credits stand in the model card beside this file. The bundle also holds:",
        "",
        "| part | version | licence | note |",
        "|---|---|---|---|",
    ]
    lines += [f"| {p.name} | {p.version} | {p.licence} | {p.note} |" for p in parts]
    return "\n".join(lines) + "\n"
