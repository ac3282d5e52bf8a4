"""`tinyloop ask`: answers stream, --harder goes deeper from one handle, errors are sentences."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest
from cli_tools import (
    COMMAND,
    ROOT,
    assert_one_sentence,
    hard_question,
    small_model,
    start,
    tinyloop,
)
from invariants import model_of

from engine import Model
from engine.cli.answering import CLEAR_LINE, loop_bar
from engine.cli.common import MAX_TOKENS, say_compiling


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_model(tmp_path_factory.mktemp("ask"))


def test_the_answer_alone_goes_to_standard_output(capsys):
    model, question = model_of("real"), "What is the capital of France?"
    prompt = model.tokenizer.encode_chat([("user", question)])
    said = model.generate(prompt, model.config.efforts[0], max_tokens=MAX_TOKENS)
    ran = tinyloop(capsys, "ask", question)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == model.tokenizer.decode(said[len(prompt) :]) + "\n"


def test_harder_changes_the_answer_from_one_handle(capsys, monkeypatch):
    hard = hard_question()
    first, second, third = hard.said
    built, extended = [], []
    real_build, real_extend = Model.build_resume_handle, Model.extend_handle

    def build(self, prompt, L_used, *rest, **more):
        built.append(L_used)
        return real_build(self, prompt, L_used, *rest, **more)

    def extend(self, handle, new_L, **more):
        extended.append((handle.loops_used(), new_L))
        return real_extend(self, handle, new_L, **more)

    monkeypatch.setattr(Model, "build_resume_handle", build)
    monkeypatch.setattr(Model, "extend_handle", extend)
    ran = tinyloop(capsys, "ask", hard.question, "--harder")
    assert ran.code == 0
    assert re.findall(r"^ *(\d+) loops  (\S.*)$", ran.out, re.MULTILINE) == [
        (str(depth), text) for depth, text in hard.said.items()
    ]
    loops_run = re.findall(rf"(\d+) loops run over {hard.tokens} tokens", ran.out)
    assert [int(loops) for loops in loops_run] == [first, second - first, third - second]
    assert f"changed from {first}" in ran.out
    same = hard.said[second] == hard.said[third]
    assert ("same as at" if same else "changed from") + f" {second}" in ran.out
    assert (built, extended) == ([first], [(first, second), (second, third)])


def test_harder_follows_the_efforts_of_the_file(capsys, small):
    ran = tinyloop(capsys, "ask", "What is 7 ?", "--harder", "--model", small)
    assert re.findall(r"^ *(\d) loops  ", ran.out, re.MULTILINE) == ["2", "3", "4"]
    assert re.findall(r"(\d) loops? run over", ran.out) == ["2", "1", "1"]


def test_the_depth_defaults_to_the_first_effort_and_may_be_any(capsys, small):
    words = ("ask", "What is 7 ?", "--model", small, "--max-tokens", "20")
    answers = {loops: tinyloop(capsys, *words, "--loops", loops).out for loops in ("0", "2", "9")}
    assert tinyloop(capsys, *words).out == answers["2"]
    assert len(set(answers.values())) > 1


def test_a_seed_fixes_the_dice(capsys, small):
    def answer(seed: str) -> str:
        words = ("--model", small, "--temperature", "2", "--seed", seed, "--max-tokens", "12")
        return tinyloop(capsys, "ask", "What is 7 ?", *words).out

    assert answer("1") == answer("1") != answer("2")


def test_an_answer_that_was_cut_off_says_so(capsys, small):
    words = ("--harder", "--model", small, "--temperature", "1", "--max-tokens", "1")
    ran = tinyloop(capsys, "ask", "What is 7 ?", *words)
    assert len(re.findall(r"1 token, cut off, in", ran.out)) == 3


def test_a_long_prompt_still_gets_the_room_that_is_left(capsys, small):
    assert tinyloop(capsys, "ask", "a" * 450, "--model", small).code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", " \t"], ["empty"]),
        (["ask", "a" * 4000, "--model", "SMALL"], ["512 together", "shorten"]),
        (["ask", "a", "--model", "SMALL", "--max-tokens", "0"], ["max_tokens", "at least 1"]),
        (["ask", "a", "--model", "SMALL", "--temperature", "nan"], ["temperature", "nan"]),
        (["ask", "a", "--model", "SMALL", "--seed", "-1"], ["seed", "-1"]),
        (["ask", "a", "--model", "/nowhere/x.tinyloop"], ["/nowhere/x.tinyloop", "No such file"]),
        (["ask", "a", "--model", "/"], ["/", "folder"]),
        (["ask", "a", "--model", str(ROOT / "LICENSE")], ["LICENSE", ".tinyloop"]),
        (["ask", "a", "--device", "cuda:97"], ["--device cpu"]),  # no computer has it
        (["ask", "a", "--device", "tpu"], ["tpu", "cuda:N"]),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(capsys, small, arguments, words):
    ran = tinyloop(capsys, *[small if word == "SMALL" else word for word in arguments])
    assert_one_sentence(ran, *words)


@pytest.mark.parametrize(
    "arguments",
    [["ask"], ["ask", "a", "--loops", "x"], ["ask", "a", "--loops", "65"],
     ["ask", "a", "--loops", "-1"], ["ask", "a", "--lops", "3"], ["sing"],
     ["ask", "a", "--loops", "8", "--harder"], ["ask", "a", "b"]],
)  # fmt: skip
def test_wrong_usage_exits_with_2(capsys, arguments):
    ran = tinyloop(capsys, *arguments)
    assert (ran.code, ran.out) == (2, "")
    known = f"usage: tinyloop{' ask' if arguments[0] == 'ask' else ''} ["
    assert ran.err.startswith(known)


def test_without_words_it_says_what_it_can(capsys):
    ran = tinyloop(capsys)
    assert (ran.code, ran.err) == (0, "")
    assert "answer one question" in ran.out


def test_bytes_that_are_no_text_are_refused_from_arguments_and_from_a_pipe(small):
    for arguments, piped in ((b"caf\xe9", b""), (b"-", b"caf\xe9\n")):
        command = [os.fsencode(part) for part in COMMAND]
        ran = subprocess.run(
            [*command, b"ask", arguments, b"--model", os.fsencode(small)],
            input=piped, capture_output=True, cwd=ROOT, check=False,
        )  # fmt: skip
        assert ran.returncode == 1
        assert ran.stderr.decode().count("\n") == 1
        assert "UTF-8" in ran.stderr.decode()


def test_a_question_comes_from_a_pipe_and_an_answer_goes_to_one_in_utf8(small):
    ran = subprocess.run(
        [*COMMAND, "ask", "-", "--model", str(small)], input="Wie heißt du? 🙂".encode(),
        env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
        capture_output=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode("utf-8").endswith("\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT between processes")
def test_ctrl_c_stops_at_once_with_130_and_keeps_what_was_written():
    process = start("ask", "Tell me a story about a dog.", "--loops", "16")
    assert process.stdout is not None
    first = os.read(process.stdout.fileno(), 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert first
    assert process.returncode == 130
    assert err.decode() == "tinyloop: stopped.\n"
    assert out.endswith(b"\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT between processes")
def test_a_closed_pipe_ends_it_quietly():
    process = start("ask", "Tell me a story about a dog.")
    assert process.stdout is not None
    os.read(process.stdout.fileno(), 1)
    process.stdout.close()
    assert process.wait(timeout=20) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""


def test_a_loop_bar_has_one_square_a_loop_in_groups_of_eight():
    assert loop_bar(8, 13, 16) == "▪▪▪▪▪▪▪▪ ■■■■■□□□"
    assert loop_bar(0, 2, 2) == "■■"


def test_compiling_for_a_gpu_is_counted_on_a_terminal_only(capsys, monkeypatch):
    say_compiling(0, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for done in range(3):
        say_compiling(done, 2)
    lines = capsys.readouterr().err.split(CLEAR_LINE)
    assert lines == ["", *(f"Preparing the GPU, once for this model: {k} of 2" for k in (0, 1)), ""]
