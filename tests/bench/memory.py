"""Budget: a whole ``tinyloop ask --harder`` takes less than 600 MB at its peak."""

from __future__ import annotations

import resource
import subprocess
import sys

from budget import heading, verdict

from engine.threads import limit_blas

MEGABYTES = 600
QUESTION = "How many apples are left? " * 40  # a prompt of some 240 tokens


def main() -> int:
    """Run the command as a process of its own and read its peak from the system."""
    limit_blas()
    heading("Peak memory")
    command = [sys.executable, "-m", "engine", "ask", QUESTION, "--harder"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux KiB
    megabytes = peak * unit / 1e6
    what = f"tinyloop ask --harder, under {MEGABYTES} MB"
    return 0 if verdict(what, f"{megabytes:.0f} MB", megabytes < MEGABYTES) else 1


if __name__ == "__main__":
    sys.exit(main())
