"""Adverbs in training's questions: they change nothing but where the marks stand."""

from __future__ import annotations

import random
import re

import pytest
import serial
from serial.adverbs import ADVERBS, with_adverbs


@pytest.mark.parametrize("kind", sorted(serial.KINDS))
def test_without_its_adverbs_a_question_is_what_it_was(kind):
    rng, put = random.Random(kind), 0
    for steps in (1, 5, 20) * 4:
        draw = serial.KINDS[kind](rng, steps, "train")
        told = with_adverbs(rng, draw)
        assert told.reply == draw.reply
        left = draw.question.split(" ")
        for word in told.question.split(" "):
            if left and word == left[0]:
                left.pop(0)
            else:
                assert word in ADVERBS or word.endswith("ly")
                put += 1
        assert not left
        for mark, before in zip(told.marks, draw.marks, strict=True):
            assert mark[1:] == before[1:]
            assert told.question[: mark.end].split()[-1] == draw.question[: before.end].split()[-1]
    assert put or kind not in ("story", "prices", "passing", "pointers", "comparisons")


def test_no_adverb_is_a_word_of_a_held_out_question():
    rng = random.Random(8)
    kinds = [kind for kind in serial.KINDS.values() for _ in range(150)]
    texts = [kind(rng, steps, "heldout").question for kind in kinds for steps in (2, 12)]
    assert not set(ADVERBS) & set(re.findall(r"[a-z]+", " ".join(texts).lower()))
