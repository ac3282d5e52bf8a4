"""What a model file says about its model: where it comes from, and how often it was right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """The share of right answers at a number of loops, 0 to 1, and its 95 % interval if known."""

    loops: int
    value: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The shares of some questions, by rising loops.

    ``group`` is "all", "kind" or "steps", ``name`` in words for everybody. ``questions`` is
    None where it is not said.
    """

    group: str
    name: str
    questions: int | None
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the file says. ``parts`` begins with all questions; it is empty without figures."""

    license: str = ""
    source: str = ""
    nbytes: int = 0
    parameters: int = 0
    parts: tuple[Part, ...] = ()
