"""Golden activations: `--check` the plain forward by the trainer's, `--write` those of the product.

`--check` compares with the golden.npz that was made when the weights were trained; `--write` makes
tests/golden/tinyloop-27m.npz from the bundled INT4 file, K and V rounded to FP16 as caches are.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from plain_forward import Plain
from safetensors import safe_open
from sentencepiece import SentencePieceProcessor

SOURCE = Path("../shared/models/tinyloop-27m-v0")
BUNDLED = Path("resources/models/tinyloop-27m.tinyloop")
OUT = Path("tests/golden/tinyloop-27m.npz")
DEPTHS, LAST, MAX_ANSWER = (1, 8, 16, 32), 8, 24
LONG = (0, 13, 24)  # of examples.json: 193+ tokens, three different answers at 8, 16 and 32


def greedy(model: Plain, ids: list[int], loops: int) -> list[int]:
    """Return ``ids`` and the answer, by computing everything again for every token."""
    ids = [int(i) for i in ids]
    for _ in range(MAX_ANSWER):
        ids.append(int(model.logits(model.states(ids, loops)[-1]).argmax()))
        if ids[-1] in model.config["stop_ids"]:
            break
    return ids


def check(source: Path) -> bool:
    """Compare the FP16 weights' states and answers with the source's golden.npz."""
    config = (source / "config.json").read_text()
    model = Plain(source / "model.safetensors", config, kv=np.float32)
    gold, errors, equal = np.load(source / "golden.npz"), [], []
    for k in range(5):
        states = model.states(gold[f"ids{k}"], max(DEPTHS))
        for depth in DEPTHS:
            wanted = gold[f"state{k}_L{depth}"]
            errors.append(np.linalg.norm(states[depth - 1] - wanted) / np.linalg.norm(wanted))
        for depth in DEPTHS[1:]:
            answer = greedy(model, gold[f"ids{k}"], depth)
            equal.append(answer == gold[f"greedy{k}_L{depth}"].tolist())
    print(f"worst state error {max(errors):.1e}, {sum(equal)} of {len(equal)} answers equal")
    return max(errors) < 1e-5 and all(equal)


def write(source: Path) -> bool:
    """Write the golden file of the bundled model: the five prompts, then three long questions."""
    model, gold, found = Plain(BUNDLED), np.load(source / "golden.npz"), {}
    with safe_open(BUNDLED, "np") as file:
        encode = SentencePieceProcessor(model_proto=file.get_tensor("tokenizer").tobytes()).encode
    examples = json.loads((source / "examples.json").read_text())
    t = model.config["chat_template"]
    prompts = [gold[f"ids{k}"].tolist() for k in range(5)]
    for i in LONG:
        text = encode(examples[i]["question"])
        prompts.append([*t["start"], *t["user"], *text, *t["assistant"]])
    for k, ids in enumerate(prompts):
        found[f"ids{k}"] = np.array(ids, np.int32)
        for depth, state in enumerate(model.states(ids, max(DEPTHS)), start=1):
            if depth in DEPTHS:
                found[f"state{k}_L{depth}"] = state[-LAST:]
                found[f"logits{k}_L{depth}"] = model.logits(state)
                found[f"greedy{k}_L{depth}"] = np.array(greedy(model, ids, depth), np.int32)
        answers = [found[f"greedy{k}_L{d}"][len(ids) :].tolist() for d in DEPTHS]
        print(f"prompt {k}: {len(ids)} tokens, answers {answers}")
    np.savez_compressed(OUT, **found)
    return OUT.stat().st_size <= 3e6


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, nargs="?", default=SOURCE, help="default: %(default)s")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_const", dest="run", const=check)
    what.add_argument("--write", action="store_const", dest="run", const=write)
    arguments = parser.parse_args()
    sys.exit(0 if arguments.run(arguments.source) else 1)
