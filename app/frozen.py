"""What must be so before anything else is imported: streams to write to, a trace of a crash."""

from __future__ import annotations

import faulthandler
import os
import sys
from typing import TextIO

from platformdirs import user_log_path

LOG = "output.txt"  # what the app prints when nobody reads it
LOG_BYTES = 1 << 20  # a longer one is begun anew


def prepare() -> None:
    """Give the process a stdout and a stderr, and let a crash leave its trace on the latter.

    A window started by a double click may have neither stream: printing would then raise.
    """
    if sys.stdout is None or sys.stderr is None:
        log = _open_log()
        sys.stdout = sys.stdout or log
        sys.stderr = sys.stderr or log
    faulthandler.enable(sys.stderr)


def _open_log() -> TextIO:
    """Return the log to append to, or a stream into nothing when it cannot be written."""
    try:
        file = user_log_path("TinyLoop Chat", appauthor=False, ensure_exists=True) / LOG
        full = file.exists() and file.stat().st_size > LOG_BYTES
        return file.open("w" if full else "a", encoding="utf-8", buffering=1)
    except OSError:
        return open(os.devnull, "w", encoding="utf-8")
