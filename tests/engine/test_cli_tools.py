"""`tinyloop inspect` and `doctor`: what they say, and what they say of broken files."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import sys

import pytest
from cli_tools import ROOT, assert_one_sentence, small_model, tinyloop
from tiny_models import tiny_config, tiny_tensors, tiny_tokenizer

from engine.machine import in_words, this_machine
from engine.resources import bundled_model, resource
from engine.tensor_names import expected_tensors
from engine.threads import blas_threads
from engine.weights import ModelInfo, open_model_file
from engine.weights_writer import write_model_file

CONFIG = tiny_config()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_model(tmp_path_factory.mktemp("tools"))


def test_inspect_shows_the_whole_file(capsys):
    ran = tinyloop(capsys, "inspect")
    assert ran.code == 0
    file = open_model_file(bundled_model())
    for name, tensor in file.header.tensors.items():
        size = f"{tensor.end - tensor.begin:,} bytes"
        rows = [line for line in ran.out.splitlines() if line.split()[:1] == [name]]
        assert any(row.endswith(size) for row in rows), name
    wanted = expected_tensors(dataclasses.replace(file.config, quantization=None))
    parameters = sum(math.prod(spec.shape) for spec in wanted.values())
    efforts = ", ".join(map(str, file.config.efforts))
    for words in (file.name, "Apache-2.0", f"{parameters / 1e6:.1f}M parameters",
                  f"{efforts} loops", "norm_style         sandwich",
                  f"bits 4, group {file.config.quantization.group}"):  # fmt: skip
        assert words in ran.out


def test_inspect_shows_what_depth_buys_where_the_file_says_so(capsys, small):
    assert "% right" not in tinyloop(capsys, "inspect", small).out
    out = tinyloop(capsys, "inspect").out
    document = json.loads(resource("loops_eval.json").read_text(encoding="utf-8"))
    assert f"on {document['questions']} questions" in out
    depths = sorted(document["accuracy"], key=int)
    assert re.search(rf"% right +{' +'.join(f'{depth} loops' for depth in depths)}\n", out)
    shares = [f"{100 * document['accuracy'][depth]:.1f}" for depth in depths]
    assert re.search(rf"^ *all +{r'( ±[0-9.]+)? +'.join(shares)}", out, re.MULTILINE)


def test_a_file_may_say_only_the_shares(capsys, tmp_path):
    table = {"accuracy": {"4": 1, "2": 0.5, "16": 0.25}, "by_kind": {"odd": 7}, "by_steps": []}
    path = tmp_path / "m.tinyloop"
    write_model_file(path, CONFIG, ModelInfo(name="n", license="l", source="s", loops_eval=table),
                     tiny_tensors(CONFIG), tiny_tokenizer())  # fmt: skip
    out = tinyloop(capsys, "inspect", path).out
    assert "on the maker's questions" in out
    assert "odd" not in out
    assert re.search(r"^ *all +50\.0 +100\.0 +25\.0$", out, re.MULTILINE)


def test_inspect_refuses_what_is_no_model_file(capsys, tmp_path):
    assert_one_sentence(tinyloop(capsys, "inspect", ROOT / "LICENSE"), "LICENSE", "expected")
    assert_one_sentence(tinyloop(capsys, "inspect", tmp_path), str(tmp_path), "folder")
    assert_one_sentence(tinyloop(capsys, "inspect", tmp_path / "no"), "No such file")


def test_doctor_names_what_is_here_and_why_there_is_no_gpu(capsys, small):
    ran = tinyloop(capsys, "doctor", "--model", small)
    assert ran.code == 0
    facts = dict(line.split(None, 1) for line in ran.out.splitlines() if line)
    assert f"Python {sys.version.split()[0]}" in facts["system"]
    assert facts["threads"].startswith(f"{blas_threads()} for")
    assert "CPU; no GPU: " in facts["device"]
    assert facts["model"].endswith("efforts of 2, 3, 4 loops") or str(small) in ran.out
    assert ran.out.endswith("Everything that is needed is here.\n")


def test_doctor_says_what_is_missing_and_exits_with_1(capsys, tmp_path):
    ran = tinyloop(capsys, "doctor", "--model", tmp_path / "none.tinyloop")
    assert ran.code == 1
    assert "none.tinyloop: the model file cannot be read" in ran.out
    assert "No questions can be answered here" in ran.out
    assert "--device cpu" in tinyloop(capsys, "doctor", "--device", "cuda").out


def test_the_machine_is_named_with_its_threads(monkeypatch):
    machine = this_machine()
    assert machine["cores"] == os.cpu_count()
    assert machine["processor"]
    assert f"{machine['cores']} cores" in in_words(machine)
    assert "load average unknown" in in_words({**machine, "load": None})


def test_help_lists_every_command(capsys):
    ran = tinyloop(capsys, "--help")
    assert ran.code == 0
    files = {path.stem for path in (ROOT / "engine" / "cli").glob("*.py")}
    for command in files - {"__init__", "common", "answering"}:
        assert f"\n    {command} " in ran.out
