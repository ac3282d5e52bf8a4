"""`tinyloop doctor`: what the engine finds on this computer, and what it makes of it."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import PackageNotFoundError, version

from engine import EngineError, Model
from engine.cli.common import add_model_options, open_model
from engine.machine import this_machine
from engine.resources import root
from engine.threads import limit_blas

PACKAGES = ("numpy", "sentencepiece", "safetensors", "threadpoolctl", "cuda-core", "cuda-bindings")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the model to try."""
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one fact a line; the last says whether questions can be answered (else exit code 1)."""
    limit_blas()  # as every other command does
    try:
        model = open_model(arguments)
    except EngineError as error:
        _print_all({**_computer(), "problem": str(error)})
        print("\nNo questions can be answered here until that is mended.")
        return 1
    with model:
        _print_all({**_computer(), **_device(model), **_model(model, arguments)})
    print("\nEverything that is needed is here.")
    return 0


def _computer() -> dict[str, str]:
    """Return what does not depend on a model."""
    machine = this_machine()
    threads = machine["blas_threads"]
    load = machine["load"]
    return {
        "program": f"TinyLoop Chat {_installed('tinyloop-chat')} in {root()}",
        "system": f"{machine['system']}, Python {machine['python']} at {sys.executable}",
        "packages": ", ".join(f"{name} {_installed(name)}" for name in PACKAGES),
        "processor": f"{machine['processor']}, {machine['cores']} cores"
        + ("" if load is None else f", load average {load:.2f}"),
        "threads": f"{threads} for matrix products (OPENBLAS_NUM_THREADS changes it)",
    }


def _device(model: Model) -> dict[str, str]:
    """Return where the model runs, and why not on a GPU."""
    report = model.memory_report()
    why = f"; no GPU: {model.device_note}" if model.device_note else ""
    return {
        "device": f"{model.device.upper()}{why}",
        "memory": f"{report.weights / 1e6:.0f} MB for the weights, {report.free / 1e9:.1f} of "
        f"{report.total / 1e9:.1f} GB free",
    }


def _model(model: Model, arguments: argparse.Namespace) -> dict[str, str]:
    """Return which model answers."""
    efforts = ", ".join(map(str, model.config.efforts))
    return {
        "model": f"{model.name}, {model.max_seq_len} positions, efforts of {efforts} loops",
        "model file": str(arguments.model),
    }


def _installed(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _print_all(facts: dict[str, str]) -> None:
    """Print the facts in two columns."""
    for name, fact in facts.items():
        print(f"{name:<12}{fact}")
