"""Every kernel compiles for every architecture: no spills, registers within the launch bound."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from invariants import STYLES
from tiny_models import tiny_config

from engine.backends.cuda.compiler import (
    PROGRAMS,
    Source,
    compile_source,
    compiler_version,
    cubins,
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


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A compiler that gives back what it gets; the list names what it got."""
    compiled: list[str] = []

    def fake(source: Source) -> tuple[bytes, str]:
        compiled.append(source.name)
        return source.text().encode(), ""

    monkeypatch.setattr("engine.backends.cuda.compiler.compile_source", fake)
    return compiled


def test_the_cache_key_covers_text_architecture_and_kind(
    pretended: list[str], tmp_path: Path
) -> None:
    shapes, folder = Shapes(tiny_config(), False), tmp_path / "kernels"
    wanted = [
        Source("rows", shapes, 90), Source("rows", shapes, 80),
        Source("linear_decode", shapes, 90, int4=True),
        Source("linear_decode", shapes, 90, int4=False),
        Source("rows", Shapes(tiny_config(norm_eps=1e-6), False), 90),
    ]  # fmt: skip
    texts = [source.text().encode() for source in wanted]
    assert cubins(wanted, None, folder) == cubins(wanted, None, folder) == texts
    assert len(pretended) == len(list(folder.iterdir())) == 5
    folder.chmod(0o500)  # a folder that cannot be written only costs time
    assert cubins([Source("sample", shapes, 90)], None, folder)
    folder.chmod(0o700)


def test_compiling_tells_how_many_are_done_and_the_second_time_nothing(
    pretended: list[str], tmp_path: Path
) -> None:
    shapes = Shapes(tiny_config(), False)
    wanted = [Source(program, shapes, 90) for program in ("rows", "sample", "divergence")]
    cubins(wanted[1:2], None, tmp_path)
    heard: list[tuple[int, int, int]] = []
    for _ in range(2):
        cubins(wanted, lambda done, total: heard.append((done, total, len(pretended))), tmp_path)
    assert heard == [(0, 2, 1), (1, 2, 2), (2, 2, 3)]


def test_a_start_with_everything_in_the_cache_never_loads_the_compiler(tmp_path: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("which libraries are loaded is read from /proc/self/maps, which Linux has")
    code = (
        "import sys; from pathlib import Path\n"
        "from engine.backends.cuda import backend, compiler, seeds\n"
        "from engine.resources import bundled_model\n"
        "from engine.weights import open_model_file\n"
        "shapes = seeds.shapes_of(open_model_file(bundled_model()))\n"
        "wanted = compiler.sources(shapes, 90, seeds.KINDS)\n"
        "folder = Path(sys.argv[1])\n"
        "for source in wanted: (folder / compiler.cubin_name(source)).write_bytes(b'c')\n"
        "assert set(compiler.cubins(wanted, None, folder)) == {b'c'}\n"
        "assert 'libnvrtc' not in Path('/proc/self/maps').read_text()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        check=False, cwd=root(), capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr


def test_the_compilers_version_is_known_without_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = compiler_version()
    assert re.fullmatch(r"\d+\.\d+\.\d+", known)

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("engine.backends.cuda.compiler.version", missing)
    assert known.startswith(f"{compiler_version.__wrapped__()}.")


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
