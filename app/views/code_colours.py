"""Colours for code in answers: Pygments finds the words, the scheme has the colours."""

from __future__ import annotations

from collections.abc import Iterator

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Operator, String, _TokenType
from pygments.util import ClassNotFound
from PySide6.QtGui import QColor

from app.views.theme import Colours


def coloured_spans(code: str, language: str, colours: Colours) -> Iterator[tuple[int, int, QColor]]:
    """Yield (start, length, colour) of the words of ``code`` that are not plain text.

    Positions are in UTF-16 units, as QTextDocument counts. A language Pygments does not know
    yields nothing.
    """
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return
    position = 0
    for kind, word in lexer.get_tokens(code):
        length = len(word.encode("utf-16-le")) // 2
        colour = _colour_of(kind, colours)
        if colour is not None and word.strip():
            yield position, length, colour
        position += length


def _colour_of(kind: _TokenType, colours: Colours) -> QColor | None:
    for family, colour in (
        (Comment, colours.placeholder),
        (String, colours.warning),
        (Literal, colours.error),
        (Keyword, colours.accent),
        (Operator.Word, colours.accent),
        (Name.Builtin, colours.accent),
        (Name.Decorator, colours.accent),
    ):
        if kind in family:
            return colour
    return None
