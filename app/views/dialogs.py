"""The dialogs over the window: each opens when it was asked for and follows its view model."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.viewmodels.about import About
from app.viewmodels.library_rows import Receipt, Shelf
from app.views.about_dialog import AboutDialog
from app.views.crash_dialog import CrashDialog
from app.views.receipt_dialog import ReceiptDialog
from app.views.shelf_dialog import ShelfDialog
from app.views.shortcut_list import ShortcutList
from app.views.theme import Theme


class Dialogs(QObject):
    """Asks for what a dialog shows; what arrives unasked only brings an open one up to date."""

    receipt_wanted = Signal(str)
    compare_requested = Signal(str)
    shelf_wanted = Signal()
    free_requested = Signal()
    about_wanted = Signal()
    diagnostics_requested = Signal()

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._window = window
        self._receipt: ReceiptDialog | None = None
        self._shelf: ShelfDialog | None = None
        self._about: AboutDialog | None = None
        self._crash: CrashDialog | None = None
        self._answer = ""  # whose receipt is on its way
        self._shelf_asked = False
        self._about_asked = False

    @Slot(str)
    def ask_for_receipt(self, message_id: str) -> None:
        """Open the receipt of an answer as soon as it is there."""
        self._answer = message_id
        self.receipt_wanted.emit(message_id)

    @Slot(object)
    def show_receipt(self, receipt: Receipt | None) -> None:
        """Show the receipt that was asked for, or another state of the one that is open."""
        if receipt is None:
            return
        if receipt.message_id == self._answer:
            self._answer = ""
            _throw_away(self._receipt)
            self._receipt = ReceiptDialog(self._theme, receipt, self._window)
            self._receipt.compare_requested.connect(self.compare_requested)
            self._receipt.open()
        elif self._receipt is not None and self._receipt.message_id == receipt.message_id:
            self._receipt.show_receipt(receipt)

    @Slot()
    def ask_for_shelf(self) -> None:
        """Open the shelf as soon as its contents are there."""
        self._shelf_asked = True
        self.shelf_wanted.emit()

    @Slot(object)
    def show_shelf(self, shelf: Shelf) -> None:
        """Show the shelf that was asked for, or another state of the one that is open."""
        if self._shelf_asked:
            self._shelf_asked = False
            _throw_away(self._shelf)
            self._shelf = ShelfDialog(self._theme, shelf, self._window)
            self._shelf.free_requested.connect(self.free_requested)
            self._shelf.open()
        elif self._shelf is not None:
            self._shelf.show_shelf(shelf)

    @Slot()
    def ask_for_about(self) -> None:
        """Open what is known of the model as soon as it is there."""
        self._about_asked = True
        self.about_wanted.emit()

    @Slot(object)
    def show_about(self, about: About) -> None:
        """Show what was asked for, or another model in the dialog that is open."""
        if self._about_asked:
            self._about_asked = False
            _throw_away(self._about)
            self._about = AboutDialog(self._theme, about, self._window)
            self._about.open()
        elif self._about is not None:
            self._about.show_about(about)

    @Slot()
    def show_crash(self) -> None:
        """Say once that something went wrong."""
        if self._crash is None:
            self._crash = CrashDialog(self._theme, self._window)
            self._crash.diagnostics_requested.connect(self.diagnostics_requested)
            self._crash.open()

    @Slot()
    def show_shortcuts(self) -> None:
        """Show the list of keys."""
        ShortcutList(self._theme, self._window).open()


def _throw_away(dialog: QWidget | None) -> None:
    if dialog is not None:
        dialog.close()
        dialog.deleteLater()
