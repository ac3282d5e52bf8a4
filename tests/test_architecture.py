"""The house rules of the code base, each as one test named by a sentence."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOP_LEVEL = {
    "app", "engine", "cuda_src", "resources", "tests", "packaging", "pyproject.toml", "README.md",
    "LICENSE",
}  # fmt: skip
PRODUCT = ("app", "engine")
BROAD_EXCEPTS = {"app/engine_link/worker.py", "engine/__main__.py"}

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def tracked(*suffixes: str) -> list[Path]:
    """Files git knows or would add, so that a clean clone and a working tree agree."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    return [ROOT / n for n in names if n.endswith(suffixes) and (ROOT / n).exists()]


def product_files() -> list[Path]:
    return [p for p in tracked(".py") if p.relative_to(ROOT).parts[0] in PRODUCT]


def functions(path: Path) -> Iterator[FunctionNode]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, FunctionNode):
            yield node


def lines(node: FunctionNode) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_top_level_is_fixed() -> None:
    names = {name(p).split("/")[0] for p in tracked("")}
    assert {n for n in names if not n.startswith(".")} <= TOP_LEVEL


def test_files_have_at_most_400_lines() -> None:
    long = {name(p): n for p in tracked(".py", ".cu", ".cuh")
            if (n := len(p.read_text(encoding="utf-8").splitlines())) > 400}  # fmt: skip
    assert not long


def test_functions_have_at_most_60_lines() -> None:
    long = {f"{name(p)}:{f.name}": lines(f) for p in tracked(".py") for f in functions(p)
            if lines(f) > 60}  # fmt: skip
    assert not long


def test_nine_of_ten_functions_have_at_most_25_lines() -> None:
    sizes = sorted(lines(f) for p in product_files() for f in functions(p))
    assert sizes[int(len(sizes) * 0.9)] <= 25


def test_functions_have_at_most_6_parameters() -> None:
    wide = []
    for path in tracked(".py"):
        for f in functions(path):
            names = [a.arg for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)]
            if len([n for n in names if n not in ("self", "cls")]) > 6:
                wide.append(f"{name(path)}:{f.name}")
    assert not wide


def test_public_signatures_are_annotated() -> None:
    bare = []
    for path in product_files():
        for f in functions(path):
            arguments = [a for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)
                         if a.arg not in ("self", "cls")]  # fmt: skip
            if f.returns is None or any(a.annotation is None for a in arguments):
                bare.append(f"{name(path)}:{f.name}")
    assert not bare


def test_every_module_begins_with_a_sentence() -> None:
    for path in tracked(".py"):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert doc, f"{name(path)} has no docstring"
        assert doc.split("\n\n")[0].rstrip().endswith((".", ":")), f"{name(path)}: no sentence"


def test_broad_excepts_stand_in_two_named_places() -> None:
    found = []
    for path in product_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                caught = [n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)] \
                    if node.type else ["bare"]  # fmt: skip
                if {"bare", "Exception", "BaseException"} & set(caught):
                    found.append(name(path))
    assert len(found) <= len(BROAD_EXCEPTS)
    assert set(found) <= BROAD_EXCEPTS


def test_no_global_statement_and_no_ctypes() -> None:
    for path in tracked(".py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.Global), name(path)
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = [a.name for a in node.names] + [getattr(node, "module", None) or ""]
                assert "ctypes" not in {m.split(".")[0] for m in modules}, name(path)


def test_cuda_is_imported_only_by_the_cuda_backend() -> None:
    for path in product_files():
        if name(path).startswith("engine/backends/cuda/"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not any(a.name.split(".")[0] == "cuda" for a in node.names), name(path)
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] != "cuda", name(path)


def test_packaging_is_no_package() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_nobody_else_provides_our_import_names() -> None:
    provided = importlib.metadata.packages_distributions()
    for package in PRODUCT:
        assert set(provided.get(package, ["tinyloop-chat"])) == {"tinyloop-chat"}


def test_imports_follow_the_contracts() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("limit_mib", [60])
def test_the_tree_stays_small_enough_to_travel(limit_mib: int) -> None:
    assert sum(p.stat().st_size for p in tracked("")) < limit_mib * 2**20
