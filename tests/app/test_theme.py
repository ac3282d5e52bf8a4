"""The look: contrast of every pair of text and ground, the scheme choice, sizes that scale."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QFontMetrics, QPalette
from PySide6.QtWidgets import QApplication

from app.views.theme import (
    CHIP_TINT,
    DARK,
    LIGHT,
    SUGGESTED_TINT,
    Colours,
    SchemeChoice,
    Theme,
    blend,
    contrast,
)

VIEWS = Path(__file__).resolve().parents[2] / "app" / "views"


def text_pairs(colours: Colours) -> dict[str, tuple[QColor, QColor]]:
    """Every colour text is written in, on every ground it is written on."""
    grounds = {"window": colours.window, "base": colours.base, "alternate": colours.alternate}
    inks = {
        "text": colours.text,
        "placeholder": colours.placeholder,
        "accent": colours.accent,
        "warning": colours.warning,
        "error": colours.error,
    }
    pairs = {f"{i} on {g}": (inks[i], grounds[g]) for i in inks for g in grounds}
    chip = blend(colours.accent, colours.window, CHIP_TINT)
    suggested = blend(colours.accent, colours.window, SUGGESTED_TINT)
    pairs["shown chip"] = (colours.accent, chip)
    pairs["suggested title"] = (colours.accent, suggested)
    pairs["suggested price"] = (colours.placeholder, suggested)
    pairs["suggested from scratch"] = (colours.warning, suggested)
    pairs["selection"] = (colours.highlighted_text, colours.accent)
    return pairs


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_all_text_has_a_contrast_of_at_least_4_5(colours: Colours) -> None:
    weak = {
        name: round(contrast(*pair), 2)
        for name, pair in text_pairs(colours).items()
        if contrast(*pair) < 4.5
    }
    assert not weak


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast(QColor("#000000"), QColor("#FFFFFF")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("#FFFFFF")) == pytest.approx(4.48, abs=0.01)
    assert contrast(LIGHT.text, LIGHT.text) == pytest.approx(1)


def test_the_scheme_is_the_users_choice(qapp: QApplication) -> None:
    theme = Theme(qapp)
    heard: list[bool] = []
    theme.changed.connect(lambda: heard.append(theme.dark))
    theme.set_choice(SchemeChoice.DARK)
    assert qapp.palette().color(QPalette.ColorRole.Window) == DARK.window
    theme.set_choice(SchemeChoice.LIGHT)
    assert qapp.palette().color(QPalette.ColorRole.Window) == LIGHT.window
    assert heard[-1] is False
    assert True in heard


def test_zoom_scales_fonts_and_units_and_stays_in_range(qapp: QApplication) -> None:
    theme = Theme(qapp)
    unit, body = theme.u(10), theme.body().pointSizeF()
    theme.set_zoom(200)
    assert theme.u(10) == pytest.approx(2 * unit, rel=0.05)
    assert theme.body().pointSizeF() == pytest.approx(2 * body)
    theme.set_zoom(1000)
    assert theme.zoom == 200
    theme.set_zoom(1)
    assert theme.zoom == 80
    theme.set_zoom(100)
    assert theme.u(10) == unit


def test_the_unit_is_half_the_height_of_the_system_font(qapp: QApplication) -> None:
    assert Theme(qapp).u(2) == pytest.approx(QFontMetrics(qapp.font()).height(), abs=1)


def test_only_the_theme_knows_colours_and_pixels() -> None:
    colour = re.compile(r"#[0-9A-Fa-f]{6}|QColor\(\d|setStyleSheet|setPixelSize")
    sizes = re.compile(
        r"(?:setContentsMargins|setSpacing|setFixed\w+|setMinimum\w+)\(.*\b[1-9]\d*\b"
    )
    for file in VIEWS.glob("*.py"):
        if file.name == "theme.py":
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            assert not colour.search(line), f"{file.name}:{number}: {line}"
            if "u(" not in line:
                assert not sizes.search(line), f"{file.name}:{number}: {line}"
