"""`tinyloop chat`: turns, deeper answers in place, and errors that cost one line only."""

from __future__ import annotations

import io
import re
import signal
import sys
from pathlib import Path

import pytest
from cli_tools import Ran, hard_question, small_model, start, tinyloop
from invariants import model_of

from engine import Model
from engine.cli.common import MAX_TOKENS

FIGURES = re.compile(r"^\((\d+) loops?(?:, (\d+) of them kept)?; first word after", re.MULTILINE)


class Talk:
    """Sends lines to a chat and returns what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, lines: str, *options: str | Path) -> Ran:
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return tinyloop(self._capsys, "chat", *options)


@pytest.fixture
def talk(capsys, monkeypatch):
    return Talk(capsys, monkeypatch)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_model(tmp_path_factory.mktemp("chat"))


def test_an_answer_goes_deeper_in_place_and_no_further_than_the_model(talk):
    hard = hard_question()
    first, second, third = hard.said
    ran = talk(f"{hard.question}\n/harder\n/really\n/harder\n")
    assert ran.code == 0
    assert FIGURES.findall(ran.out) == [
        (str(first), ""), (str(second), str(first)), (str(third), str(second)),
    ]  # fmt: skip
    assert re.findall(r"^(.+)\n\(\d+ loops", ran.out, re.MULTILINE) == list(hard.said.values())
    assert f"changed from the one at {first} loops" in ran.out
    same = hard.said[second] == hard.said[third]
    assert f"{'same answer as' if same else 'changed from the one'} at {second} loops" in ran.out
    assert f"{third} loops is the deepest" in ran.out


def test_really_jumps_to_the_last_effort_of_the_file(talk, small):
    ran = talk("What is 7 ?\n/really\n", "--model", small)
    assert FIGURES.findall(ran.out) == [("2", ""), ("4", "2")]


def test_the_next_turn_reads_only_what_is_new(talk, small, monkeypatch):
    prefilled = []
    real = Model.build_resume_handle

    def build(self, prompt, *rest, **more):
        handle = real(self, prompt, *rest, **more)
        prefilled.append((len(prompt), self.last_run.prefilled))
        return handle

    monkeypatch.setattr(Model, "build_resume_handle", build)
    talk("What is 7 ?\n/harder\nWhat is 5 ?\n/loops 3\nWhat is 3 ?\n", "--model", small,
         "--max-tokens", "10")  # fmt: skip
    (first, read_first), (second, read_second), (third, read_third) = prefilled
    assert read_first == first < second < third
    assert read_second < second - first + 2  # the deeper answer and the question
    assert read_third < third - second + 2


def test_a_second_turn_equals_the_same_prompt_from_nothing(talk):
    questions = ("Hello! How are you?", "What is the capital of France?")
    ran = talk("\n".join(questions))
    model, turns, texts = model_of("real"), [], []
    first = model.config.efforts[0]
    for question in questions:
        turns.append(("user", question))
        prompt = model.tokenizer.encode_chat(turns)
        answer = model.generate(prompt, first, max_tokens=MAX_TOKENS)[len(prompt) :]
        turns.append(("assistant", answer))
        texts.append(model.tokenizer.decode(answer))
    _, *said = re.split(r"^\(\d+ loops.*\n|\A.*\n", ran.out, flags=re.MULTILINE)
    assert [text.removesuffix("\n") for text in said if text] == texts


def test_an_error_costs_one_line_and_the_chat_goes_on(talk, small):
    lines = f"{'a' * 4000}\n/sing\n/loops\n/loops 17\n/harder\nWhat is 7 ?\n/quit\nnever\n"
    ran = talk(lines, "--model", small)
    assert ran.code == 0
    for sentence in (
        "shorten the question.",
        "There is no /sing; /help lists what there is.",
        "/loops takes a number from 1 to 16, found ''.",
        "/loops takes a number from 1 to 16, found '17'.",
        "There is no answer yet; ask something first.",
    ):
        assert sentence in ran.out
    assert len(FIGURES.findall(ran.out)) == 1


def test_new_forgets_and_help_lists_every_command(talk, small):
    ran = talk("What is 7 ?\n/new\n/harder\n/help\n", "--model", small)
    assert "There is no answer yet" in ran.out
    for command in ("/harder", "/really", "/loops N", "/new", "/help", "/quit"):
        assert f"\n{command} " in ran.out


def test_the_oldest_turns_are_left_out_when_room_gets_short(talk, small):
    ran = talk("a b c d e f g h i j\n" * 12, "--model", small, "--max-tokens", "60")
    assert ran.code == 0
    assert len(FIGURES.findall(ran.out)) == 12
    assert "(the model no longer sees the oldest turns)" in ran.out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT between processes")
def test_ctrl_c_stops_an_answer_but_not_the_chat():
    process = start("chat", "--loops", "16")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"Tell me a story about a dog.\n")
    process.stdin.flush()
    assert b"/help" in process.stdout.readline()
    assert process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(b"/loops 8\n/quit\n", timeout=30)
    assert process.returncode == 0, err.decode()
    assert b"stopped)" in out
    assert b"Answers at 8 loops" in out
