"""Trains the bundled model on one GPU or several, in runs that go on from one another.

Run ``python packaging/model/train.py FOLDER`` (or ``torchrun --nproc-per-node 2 …``) on a folder
that ``prepare.py`` filled. Every run leaves there ``checkpoint.pt`` and ``log.jsonl``, the last one
also what ``quantise.py`` reads: ``model.safetensors``, ``config.json``, ``calibration.npz``. A run
that is cut short leaves the checkpoint of its last full thousand of updates.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import time
from collections.abc import Iterator
from dataclasses import fields
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from batches import (
    Batch,
    Order,
    draw,
    read_recipe,
    start_worker,
    stream,
)
from looped import Looped, Packed, Shape, product_tensors
from optimiser import Optimiser
from pieces import ASSISTANT, BOS, END, EOS, USER
from safetensors.torch import save_file
from torch import Tensor

DEPTHS = (4, 8, 16, 32)  # the trained model is tested at
SAVED_EVERY = 1000  # updates: 73 seconds on two H200


class Schedule:
    """What a recipe asks for at each update."""

    def __init__(self, recipe: dict[str, Any], ranks: int) -> None:
        self.recipe, self.ranks = recipe, ranks
        self.updates = int(recipe["optimiser"]["updates"])

    def progress(self, update: int) -> float:
        """Return how much of training lies behind, 0 … 1."""
        return update / self.updates

    def loops(self, update: int) -> int:
        """Draw the loops of an update, the same on every GPU; half of them are one less: odd."""
        plan = self.recipe["depth"]
        deepest = 4 + (plan["loops"][-1] - 4) * self._grown(update)
        allowed = [(n, p) for n, p in zip(plan["loops"], plan["chances"], strict=True)
                   if n <= deepest]  # fmt: skip
        rng = random.Random(f"loops {update}")
        even = rng.choices([n for n, _ in allowed], [p for _, p in allowed])[0]
        return int(even) - rng.randrange(2)

    def order(self, update: int, rank: int) -> Order:
        """Return what the batch of an update is to be."""
        steps = 4 + (self.recipe["depth"]["most_steps"] - 4) * self._grown(update)
        return Order(f"{update} {rank}", self.loops(update), round(steps),
                     self.progress(update) >= 0.5)  # fmt: skip

    def value_weight(self, update: int) -> float:
        """Return the weight of running values."""
        first, last = self.recipe["loss"]["values_end"]
        left = (last - self.progress(update)) / (last - first)
        return float(self.recipe["loss"]["values"] * min(1.0, max(0.0, left)))

    def group(self, update: int) -> int:
        """Return the group of INT4 rounding in the layers, 0 before it begins."""
        plan = self.recipe["int4"]
        return int(plan["group"]) if self.progress(update) >= plan["from"] else 0

    def mean(self, seconds: dict[int, float]) -> float:
        """Return the mean time of an update over the whole of training, of each depth's time."""
        drawn = [self.loops(u) for u in range(self.updates)]
        return sum(seconds[n + n % 2] for n in drawn) / self.updates  # odd ones were not timed

    def _grown(self, update: int) -> float:
        done = min(1.0, self.progress(update) / self.recipe["depth"]["ramp"])
        return 1 - math.sqrt(1 - done)


def to_device(batch: Batch, device: torch.device) -> dict[str, Tensor]:
    """Return the arrays of ``batch`` as tensors on ``device``."""
    arrays = {f.name: torch.from_numpy(getattr(batch, f.name)) for f in fields(batch)}
    if device.type == "cuda":
        arrays = {name: array.pin_memory() for name, array in arrays.items()}
    return {name: array.to(device, non_blocking=True) for name, array in arrays.items()}


def losses(logits: Tensor, targets: Tensor, text: Tensor, reply: Tensor) -> Tensor:
    """Return (text, reply): mean cross-entropy over the tokens that have a weight of each."""
    loss = F.cross_entropy(logits.float(), targets, reduction="none")
    return torch.stack([(loss * w).sum() / w.sum().clamp_min(1) for w in (text, reply)])


class Trainer:
    """One process's share of training: a model, its optimiser and where they are."""

    def __init__(self, recipe: dict[str, Any], folder: Path, device: torch.device) -> None:
        self.recipe, self.folder, self.device = recipe, folder, device
        torch.manual_seed(0)
        self.model = Looped(Shape(**recipe["model"])).to(device)
        self.optimiser = Optimiser(self.model, recipe["optimiser"])
        self.losses = losses
        if device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            self.model.compile_layers()
            self.losses = torch.compile(losses, dynamic=False)
        self.update = 0

    def train(self, batch: dict[str, Tensor], schedule: Schedule, loops: int) -> Tensor:
        """Make one update; returns (text, reply, values) losses and the gradient's norm."""
        plan, model = self.recipe["loss"], self.model
        packed = Packed(batch["tokens"], batch["starts"], batch["positions"])
        state = model.states(packed, loops, self.recipe["depth"]["through"],
                             schedule.group(self.update))  # fmt: skip
        text, reply = self.losses(model.logits(state), batch["targets"], batch["text"],
                                  batch["reply"])  # fmt: skip
        loss = text + plan["serial"] * reply
        values = torch.zeros((), device=self.device)
        if weight := schedule.value_weight(self.update):
            named = model.values(state[batch["mark_at"]])
            values = F.cross_entropy(named.float(), batch["mark_class"], ignore_index=-1)
            loss = loss + weight * values
        loss.backward()
        norm = self.optimiser.update(self.optimiser.factor(schedule.progress(self.update)))
        self.update += 1
        return torch.stack((text.detach(), reply.detach(), values.detach(), norm))

    @torch.no_grad()
    def test(self, batches: list[dict[str, Tensor]], group: int) -> dict[str, dict[str, float]]:
        """Return by loops the loss on text and the share of replies right word for word.

        Only small talk and questions are of the batches' split; other text is that of training.
        """
        results = {}
        for loops in DEPTHS:
            sums = np.zeros(4)
            for batch in batches:
                packed = Packed(batch["tokens"], batch["starts"], batch["positions"])
                logits = self.model.logits(self.model.states(packed, loops, 0, group)).float()
                loss = F.cross_entropy(logits, batch["targets"], reduction="none")
                wrong = (logits.argmax(-1) != batch["targets"]) & (batch["reply"] > 0)
                # A reply is one run of weighted tokens; it is right when none of it is wrong.
                begins = (batch["reply"] > 0) & (batch["reply"].roll(1) == 0)
                run = begins.cumsum(0)
                bad = torch.unique(run[wrong])
                sums += [float((loss * batch["text"]).sum()), float(batch["text"].sum()),
                         len(bad), float(begins.sum())]  # fmt: skip
            results[str(loops)] = {"text": sums[0] / sums[1], "right": 1 - sums[2] / sums[3]}
        return results

    def save(self) -> None:
        """Write the checkpoint; a broken write leaves the one before."""
        new = self.folder / "checkpoint.new"
        torch.save({"update": self.update, "model": self.model.state_dict(),
                    "optimiser": self.optimiser.state_dict()}, new)  # fmt: skip
        new.replace(self.folder / "checkpoint.pt")

    def load(self) -> None:
        """Go on from the checkpoint where there is one."""
        path = self.folder / "checkpoint.pt"
        if path.exists():
            saved = torch.load(path, map_location=self.device, weights_only=True)
            self.model.load_state_dict(saved["model"])
            if "optimiser" in saved:  # carry.py leaves it out
                self.optimiser.load_state_dict(saved["optimiser"])
            self.update = saved["update"]


def product_config(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return config.json of the trained model."""
    model = recipe["model"]
    return {
        "vocab_size": model["vocab"], "hidden_size": model["hidden"], "num_heads": model["heads"],
        "num_kv_heads": model["heads"], "head_dim": model["hidden"] // model["heads"],
        "intermediate_size": model["inner"], "num_pre_layers": model["pre_layers"],
        "num_loop_layers": 1, "num_post_layers": 0, "max_seq_len": model["positions"],
        "rope_base": 10000.0, "rope_scaling": None, "norm_eps": 1e-5, "norm_style": "sandwich",
        "qk_norm": "per_head", "mlp": "swiglu", "injection": "diagonal", "entry_norm": True,
        "initial_state": "input", "loop_exit_norm": True,
        "embed_scale": math.sqrt(model["hidden"]), "tied_head": True,
        "trained_loops": [recipe["depth"]["loops"][0] - 1, recipe["depth"]["loops"][-1]],
        "max_loops": 64, "bos_id": BOS, "stop_ids": [EOS, END],
        "chat_template": {"start": [BOS], "user": [USER], "assistant": [ASSISTANT], "end": [END]},
        "efforts": [8, 16, 32],
    }  # fmt: skip


def export(trainer: Trainer, batch: Batch) -> None:
    """Write the model's folder beside the tokenizer; ``batch`` is kept for calibration."""
    folder = trainer.folder
    save_file(product_tensors(trainer.model), folder / "model.safetensors")
    config = json.dumps(product_config(trainer.recipe), indent=2)
    (folder / "config.json").write_text(config + "\n", encoding="utf-8")
    np.savez_compressed(folder / "calibration.npz", tokens=batch.tokens.astype(np.uint16),
                        starts=batch.starts)  # fmt: skip


def run(trainer: Trainer, schedule: Schedule, batches: Iterator[Batch], until: float) -> None:
    """Train until the last update or the time ``until``; SystemExit when the losses are lost."""
    log, began, first = [], time.monotonic(), trainer.update
    for batch in batches:
        loops = schedule.loops(trainer.update)
        log.append(trainer.train(to_device(batch, trainer.device), schedule, loops))
        last = trainer.update == schedule.updates
        if trainer.update % 100 == 0 or last:
            means = torch.stack(log).mean(0).tolist()
            if not math.isfinite(sum(means)):
                raise SystemExit(f"The losses are no numbers any more by update {trainer.update}; "
                                 "the checkpoint is from before.")  # fmt: skip
            seconds = time.monotonic() - began
            speed = (trainer.update - first) * schedule.ranks * len(batch.tokens) / seconds
            entry = {"update": trainer.update, "seconds": round(seconds, 1),
                     "tokens_per_second": round(speed), "text": means[0], "reply": means[1],
                     "values": means[2], "norm": means[3]}  # fmt: skip
            report(trainer, schedule, entry)
            log = []
        if trainer.update % SAVED_EVERY == 0 and on_first_gpu():
            trainer.save()
        if last or (trainer.update % 20 == 0 and stop_now(until, trainer.device)):
            return


def on_first_gpu() -> bool:
    """Return whether this process is the one that prints and writes."""
    return not dist.is_initialized() or dist.get_rank() == 0


def stop_now(until: float, device: torch.device) -> bool:
    """Return whether the time is over, the same on every GPU: they must stop together."""
    over = torch.tensor(float(time.monotonic() > until), device=device)
    if dist.is_initialized():
        dist.broadcast(over, 0)
    return bool(over)


def report(trainer: Trainer, schedule: Schedule, entry: dict[str, Any]) -> None:
    """Append ``entry`` to the log and print it, on the first GPU."""
    if not on_first_gpu():
        return
    with (trainer.folder / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in entry.items()}),
          flush=True)  # fmt: skip


def main() -> None:
    """Train, in as many runs as it takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--over", type=Path, help="a file whose figures replace the recipe's")
    parser.add_argument("--minutes", type=float, default=9.0, help="of this run; default 9")
    parser.add_argument(
        "--updates",
        type=int,
        help="of the whole training, the same in every run; default: the recipe's",
    )
    parser.add_argument("--workers", type=int, default=12, help="processes that draw batches")
    parser.add_argument("--measure", action="store_true", help="time updates, train nothing")
    arguments = parser.parse_args()
    until = time.monotonic() + 60 * arguments.minutes
    for name in ("tokenizer.model", "tokens.npy", "index.npz"):
        if not (arguments.folder / name).exists():  # a pool starts failing workers for ever
            raise SystemExit(f"{arguments.folder} holds no {name}; run prepare.py on it first.")
    recipe = read_recipe(arguments.over)
    if arguments.updates:
        recipe["optimiser"]["updates"] = arguments.updates
    rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    schedule = Schedule(recipe, ranks)
    # Worker processes come first: a process that uses a GPU must not be forked.
    with get_context("spawn").Pool(arguments.workers, start_worker,
                                   (recipe, arguments.folder)) as pool:  # fmt: skip
        device = torch.device(f"cuda:{rank}" if torch.cuda.is_available() else "cpu")
        if ranks > 1:
            torch.cuda.set_device(device)
            dist.init_process_group("nccl", device_id=device)
        trainer = Trainer(recipe, arguments.folder, device)
        if arguments.measure:
            measure(trainer, schedule, pool.apply(draw, (schedule.order(schedule.updates, rank),)))
            return
        trainer.load()
        orders = (schedule.order(u, rank) for u in range(trainer.update, schedule.updates))
        run(trainer, schedule, stream(pool, orders, 3 * arguments.workers), until)
        if rank == 0:
            trainer.save()
            if trainer.update == schedule.updates:
                finish(trainer, schedule, pool)
    if ranks > 1:
        dist.destroy_process_group()


def measure(trainer: Trainer, schedule: Schedule, batch: Batch) -> None:
    """Print how long an update takes at each depth, and in the mean over training."""
    arrays, seconds = to_device(batch, trainer.device), {}
    for loops in schedule.recipe["depth"]["loops"]:
        for i in range(6):
            if i == 2:  # the first compile and warm up
                torch.cuda.synchronize()
                began = time.monotonic()
            trainer.train(arrays, schedule, loops)
        torch.cuda.synchronize()
        seconds[loops] = (time.monotonic() - began) / 4
    if on_first_gpu():
        table = {loops: round(1000 * s, 1) for loops, s in seconds.items()}
        print(json.dumps({"milliseconds": table, "mean": 1000 * schedule.mean(seconds)}))


def finish(trainer: Trainer, schedule: Schedule, pool: Any) -> None:
    """Test the model on drawn conversations of both splits, and write its folder."""
    steps = schedule.recipe["depth"]["most_steps"]
    group = schedule.group(trainer.update - 1)
    for split in ("train", "heldout"):
        orders = [Order(f"test {i}", 32, steps, True, split) for i in range(4)]  # type: ignore[arg-type]
        tests = [to_device(batch, trainer.device) for batch in pool.map(draw, orders)]
        report(trainer, schedule, {"test": split, **trainer.test(tests, group)})
    export(trainer, pool.apply(draw, (Order("calibration", 32, steps, True),)))


if __name__ == "__main__":
    main()
