"""Tries what an answer needs on this computer, and says of each part how it went."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.backends.base import CacheArrays
from engine.errors import EngineError
from engine.model import Model
from engine.resources import bundled_model, is_frozen, root
from engine.state import ResumeHandle

QUESTION = "What is 5 + 9 - 1 + 8 - 5 - 8 + 3 - 3 - 3 - 5 ?"
TOKENS = 24
PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "not applicable"
EXPECTED = (EngineError, OSError, RuntimeError, ValueError, ArithmeticError, MemoryError)


class NotApplicable(Exception):
    """A check that has no meaning here; the message says why."""


class CheckFailed(RuntimeError):
    """A check that found something wrong; the message says what."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a report: ``note`` is what was found, or the reason."""

    name: str
    status: str
    note: str
    seconds: float


class Report:
    """The checks made so far; ``file`` holds them after each one, so that a crash leaves some."""

    def __init__(self, file: Path | None = None) -> None:
        self.checks: list[Check] = []
        self._file = file

    @property
    def failed(self) -> bool:
        """Whether any check failed."""
        return any(check.status == FAILED for check in self.checks)

    def run(self, name: str, check: Callable[[], str]) -> None:
        """Make one check: it returns what it found, or raises."""
        started = time.perf_counter()
        try:
            status, note = PASSED, check()
        except NotApplicable as reason:
            status, note = NOT_APPLICABLE, str(reason)
        except EXPECTED as error:
            status, note = FAILED, f"{type(error).__name__}: {error}"
        self.add(name, status, note, time.perf_counter() - started)

    def add(self, name: str, status: str, note: str, seconds: float) -> None:
        """Add a check and write the report."""
        self.checks.append(Check(name, status, note, round(seconds, 3)))
        if self._file is not None:
            draft = self._file.with_suffix(".part")
            draft.write_text(self.text(), encoding="utf-8")
            os.replace(draft, self._file)

    def text(self) -> str:
        """Return the report as JSON."""
        return json.dumps(
            {
                "frozen": is_frozen(),
                "root": str(root()),
                "ok": not self.failed,
                "checks": [dataclasses.asdict(check) for check in self.checks],
            },
            ensure_ascii=False,
            indent=1,
        )


def check_engine(report: Report, device: str) -> None:
    """Load the bundled model, answer, resume, compare with a cold run; then the compiler."""
    report.run("the bundle stands alone", _stands_alone)
    started = time.perf_counter()
    try:
        model = Model(bundled_model(), device=device)
    except EXPECTED as error:
        report.add("the model loads", FAILED, str(error), time.perf_counter() - started)
        return
    with model:
        note = f"{model.name} on {model.device}"
        note += f"; no GPU: {model.device_note}" if model.device_note else ""
        report.add("the model loads", PASSED, note, time.perf_counter() - started)
        _check_answers(report, model)
    report.run("kernels compiled for this GPU", lambda: _compiled(model))
    report.run("kernels brought along", _brought_along)
    report.run("a kernel compiles for every GPU", _compile_everywhere)


def _stands_alone() -> str:
    """Check that every loaded module lies in the bundle."""
    if not is_frozen():
        raise NotApplicable("this is a checkout, not a bundle")
    files = {name: Path(getattr(module, "__file__", None) or "") for name, module
             in sys.modules.items()}  # fmt: skip
    outside = [f"{name} ({file})" for name, file in sorted(files.items())
               if file.is_absolute() and not file.is_relative_to(root())]  # fmt: skip
    if outside:
        raise CheckFailed(f"loaded from outside the bundle: {', '.join(outside[:5])}")
    return f"{len(files)} modules, all from the bundle"


def _check_answers(report: Report, model: Model) -> None:
    """Answer at the first effort, resume to the second, compare with a run from nothing."""
    first, second, most = model.config.efforts
    prompt = model.tokenizer.encode_chat([("user", QUESTION)])
    handles: list[ResumeHandle] = []
    answers: dict[str, list[int]] = {}

    def said(ids: list[int]) -> str:
        return model.tokenizer.decode(ids[len(prompt) :])

    def answer() -> str:
        handles.append(model.build_resume_handle(prompt, L_used=first, max_loops=most))
        ids = model.resume_generate(handles[0], first, max_tokens=TOKENS)
        return f"{said(ids)!r}"

    def resume() -> str:
        handles.append(model.extend_handle(handles[0], second))
        ran = model.last_run
        if (ran.prefilled, ran.first_loop, ran.last_loop) != (0, first, second - 1):
            raise CheckFailed(f"ran {ran} instead of loops {first} to {second - 1}")
        answers["resumed"] = model.resume_generate(handles[1], second, max_tokens=TOKENS)
        return f"{said(answers['resumed'])!r}, running only loops {first} to {second - 1}"

    def compare() -> str:
        cold = model.build_resume_handle(prompt, L_used=second, max_loops=most)
        if model.generate(prompt, second, max_tokens=TOKENS) != answers["resumed"]:
            raise CheckFailed("a fresh run writes another answer than the resumed one")
        return _same_bits(model, handles[1], cold)

    report.run(f"an answer at {first} loops", answer)
    if handles:
        report.run(f"the same prompt resumed to {second} loops", resume)
    if "resumed" in answers:
        report.run("resumed equals fresh, bit for bit", compare)


def _same_bits(model: Model, one: ResumeHandle, other: ResumeHandle) -> str:
    """Compare everything two handles hold; CheckFailed names the first array that differs."""
    left, right = (_arrays(model, handle) for handle in (one, other))
    compared = 0
    for field in dataclasses.fields(CacheArrays):
        a, b = getattr(left, field.name), getattr(right, field.name)
        if a.shape != b.shape or a.tobytes() != b.tobytes():
            raise CheckFailed(f"{field.name} of the resumed state differ from a fresh run's")
        if not np.isfinite(a).all():
            raise CheckFailed(f"{field.name} hold a number that is not finite")
        compared += a.nbytes
    return f"{compared} bytes of keys, values and states are equal"


def _arrays(model: Model, handle: ResumeHandle) -> CacheArrays:
    return model._runner._backend.read(handle.state.cache)


def _compiled(model: Model) -> str:
    """Say how many kernels the model's GPU needed compiling; a cuda bundle ships them all."""
    if not model.device.startswith("cuda"):
        raise NotApplicable(f"no GPU is used: {model.device_note or 'the CPU was asked for'}")
    from engine.backends.cuda.compiler import COMPILED

    if COMPILED and is_frozen():
        raise CheckFailed(f"{len(COMPILED)} compiled: {', '.join(COMPILED)} did not come along")
    return f"{len(COMPILED)} compiled"


def _brought_along() -> str:
    """Look for the bundled model's kernels under the names they have here, for each GPU."""
    _check_compiler()
    from engine.backends.cuda.seeds import ARCHITECTURES, missing_seeds

    if not is_frozen():
        raise NotApplicable("a checkout brings none: they are compiled at first use and kept")
    missing = [name for arch in ARCHITECTURES for name in missing_seeds(arch)]
    if missing:
        raise CheckFailed(f"{len(missing)} are missing: {', '.join(missing[:3])} …")
    return f"all, for {len(ARCHITECTURES)} architectures"


def _compile_everywhere() -> str:
    """Compile the smallest program for each architecture."""
    _check_compiler()
    from engine.backends.cuda.seeds import ARCHITECTURES, compile_one

    sizes = {f"sm_{arch}": compile_one(arch) for arch in ARCHITECTURES}
    return ", ".join(f"{arch} {size} bytes" for arch, size in sizes.items())


def _check_compiler() -> None:
    """Check that NVIDIA's packages are there; the cpu flavour has none and says so."""
    try:
        import engine.backends.cuda.seeds  # noqa: F401
    except ImportError as error:
        if is_frozen() and not (root() / "cuda").exists():
            raise NotApplicable("NVRTC not in this build") from error
        raise CheckFailed(f"NVIDIA's packages cannot be imported: {error}") from error
