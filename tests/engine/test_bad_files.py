"""Damaged and hostile model files: one clear error each, at once, without eating memory."""

from __future__ import annotations

import json
import os
import pickle
import time
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_file_tools import join, load, overwrite, split
from tiny_models import tiny_config, write_tiny_model

from engine.config import Quantization
from engine.errors import ModelFileError
from engine.file_header import MAX_HEADER_BYTES

FUZZ = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MEMORY_LIMIT = 128 * 2**20


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "m.tinyloop"
    return write_tiny_model(path, tiny_config(quantization=Quantization(4, 32))).read_bytes()


@pytest.fixture
def path(tmp_path: Path, good: bytes) -> Path:
    file = tmp_path / "m.tinyloop"
    file.write_bytes(good)
    return file


def error_of(path: Path) -> str | None:
    """Open a file; its error's text, or None. Anything but ModelFileError fails the test."""
    begin = time.process_time()  # not the clock's: other programs may be busy
    message = load_error(path)
    assert time.process_time() - begin < 1
    tracemalloc.start()  # a second time: tracing makes it several times slower
    load_error(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MEMORY_LIMIT
    assert message is None or (message.startswith(str(path)) and len(message) < 700)
    return message


def load_error(path: Path) -> str | None:
    try:
        load(path)
    except ModelFileError as error:
        return str(error)
    return None


def refused(path: Path) -> str:
    message = error_of(path)
    assert message is not None, "the file was opened"
    return message


def test_the_good_file_is_good(path: Path) -> None:
    assert error_of(path) is None


def test_no_file_a_folder_and_nothing(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "missing.tinyloop")
    assert "found a folder" in refused(tmp_path)
    (tmp_path / "empty").touch()
    assert "0 bytes end before the header does" in refused(tmp_path / "empty")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "found a folder or device" in refused(tmp_path / "pipe")


def header_boundaries(raw: bytes) -> Iterator[int]:
    """Every length at which something of the format ends."""
    header_end = 8 + int.from_bytes(raw[:8], "little")
    yield from range(9)
    yield from (i for i in range(8, header_end + 1) if raw[i - 1 : i] in b'{}[],:" ')
    header = json.loads(raw[8:header_end])
    yield from (header_end + t["data_offsets"][1] for n, t in header.items() if n[0] != "_")


def test_a_file_cut_off_anywhere_is_refused(path: Path, good: bytes) -> None:
    for length in sorted(set(header_boundaries(good)) - {len(good)}):
        path.write_bytes(good[:length])
        with pytest.raises(ModelFileError, match=r"cut off|end before"):
            load(path)
    path.write_bytes(good + b"\0")
    assert "cut off or damaged" in refused(path)


@pytest.mark.parametrize("claim", [10 * 2**30, 2**63, 2**64 - 1, MAX_HEADER_BYTES + 1, 1, 0])
def test_a_header_length_that_is_not_true(path: Path, good: bytes, claim: int) -> None:
    path.write_bytes(claim.to_bytes(8, "little") + good[8:])
    refused(path)


def test_a_sparse_file_with_a_10_gb_header(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with open(path, "wb") as file:
        file.write((10 * 2**30).to_bytes(8, "little") + b"{")
        file.truncate(11 * 2**30)
    assert "claims 10737418240 bytes" in refused(path)


def test_tensors_of_impossible_size(path: Path) -> None:
    header, data = split(path)
    for shape in ([2**62, 4], [2**31, 2**31], [10**9, 10]):
        header["embed.weight"]["shape"] = shape
        assert "'embed.weight'" in refused(join(path, header, data))
        size = 2 * shape[0] * shape[1]
        header["embed.weight"]["data_offsets"] = [0, size]
        refused(join(path, header, data))


@pytest.mark.parametrize(
    "offsets", [[0, 10**12], [-1, 19199], [2**63, 2**63 + 19200], [19200, 0], [0], "ab", [0.0, 1.0]]
)
def test_offsets_that_lead_nowhere(path: Path, offsets: Any) -> None:
    header, data = split(path)
    header["embed.weight"]["data_offsets"] = offsets
    assert "'embed.weight'" in refused(join(path, header, data))


def test_tensors_that_overlap_or_leave_a_hole(path: Path) -> None:
    header, data = split(path)
    first = header["pre.0.attn.norm.weight"]["data_offsets"]
    header["pre.0.mlp.norm.weight"]["data_offsets"] = first
    assert "must begin at byte" in refused(join(path, header, data))
    header, data = split(path)
    for name, tensor in header.items():
        if name != "__metadata__":
            tensor["data_offsets"] = [offset + 16 for offset in tensor["data_offsets"]]
    assert "must begin at byte 0" in refused(join(path, header, b"\0" * 16 + data))


@pytest.mark.parametrize("inside", ["metadata", "tensors", "tensor"])
def test_a_key_that_appears_twice(path: Path, inside: str) -> None:
    header, data = split(path)
    text = json.dumps(header)
    old, new = {
        "metadata": ('"name": "tiny"', '"name": "tiny", "name": "other"'),
        "tensors": ('"tokenizer": {', '"tokenizer": {}, "tokenizer": {'),
        "tensor": ('"dtype": "U8"', '"dtype": "U8", "dtype": "U8"'),
    }[inside]
    assert old in text
    assert "appears twice" in refused(join(path, text.replace(old, new, 1).encode(), data))


@pytest.mark.parametrize(
    "header",
    [
        b"not json", b"[]", b"null", b'"text"', b"{}", b"\xff\xfe{}", b"[" * 200_000,
        b'{"a":' * 100_000, b"9" * 10_000, b'{"__metadata__": []}', b'{"__metadata__": {"a": 1}}',
        b'{"a": null}', b'{"a": {"dtype": [], "shape": [1], "data_offsets": [0, 1]}}',
        b'{"a": {"dtype": "U8", "shape": [true], "data_offsets": [0, 1]}}',
        b'{"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1], "more": 1}}',
    ],
    ids=lambda h: repr(h[:30]),
)  # fmt: skip
def test_headers_of_another_kind(tmp_path: Path, header: bytes) -> None:
    refused(join(tmp_path / "m", header, b""))


@pytest.mark.parametrize("junk", [b"[],", b"{},", b'"",', b"1,", b'{"a":1},', b"9" * 4000 + b","])
def test_the_largest_header_full_of_junk(tmp_path: Path, junk: bytes) -> None:
    room = MAX_HEADER_BYTES - 20
    header = b'{"a":[' + junk * (room // len(junk)) + b"1]}"
    refused(join(tmp_path / "m", header, b""))


def test_files_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "pickle").write_bytes(pickle.dumps({"weights": [1.0] * 100}))
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("weights", "x" * 1000)
    (tmp_path / "text").write_text("This is a letter, not a model. " * 20)
    for name in ("pickle", "zip", "text"):
        assert "another kind" in refused(tmp_path / name)


def test_a_tokenizer_that_is_missing_or_corrupt(path: Path, good: bytes) -> None:
    header, data = split(path)
    begin, end = header["tokenizer"]["data_offsets"]
    overwrite(path, "tokenizer", b"\0" * (end - begin))
    assert "'tokenizer' must be a sentencepiece model" in refused(path)
    path.write_bytes(good)
    overwrite(path, "tokenizer", os.urandom(100))
    refused(path)
    assert end == len(data), "the tokenizer lies last in this file"
    header["tokenizer"] |= {"shape": [0], "data_offsets": [begin, begin]}
    assert "'tokenizer'" in refused(join(path, header, data[:begin]))
    del header["tokenizer"]
    assert "'tokenizer' must be U8 bytes, found none" in refused(join(path, header, data[:begin]))


@FUZZ
@given(data=st.data())
def test_flipped_bytes_open_or_are_refused(path: Path, good: bytes, data: st.DataObject) -> None:
    header_end = 8 + int.from_bytes(good[:8], "little")
    raw = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        end = data.draw(st.sampled_from([8, header_end, len(good)]))
        raw[data.draw(st.integers(0, end - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    error_of(path)


@FUZZ
@given(data=st.data())
def test_cut_and_joined_files_open_or_are_refused(
    path: Path, good: bytes, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(good)))
    resume = data.draw(st.integers(0, len(good)))
    path.write_bytes(good[:cut] + data.draw(st.binary(max_size=20)) + good[resume:])
    error_of(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@FUZZ
@given(data=st.data(), value=JSON)
def test_edited_headers_open_or_are_refused(path: Path, good: bytes, data: Any, value: Any) -> None:
    path.write_bytes(good)
    header, rest = split(path)
    config = json.loads(header["__metadata__"]["config"])
    where = data.draw(
        st.sampled_from([header, header["__metadata__"], header["tokenizer"], config])
    )
    where[data.draw(st.sampled_from(sorted(where)))] = value
    if where is config:
        header["__metadata__"]["config"] = json.dumps(config)
    error_of(join(path, header, rest))
