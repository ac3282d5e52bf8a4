"""What ships fits together: the model file, its name, its page, and what the README says of it."""

from __future__ import annotations

import dataclasses
import math
import subprocess

import pytest
import readme_table
from serial import KINDS

from app import paths
from engine.accuracy import KINDS as IN_WORDS
from engine.resources import bundled_model, root
from engine.tensor_names import expected_tensors
from engine.weights import ModelFile, open_model_file

MODEL = bundled_model()
PAGE = MODEL.with_suffix(".md").read_text("utf-8")
README = (root() / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def file() -> ModelFile:
    return open_model_file(MODEL)


def millions(file: ModelFile) -> float:
    """How many parameters the config asks for."""
    wanted = expected_tensors(dataclasses.replace(file.config, quantization=None))
    return sum(math.prod(spec.shape) for spec in wanted.values()) / 1e6


def test_the_file_is_named_after_its_size_as_inside(file: ModelFile) -> None:
    assert file.name == MODEL.stem == f"tinyloop-{paths.model_size().lower()}"
    assert abs(int(paths.model_size().removesuffix("M")) - millions(file)) < 1


def test_one_model_ships_with_its_page() -> None:
    names = {path.name for path in MODEL.parent.iterdir()}
    assert names == {MODEL.name, MODEL.with_suffix(".md").name}


def test_the_page_has_the_figures_of_the_file(file: ModelFile) -> None:
    size = MODEL.stat().st_size / 1e6
    assert PAGE.startswith(f"# {file.name}\n")
    for words in (f"{millions(file):.1f} million parameters", f"{size:.1f} MB",
                  f"{file.config.max_seq_len:,} tokens"):  # fmt: skip
        assert words in PAGE


def test_the_readme_has_the_figures_of_the_file(file: ModelFile) -> None:
    size = f"{paths.model_size()[:-1]} million parameters, {MODEL.stat().st_size / 1e6:.0f} MB"
    assert size in README
    assert f"at most {file.config.max_seq_len:,} tokens at once" in README
    figures = file.loops_eval
    assert readme_table.table(figures) in README
    assert f"{figures['questions']:,} held-out questions" in README


def test_the_table_has_a_name_for_every_kind(file: ModelFile) -> None:
    assert IN_WORDS.keys() == KINDS.keys()
    assert file.loops_eval["by_kind"].keys() <= IN_WORDS.keys()


def test_no_other_model_is_spoken_of() -> None:
    measured = ":!tests/bench/results"  # a dated record names the model that it measured
    command = ["git", "grep", "-IohE", "tinyloop-[0-9]+m", "--", ".", measured]
    found = subprocess.run(command, cwd=root(), capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) == {MODEL.stem}
