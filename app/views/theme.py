"""The look in one place: colours, fonts and the unit u that every size is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication

HAIRLINE = 1  # px: borders
RING = 2  # px: the focus ring and the composer's border while it has the focus
# From one line of text to the next, in em: 145 % of a usual font's own line (1.17 em). Fonts
# with taller lines of their own keep the same distance on screen.
LINE_EM = 1.45 * 1.17
FLAT_PADDING = 0.75  # u: between a flat button's edge and its text
ZOOM_RANGE = (80, 200)  # per cent
ZOOM_STEP = 10
# Tints of the accent on what lies below, per cent.
CHIP_TINT, SUGGESTED_TINT, KEPT_TINT = 14, 10, 45


class SchemeChoice(Enum):
    """What the user chose in View → Colours."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Colours:
    """One scheme; the first eight are palette roles of the same name."""

    window: QColor
    base: QColor
    alternate: QColor
    text: QColor
    placeholder: QColor
    mid: QColor
    accent: QColor
    highlighted_text: QColor
    warning: QColor
    error: QColor

    @classmethod
    def of(cls, names: str) -> Colours:
        """Build a scheme from ten colour names in the order of the fields."""
        return cls(*(QColor(name) for name in names.split()))

    def palette(self) -> QPalette:
        """Return the Qt palette of the scheme; disabled text is the placeholder colour."""
        role = QPalette.ColorRole
        palette = QPalette(self.window)
        for colour, roles in (
            (self.window, (role.Window, role.Button)),
            (self.base, (role.Base,)),
            (self.alternate, (role.AlternateBase, role.ToolTipBase)),
            (self.text, (role.Text, role.WindowText, role.ButtonText, role.ToolTipText)),
            (self.placeholder, (role.PlaceholderText,)),
            (self.mid, (role.Mid, role.Midlight, role.Dark)),
            (self.accent, (role.Accent, role.Highlight, role.Link, role.LinkVisited)),
            (self.highlighted_text, (role.HighlightedText, role.BrightText)),
        ):
            for one in roles:
                palette.setColor(one, colour)
        for one in (role.Text, role.WindowText, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, one, self.placeholder)
        return palette


LIGHT = Colours.of(
    "#FBFAF7 #FFFFFF #F1EFE9 #1F2328 #646A73 #DAD6CC #0B6B63 #FFFFFF #855400 #B3261E"
)
DARK = Colours.of("#16181B #1E2125 #23272C #E8E6E1 #9AA1AA #3A4048 #63C7B6 #0B1F1C #E9B85C #FFB4AB")


def blend(colour: QColor, below: QColor, percent: float) -> QColor:
    """Return ``colour`` laid over ``below`` with the given opacity in per cent."""
    a = percent / 100
    return QColor(
        round(a * colour.red() + (1 - a) * below.red()),
        round(a * colour.green() + (1 - a) * below.green()),
        round(a * colour.blue() + (1 - a) * below.blue()),
    )


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast ratio of two opaque colours (WCAG 2), 1 to 21."""

    def luminance(colour: QColor) -> float:
        parts = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (colour.redF(), colour.greenF(), colour.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class Theme(QObject):
    """The scheme and sizes in force; widgets read it when ``changed`` says so."""

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._system_font = QFont(app.font())
        self._choice = SchemeChoice.SYSTEM
        self._zoom = 100
        self.colours = LIGHT
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._apply()

    # What the user chose

    @property
    def choice(self) -> SchemeChoice:
        """The scheme the user chose."""
        return self._choice

    @property
    def zoom(self) -> int:
        """The size of all text and all that is measured by it, in per cent."""
        return self._zoom

    @property
    def dark(self) -> bool:
        """Whether the dark scheme is in force."""
        return self.colours is DARK

    def set_choice(self, choice: SchemeChoice) -> None:
        """Follow the system or stay light or dark."""
        self._choice = choice
        scheme = {
            SchemeChoice.LIGHT: Qt.ColorScheme.Light,
            SchemeChoice.DARK: Qt.ColorScheme.Dark,
            SchemeChoice.SYSTEM: Qt.ColorScheme.Unknown,
        }[choice]
        self._app.styleHints().setColorScheme(scheme)  # title bars and native dialogs
        self._apply()

    def set_zoom(self, percent: int) -> None:
        """Scale everything; the value is kept within 80 and 200 per cent."""
        self._zoom = min(max(percent, ZOOM_RANGE[0]), ZOOM_RANGE[1])
        self._apply()

    # Sizes

    def u(self, count: float = 1) -> int:
        """Return ``count`` units in pixels; a unit is half the height of the system font."""
        return round(count * self._unit)

    def font(self, scale: float = 1, *, strong: bool = False) -> QFont:
        """Return the system font scaled, in weight 400 or 600."""
        font = QFont(self._base_font)
        font.setPointSizeF(self._base_font.pointSizeF() * scale)
        font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
        return font

    def body(self) -> QFont:
        """Return the font of questions and answers."""
        return self.font(1.05)

    def line_height(self) -> int:
        """Return the distance of text lines as per cent of the body font's own line."""
        font = QFontInfo(self.body())
        own = QFontMetricsF(self.body()).height()
        return max(round(100 * LINE_EM * font.pixelSize() / own), 100)

    def code_line_height(self) -> int:
        """Return the distance of code lines as per cent of the code font's own line."""
        font = QFontInfo(self.code())
        own = QFontMetricsF(self.code()).height()
        return max(round(100 * LINE_EM * font.pixelSize() / own), 100)

    def body_height(self) -> int:
        """Return the height of one line of body text without leading."""
        return round(QFontMetricsF(self.body()).height())

    def leading(self) -> int:
        """Return the empty pixels Qt puts below each line of body text at that distance."""
        return round(QFontMetricsF(self.body()).height() * (self.line_height() - 100) / 100)

    def caption(self, *, strong: bool = False) -> QFont:
        """Return the font of captions, chips and prices."""
        return self.font(0.85, strong=strong)

    def title(self) -> QFont:
        """Return the font of the empty chat's first line."""
        return self.font(1.7)

    def code(self) -> QFont:
        """Return the fixed font of code."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self._base_font.pointSizeF() * 0.95)
        return font

    # Changes

    @Slot(Qt.ColorScheme)
    def _system_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self._choice is SchemeChoice.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        system_dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        dark = self._choice is SchemeChoice.DARK or (
            self._choice is SchemeChoice.SYSTEM and system_dark
        )
        self.colours = DARK if dark else LIGHT
        self._base_font = QFont(self._system_font)
        self._base_font.setPointSizeF(self._system_font.pointSizeF() * self._zoom / 100)
        self._unit = QFontMetricsF(self._base_font).height() / 2
        self._app.setFont(self._base_font)
        self._app.setPalette(self.colours.palette())
        self.changed.emit()
