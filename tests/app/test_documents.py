"""Answers as documents: Markdown without HTML, nothing loaded, the same text however it came."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument, QTextFormat
from PySide6.QtWidgets import QApplication

from app.views.document import PageDocument, finished_length
from app.views.markdown_look import code_frames
from app.views.theme import Theme

SOURCE = """Here is **a plan**:

1. first
2. second `inline()`

```python
def f(x):
    # twice 😀

    return 'a' * 2
```

| a | b |
|---|---|
| 1 | 2 |

## End
"""


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp)


def finished(theme: Theme, source: str) -> PageDocument:
    document = PageDocument(theme)
    document.show_finished(source)
    document.setTextWidth(600)
    return document


def colour_at(document: QTextDocument, word: str) -> str:
    cursor = document.find(word)
    assert not cursor.isNull(), word
    return cursor.charFormat().foreground().color().name()


def test_code_has_the_colours_of_the_scheme_beyond_any_wide_character(theme: Theme) -> None:
    document = finished(theme, SOURCE)
    assert colour_at(document, "def") == theme.colours.accent.name()
    assert colour_at(document, "# twice") == theme.colours.placeholder.name()
    assert colour_at(document, "'a'") == theme.colours.warning.name()
    (frame,) = code_frames(document, theme)
    assert 0 < frame.height() < document.size().height()


def test_html_is_text(theme: Theme) -> None:
    document = finished(theme, "a <script>alert(1)</script> <b>b</b> <think>c</think>")
    assert "<script>alert(1)</script>" in document.toPlainText()
    assert "<b>b</b>" in document.toPlainText()
    assert "<think>c</think>" in document.toPlainText()


def test_a_text_cannot_make_the_app_read_a_file(theme: Theme) -> None:
    document = finished(theme, "![x](file:///etc/passwd) and ![y](http://example.org/y.png)")
    image = QTextDocument.ResourceType.ImageResource
    for address in ("file:///etc/passwd", "http://example.org/y.png"):
        assert document.resource(image, address) is None


def test_a_table_has_no_empty_line_in_its_first_cell(theme: Theme) -> None:
    lines = finished(theme, "> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |").toPlainText().split("\n")
    assert [line for line in lines if line] == ["quote", "a", "b", "1", "2"]
    assert lines.count("") <= 2  # Qt's own around the table


def test_a_question_is_shown_as_it_was_typed(theme: Theme) -> None:
    document = PageDocument(theme)
    document.show_plain("2*3*4 <b>\n# no heading")
    assert document.toPlainText() == "2*3*4 <b>\n# no heading"


def growing_text(theme: Theme, source: str, cuts: list[int]) -> PageDocument:
    document = PageDocument(theme)
    for cut in sorted(cuts):
        document.show_growing(source[:cut])
    document.show_growing(source)
    return document


def test_finished_blocks_are_markdown_while_the_tail_is_plain(theme: Theme) -> None:
    document = growing_text(theme, "Some **bold** text.\n\nThe **tail", [3, 12, 20, 24])
    assert document.toPlainText().split("\n")[0] == "Some bold text."
    assert document.toPlainText().split("\n")[-1] == "The **tail"


def test_an_open_fence_is_not_cut_at_its_blank_lines(theme: Theme) -> None:
    assert finished_length("a\n\n```\nx\n\ny") == 3
    closed = "a\n\n```\nx\n\ny\n```\n\n"
    assert finished_length(closed + "z") == len(closed)
    assert finished_length("no blank line") == 0


def words(document: QTextDocument) -> list[str]:
    return document.toPlainText().replace("￼", "").split()


@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(0, len(SOURCE)), max_size=12))
def test_however_it_came_the_text_ends_the_same(cuts: list[int]) -> None:
    theme = Theme(QApplication.instance())
    document = growing_text(theme, SOURCE + "\n\nx", cuts)
    whole = finished(theme, SOURCE + "\n\nx")
    assert words(document) == words(whole)
    document.show_finished(SOURCE)
    assert document.toPlainText() == finished(theme, SOURCE).toPlainText()


def test_another_text_replaces_the_growing_one(theme: Theme) -> None:
    document = growing_text(theme, "First.\n\nSecond", [4, 9])
    document.show_growing("Other")
    assert document.toPlainText() == "Other"


def test_lines_have_the_pages_height(theme: Theme) -> None:
    document = finished(theme, "one two")
    block = document.begin().blockFormat()
    assert block.lineHeight() == theme.line_height()
    assert block.hasProperty(QTextFormat.Property.LineHeight)
