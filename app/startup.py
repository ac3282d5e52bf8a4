"""What is looked at before Qt starts: the command line, and whether there is a screen."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLibrary, QLibraryInfo

from app.paths import model_file

X_PORT = 6000  # of display 0 on another host
NO_SCREEN = '{why} Use `tinyloop ask "…"` in this terminal instead.'


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    model: Path
    device: str
    data_dir: Path | None


def parse(arguments: Sequence[str] | None) -> Options:
    """Read the command line; SystemExit(2) with a usage line for what cannot be understood."""
    parser = argparse.ArgumentParser(
        prog="tinyloop-chat", description="Chat with a looped language model on this computer."
    )
    parser.add_argument(
        "--model",
        type=Path,
        default=model_file(),
        help="a .tinyloop file (default: the bundled one)",
    )
    parser.add_argument(
        "--device", default="auto", help="auto, cpu, cuda or cuda:N (default: auto)"
    )
    parser.add_argument(
        "--data-dir",
        type=Path,
        help="a folder for chats, settings and logs (default: where the system keeps them)",
    )
    parser.add_argument(
        "--self-test", action="store_true", help="try everything and report in JSON; see its --help"
    )
    options = parser.parse_args(arguments)
    return Options(options.model, options.device, options.data_dir)


def screen_problem(environment: Mapping[str, str] = os.environ) -> str:
    """Return why no window can be opened, or "".

    Qt ends the process when its platform plugin fails, so this is found out before: is there a
    display, does it answer, and are the libraries there that the plugin needs.
    """
    if not sys.platform.startswith("linux") or environment.get("QT_QPA_PLATFORM"):
        return ""
    if environment.get("WAYLAND_DISPLAY") and _answers(_wayland_socket(environment)):
        plugin = "qwayland"
    elif not environment.get("DISPLAY"):
        return NO_SCREEN.format(why="There is no display to open a window on.")
    elif _x_answers(environment["DISPLAY"]):
        plugin = "qxcb"
    else:
        why = f"The display {environment['DISPLAY']} does not answer."
        return NO_SCREEN.format(why=why)
    missing = _missing_library(plugin)
    return NO_SCREEN.format(why=f"Qt cannot open a window here: {missing}.") if missing else ""


def _wayland_socket(environment: Mapping[str, str]) -> str:
    return os.path.join(environment.get("XDG_RUNTIME_DIR", ""), environment["WAYLAND_DISPLAY"])


def _x_answers(display: str) -> bool:
    host, _, number = display.partition(":")
    screen = number.split(".")[0]
    if not screen.isdigit():
        return False
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{screen}"
        return _answers(path) or _answers(f"\0{path}")
    try:
        socket.create_connection((host, X_PORT + int(screen)), timeout=2).close()
    except OSError:
        return False
    return True


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(2)
        try:
            connection.connect(path)
        except OSError:
            return False
    return True


def _missing_library(plugin: str) -> str:
    """Return what the loader says when a platform plugin cannot be loaded, or ""."""
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) / "platforms"
    for file in sorted(folder.glob(f"lib{plugin}*.so")):
        library = QLibrary(str(file))
        if library.load():
            return ""
        return library.errorString().removeprefix(f"Cannot load library {file}: ").strip("().")
    return f"the plugin {plugin} is missing"
