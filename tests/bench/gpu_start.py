"""Budget: a GPU is ready in under 1 s when its kernels are compiled, in under 20 s when not."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from budget import heading, verdict

WARM_S, COLD_S, REPEATS = 1.0, 20.0, 5


def main() -> int:
    """Start processes: one with an empty cache of kernels, then some that find it filled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a .tinyloop file (default: the bundled one)")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        try:
            print(json.dumps(start_here(options.model)))
        except RuntimeError as error:  # the engine's: one sentence
            print(error, file=sys.stderr)
            return 1
        return 0
    heading("Making a GPU ready")
    with tempfile.TemporaryDirectory() as cache:
        cold, *warm = (start(options.model, cache) for _ in range(1 + REPEATS))
    usual = {part: statistics.median(run[part] for run in warm) for part in warm[0]}
    print(f"\n{'seconds':<12}{'cold':>8}{'warm':>8}")
    for part, seconds in usual.items():
        print(f"{part:<12}{cold[part]:>8.3f}{seconds:>8.3f}")
    met = [
        verdict(what, f"{seconds:.2f} s", seconds < most)
        for what, seconds, most in (
            (f"cold, from nothing compiled, under {COLD_S:.0f} s", cold["ready"], COLD_S),
            (f"warm, kernels in the cache, under {WARM_S:.0f} s", usual["ready"], WARM_S),
        )
    ]
    return 0 if all(met) else 1


def start(model: Path | None, cache: str) -> dict[str, float]:
    """Return the seconds of a fresh process: its parts, and all of it as ``process``."""
    command = [sys.executable, __file__, "--child", *(["--model", str(model)] if model else [])]
    began = time.perf_counter()
    run = subprocess.run(
        command, env=os.environ | {"XDG_CACHE_HOME": cache}, check=False, stdout=subprocess.PIPE
    )
    if run.returncode:
        raise SystemExit(run.returncode)
    return {**json.loads(run.stdout), "process": time.perf_counter() - began}


def start_here(model: Path | None) -> dict[str, float]:
    """Do what ``Model(device="cuda")`` does, timed; ``ready`` is all but Python's start."""
    spent: dict[str, float] = {}

    def timed(part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*arguments)
            finally:
                spent[part] = time.perf_counter() - began

        return wrapper

    began = time.perf_counter()
    engine = timed("engine", lambda: importlib.import_module("engine.model"))()
    from engine.resources import bundled_model

    file = timed("file", engine.open_model_file)(model or bundled_model())
    timed("tokenizer", engine.Tokenizer)(file.tokenizer, file.config, "")
    from engine.backends.cuda.probe import find_gpu

    gpu = timed("device", find_gpu)(0, file.header.file_size)
    name = "engine.backends.cuda.backend"
    backend = timed("modules", lambda: importlib.import_module(name))()
    backend.DeviceWeights = timed("weights", backend.DeviceWeights)
    made = backend.CudaBackend
    made._load = timed("kernels", made._load)
    made._prepare = timed("workspace", made._prepare)
    made(gpu, file, file.config.max_seq_len, frozenset())
    return {**spent, "ready": time.perf_counter() - began}


if __name__ == "__main__":
    sys.exit(main())
