"""The pictures of the README: made by the command, of the right size, showing the right words."""

from __future__ import annotations

from pathlib import Path

import photographer
import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from app.views.theme import DARK, LIGHT

KEPT = Path(__file__).resolve().parents[2] / "resources" / "screenshots"
NAMES = [f"{name}_{scheme}" for name in photographer.SHOWN for scheme in ("light", "dark")]
MOST_BYTES = 100_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("screenshots")


@pytest.fixture(scope="module")
def words(qapp: QApplication, folder: Path) -> dict[str, list[str]]:
    """Take all pictures once; the words of each come from the same moment."""
    return photographer.take_all(folder)


def looked_at(file: Path, name: str) -> None:
    picture = QImage(str(file))
    assert (picture.width(), picture.height()) == photographer.SIZE
    assert file.stat().st_size < MOST_BYTES
    colours = {picture.pixel(x, y) for x in range(0, picture.width(), 3)
               for y in range(0, picture.height(), 3)}  # fmt: skip
    assert len(colours) > 30, "a picture of nothing"
    scheme = LIGHT if name.endswith("light") else DARK
    assert picture.pixelColor(5, picture.height() // 2) == scheme.alternate  # the sidebar
    assert picture.pixelColor(picture.width() - 5, picture.height() // 2) == scheme.window
    assert any(QColor(colour) == scheme.accent for colour in colours)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_shows_its_words(words: dict[str, list[str]], folder: Path, name: str) -> None:
    looked_at(folder / f"{name}.png", name)
    assert photographer.missing(name, words[name]) == []


def test_the_error_is_one_sentence_about_the_file(words: dict[str, list[str]]) -> None:
    sentences = [word for word in words["error_light"] if "half-downloaded.tinyloop" in word]
    assert len(sentences) == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_kept_pictures_are_of_this_kind(name: str) -> None:
    looked_at(KEPT / f"{name}.png", name)
