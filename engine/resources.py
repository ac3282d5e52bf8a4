"""The one place that knows where the product's own files lie: checkout or frozen bundle."""

from __future__ import annotations

import sys
from pathlib import Path

BUNDLED_MODEL = "models/tinyloop-35m.tinyloop"


def root() -> Path:
    """Return the folder that holds ``resources`` and ``cuda_src``.

    Raises RuntimeError for an installation that is neither editable nor frozen: the files
    beside the packages are part of the product and a wheel would not carry them.
    """
    bundle = getattr(sys, "_MEIPASS", None)
    base = Path(bundle) if bundle else Path(__file__).resolve().parent.parent
    if not (base / "resources").is_dir():
        raise RuntimeError(
            "TinyLoop Chat was installed without its resources folder: "
            "install it with `pip install -e .` from a checkout."
        )
    return base


def is_frozen() -> bool:
    """Return whether this is a bundle that packaging/ built, not a checkout."""
    return bool(getattr(sys, "frozen", False))


def resource(name: str) -> Path:
    """Return the path of ``resources/name``; it need not exist."""
    return root() / "resources" / name


def bundled_model() -> Path:
    """Return the path of the model file that ships with the product."""
    return resource(BUNDLED_MODEL)
