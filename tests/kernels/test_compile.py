"""Every kernel compiles for every architecture: no spills, registers within the launch bound."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from invariants import STYLES
from tiny_models import tiny_config

from engine.backends.cuda.compiler import (
    PROGRAMS,
    Source,
    cached_cubin,
    compile_source,
    sources,
)
from engine.backends.cuda.kernels import entries
from engine.backends.cuda.shapes import Shapes
from engine.config import ModelConfig
from engine.random_model import shape_config
from engine.resources import bundled_model, root
from engine.weights import open_model_file

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
REPORT = re.compile(
    r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
    r"(\d+) bytes spill loads.*?Used (\d+) registers",
    re.DOTALL,
)
REGISTERS = {"linear_decode": 64, "linear_prefill": 255, "rows": 128, "sample": 64}


def config_of(shape: str) -> ModelConfig:
    """Return the config of the bundled model or of one with random weights."""
    return open_model_file(bundled_model()).config if shape == "bundled" else shape_config(shape)


def check(source: Source) -> None:
    """Compile one program and read what the assembler says about each kernel."""
    cubin, log = compile_source(source)
    assert cubin[:4] == b"\x7fELF"
    reports = {name: [int(n) for n in numbers] for name, *numbers in REPORT.findall(log)}
    assert set(reports) == set(entries(source).values())
    for name, (stack, stores, loads, registers) in reports.items():
        assert (stack, stores, loads) == (0, 0, 0), f"{source.name} {name} spills"
        assert registers <= REGISTERS.get(source.program, 255), f"{source.name} {name}"


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_bundled_shape_compiles_everywhere(program: str, arch: int) -> None:
    check(Source(program, Shapes(config_of("bundled"), False), arch, int4=True))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_large_shape_compiles_for_the_newest(program: str) -> None:
    check(Source(program, Shapes(shape_config("seed-407m"), False), 90, int4=True))


@pytest.mark.parametrize("program", ["linear_decode", "linear_prefill"])
@pytest.mark.parametrize(("shape", "arch"), [("bundled", 75), ("bundled", 90), ("seed-407m", 86)])
def test_fp16_weights_compile(program: str, shape: str, arch: int) -> None:
    check(Source(program, Shapes(config_of(shape), False), arch, int4=False))


@pytest.mark.parametrize("style", sorted(STYLES))
def test_every_norm_style_compiles(style: str) -> None:
    config: ModelConfig = tiny_config(**STYLES[style])
    for program in ("rows", "linear_decode", "attention_decode", "attention_prefill"):
        compile_source(Source(program, Shapes(config, False), 90, int4=False))


def test_the_cache_key_covers_text_architecture_and_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = Shapes(tiny_config(), False)
    compiled: list[str] = []

    def fake(source: Source) -> tuple[bytes, str]:
        compiled.append(source.text())
        return source.text().encode(), ""

    monkeypatch.setattr("engine.backends.cuda.compiler.compile_source", fake)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "kernels"
        for source in (
            Source("rows", shapes, 90), Source("rows", shapes, 80),
            Source("linear_decode", shapes, 90, int4=True),
            Source("linear_decode", shapes, 90, int4=False),
            Source("rows", Shapes(tiny_config(norm_eps=1e-6), False), 90),
        ):  # fmt: skip
            first = cached_cubin(source, folder)
            assert cached_cubin(source, folder) == first == source.text().encode()
        assert len(compiled) == len(list(folder.iterdir())) == 5
        folder.chmod(0o500)  # a folder that cannot be written only costs time
        assert cached_cubin(Source("sample", shapes, 90), folder)
        folder.chmod(0o700)


def test_every_source_is_compiled_and_has_its_heading() -> None:
    used = {name for files in PROGRAMS.values() for name in files if name.endswith(".cu")}
    files = sorted((root() / "cuda_src").glob("*.cu"))
    assert {f.name for f in files} == used
    for file in files:
        comment = re.match(r"(//.*\n)+", file.read_text("utf-8"))
        assert comment, file.name
        for word in ("Phases", "Layout:", "Invariants:", "Measured:"):
            assert f"// {word}" in comment.group(), f"{file.name} lacks {word}"
    for file in (root() / "cuda_src").iterdir():
        text = file.read_text("utf-8")
        assert "#include" not in text or file.suffix == ".md"
        assert "asm" not in text or file.name in ("ptx.cuh", "README.md"), file.name


def test_programs_follow_the_weights() -> None:
    shapes = Shapes(tiny_config(), False)
    assert len(sources(shapes, 90, frozenset({True}))) == len(PROGRAMS)
    assert len(sources(shapes, 90, frozenset({True, False}))) == len(PROGRAMS) + 2
