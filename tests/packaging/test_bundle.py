"""What a bundle must hold and must not: found out on small folders, without building one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bundle_facts import ROOT, is_unused, reachable, resource_files
from contents import MODEL, problems, size_report
from licences import distributions

KERNELS = 3


def make(folder: Path, flavour: str) -> Path:
    """A bundle with everything that is asked for, most of it empty."""
    inside = folder / "_internal"
    for source, place in resource_files(ROOT):
        target = inside / place
        if Path(source).is_dir():
            shutil.copytree(source, target)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    empty = ["tinyloop-chat", "tinyloop", "licences/README.md"]
    if flavour == "cuda":
        empty += ["_internal/libnvrtc.so.13", "_internal/libnvrtc-builtins.so.13.5"]
        empty += [f"_internal/resources/cubins/{n}.cubin" for n in range(KERNELS)]
    for name in empty:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("flavour", ["cpu", "cuda"])
def test_a_complete_bundle_has_no_problems(tmp_path: Path, flavour: str) -> None:
    assert problems(make(tmp_path, flavour), flavour, KERNELS) == []
    assert "the model" in size_report(tmp_path)


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("tinyloop-chat", "tinyloop-chat is missing."),
        ("_internal/resources/cards.json", "_internal/resources/cards.json is missing."),
        ("_internal/cuda_src/sample.cu", "_internal/cuda_src/sample.cu is missing."),
        ("_internal/libnvrtc-builtins.so.13.5", "libnvrtc-builtins is missing."),
        ("_internal/resources/cubins/0.cubin", "2 kernels were compiled ahead instead of 3."),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, lost: str, said: str) -> None:
    bundle = make(tmp_path, "cuda")
    (bundle / lost).unlink()
    assert problems(bundle, "cuda", KERNELS) == [said]


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("_internal/PySide6/Qt/lib/libQt6WebEngineCore.so.6", "has no place here."),
        ("_internal/libnvrtc.so.13", "libnvrtc belongs to the other flavour."),
        ("_internal/cuda/core/__init__.py", "cuda belongs to the other flavour."),
    ],
)
def test_what_has_no_place_is_named(tmp_path: Path, added: str, said: str) -> None:
    bundle = make(tmp_path, "cpu")
    (bundle / added).parent.mkdir(parents=True, exist_ok=True)
    (bundle / added).touch()
    found = problems(bundle, "cpu", 0)
    assert found
    assert all(sentence.endswith(said) for sentence in found)


def test_another_model_a_dead_link_and_too_much_are_named(tmp_path: Path) -> None:
    bundle = make(tmp_path, "cpu")
    with (bundle / "_internal" / MODEL).open("ab") as file:
        file.truncate(251_000_000)  # a hole: it takes no room on the disk
    (bundle / "_internal" / "libgone.so").symlink_to("nothing.so")
    found = " ".join(problems(bundle, "cpu", 0))
    assert "not the one in the tree" in found
    assert "_internal/libgone.so leads nowhere" in found
    assert "more than 250" in found


def test_plugins_of_no_use_and_the_libraries_only_they_need_are_left_out() -> None:
    assert is_unused("PySide6/Qt/plugins/tls/libqopensslbackend.so")
    assert not is_unused("PySide6/Qt/plugins/platforms/libqxcb.so")
    links = {"plugins/a.so": {"libone.so"}, "libone.so": {"libtwo.so"}, "libthree.so": set()}
    entries = [("plugins/a.so", "plugins/a.so", "BINARY")]
    entries += [(name, name, "BINARY") for name in ("libone.so", "libtwo.so", "libthree.so")]
    kept = reachable(entries, lambda file: links.get(file, set()))
    assert [entry[0] for entry in kept] == ["plugins/a.so", "libone.so", "libtwo.so"]


def test_licences_are_those_of_what_the_app_needs() -> None:
    names = {found.metadata["Name"].lower() for found in distributions(with_nvidia=False)}
    assert {"numpy", "sentencepiece", "safetensors", "platformdirs"} <= names
    assert not {"pytest", "ruff", "cuda-core", "tinyloop-chat"} & names
    if not sys.platform.startswith("darwin"):
        more = {found.metadata["Name"].lower() for found in distributions(with_nvidia=True)}
        assert {"cuda-core", "nvidia-cuda-nvrtc"} <= more - names


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="menus are made so on Linux")
@pytest.mark.parametrize(
    ("folder", "quoted"),
    [("plain", "plain"), ("数 é x", "数 é x"), ('a"b$c`d%e', 'a\\\\"b\\\\$c\\\\`d%%e')],
)
def test_add_to_menu_writes_where_the_program_lies(
    tmp_path: Path, folder: str, quoted: str
) -> None:
    bundle = tmp_path / folder
    shutil.copytree(ROOT / "packaging" / "linux", bundle)
    icons = bundle / "share/icons/hicolor/scalable/apps"
    icons.mkdir(parents=True)
    shutil.copy(ROOT / "resources/icons/tinyloop.svg", icons / "tinyloop-chat.svg")
    environment = os.environ | {"XDG_DATA_HOME": str(tmp_path / "data")}
    subprocess.run([bundle / "add-to-menu"], env=environment, check=True)
    entry = tmp_path / "data/applications/tinyloop-chat.desktop"
    lines = entry.read_text("utf-8").splitlines()
    assert f'Exec="{tmp_path}/{quoted}/tinyloop-chat"' in lines
    assert "Name=TinyLoop Chat" in lines
    assert (tmp_path / "data/icons/hicolor/scalable/apps/tinyloop-chat.svg").exists()
    subprocess.run([bundle / "add-to-menu", "--remove"], env=environment, check=True)
    assert not entry.exists()
