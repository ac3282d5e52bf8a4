"""The shelf: what the memory holds, state by state, and one button that frees it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QWidget

from app.viewmodels.library_rows import Shelf
from app.views.caption import Caption
from app.views.memory_bar import MemoryBar
from app.views.page_dialog import PageDialog
from app.views.theme import Theme


class ShelfDialog(PageDialog):
    """Shows the shelf as it is now; ``free_requested`` asks to free all kept states."""

    free_requested = Signal()

    def __init__(self, theme: Theme, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(theme, "", parent)
        self.setWindowTitle(self.tr("What the memory holds"))
        self._shelf = shelf
        self._sentence = QLabel()
        self._sentence.setWordWrap(True)
        self._why = QLabel(
            self.tr("A kept state lets Try harder go on from the loops already done.")
        )
        self._why.setWordWrap(True)
        self._why.setFont(theme.caption())
        self._why.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._bar = MemoryBar(theme)
        self._list = QScrollArea()
        self._list.setWidgetResizable(True)
        self._list.setFrameShape(QScrollArea.Shape.NoFrame)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setAccessibleName(self.tr("Kept states"))
        for part in (self._sentence, self._bar, self._list, self._why):
            self._content.addWidget(part)
        self._free = self.add_button(self.tr("Free kept states"))
        self._free.clicked.connect(self.free_requested)
        self.add_close()
        self.setMinimumWidth(theme.u(64))
        self.resize(theme.u(72), theme.u(36))
        self.show_shelf(shelf)

    def show_shelf(self, shelf: Shelf) -> None:
        """Show other contents."""
        self._shelf = shelf
        sentence = self.sentence()
        self._sentence.setText(sentence)
        self._bar.show_shelf(shelf, sentence)
        self._list.setWidget(self._lines())
        self._free.setEnabled(bool(shelf.entries))

    def sentence(self) -> str:
        """Return the contents in one sentence."""
        shelf = self._shelf
        used = sum(entry.nbytes for entry in shelf.entries)
        text = self.tr("Model {model} · kept states {n}, {used} of at most {budget}")
        return text.format(
            model=in_words(shelf.model),
            n=len(shelf.entries),
            used=in_words(used),
            budget=in_words(shelf.budget),
        )

    def _lines(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
        u = self._theme.u
        grid.setContentsMargins(0, 0, u(2), 0)
        grid.setHorizontalSpacing(u(3))
        grid.setVerticalSpacing(u(0.75))
        grid.setColumnStretch(0, 1)
        for number, entry in enumerate(self._shelf.entries):
            text = Caption(self._theme, quiet=False)
            text.set_text(entry.text)
            grid.addWidget(text, number, 0)
            for place, fact in enumerate((in_words(entry.nbytes), entry.last_used), start=1):
                label = QLabel(fact)
                label.setFont(self._theme.caption())
                label.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
                grid.addWidget(label, number, place)
        if not self._shelf.entries:
            grid.addWidget(QLabel(self.tr("No state is kept now.")), 0, 0)
        grid.setRowStretch(len(self._shelf.entries) + 1, 1)
        return page


def in_words(nbytes: int) -> str:
    """Return bytes as people read them: "61 MB", "1.2 GB"."""
    if nbytes >= 1e9:
        return f"{nbytes / 1e9:.1f} GB"
    return f"{nbytes / 1e6:.0f} MB" if nbytes >= 1e6 or not nbytes else f"{nbytes / 1e6:.1f} MB"
