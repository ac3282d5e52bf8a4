"""Writes the model's card, resources/models/NAME.md, from what the other stages have left.

Facts come from the model file, the tables from the figures of ``tinyloop eval`` in it, training
from ``log.jsonl``, the credits from ``sources.tsv``; only the sentences stand here.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from batches import read_recipe
from chat_mix import SHARES
from serial.words import FOLDER as WORDS

from engine.accuracy import Part, parts
from engine.resources import bundled_model
from engine.weights import ModelFile, open_model_file

SOURCES = Path("../shared/data/sources.tsv")
PARTS = {"chat": "Conversations and questions", "reasoning": "Reasoning",
         "text": "Books, articles and dictionaries"}  # fmt: skip
# What only its collectors understand, in words for everybody.
REWORDED = {
    "derived from B_african_storybook, B_pratham_books, B_bookdash, B_aesop":
        "made from `african_storybook`, `pratham_books`, `bookdash` and `aesop` below",
    "own generator (gen_synth.py)": "own generator",
    "CC0 / team-owned": "CC0 (our own)",
}  # fmt: skip

INTRODUCTION = """\
The model that ships with TinyLoop Chat: small enough for any computer, and better at questions of
many steps the more loops it runs, up to {2}. It answers at {0} loops; *Try harder* takes the same
question to {1}, *Really hard* to {2}.
"""
ABILITIES = """\
## What it can do

- **Questions of many small steps**: sums, variables that build on each other, things that come and
  go, turns, cups. Each step depends on the one before, and a loop follows one step or two: this is
  where depth pays. The table below counts {questions:,} of them, with names, and all or half of the
  phrasing, that were kept out of training; `tinyloop eval` asks them again.
  `resources/examples.json` holds 50 that are wrong at {first} loops and right deeper.
- **Small talk, simple questions and follow-ups** in plain English; it says what it is and what it
  cannot know (news, the time, the weather).
"""
LIMITS = """\
## What it cannot do

- Know facts reliably. It makes things up, fluently.
- Be helped by depth where there is nothing to follow step by step: what it says in ordinary chat
  is about the same at every effort.
- Remember more than {positions:,} tokens, tell a long story without rambling, write code, or speak
  other languages than English.
- Be relied on for advice of any kind. It is not filtered or aligned beyond its training text.
"""
MEASURED = (
    "Behind ± stands half of the 95 % interval. Measured with `tinyloop eval` on {device}; greedy."
)
WEAK = 0.6  # of a kind's questions, at the deepest
THANKS = """\
## Credits

Thank you to everyone who made and shared these. Sizes are those of the collection that training
drew from.
"""
METHOD = """\
What makes depth work: the first layers' output is injected before every loop, and the state is
normalised after it; the number of loops is drawn for every batch, and at least {within:.0%} of the
questions of a batch have no more steps than its loops are to manage, one each and up to {ahead}
ahead; for most of training a helper output, thrown away later, names the value so far after every
step. In the last {last:.0%} the layers compute with their INT4 rounding.
`packaging/model/README.md` says how to do it again, `recipe.toml` there has the figures.
"""


def rows(head: Iterable[str], body: Iterable[Iterable[str]], right: int) -> str:
    """Return a Markdown table whose columns from number ``right`` on are set right."""
    names = list(head)
    rule = ["---" if i < right else "---:" for i in range(len(names))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (names, rule, *body)) + "\n"


def facts(file: ModelFile) -> str:
    """Return what kind of model it is, and its file."""
    config = file.config
    bits = f"INT4 (groups of {config.quantization.group})" if config.quantization else "FP16"
    layers = f"{config.num_loop_layers} layer{'s' if config.num_loop_layers > 1 else ''}"
    kind = (f"looped transformer: {config.num_pre_layers} layers, then {layers} run as often as "
            f"asked ({config.trained_loops[0]} to {config.trained_loops[1]} loops in training), "
            "with sandwich norms")  # fmt: skip
    size = (f"{file.parameters / 1e6:.1f} million parameters; hidden size {config.hidden_size}, "
            f"{config.num_heads} heads of {config.head_dim}, MLP {config.intermediate_size}, "
            f"a vocabulary of {config.vocab_size:,} tokens")  # fmt: skip
    stored = f"layers in {bits}, embeddings FP16, norms FP32"
    body = [
        ("kind", kind),
        ("size", size),
        ("reads", f"English, at most {config.max_seq_len:,} tokens of prompt and answer together"),
        ("file", f"`{file.path.name}`, {file.header.file_size / 1e6:.1f} MB: {stored}"),
        ("licence", f"{file.license} (weights and file); the credits name what it learned from"),
    ]
    return rows(("", ""), body, 2)


def accuracy(document: dict[str, Any]) -> str:
    """Return the table of right answers by loops, kind and steps, and what is said below it."""
    found = parts(document)
    depths = found[0].shares
    body = [(title(part), str(part.questions), *(_share(part, depth) for depth in depths))
            for part in found]  # fmt: skip
    head = ("% right", "questions", *(f"{depth} loops" for depth in depths))
    lines = [rows(head, body, 1).rstrip(), MEASURED.format(device=document["device"])]
    deepest = max(depths)
    weak = [p.in_words for p in found if p.group == "kind" and p.shares[deepest] < WEAK]
    if weak:
        lines.append(f"Under {WEAK:.0%} right at {deepest} loops, so hardly learned: "
                     f"{'; '.join(weak)}.")  # fmt: skip
    gains = ", ".join(f"{_points(g)} from {n} loops" for n, g in _by_depth(document["gains"]))
    lines.append(f"Question by question, depth brings {gains}.")
    if "against" in document:
        lost = ", ".join(f"{_points(d)} at {n}" for n, d in _by_depth(document["against"]))
        lines.append(f"INT4 against the FP16 weights it was made from, by loops: {lost}.")
    if "chat" in document:
        lines.append(_chat(document["chat"]))
    return "\n\n".join(lines) + "\n"


def _by_depth(named: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return what is named by loops, from few to many: a file's JSON is sorted as text."""
    return sorted(named.items(), key=lambda item: int(item[0].split()[0]))


def title(part: Part) -> str:
    """Return what stands before a row of figures."""
    code = f" (`{part.name}`)" if part.group == "kind" else ""
    return "**all**" if part.group == "all" else part.in_words + code


def _share(part: Part, depth: int) -> str:
    low, high = part.intervals[depth]
    return f"{100 * part.shares[depth]:.1f} ±{50 * (high - low):.1f}"


def _points(paired: dict[str, Any]) -> str:
    low, high = (100 * end for end in paired["interval"])
    return f"{100 * paired['mean']:+.1f} points ({low:+.1f} to {high:+.1f})"


def _chat(chat: dict[str, Any]) -> str:
    found = _by_depth(chat["loss"])
    losses = ", ".join(f"{loss:.3f} at {depth} loops" for depth, loss in found)
    return (f"The loss on {chat['conversations']} held-out conversations is {losses} (nats a "
            "token).")  # fmt: skip


def parts_of(log: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the parts of a training: what each was of, "" if the log does not say, its entries."""
    found: list[tuple[str, list[dict[str, Any]]]] = [("", [])]
    for entry in log:
        if "part" in entry:
            found.append((entry["part"], []))
        elif "update" in entry:
            found[-1][1].append(entry)
    return [(name, entries) for name, entries in found if entries]


def losses(found: list[tuple[str, list[dict[str, Any]]]]) -> str:
    """Return the table of losses: of each part some entries and its last."""
    count = max(2, 7 // len(found))
    chosen = [entries[len(entries) * (i + 1) // count - 1]
              for _, entries in found for i in range(count) if len(entries) >= count]  # fmt: skip
    names = ("text", "reply", "values")  # a loss of 0 is not trained
    body = [[f"{entry['update']:,}", *(f"{entry[n]:.3f}" if entry[n] else "–" for n in names)]
            for entry in chosen]  # fmt: skip
    return rows(("update", "text", "answers to questions", "running values"), body, 0)


def training(log: list[dict[str, Any]], recipe: dict[str, Any], gpus: tuple[int, str]) -> str:
    """Return how long training took, its parts and how its losses fell."""
    found = parts_of(log)
    updates = [entry for _, entries in found for entry in entries]
    ends = [a for a, b in zip(updates, [*updates[1:], None], strict=True)
            if b is None or b["seconds"] < a["seconds"]]  # fmt: skip
    seconds = sum(end["seconds"] for end in ends)
    batch, (count, name) = recipe["batch"], gpus
    tokens = updates[-1]["update"] * batch["tokens"] * count
    shares = [share for _, share in batch["serial"]]
    told = "".join(f"- to update {entries[-1]['update']:,}: {part}\n" for part, entries in found)
    return (
        f"{updates[-1]['update']:,} updates, {tokens / 1e6:,.0f} million tokens in "
        f"{seconds / 60:.0f} minutes on {count} {name}.\nGenerated questions of many steps are "
        f"{shares[0]:.0%} of a batch of few loops and {shares[-1]:.0%} of a deep one;\nthe rest is "
        f"small talk and the text below.\n\n{METHOD}\n"
        + (f"It came in parts, of which this tells the last:\n\n{told}\n" if found[0][0] else "")
        + "The losses (nats a token; – where the helper output is not trained; each part had its\n"
        "own mix, so they compare within a part only):\n\n"
    ).format(within=batch["within_loops"], ahead=batch["ahead"],
             last=1 - recipe["int4"]["from"]) + losses(found)  # fmt: skip


def credits_(sources: Path) -> str:
    """Return the tables of the sets that were trained on, with source and licence."""
    with sources.open(encoding="utf-8", newline="") as file:
        sets = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    text = []
    for part, title in PARTS.items():
        body = [
            (f"`{s['set']}`", f"{int(s['items']):,}", f"{int(s['bytes']) / 1e6:.1f} MB",
             REWORDED.get(s["source"], s["source"]),
             REWORDED.get(s["licence as stated"], s["licence as stated"]))
            for s in sets if s["file"] == part and SHARES[s["set"]].share > 0
        ]  # fmt: skip
        head = ("set", "items", "size", "source", "licence as stated")
        text.append(f"### {title}\n\n{rows(head, body, 5)}")
    return "\n".join(text)


def word_lists() -> str:
    """Return where the names and nouns of the generated questions come from."""
    lines = []
    for path in sorted(WORDS.glob("*.txt")):
        head = [line for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
        lines.append(f"- `{path.name}`: {' '.join(line[1:].strip() for line in head)}")
    return "\n".join(lines) + "\n"


def card(file: ModelFile, log: list[dict[str, Any]], sources: Path, gpus: tuple[int, str],
         recipe: dict[str, Any]) -> str:  # fmt: skip
    """Return the whole card; ValueError when the file carries no figures or the log no updates."""
    document, efforts = file.loops_eval, file.config.efforts
    if document is None or not {"by_kind", "by_steps", "gains", "device"} <= document.keys():
        raise ValueError(f"{file.path} carries no figures of `tinyloop eval --json`; "
                         "give them to quantise.py with --loops-eval.")  # fmt: skip
    if not any("update" in entry for entry in log):
        raise ValueError("The training log holds no updates; is it the log.jsonl of train.py?")
    parts = [
        f"# {file.name}\n",
        INTRODUCTION.format(*efforts),
        facts(file),
        ABILITIES.format(questions=document["questions"], first=efforts[0]),
        accuracy(document),
        LIMITS.format(positions=file.config.max_seq_len),
        f"## How it was trained\n\n{training(log, recipe, gpus)}",
        THANKS,
        credits_(sources),
        f"### Words in generated questions\n\n{word_lists()}",
    ]
    return "\n".join(parts)


def main() -> None:
    """Write the card."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", type=Path, help="log.jsonl of train.py")
    parser.add_argument("--model", type=Path, default=bundled_model())
    parser.add_argument("--recipe", type=Path, help="that trained it; default: the one here")
    parser.add_argument("--sources", type=Path, default=SOURCES, help="default: %(default)s")
    parser.add_argument("--gpu", default="NVIDIA H200", help="default: %(default)s")
    parser.add_argument("--gpus", type=int, default=1, help="that trained side by side; default 1")
    arguments = parser.parse_args()
    lines = arguments.log.read_text(encoding="utf-8").splitlines()
    file = open_model_file(arguments.model)
    log, gpus = [json.loads(line) for line in lines], (arguments.gpus, arguments.gpu)
    text = card(file, log, arguments.sources, gpus, read_recipe(arguments.recipe))
    arguments.model.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
