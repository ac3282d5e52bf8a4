"""What "About this model" shows: facts of its file, and how often it was right at which depth."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.domain.answer import ModelFacts
from app.domain.model_file import Part, Share
from app.viewmodels.library_rows import ReceiptLine
from app.viewmodels.receipt import FINGERPRINT
from app.viewmodels.rows import LoopProgress
from app.viewmodels.scene import Scene

LOADING = "The model is loading."
NO_MODEL = "No model is open."
NO_FIGURES = "The file does not say how often this model is right."
MOST = 40  # rows of a group: a file may hold thousands, which no one reads
HEADINGS = {"kind": "By kind of question", "steps": "By steps to the answer"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A share in per cent and its interval ("" without one), each with what is read aloud."""

    percent: str
    interval: str
    spoken: str
    spoken_interval: str


@dataclass(frozen=True, slots=True)
class FigureRow:
    """The figures of a part of the questions, one a depth."""

    name: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """The parts of one group under their heading."""

    heading: str
    rows: tuple[FigureRow, ...]


@dataclass(frozen=True, slots=True)
class About:
    """A model as the dialog shows it.

    ``chart`` has a row of loops a depth with the figure of all questions; ``depths`` are the
    columns of all ``sections``. ``sentence`` says what the figures are, or why there are none.
    """

    sentence: str
    lines: tuple[ReceiptLine, ...] = ()
    chart: tuple[tuple[LoopProgress, Figure], ...] = ()
    depths: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()


class AboutModel(QObject):
    """What was last asked for, None before that."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.about: About | None = None

    def show(self, about: About) -> None:
        """Show this model, or that there is none."""
        self.about = about
        self.changed.emit(about)


def about_of(scene: Scene) -> About:
    """Return what is known of the open model."""
    facts = scene.facts
    if facts is None or scene.loading:
        return About(LOADING if scene.loading else NO_MODEL)
    if not facts.file.parts:
        return About(NO_FIGURES, _lines(facts))
    whole, *others = facts.file.parts
    groups = {group: [part for part in others if part.group == group] for group in HEADINGS}
    return About(
        sentence=_sentence(whole),
        lines=_lines(facts),
        chart=_chart(whole),
        depths=tuple(_loops(share) for share in whole.shares),
        sections=tuple(_section(group, parts) for group, parts in groups.items() if parts),
    )


def _section(group: str, parts: list[Part]) -> Section:
    left_out = f", the first {MOST} of {len(parts):,}" if len(parts) > MOST else ""
    return Section(HEADINGS[group] + left_out, tuple(map(_row, parts[:MOST])))


def _lines(facts: ModelFacts) -> tuple[ReceiptLine, ...]:
    file = facts.file
    lines = (
        ("Name", facts.name),
        ("Size", f"{_count(file.parameters)} parameters, {_bytes(file.nbytes)} on the disk"),
        ("Context", f"{facts.max_seq_len:,} tokens, for the conversation and the answer together"),
        ("Depths", f"{', '.join(map(str, facts.efforts))} loops"),
        ("Licence", file.license or "not said"),
        ("Source", file.source or "not said"),
        ("Fingerprint", facts.id.file[:FINGERPRINT]),
    )
    return tuple(ReceiptLine(label, value) for label, value in lines)


def _sentence(whole: Part) -> str:
    asked = f"{whole.questions:,} held-out questions" if whole.questions else "held-out questions"
    text = f"Right answers in per cent on {asked}, always with the likeliest word (greedy)."
    known = any(share.interval is not None for share in whole.shares)
    return f"{text} Behind a figure stands its 95\u00a0% interval." if known else text


def _chart(whole: Part) -> tuple[tuple[LoopProgress, Figure], ...]:
    deepest = max((share.loops for share in whole.shares), default=0)
    return tuple(
        (LoopProgress(0, share.loops, share.loops, deepest, _loops(share)), _figure(whole, share))
        for share in whole.shares
    )


def _row(part: Part) -> FigureRow:
    return FigureRow(part.name, tuple(_figure(part, share) for share in part.shares))


def _figure(part: Part, share: Share) -> Figure:
    where, percent = f"{part.name}, {_loops(share)}", f"{100 * share.value:.1f}"
    spoken = f"{where}: {percent} % right"
    if share.interval is None:
        return Figure(percent, "", spoken, "")
    low, high = (f"{100 * end:.1f}" for end in share.interval)
    return Figure(percent, f"{low}–{high}", spoken, f"{where}: between {low} and {high} %")


def _loops(share: Share) -> str:
    return f"{share.loops} loop{'s' if share.loops > 1 else ''}"


def _count(number: int) -> str:
    return f"{number / 1e9:.1f}B" if number >= 1e9 else f"{number / 1e6:.1f}M"


def _bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
