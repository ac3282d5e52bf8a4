"""The model's card: what it repeats from the model file, the log and the list of sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import card
import pytest
from batches import read_recipe
from chat_mix import SHARES
from tiny_models import tiny_config, tiny_tensors, tiny_tokenizer

from engine.accuracy import accuracy
from engine.evaluate import Outcome, Question
from engine.weights import ModelFile, ModelInfo, open_model_file
from engine.weights_writer import write_model_file

RECIPE = read_recipe()
LOG: list[dict[str, Any]] = [
    {"update": 100 * i, "seconds": 10.0 * ((i - 1) % 5 + 1), "tokens_per_second": 1000, "text": 2.5,
     "reply": 1.25, "values": 0.5, "norm": 1.0}
    for i in range(1, 11)
]  # fmt: skip


def model_file(folder: Path, table: dict[str, Any] | None) -> ModelFile:
    path, config = folder / "m.tinyloop", tiny_config()
    info = ModelInfo(name="m", license="Apache-2.0", source="s", loops_eval=table)
    write_model_file(path, config, info, tiny_tensors(config), tiny_tokenizer())
    return open_model_file(path)


@pytest.fixture
def figures() -> dict[str, Any]:
    question = Question("chain", 2, "?", "7")
    outcomes = [Outcome(question, {2: said, 4: "7"}) for said in "78"]
    return {"device": "cuda (some GPU)", **accuracy(outcomes, [2, 4])}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    lines = ["set\tfile\titems\tbytes\tsource\tlicence as stated"]
    lines += [f"{name}\t{share.part}\t1234\t2000000\tfrom {name}\tCC0" for name, share in
              SHARES.items()]  # fmt: skip
    path = tmp_path / "sources.tsv"
    path.write_text("\n".join(lines))
    return path


def test_facts_figures_and_training_stand_in_it(tmp_path, figures, sources):
    file = model_file(tmp_path, figures)
    text = card.card(file, LOG, sources, (2, "test GPU"), RECIPE)
    assert text.startswith("# m\n")
    assert "2 layers, then 1 layer run as often as asked (1 to 8 loops in training)" in text
    assert "| **all** | 2 | 50.0 ±" in text
    assert "from 2 to 4 loops" in text
    assert "on cuda (some GPU)" in text
    assert "1,000 updates, 66 million tokens in 2 minutes on 2 test GPU" in text
    assert "| 1,000 | 2.500 | 1.250 | 0.500 |" in text
    count = sum(t.size for n, t in tiny_tensors(file.config).items())
    assert file.parameters == count


def test_the_parts_of_a_training_are_told_and_the_last_losses_of_each_shown(
    tmp_path, figures, sources
):
    log = [{"part": "books"}, *LOG[:6], {"part": "chat"}, *LOG[6:], {"test": "train"}]
    text = card.card(model_file(tmp_path, figures), log, sources, (2, "test GPU"), RECIPE)
    assert "- to update 600: books\n- to update 1,000: chat\n" in text
    shown = [int(line.split()[1].replace(",", "")) for line in text.splitlines()
             if line.endswith("| 2.500 | 1.250 | 0.500 |")]  # fmt: skip
    assert {600, 1000} <= set(shown)
    assert shown == sorted(set(shown))
    plain = card.card(model_file(tmp_path, figures), LOG, sources, (2, "test GPU"), RECIPE)
    assert "It came in parts" not in plain


def test_what_was_hardly_learned_is_named(tmp_path, figures, sources):
    text = card.card(model_file(tmp_path, figures), LOG, sources, (2, "test GPU"), RECIPE)
    assert "hardly learned" not in text  # all are right at the deepest
    outcomes = [Outcome(Question(kind, 2, "?", "7"), {2: "7", 4: said})
                for kind, said in (("chain", "8"), ("cups", "7"))]  # fmt: skip
    weak = {"device": "cpu", **accuracy(outcomes, [2, 4])}
    text = card.card(model_file(tmp_path, weak), LOG, sources, (2, "test GPU"), RECIPE)
    assert "Under 60% right at 4 loops, so hardly learned: sums." in text


def test_every_set_that_was_trained_on_is_credited_and_no_other(tmp_path, figures, sources):
    text = card.card(model_file(tmp_path, figures), LOG, sources, (2, "test GPU"), RECIPE)
    for name, share in SHARES.items():
        row = f"| `{name}` | 1,234 | 2.0 MB | from {name} | CC0 |"
        assert (row in text) is (share.share > 0)
    assert "`names.txt`: First names" in text


def test_missing_figures_and_another_log_are_refused(tmp_path, figures, sources):
    with pytest.raises(ValueError, match="carries no figures"):
        card.card(model_file(tmp_path, None), LOG, sources, (1, "g"), RECIPE)
    with pytest.raises(ValueError, match="carries no figures"):
        card.card(model_file(tmp_path, {"accuracy": {"8": 1}}), LOG, sources, (1, "g"), RECIPE)
    with pytest.raises(ValueError, match="holds no updates"):
        card.card(model_file(tmp_path, figures), [{"test": "train"}], sources, (1, "g"), RECIPE)
