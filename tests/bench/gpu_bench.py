"""Measures the CUDA backend on model shapes with random weights: one table and one JSON file.

    python tests/bench/gpu_bench.py --shapes bundled seed-407m --write

No time is printed unless, in the same run, a resumed answer equals a fresh one token for token
and decode leaves the bits of a prefill; --parity runs all GPU tests first and stops when one
fails. Weights are random: the figures are speed, not quality.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import numpy as np  # noqa: E402
from synthetic import SyntheticFile, shape_config  # noqa: E402

from engine.backends.cuda.answer_loop import Run  # noqa: E402
from engine.backends.cuda.backend import CudaBackend  # noqa: E402
from engine.backends.cuda.probe import find_gpu  # noqa: E402
from engine.kv_layout import num_slots  # noqa: E402
from engine.sampling import Sampling  # noqa: E402
from engine.watch import Watch  # noqa: E402

W = Watch()
CONTEXTS = (128, 1024, 4096)
POSITIONS = 4352
DEPTHS = {"ouro-1.4b": (2, 3, 4)}
RESULTS = Path(__file__).parent / "results"


class Bench:
    """One shape on the device."""

    def __init__(self, shape: str) -> None:
        self.shape = shape
        self.file = SyntheticFile(shape_config(shape, POSITIONS))
        self.config = self.file.config
        start = time.perf_counter()
        self.backend = CudaBackend(find_gpu(0, 0), self.file, POSITIONS, frozenset())
        self.open_s = time.perf_counter() - start
        self.gpu = self.backend._gpu
        self.depths = DEPTHS.get(shape, (4, 8, 16, 32))
        random = np.random.default_rng(0)
        self.ids = random.integers(6, self.config.vocab_size, POSITIONS).astype(np.int32)

    def read(self, length: int, loops: int, max_loops: int, room: int = 80) -> Any:
        cache = self.backend.new_cache(min(length + room, POSITIONS), max_loops, 0)
        self.backend.prefill(cache, self.ids[:length], 0, loops, W)
        return cache

    def write(self, cache: Any, loops: int, count: int) -> list[int]:
        answer: list[int] = []

        def emit(token: int) -> bool:
            answer.append(token)
            return len(answer) < count

        self.backend.decode(cache, loops, Sampling(), emit)
        return answer

    def seconds(self, call: Callable[[], Any], repeats: int = 5) -> float:
        """Median time of ``call``; what it returns, a cache, is freed outside the clock."""
        times = []
        for _ in range(repeats + 1):
            self.gpu.sync()
            start = time.perf_counter()
            made = call()
            self.gpu.sync()
            times.append(time.perf_counter() - start)
            if hasattr(made, "free"):
                made.free()
        return statistics.median(times[1:])

    # -- correctness first ----------------------------------------------------------------------

    def check(self) -> None:
        """Stop unless the paths of this run agree bit for bit."""
        low, high = self.depths[0], self.depths[1]
        fresh, kept = self.read(100, high, high), self.read(100, low, high)
        self.backend.extend(kept, low, high, W)
        answer = self.write(fresh, high, 12)
        if self.write(kept, high, 12) != answer:
            raise SystemExit(f"{self.shape}: a resumed answer differs from a fresh one")
        again = self.backend.new_cache(180, high, 0)
        both = np.concatenate([self.ids[:100], np.array(answer[:-1], np.int32)])
        self.backend.prefill(again, both, 0, high, W)
        for one, other in ((fresh, again), (kept, again)):
            a, b = self.backend.read(one), self.backend.read(other)
            for name in ("keys", "values", "state", "injected"):
                if getattr(a, name).tobytes() != getattr(b, name).tobytes():
                    raise SystemExit(f"{self.shape}: {name} differ between decode and prefill")
        for cache in (fresh, kept, again):
            cache.free()

    # -- figures --------------------------------------------------------------------------------

    def bandwidth(self) -> float:
        """Bytes a second, read plus written, of a large copy on the device."""
        size = 1 << 30
        pair = [self.gpu.allocate(size) for _ in range(2)]
        to, start = (int(buffer.handle) for buffer in pair)
        copy = self.seconds(lambda: self.gpu.copy_rows((to, 0), (start, 0), size, 1))
        for buffer in pair:
            buffer.close(self.gpu.stream)
        return 2 * size / copy

    def token_us(self, cache: Any, loops: int, count: int = 40) -> tuple[float, float]:
        """Microseconds a token: on the device, ``count`` in a row; of Python to queue one."""
        answers = self.backend._answers
        graph = answers._graph(Run(loops, True, cache.length, 0), cache.length + count)
        self.backend._space.bind(cache)
        begin, end = self.gpu.event(timing=True), self.gpu.event(timing=True)
        queueing = []
        for _ in range(10):  # three at a time, as an answer does: a full queue makes Python wait
            start = time.perf_counter()
            for _ in range(3):
                self.gpu.run(graph)
                self.gpu.stream.record(end)
            queueing.append((time.perf_counter() - start) / 3)
            self.gpu.sync()
        self.gpu.stream.record(begin)
        for _ in range(count):
            self.gpu.run(graph)
        self.gpu.stream.record(end)
        end.sync()
        return (end - begin) * 1e3 / count, statistics.median(queueing) * 1e6

    def bytes_a_token(self, loops: int, context: int) -> int:
        """Bytes that must be read for one token: weights of every layer run, the head, K/V."""
        weights = self.backend._weights
        block = self._matrix_bytes("loop.") * loops + self._matrix_bytes("pre.")
        head = "head" if not self.config.tied_head else "embed"
        kv = num_slots(self.config, loops) * context * 2 * self.config.kv_width * 2
        assert weights.nbytes > 0
        return block + self._matrix_bytes(head) + kv

    def _matrix_bytes(self, prefix: str) -> int:
        return sum(t.nbytes for n, t in self.file.tensors.items() if n.startswith(prefix))

    def decode_rows(self, bandwidth: float) -> Iterator[dict[str, Any]]:
        for context in CONTEXTS:
            cache = self.read(context, 1, max(self.depths), room=200)
            spent = {}
            for loops in self.depths:
                self.backend.extend(cache, cache.depth, loops, W)
                spent[loops], host = self.token_us(cache, loops)
                moved = self.bytes_a_token(loops, context)
                first = self.depths[0]
                loop_us = (spent[loops] - spent[first]) / max(loops - first, 1)
                yield {
                    "context": context, "loops": loops, "us_token": spent[loops],
                    "us_loop": loop_us if loops > first else None, "host_us_token": host,
                    "tokens_s": 1e6 / spent[loops], "bytes_token": moved,
                    "share_of_copy_bandwidth": moved / spent[loops] * 1e6 / bandwidth,
                }  # fmt: skip
            cache.free()

    def prefill_rows(self) -> Iterator[dict[str, Any]]:
        for length in (128, 512, 2048):
            for loops in self.depths:
                seconds = self.seconds(lambda n=length, k=loops: self.read(n, k, k), 3)
                yield {"tokens": length, "loops": loops, "ms": seconds * 1e3,
                       "us_token": seconds * 1e6 / length}  # fmt: skip

    def seeds_experiment(self) -> dict[str, float]:
        """Prefix 128, decode 16, 4 loops deepened to 8 (the first two depths of a shape)."""
        low, high = self.depths[0], self.depths[1]
        kept = self.read(128, low, high)

        def resume() -> Any:
            cache = self.backend.clone(kept, 128, 160, high)
            self.backend.extend(cache, low, high, W)
            self.write(cache, high, 16)
            return cache

        def fresh() -> Any:
            cache = self.read(128, high, high)
            self.write(cache, high, 16)
            return cache

        def first_token() -> Any:
            cache = self.read(128, high, high)
            self.write(cache, high, 1)
            return cache

        figures = {
            "build_ms": self.seconds(lambda: self.read(128, low, high)) * 1e3,
            "resume_ms": self.seconds(resume) * 1e3,
            "fresh_ms": self.seconds(fresh) * 1e3,
            "first_token_ms": self.seconds(first_token) * 1e3,
        }
        kept.free()
        return figures

    def run(self) -> dict[str, Any]:
        self.check()
        bandwidth = self.bandwidth()
        document = {
            "shape": self.shape, "correct": True, "open_s": self.open_s,
            "copy_bandwidth": bandwidth, "decode": list(self.decode_rows(bandwidth)),
            "prefill": list(self.prefill_rows()), "seeds": self.seeds_experiment(),
        }  # fmt: skip
        self.backend.close()
        return document


def show(document: dict[str, Any]) -> None:
    """Print one shape's table."""
    print(f"\n{document['shape']}: correct; copy {document['copy_bandwidth'] / 1e12:.2f} TB/s, "
          f"open {document['open_s']:.1f} s")  # fmt: skip
    print(f"{'context':>8}{'loops':>6}{'us/token':>10}{'us/loop':>9}{'tokens/s':>10}"
          f"{'host us':>9}{'MB/token':>10}{'of copy':>9}")  # fmt: skip
    for row in document["decode"]:
        loop = "" if row["us_loop"] is None else f"{row['us_loop']:.1f}"
        print(f"{row['context']:>8}{row['loops']:>6}{row['us_token']:>10.1f}{loop:>9}"
              f"{row['tokens_s']:>10.0f}{row['host_us_token']:>9.1f}"
              f"{row['bytes_token'] / 1e6:>10.1f}"
              f"{row['share_of_copy_bandwidth']:>9.0%}")  # fmt: skip
    for row in document["prefill"]:
        print(f"read {row['tokens']} tokens at {row['loops']} loops: {row['ms']:.2f} ms, "
              f"{row['us_token']:.1f} us a token")  # fmt: skip
    print("seeds' experiment: " + ", ".join(f"{k} {v:.2f}" for k, v in document["seeds"].items()))


def peer(depths: tuple[int, ...]) -> Any:
    """Run the PyTorch peer in its own process; None where torch is not installed."""
    command = [sys.executable, str(Path(__file__).parent / "peer_torch.py"), *map(str, depths)]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    if run.returncode:
        return {"problem": run.stderr.strip().splitlines()[-1:]}
    return json.loads(run.stdout.splitlines()[-1])


def parity() -> dict[str, Any]:
    """Run the GPU tests; SystemExit with their output unless all pass."""
    command = ["-m", "pytest", "-q", "-m", "gpu", "tests/kernels", "tests/engine"]
    run = subprocess.run(
        [sys.executable, *command], cwd=ROOT, check=False, capture_output=True, text=True
    )
    last = run.stdout.strip().splitlines()[-1]
    passed = re.search(r"(\d+) passed", last)
    if run.returncode or not passed or "skipped" in last:
        raise SystemExit(run.stdout[-4000:])
    return {"command": "python " + " ".join(command), "passed": int(passed.group(1))}


def asked() -> list[str]:
    """Return the options given; where the result is written is nobody's business."""
    options = sys.argv[1:]
    if "--write" in options:
        options[options.index("--write") + 1] = "tests/bench/results"
    return options


def main() -> None:
    """Measure, print, and with --write keep the JSON under results/."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", nargs="+", default=["bundled", "seed-407m", "ouro-1.4b"])
    parser.add_argument("--parity", action="store_true", help="run the GPU tests first")
    parser.add_argument("--peer", action="store_true", help="measure PyTorch beside it")
    parser.add_argument("--write", type=Path, help="folder for the JSON file")
    options = parser.parse_args()
    gpu = find_gpu(0, 0)
    document: dict[str, Any] = {
        "date": datetime.date.today().isoformat(), "gpu": gpu.name, "driver": gpu.driver_version(),
        "command": "python tests/bench/gpu_bench.py " + " ".join(asked()), "shapes": [],
    }  # fmt: skip
    print(f"{gpu.name}, CUDA driver {document['driver']}")
    if options.parity:
        document["parity"] = parity()
        print(f"{document['parity']['passed']} GPU tests passed")
    for shape in options.shapes:
        document["shapes"].append(Bench(shape).run())
        show(document["shapes"][-1])
    if options.peer:
        document["peer_torch"] = peer((8, 32))
        print("PyTorch, seed-407m, position 128, us a token:", json.dumps(document["peer_torch"]))
    if options.write:
        name = f"{document['date']}-{gpu.name.split()[-1].lower()}-speed.json"
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / name).write_text(json.dumps(document, indent=1) + "\n")
    print(json.dumps(document))


if __name__ == "__main__":
    main()
