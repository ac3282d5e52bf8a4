"""`tinyloop bench` on a GPU with the parity tests before it and PyTorch beside it, kept as a file.

    python tests/bench/gpu_bench.py --shapes seed-407m --parity --peer --write tests/bench/results

With --parity nothing is measured unless every GPU test passes; the bench itself times nothing
unless resumed and fresh agree bit for bit.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from engine.backends.cuda.probe import find_gpu  # noqa: E402
from engine.cli import bench  # noqa: E402
from engine.errors import EngineError  # noqa: E402

PEER_DEPTHS, PEER_CONTEXT = ("8", "32"), 128


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
    print(f"{passed.group(1)} GPU tests passed", flush=True)
    return {"command": "python " + " ".join(command), "passed": int(passed.group(1))}


def peer() -> dict[str, Any]:
    """Run the PyTorch peer in its own process and print its microseconds a token."""
    command = [sys.executable, str(Path(__file__).parent / "peer_torch.py"), *PEER_DEPTHS]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    if run.returncode:
        figures: dict[str, Any] = {"problem": run.stderr.strip().splitlines()[-1:]}
    else:
        figures = json.loads(run.stdout.splitlines()[-1])
    print(f"PyTorch, seed-407m, position 128, µs a token: {json.dumps(figures)}", flush=True)
    return figures


def times_faster(document: dict[str, Any]) -> dict[str, float]:
    """Return, for each depth of the peer, how many times its INT4 takes what ours takes."""
    rows = [row for shape in document["shapes"] if shape["shape"] == "seed-407m"
            for row in shape.get("rows", ()) if row["context"] == PEER_CONTEXT]  # fmt: skip
    ours = {str(row["loops"]): row["us_token"] for row in rows}
    theirs = document["peer_torch"].get("int4_us", {})
    return {loops: us / ours[loops] for loops, us in theirs.items() if loops in ours}


def asked() -> list[str]:
    """Return the options given; where the result is written is nobody's business."""
    options = sys.argv[1:]
    if "--write" in options:
        options[options.index("--write") + 1] = "tests/bench/results"
    return options


def main() -> int:
    """Measure, print, and with --write keep the JSON; return 1 when bits differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    bench.add_arguments(parser)
    parser.add_argument("--parity", action="store_true", help="run the GPU tests first")
    parser.add_argument("--peer", action="store_true", help="measure PyTorch beside it")
    parser.add_argument("--write", type=Path, help="folder for the JSON file")
    parser.set_defaults(device="cuda")
    options = parser.parse_args()
    gpu = find_gpu(0, 0)
    document: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "gpu": gpu.name,
        "driver": gpu.driver_version(),
        "command": "python tests/bench/gpu_bench.py " + " ".join(asked()),
    }
    gpu.close()
    if options.parity:
        document["parity"] = parity()
    document |= bench.measure(options)
    if options.peer:
        document["peer_torch"] = peer()
        document["times_faster_than_int4"] = times_faster(document)
        for loops, times in document["times_faster_than_int4"].items():
            print(f"At {loops} loops PyTorch INT4 takes {times:.2f} times as long.")
    if options.write:
        name = f"{document['date']}-{gpu.name.split()[-1].lower()}-speed.json"
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / name).write_text(json.dumps(document, indent=1) + "\n")
    print(json.dumps(document))
    return 0 if all(shape["correct"] for shape in document["shapes"]) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EngineError as error:
        sys.exit(str(error))
