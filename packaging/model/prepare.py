"""Makes a training folder from the data: tokenizer, token file, held-out conversations.

Run ``python packaging/model/prepare.py FOLDER``. It writes ``tokenizer.model`` (kept where there is
one), ``tokens.npy`` (uint16, documents one behind the other), ``index.npz`` and
``heldout_chat.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import random
import string
import tomllib
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import chat_mix
import numpy as np
import sentencepiece
import serial
from batches import PARTS, RECIPE, chat_ids
from chat_mix import SHARES
from pieces import BOS, EOS
from small_talk import conversation

DATA = Path("../shared/data")
HELD_OUT = 400  # conversations for the loss on unseen chat
PROCESSOR: list[sentencepiece.SentencePieceProcessor] = []  # one a worker process


def sentences(data: Path, recipe: dict[str, Any]) -> Iterator[str]:
    """Yield what the tokenizer learns from."""
    plan, rng = recipe["tokenizer"], random.Random(0)
    for _, turns in chat_mix.conversations(data):
        yield from turns
    texts = [text for _, text in chat_mix.texts(data)]
    rng.shuffle(texts)
    left = plan["text_characters"]
    for text in texts:
        yield text
        left -= len(text)
        if left < 0:
            break
    kinds = list(serial.KINDS.values())
    for _ in range(plan["questions"]):
        draw = rng.choice(kinds)(rng, rng.randint(1, 12), "train")
        yield f"{draw.question}\n{draw.reply}"
    for _ in range(plan["small_talk"]):
        yield from conversation(rng, "train")


def train_tokenizer(data: Path, recipe: dict[str, Any], path: Path) -> None:
    """Train a BPE tokenizer with digits apart, bytes as the last resort and chat marks."""
    lines = (line for text in sentences(data, recipe) for line in text.split("\n") if line)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines, model_prefix=str(path.with_suffix("")), model_type="bpe",
        vocab_size=recipe["model"]["vocab"], character_coverage=0.9995, byte_fallback=True,
        split_digits=True, remove_extra_whitespaces=False, normalization_rule_name="identity",
        control_symbols=["<|user|>", "<|assistant|>", "<|end|>"], user_defined_symbols=["\n"],
        required_chars=string.printable.strip(), max_sentence_length=20_000,
        minloglevel=2,
    )  # fmt: skip
    path.with_suffix(".vocab").unlink()


def start_worker(tokenizer: str) -> None:
    """Prepare a worker process for ``encode``."""
    PROCESSOR.append(sentencepiece.SentencePieceProcessor(model_file=tokenizer))


def encode(item: tuple[str, list[str] | str, int]) -> tuple[str, list[list[int]]]:
    """Return (set, documents) of a conversation or a text, none longer than the limit."""
    name, content, limit = item
    if isinstance(content, list):
        return name, _conversation([PROCESSOR[0].encode(turn) for turn in content], limit)
    ids = PROCESSOR[0].encode(content)
    pieces = [ids[at : at + limit - 1] for at in range(0, len(ids), limit - 1)]
    documents = [[BOS, *piece] for piece in pieces]
    if documents and len(documents[-1]) < limit:
        documents[-1].append(EOS)
    return name, documents


def _conversation(turns: list[list[int]], limit: int) -> list[list[int]]:
    """Return a conversation cut after the last answer that fits."""
    while turns and len(chat_ids(turns)) > limit:
        turns = turns[: (len(turns) - 1) // 2 * 2]
    return [chat_ids(turns)] if turns else []


def contents(data: Path, limit: int) -> Iterator[tuple[str, list[str] | str, int]]:
    """Yield every conversation that is not held out, and every text."""
    for name, turns in chat_mix.conversations(data):
        if not chat_mix.heldout(name, turns):
            yield name, turns, limit
    for name, text in chat_mix.texts(data):
        yield name, text, limit


def write_tokens(data: Path, folder: Path, recipe: dict[str, Any], workers: int) -> None:
    """Write the token file and its index: the sets' first documents, parts and shares."""
    documents: dict[str, list[np.ndarray]] = {}
    with get_context("spawn").Pool(
        workers, start_worker, (str(folder / "tokenizer.model"),)
    ) as pool:
        items = contents(data, recipe["model"]["positions"])
        for name, made in pool.imap(encode, items, chunksize=256):
            documents.setdefault(name, []).extend(np.array(ids, np.uint16) for ids in made)
    names = list(documents)
    for part in PARTS:
        tokens = sum(len(d) for n in names if SHARES[n].part == part for d in documents[n])
        print(f"{part}: {tokens / 1e6:.1f}M tokens")
    flat = [document for name in names for document in documents[name]]
    np.save(folder / "tokens.npy", np.concatenate(flat))
    np.savez(
        folder / "index.npz",
        starts=np.cumsum([0, *(len(document) for document in flat)]),
        first=np.cumsum([0, *(len(documents[name]) for name in names)]),
        part=[SHARES[name].part for name in names],
        share=[SHARES[name].share for name in names],
    )


def write_heldout(data: Path, path: Path) -> None:
    """Write some of the held-out conversations, the same every time."""
    held = [{"set": name, "turns": turns} for name, turns in chat_mix.conversations(data)
            if SHARES[name].part == "chat" and chat_mix.heldout(name, turns)]  # fmt: skip
    random.Random(0).shuffle(held)
    lines = [json.dumps(entry, ensure_ascii=False) for entry in held[:HELD_OUT]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Fill the training folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=DATA, help="default: %(default)s")
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--workers", type=int, default=8)
    arguments = parser.parse_args()
    recipe = tomllib.loads(arguments.recipe.read_text(encoding="utf-8"))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    tokenizer = arguments.folder / "tokenizer.model"
    if not tokenizer.exists():
        train_tokenizer(arguments.data, recipe, tokenizer)
    write_tokens(arguments.data, arguments.folder, recipe, arguments.workers)
    write_heldout(arguments.data, arguments.folder / "heldout_chat.jsonl")


if __name__ == "__main__":
    main()
