"""Prints the README's table "What depth buys" from the figures that the bundled model carries."""

from __future__ import annotations

from typing import Any

from card import rows, title

from engine.accuracy import Part, parts
from engine.resources import bundled_model
from engine.weights import open_model_file


def table(document: dict[str, Any]) -> str:
    """Return the Markdown table of ``document``, which ``tinyloop eval --json`` wrote."""
    found = parts(document)
    body = [(title(part), *(_share(part, depth) for depth in part.shares)) for part in found]
    return rows(("% right", *(f"{depth} loops" for depth in found[0].shares)), body, 1)


def _share(part: Part, depth: int) -> str:
    share = f"{100 * part.shares[depth]:.1f}"
    return f"**{share}**" if part.group == "all" else share


if __name__ == "__main__":
    figures = open_model_file(bundled_model()).loops_eval
    print(table(figures) if figures else f"{bundled_model()} carries no figures.", end="")
