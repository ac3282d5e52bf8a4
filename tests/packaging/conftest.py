"""Makes the modules of packaging/ importable, as they are for its own commands."""

from __future__ import annotations

import sys
from pathlib import Path

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
sys.path.append(str(PACKAGING))
