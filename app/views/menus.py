"""The menu bar: one entry a command, and the choice of colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import SignalInstance, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from app.views.shortcuts import ENTRIES, VIEW_MENU, Command, translated
from app.views.theme import SchemeChoice, Theme

Handler = Callable[..., object] | SignalInstance


def fill_menus(
    bar: QMenuBar, handlers: Mapping[Command, Handler], theme: Theme
) -> dict[Command, QAction]:
    """Add every command of the table to ``bar``; return their actions."""
    menus: dict[str, QMenu] = {}
    actions: dict[Command, QAction] = {}
    for entry in ENTRIES:
        if entry.menu not in menus:
            menus[entry.menu] = bar.addMenu(translated(entry.menu))
        action = menus[entry.menu].addAction(translated(entry.text))
        action.setShortcuts([QKeySequence(keys) for keys in entry.keys])
        action.triggered.connect(handlers[entry.command])
        actions[entry.command] = action
        if entry.ends_group:
            menus[entry.menu].addSeparator()
    menus[VIEW_MENU].addMenu(SchemeMenu(theme, menus[VIEW_MENU]))
    return actions


class SchemeMenu(QMenu):
    """Light, dark, or as the system."""

    def __init__(self, theme: Theme, parent: QMenu) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setTitle(self.tr("Colours"))
        group = QActionGroup(self)
        names = {
            SchemeChoice.SYSTEM: self.tr("As the system"),
            SchemeChoice.LIGHT: self.tr("Light"),
            SchemeChoice.DARK: self.tr("Dark"),
        }
        for choice, name in names.items():
            action = self.addAction(name)
            action.setCheckable(True)
            action.setChecked(choice is theme.choice)
            action.setData(choice)
            group.addAction(action)
        self.triggered.connect(self._chosen)

    @Slot(QAction)
    def _chosen(self, action: QAction) -> None:
        self._theme.set_choice(action.data())
