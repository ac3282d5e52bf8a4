"""Builds the double-click bundle: ``python packaging/build.py --flavour cpu|cuda|both``."""

from __future__ import annotations

import argparse
import hashlib
import platform
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

from bundle_facts import NAME, ROOT, VERSION
from contents import problems, size_report
from icons import draw, write_linux_icons
from licences import write_licences
from nvidia_parts import add_nvidia_parts, seeds

WORK = ROOT / "build" / "bundle"
SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
GZIP_LEVEL = 6  # 9 takes four times as long for half a percent


def main() -> int:
    """Build what the command line asks for; return 1 when a bundle is not as it must be."""
    parser = argparse.ArgumentParser(description="Build the double-click bundle.")
    parser.add_argument("--flavour", choices=("cpu", "cuda", "both"), default="both")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="default: dist/")
    options = parser.parse_args()
    flavours = ("cpu", "cuda") if options.flavour == "both" else (options.flavour,)
    if sys.platform == "darwin" and "cuda" in flavours:
        parser.error("there is no cuda flavour for macOS: NVIDIA has no driver for it.")
    started = time.monotonic()
    freeze()
    say(started, "PyInstaller is done")
    archives, wrong = [], False
    for flavour in flavours:
        bundle = assemble(flavour, options.out)
        say(started, f"{bundle.name} is assembled")
        print(size_report(bundle))
        found = problems(bundle, flavour, seeds() if flavour == "cuda" else 0)
        for problem in found:
            print(f"wrong: {problem}", file=sys.stderr)
        wrong |= bool(found)
        archives.append(archive(bundle))
        say(started, f"{archives[-1].name} has {archives[-1].stat().st_size / 1e6:.1f} MB")
    write_checksums(archives)
    return int(wrong)


def say(started: float, what: str) -> None:
    """Print a line of the build's log."""
    print(f"[{time.monotonic() - started:4.0f} s] {what}", flush=True)


def freeze() -> None:
    """Run PyInstaller from nothing into build/bundle: what both flavours share."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    draw(256, WORK / "tinyloop.ico")  # for Windows
    command = [
        sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "ERROR",
        "--distpath", str(WORK), "--workpath", str(WORK / "work"),
        str(ROOT / "packaging" / "tinyloop.spec"),
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True)


def assemble(flavour: str, out: Path) -> Path:
    """Return the finished folder of one flavour."""
    system = SYSTEMS[sys.platform]
    bundle = out / f"{NAME}-{VERSION}-{system}-{platform.machine().lower()}-{flavour}"
    shutil.rmtree(bundle, ignore_errors=True)
    shutil.copytree(WORK / NAME, bundle, symlinks=True)
    if flavour == "cuda":
        add_nvidia_parts(bundle / "_internal")
    if system == "linux":
        for library in (bundle / "_internal").glob("libpython*.so*"):
            subprocess.run(["strip", "--strip-unneeded", str(library)], check=True)
        shutil.copytree(ROOT / "packaging" / "linux", bundle, dirs_exist_ok=True)
        write_linux_icons(bundle / "share" / "icons")
    write_licences(bundle, with_nvidia=flavour == "cuda")
    return bundle


def archive(bundle: Path) -> Path:
    """Pack a bundle: tar.gz, which keeps what may be run, or zip on Windows."""
    if sys.platform == "win32":  # not tested
        return Path(shutil.make_archive(str(bundle), "zip", bundle.parent, bundle.name))
    file = bundle.with_name(f"{bundle.name}.tar.gz")
    with tarfile.open(file, "w:gz", compresslevel=GZIP_LEVEL) as packed:
        packed.add(bundle, bundle.name, filter=_owned_by_nobody_in_particular)
    return file


def _owned_by_nobody_in_particular(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave the builder's name out of the archive."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def write_checksums(archives: list[Path]) -> None:
    """Write SHA256SUMS beside the archives, as ``sha256sum --check`` reads it."""
    lines = []
    for file in archives:
        with file.open("rb") as content:
            lines.append(f"{hashlib.file_digest(content, 'sha256').hexdigest()}  {file.name}\n")
    (archives[0].parent / "SHA256SUMS").write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    sys.exit(main())
