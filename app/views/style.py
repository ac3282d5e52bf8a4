"""Fusion made quiet: flat buttons, slim scroll bars, one focus ring."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComplex,
    QStyleOptionMenuItem,
    QStyleOptionSlider,
    QWidget,
)

from app.views import painting
from app.views.theme import FLAT_PADDING, HAIRLINE, RING, Theme

State = QStyle.StateFlag


class PageStyle(QProxyStyle):
    """Buttons are text; one that is not flat has a hairline around it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("Fusion")
        self._theme = theme

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw scroll bars as one slim rounded handle without a groove."""
        if control == QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            self._scroll_bar(option, painter, widget)
        else:
            super().drawComplexControl(control, option, painter, widget)

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        """Return sizes in units where Fusion has pixels."""
        if metric == QStyle.PixelMetric.PM_ScrollBarExtent:
            return self._theme.u(1.5)
        if metric in (
            QStyle.PixelMetric.PM_ButtonShiftHorizontal,
            QStyle.PixelMetric.PM_ButtonShiftVertical,
        ):
            return 0
        return int(super().pixelMetric(metric, option, widget))

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        data: QStyleHintReturn | None = None,
    ) -> int:
        """Draw no lines under the letters of menus; Alt and the letter work all the same."""
        if hint == QStyle.StyleHint.SH_UnderlineShortcut:
            return 0
        return int(super().styleHint(hint, option, widget, data))

    def subElementRect(
        self,
        element: QStyle.SubElement,
        option: QStyleOption,
        widget: QWidget | None = None,
    ) -> QRect:
        """Keep the letters of a text box off its frame."""
        if element == QStyle.SubElement.SE_LineEditContents:
            return option.rect.adjusted(self._theme.u(0.75), 0, -self._theme.u(0.75), 0)
        return super().subElementRect(element, option, cast("QWidget", widget))

    def sizeFromContents(
        self,
        kind: QStyle.ContentsType,
        option: QStyleOption,
        size: QSize,
        widget: QWidget | None = None,
    ) -> QSize:
        """Make a button as large as its text and a padding."""
        if kind == QStyle.ContentsType.CT_PushButton and isinstance(option, QStyleOptionButton):
            u = self._theme.u
            text = option.fontMetrics.size(Qt.TextFlag.TextShowMnemonic, option.text)
            padding = FLAT_PADDING if _is_flat(option) else 1.5
            return QSize(text.width() + 2 * u(padding), text.height() + u(0.75))
        if kind == QStyle.ContentsType.CT_MenuBarItem:
            u = self._theme.u
            return QSize(size.width() + 2 * u(FLAT_PADDING), option.fontMetrics.height() + u(0.75))
        if kind == QStyle.ContentsType.CT_LineEdit:
            return QSize(size.width(), option.fontMetrics.height() + self._theme.u(0.75))
        return super().sizeFromContents(kind, option, size, cast("QWidget", widget))

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw focus as the same ring, a text box as a card, no corner between scroll bars."""
        if element == QStyle.PrimitiveElement.PE_FrameFocusRect:
            radius, accent = self._theme.u(0.5), self._theme.colours.accent
            painting.frame(painter, option.rect, radius, outline=accent, width=RING)
        elif element == QStyle.PrimitiveElement.PE_PanelLineEdit:
            self._text_box(option, painter)
        elif element != QStyle.PrimitiveElement.PE_PanelScrollAreaCorner:
            super().drawPrimitive(element, option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the menu bar as text on the page, buttons as text with their ring."""
        kind = QStyle.ControlElement
        if element == kind.CE_MenuBarEmptyArea:
            return
        if element == kind.CE_MenuBarItem and isinstance(option, QStyleOptionMenuItem):
            self._menu_bar_item(option, painter)
        elif element == kind.CE_PushButtonBevel and isinstance(option, QStyleOptionButton):
            self._button(option, painter)
        else:
            super().drawControl(element, option, painter, widget)

    def _button(self, option: QStyleOptionButton, painter: QPainter) -> None:
        colours, flat = self._theme.colours, _is_flat(option)
        enabled = bool(option.state & State.State_Enabled)
        fill = None
        if option.state & (State.State_Sunken | State.State_On):
            fill = colours.mid
        elif enabled and option.state & State.State_MouseOver:
            fill = colours.alternate
        elif not flat:
            fill = colours.base
        outline, width = None if flat else colours.mid, HAIRLINE
        if option.state & State.State_HasFocus:
            outline, width = colours.accent, RING
        painting.frame(painter, option.rect, self._theme.u(0.5), fill, outline, width)

    def _text_box(self, option: QStyleOption, painter: QPainter) -> None:
        colours = self._theme.colours
        outline, width = colours.mid, HAIRLINE
        if option.state & State.State_HasFocus:
            outline, width = colours.accent, RING
        radius = self._theme.u(0.5)
        painting.frame(painter, option.rect, radius, colours.base, outline, width)

    def _menu_bar_item(self, option: QStyleOptionMenuItem, painter: QPainter) -> None:
        if option.state & (State.State_Selected | State.State_Sunken):
            fill = self._theme.colours.alternate
            painting.frame(painter, option.rect, self._theme.u(0.5), fill)
        painter.setPen(self._theme.colours.text)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextHideMnemonic
        painter.drawText(option.rect, int(flags), option.text)

    def _scroll_bar(
        self, option: QStyleOptionSlider, painter: QPainter, widget: QWidget | None
    ) -> None:
        if option.maximum <= option.minimum:
            return
        handle = self.subControlRect(
            QStyle.ComplexControl.CC_ScrollBar,
            option,
            QStyle.SubControl.SC_ScrollBarSlider,
            cast("QWidget", widget),
        )
        margin = self._theme.u(0.375)
        handle = (
            handle.adjusted(margin, 0, -margin, 0)
            if option.orientation == Qt.Orientation.Vertical
            else handle.adjusted(0, margin, 0, -margin)
        )
        active = option.state & (State.State_MouseOver | State.State_Sunken)
        colour = self._theme.colours.placeholder if active else self._theme.colours.mid
        painting.frame(painter, handle, min(handle.width(), handle.height()) / 2, colour)


def _is_flat(option: QStyleOptionButton) -> bool:
    return bool(option.features & QStyleOptionButton.ButtonFeature.Flat)
