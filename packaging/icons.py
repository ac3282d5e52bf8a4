"""Draws the icon's sizes from its one SVG, with Qt and no screen."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bundle_facts import NAME, ROOT

SVG = ROOT / "resources" / "icons" / "tinyloop.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


def write_linux_icons(folder: Path) -> None:
    """Write ``hicolor/<size>/apps/tinyloop-chat.png`` and the scalable one."""
    for size in SIZES:
        file = folder / "hicolor" / f"{size}x{size}" / "apps" / f"{NAME}.png"
        file.parent.mkdir(parents=True)
        draw(size, file)
    scalable = folder / "hicolor" / "scalable" / "apps" / f"{NAME}.svg"
    scalable.parent.mkdir(parents=True)
    shutil.copyfile(SVG, scalable)


def draw(size: int, file: Path) -> None:
    """Write the icon, ``size`` pixels square, in the format of the file's name."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QSize
    from PySide6.QtGui import QImageReader

    reader = QImageReader(str(SVG))
    reader.setScaledSize(QSize(size, size))
    if not reader.read().save(str(file)):
        raise OSError(f"{file} cannot be written: {reader.errorString()}")
