"""Which folder holds the chats, and that one app at a time uses it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

from platformdirs import user_data_path

from app.domain import private

PORTABLE = "portable.txt"  # beside the program: its data lie there too
PORTABLE_DATA = "data"
LOCK = "chats.lock"


def data_folder(app: str, chosen: Path | None, program: Path) -> Path:
    """Return the folder of the chats; it need not exist.

    ``chosen`` (--data-dir) comes first, then ``data`` in the folder ``program`` when a
    portable.txt lies there, then the system's folder for data of ``app``.
    """
    if chosen is not None:
        return chosen.expanduser().absolute()
    if (program / PORTABLE).is_file():
        return program / PORTABLE_DATA
    return user_data_path(app, appauthor=False)


class AlreadyOpen(Exception):
    """Another running app uses the folder; the message is one sentence."""


class FolderLock:
    """Holds a folder for this process; the system lets go of it when the process dies.

    Raises AlreadyOpen. Where no file can be written nothing is held: chats are kept in memory
    there, which nobody else sees. ``held`` says which it was.
    """

    def __init__(self, folder: Path) -> None:
        self._file: IO[bytes] | None = None
        path = folder / LOCK
        try:
            private.make_folder(folder)
            file = path.open("a+b")
        except OSError:
            return
        try:
            _lock(file)
        except BlockingIOError as error:
            file.seek(0)
            owner = file.read(20).decode("ascii", "replace").strip()
            file.close()
            raise AlreadyOpen(
                f"TinyLoop Chat is already open with the chats in {folder}"
                f"{f' (process {owner})' if owner.isdigit() else ''}: use that window, or start "
                "this one with another --data-dir."
            ) from error
        except OSError:  # a file system without locks
            file.close()
            return
        self._file = file
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        file.flush()

    @property
    def held(self) -> bool:
        """Whether the folder is held."""
        return self._file is not None

    def release(self) -> None:
        """Let another app use the folder."""
        if self._file is not None:
            self._file.close()
            self._file = None


if sys.platform == "win32":
    import msvcrt

    FAR = 2**30  # the locked byte lies beyond the text, which others may then read

    def _lock(file: IO[bytes]) -> None:
        file.seek(FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(*error.args) from error
        finally:
            file.seek(0)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
