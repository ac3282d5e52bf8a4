"""How Markdown looks on the page: line height, margins, code in colours, quiet tables."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
)

from app.views.code_colours import coloured_spans
from app.views.theme import Theme

_PROPORTIONAL = int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
_FENCE = QTextFormat.Property.BlockCodeFence
_QUOTE = QTextFormat.Property.BlockQuoteLevel
CODE_PADDING = 1  # u: between code and the frame painted behind it


def space_lines(document: QTextDocument, theme: Theme, position: int = 0) -> None:
    """Give the text from ``position`` on the page's line height."""
    spaced = QTextBlockFormat()
    spaced.setLineHeight(theme.line_height(), _PROPORTIONAL)
    cursor = QTextCursor(document)
    cursor.setPosition(position)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeBlockFormat(spaced)


def dress(document: QTextDocument, theme: Theme, position: int = 0) -> None:
    """Dress Markdown that was put in from ``position`` on."""
    space_lines(document, theme, position)
    block = document.findBlock(position)
    while block.isValid():
        if block.blockFormat().hasProperty(_FENCE):
            block = _dress_code(document, theme, block)
        else:
            _dress_paragraph(theme, block)
            block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable) and frame.lastPosition() >= position:
            _dress_table(theme, frame)


def _dress_paragraph(theme: Theme, block: QTextBlock) -> None:
    shape = QTextBlockFormat()
    margin = theme.u(0.75)
    if block.blockFormat().headingLevel():
        shape.setTopMargin(2 * margin)
    elif block.textList() is not None:
        margin //= 2
    elif block.blockFormat().hasProperty(_QUOTE):
        shape.setLeftMargin(theme.u(2) * block.blockFormat().intProperty(_QUOTE))
    if not shape.hasProperty(QTextFormat.Property.BlockTopMargin):
        shape.setTopMargin(margin)
    shape.setBottomMargin(margin)
    QTextCursor(block).mergeBlockFormat(shape)
    _dress_inline_code(theme, block)


def _dress_inline_code(theme: Theme, block: QTextBlock) -> None:
    spans = []
    walk = block.begin()
    while not walk.atEnd():
        fragment = walk.fragment()
        if fragment.charFormat().fontFixedPitch():
            spans.append((fragment.position(), fragment.length()))
        walk += 1
    fixed = QTextCharFormat()
    fixed.setFont(theme.code())
    for position, length in spans:
        _span(block.document(), position, length).mergeCharFormat(fixed)


def _dress_code(document: QTextDocument, theme: Theme, first: QTextBlock) -> QTextBlock:
    """Dress one fenced piece of code; returns the block after it."""
    language = first.blockFormat().stringProperty(QTextFormat.Property.BlockCodeLanguage)
    lines, block = [], first
    while block.isValid() and block.blockFormat().hasProperty(_FENCE):
        lines.append(block.text())
        last, block = block, block.next()
    shape, plain = QTextBlockFormat(), QTextCharFormat()
    shape.setLeftMargin(theme.u(CODE_PADDING))
    shape.setRightMargin(theme.u(CODE_PADDING))
    shape.setLineHeight(theme.code_line_height(), _PROPORTIONAL)
    plain.setFont(theme.code())
    length = last.position() + last.length() - 1 - first.position()
    everything = _span(document, first.position(), length)
    everything.mergeBlockFormat(shape)
    everything.mergeCharFormat(plain)
    top, bottom = QTextBlockFormat(), QTextBlockFormat()
    top.setTopMargin(theme.u(2 * CODE_PADDING))
    bottom.setBottomMargin(theme.u(2 * CODE_PADDING))
    QTextCursor(first).mergeBlockFormat(top)
    QTextCursor(last).mergeBlockFormat(bottom)
    for offset, length, colour in coloured_spans("\n".join(lines), language, theme.colours):
        ink = QTextCharFormat()
        ink.setForeground(colour)
        _span(document, first.position() + offset, length).mergeCharFormat(ink)
    return block


def _dress_table(theme: Theme, table: QTextTable) -> None:
    shape = table.format()
    shape.setBorderCollapse(True)
    shape.setBorderBrush(theme.colours.mid)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setCellPadding(theme.u(0.75))
    shape.setTopMargin(theme.u())
    shape.setBottomMargin(theme.u())
    table.setFormat(shape)
    _mend_first_cell(table)
    tight = QTextBlockFormat()
    tight.setTopMargin(0)
    tight.setBottomMargin(0)
    first, last = table.firstPosition(), table.lastPosition()
    _span(table.document(), first, last - first).mergeBlockFormat(tight)


def _mend_first_cell(table: QTextTable) -> None:
    """Take out the empty line Qt's Markdown reader puts above the first heading of a table."""
    cell = table.cellAt(0, 0)
    cursor = cell.firstCursorPosition()
    if cursor.block() != cell.lastCursorPosition().block() and not cursor.block().text():
        cursor.deleteChar()
    heading = QTextCharFormat()
    heading.setFontWeight(QFont.Weight.DemiBold)
    cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeCharFormat(heading)


def code_frames(document: QTextDocument, theme: Theme) -> list[QRect]:
    """Return where the frames behind pieces of code lie in a laid-out document."""
    frames: list[QRect] = []
    padding = theme.u(CODE_PADDING)
    layout, block, inside = document.documentLayout(), document.begin(), False
    while block.isValid():
        fenced = block.blockFormat().hasProperty(_FENCE)
        if fenced:
            lines = layout.blockBoundingRect(block).toAlignedRect()
            lines.setRect(
                0, lines.top() - padding, round(document.textWidth()), lines.height() + 2 * padding
            )
            frames.append(frames.pop().united(lines) if inside else lines)
        inside = fenced
        block = block.next()
    return frames


def _span(document: QTextDocument, position: int, length: int) -> QTextCursor:
    cursor = QTextCursor(document)
    cursor.setPosition(position)
    cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
    return cursor
