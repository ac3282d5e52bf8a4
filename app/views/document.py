"""One answer as a text document: Markdown without HTML, code in colours, a growing tail."""

from __future__ import annotations

import re

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from app.views.code_colours import coloured_spans
from app.views.theme import Theme

MARKDOWN = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
_LINE_HEIGHT = int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
_SINGLE_HEIGHT = int(QTextBlockFormat.LineHeightTypes.SingleHeight.value)


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
        self._space_lines(0)

    def show_finished(self, source: str) -> None:
        """Show the whole of a finished answer as Markdown."""
        self._source, self._committed = source, len(source)
        self.setMarkdown(source, MARKDOWN)
        self._dress(0)

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
        self._space_lines(self._tail_start)

    def _commit(self, cursor: QTextCursor, blocks: str) -> None:
        start = self._tail_start
        cursor.insertMarkdown(blocks, MARKDOWN)
        self._dress(start)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        self._tail_start = cursor.position()

    def _dress(self, position: int) -> None:
        """Give Markdown from ``position`` on the page's line height, code font and colours."""
        self._space_lines(position)
        block = self.findBlock(position)
        while block.isValid():
            if block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
                block = self._dress_code(block)
            else:
                self._dress_inline_code(block)
                block = block.next()

    def _dress_code(self, first: QTextBlock) -> QTextBlock:
        """Dress one fenced piece of code; returns the block after it."""
        language = first.blockFormat().stringProperty(QTextFormat.Property.BlockCodeLanguage)
        plain = QTextCharFormat()
        plain.setFont(self._theme.code())
        shape = QTextBlockFormat()
        shape.setBackground(self._theme.colours.alternate)
        shape.setTextIndent(self._theme.u())
        shape.setLineHeight(0, _SINGLE_HEIGHT)  # any other leaves gaps in the background
        lines, block = [], first
        while block.isValid() and block.blockFormat().hasProperty(
            QTextFormat.Property.BlockCodeFence
        ):
            lines.append(block.text())
            cursor = QTextCursor(block)
            cursor.mergeBlockFormat(shape)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            cursor.mergeCharFormat(plain)
            block = block.next()
        start = first.position()
        for offset, length, colour in coloured_spans(
            "\n".join(lines), language, self._theme.colours
        ):
            ink = QTextCharFormat()
            ink.setForeground(colour)
            cursor = QTextCursor(self)
            cursor.setPosition(start + offset)
            cursor.setPosition(start + offset + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(ink)
        return block

    def _dress_inline_code(self, block: QTextBlock) -> None:
        fixed = QTextCharFormat()
        fixed.setFont(self._theme.code())
        spans = []
        walk = block.begin()
        while not walk.atEnd():
            fragment = walk.fragment()
            if fragment.charFormat().fontFixedPitch():
                spans.append((fragment.position(), fragment.length()))
            walk += 1
        for position, length in spans:
            cursor = QTextCursor(self)
            cursor.setPosition(position)
            cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(fixed)

    def _space_lines(self, position: int) -> None:
        cursor = QTextCursor(self)
        cursor.setPosition(position)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        spaced = QTextBlockFormat()
        spaced.setLineHeight(self._theme.line_height(), _LINE_HEIGHT)
        cursor.mergeBlockFormat(spaced)


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
