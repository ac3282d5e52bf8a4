"""Golden activations of the bundled file, by a forward that has no code of the engine.

`--write` makes tests/golden/NAME.npz: five prompts, states of the last 8 positions, logits
and greedy answers at 1, 8, 16 and 32 loops. `--check` computes the same for the prompts that are
in it and says how far they are apart. Needs PyTorch; K and V are rounded to FP16 as caches are.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from plain_forward import Plain
from safetensors import safe_open
from sentencepiece import SentencePieceProcessor

ROOT = Path(__file__).resolve().parents[2]
(BUNDLED,) = (ROOT / "resources/models").glob("*.tinyloop")  # there is exactly one
QUESTIONS = ROOT / "resources/questions.jsonl"
PROMPTS = ROOT / "packaging/model/prompts.jsonl"
OUT = ROOT / f"tests/golden/{BUNDLED.stem}.npz"
DEPTHS, LAST, MAX_ANSWER, LONG = (1, 8, 16, 32), 8, 24, 512
MOST_BYTES = 2_000_000
TOLERANCE = 1e-3  # an ulp before K or V is rounded to FP16 can move a state by 1e-4 after 32 loops

Activations = dict[str, np.ndarray]
Encode = Callable[[str], list[int]]


def chat_ids(turns: list[str], encode: Encode, marks: dict[str, list[int]]) -> list[int]:
    """Return the ids of a conversation that ends with the user, ready for the answer."""
    ids = list(marks["start"])
    for i, turn in enumerate(turns):
        user = i % 2 == 0
        ids += [*(marks["user"] if user else []), *encode(turn)]
        ids += marks["assistant"] if user else marks["end"]
    return ids


def choose_prompts(model: Plain) -> list[list[int]]:
    """Return the ids of a greeting, a conversation, two questions, and one after many others.

    The last prompt has over 512 ids.
    """
    with safe_open(BUNDLED, "np") as file:
        encode = SentencePieceProcessor(model_proto=file.get_tensor("tokenizer").tobytes()).encode
    talks = [json.loads(line)["turns"] for line in PROMPTS.read_text("utf-8").splitlines()]
    lines = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    lines.sort(key=lambda line: line["steps"])
    easy, middle, hard = ([lines[len(lines) * part // 8]["question"]] for part in (1, 4, 7))
    chosen, marks = [talks[0], max(talks, key=len), easy, middle], model.config["chat_template"]
    talk, told = hard, iter(lines)
    while len(ids := chat_ids(talk, encode, marks)) <= LONG:
        line = next(told)
        talk = [line["question"], line["answer"], *talk]
    return [*(chat_ids(turns, encode, marks) for turns in chosen), ids]


def greedy(model: Plain, ids: list[int], loops: int) -> list[int]:
    """Return ``ids`` and the answer, by computing everything again for every token."""
    ids = list(ids)
    for _ in range(MAX_ANSWER):
        state = model.states(torch.tensor([ids]), loops)[-1]
        ids.append(int(model.logits(state[0, -1]).argmax()))
        if ids[-1] in model.config["stop_ids"]:
            break
    return ids


def compute(model: Plain, prompts: list[list[int]]) -> Activations:
    """Return everything the golden file holds."""
    found: Activations = {}
    for k, ids in enumerate(prompts):
        found[f"ids{k}"] = np.array(ids, np.int32)
        states = model.states(torch.tensor([ids]), max(DEPTHS))
        for depth in DEPTHS:
            state = states[depth - 1][0]
            found[f"state{k}_L{depth}"] = state[-LAST:].cpu().numpy()
            found[f"logits{k}_L{depth}"] = model.logits(state[-1]).cpu().numpy()
            found[f"greedy{k}_L{depth}"] = np.array(greedy(model, ids, depth), np.int32)
        answers = [found[f"greedy{k}_L{d}"][len(ids) :].tolist() for d in DEPTHS]
        print(f"prompt {k}: {len(ids)} tokens, answers {answers}", flush=True)
    return found


def write(model: Plain) -> bool:
    """Write the golden file of the bundled model; False when it is too large to keep."""
    OUT.parent.mkdir(exist_ok=True)  # git leaves no folder where the last golden file was taken out
    np.savez_compressed(OUT, **compute(model, choose_prompts(model)))
    print(f"{OUT}: {OUT.stat().st_size / 1e6:.1f} MB")
    return OUT.stat().st_size <= MOST_BYTES


def check(model: Plain) -> bool:
    """Compare with the golden file that is there; say the largest relative error."""
    with np.load(OUT) as file:
        gold = dict(file)
    prompts = [gold[f"ids{k}"].tolist() for k in range(sum(n.startswith("ids") for n in gold))]
    found, errors, unequal = compute(model, prompts), {}, []
    for name, wanted in gold.items():
        if wanted.dtype == np.int32:
            unequal += [name] if not np.array_equal(found[name], wanted) else []
        else:
            errors[name] = np.linalg.norm(found[name] - wanted) / np.linalg.norm(wanted)
    worst = max(errors, key=lambda name: errors[name])
    print(f"worst error {errors[worst]:.1e} ({worst}), answers that differ: {unequal or 'none'}")
    return errors[worst] <= TOLERANCE and not unequal


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_const", dest="run", const=check)
    what.add_argument("--write", action="store_const", dest="run", const=write)
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: %(default)s)")
    arguments = parser.parse_args()
    return 0 if arguments.run(Plain(BUNDLED, device=arguments.device)) else 1


if __name__ == "__main__":
    sys.exit(main())
