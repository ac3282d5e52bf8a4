"""The texts of rows as laid-out documents, and their heights: measured once, else guessed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from PySide6.QtGui import QFontMetrics

from app.viewmodels.rows import AnswerRow, LineRow, QuestionRow, Row
from app.views.document import PageDocument
from app.views.page_layout import Page
from app.views.theme import Theme

KEPT_DOCUMENTS = 64  # more than a screen shows; heights are kept for all rows


@dataclass(slots=True)
class _Laid:
    """A document and what it shows."""

    document: PageDocument
    text: str
    growing: bool
    width: int


class RowSizes:
    """Documents and heights by message; a row never laid out has an estimated height."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._page: Page | None = None
        self._per_line = self._line = 1  # characters a line, pixels a line
        self._documents: OrderedDict[str, _Laid] = OrderedDict()
        self._heights: dict[str, tuple[str, int]] = {}  # message → (text, height)

    def set_page(self, page: Page) -> None:
        """Lay out for another page from now on."""
        if page != self._page:
            self._page = page
            self._heights.clear()
            metrics = QFontMetrics(self._theme.body())
            width = page.text(AnswerRow("", "")).width()
            self._per_line = max(width // max(metrics.averageCharWidth(), 1), 1)
            self._line = metrics.height() * self._theme.line_height() // 100

    def forget(self) -> None:
        """Drop everything: fonts or colours are others now."""
        self._documents.clear()
        self._heights.clear()
        self._page = None

    def text_height(self, row: Row) -> int:
        """Return the height of the row's text in pixels: measured, or a guess by its length."""
        if isinstance(row, LineRow):
            return 0
        known = self._heights.get(row.message_id)
        if known is None or known[0] != row.text:
            known = self._heights[row.message_id] = (row.text, self._estimate(row.text))
        return known[1]

    def document(self, row: QuestionRow | AnswerRow) -> PageDocument:
        """Return the row's text laid out for the present page; its height is known from then on.

        A page must have been set.
        """
        assert self._page is not None
        growing = isinstance(row, AnswerRow) and row.streaming
        laid = self._documents.get(row.message_id)
        width = self._page.text(row).width()
        if laid is None or laid.text != row.text or laid.growing != growing:
            document = laid.document if laid else PageDocument(self._theme)
            fill(document, row)
            laid = _Laid(document, row.text, growing, 0)
            self._documents[row.message_id] = laid
        if laid.width != width:
            laid.document.setTextWidth(width)
            laid.width = width
        self._documents.move_to_end(row.message_id)
        while len(self._documents) > KEPT_DOCUMENTS:
            self._documents.popitem(last=False)
        # The last line's leading is no part of the text: what follows stands on it evenly.
        height = round(laid.document.size().height()) - self._theme.leading()
        self._heights[row.message_id] = (row.text, height)
        return laid.document

    def _estimate(self, text: str) -> int:
        lines = sum(1 + len(line) // self._per_line for line in text.split("\n"))
        return lines * self._line - self._theme.leading()


def fill(document: PageDocument, row: QuestionRow | AnswerRow) -> None:
    """Put the row's text into a document: typed text plain, an answer as Markdown."""
    if isinstance(row, QuestionRow):
        document.show_plain(row.text)
    elif row.streaming:
        document.show_growing(row.text)
    else:
        document.show_finished(row.text)
