"""What must work before Qt does: streams to write to, a trace of a crash, a word on screen."""

from __future__ import annotations

import faulthandler
import os
import shutil
import subprocess
import sys
from typing import TextIO

from platformdirs import user_log_path

LOG = "output.txt"  # what the app prints when nobody reads it
LOG_BYTES = 1 << 20  # a longer one is begun anew

# Programs that show a sentence without Qt, with the words before it; the first found is used.
BOXES = (
    ("zenity", "--error", "--no-markup", "--text"),
    ("kdialog", "--error"),
    ("xmessage", "-center"),
)
MISSING = (
    "TinyLoop Chat cannot open a window here: the library {library} is missing. Install it "
    "with the system's package manager (on Debian and Ubuntu libEGL.so.1 is in libegl1)."
)


def prepare() -> None:
    """Give the process a stdout and a stderr, and let a crash leave its trace on the latter.

    A window started by a double click may have neither stream: printing would then raise. Who has
    no home gets the one that login gives: else "~" would be a folder like any other.
    """
    if os.path.expanduser("~") == "~":
        os.environ["HOME"] = "/"
    if sys.stdout is None or sys.stderr is None:
        log = _open_log()
        sys.stdout = sys.stdout or log
        sys.stderr = sys.stderr or log
    faulthandler.enable(sys.stderr)


def tell(sentence: str) -> None:
    """Say on stderr, and in a box where a desktop is there, why no window opens."""
    sys.stderr.write(sentence + "\n")
    if not getattr(sys, "frozen", False) or not os.environ.get("DISPLAY"):
        return
    # The box is the system's program: the bundle's libraries are not for it.
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    for name, *words in BOXES:
        program = shutil.which(name)
        if program:
            subprocess.run([program, *words, sentence], env=environment, check=False)
            return


def tell_missing(error: ImportError) -> bool:
    """Say which library of the system Qt links to in vain; False when that is not the cause."""
    library = str(error).split(":")[0]
    if ".so" not in library and "DLL" not in library:
        return False
    tell(MISSING.format(library=library))
    return True


def _open_log() -> TextIO:
    """Return the log to append to, or a stream into nothing when it cannot be written."""
    try:
        file = user_log_path("TinyLoop Chat", appauthor=False, ensure_exists=True) / LOG
        full = file.exists() and file.stat().st_size > LOG_BYTES
        return file.open("w" if full else "a", encoding="utf-8", buffering=1)
    except OSError:
        return open(os.devnull, "w", encoding="utf-8")
