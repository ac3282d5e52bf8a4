"""One answer as a text document: Markdown without HTML, code in colours, a growing tail."""

from __future__ import annotations

import re

from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument

from app.views.markdown_look import dress, space_lines
from app.views.theme import Theme

MARKDOWN = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)


class PageDocument(QTextDocument):
    """Text laid out for the page; it never loads anything a text names."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._source = ""
        self._committed = 0  # characters of the source that stand as finished Markdown
        self._tail_start = 0  # where the plain tail begins in the document
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(theme.body())

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        """Refuse: an answer must not make the app read a file or open a connection."""
        return None

    def show_plain(self, text: str) -> None:
        """Show ``text`` as it was typed."""
        self.setPlainText(text)
        space_lines(self, self._theme)

    def show_finished(self, source: str) -> None:
        """Show the whole of a finished answer as Markdown."""
        self._source, self._committed = source, len(source)
        self.setMarkdown(hard_breaks(source), MARKDOWN)
        dress(self, self._theme)

    def show_growing(self, source: str) -> None:
        """Show an answer that is being written: finished blocks as Markdown, the rest plain."""
        if not source.startswith(self._source) or self._committed > len(source):
            self.clear()
            self._committed = self._tail_start = 0
        elif source == self._source:
            return
        self._source = source
        cursor = QTextCursor(self)
        cursor.setPosition(self._tail_start)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        boundary = finished_length(source)
        if boundary > self._committed:
            self._commit(cursor, source[self._committed : boundary])
            self._committed = boundary
        cursor.insertText(source[self._committed :].rstrip("\n"), QTextCharFormat())
        space_lines(self, self._theme, self._tail_start)

    def _commit(self, cursor: QTextCursor, blocks: str) -> None:
        start = self._tail_start
        cursor.insertMarkdown(hard_breaks(blocks), MARKDOWN)
        dress(self, self._theme, start)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        self._tail_start = cursor.position()


def hard_breaks(source: str) -> str:
    """Return Markdown whose single line breaks stay line breaks, as they stood while growing."""
    lines, fenced = [], False
    for line in source.split("\n"):
        fence = _FENCE.match(line) is not None
        fenced = fenced != fence
        lines.append(line if fenced or fence or not line.strip() else f"{line}  ")
    return "\n".join(lines)


def finished_length(source: str) -> int:
    """Return how many characters at the beginning are finished Markdown blocks.

    A block is finished at a blank line outside a fence.
    """
    boundary = source.rfind("\n\n")
    while boundary > 0:
        if len(_FENCE.findall(source, 0, boundary)) % 2 == 0:
            return boundary + 2
        boundary = source.rfind("\n\n", 0, boundary)
    return 0
