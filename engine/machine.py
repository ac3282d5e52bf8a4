"""What a figure must name beside it: processor, cores, threads, and what else is running."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TypedDict

import numpy as np

from engine.threads import blas_threads


class Machine(TypedDict):
    """The computer of a measurement; ``load`` is its busy processes over the last minute."""

    processor: str
    cores: int
    blas_threads: int
    load: float | None
    system: str
    python: str
    numpy: str


def this_machine() -> Machine:
    """Return this computer as it is now; ``load`` is None where the system does not say."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        blas_threads=blas_threads(),
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        numpy=np.__version__,
    )


def in_words(machine: Machine) -> str:
    """Return the machine as one line."""
    load = "unknown" if machine["load"] is None else f"{machine['load']:.2f}"
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['blas_threads']} BLAS "
        f"thread{'' if machine['blas_threads'] == 1 else 's'}, load average {load}"
    )


def _processor() -> str:
    """Return the processor's name; Linux keeps it in a file of its own."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
