"""The receipt of an answer: how it came about, line by line, and the same run made again cold."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QLabel, QWidget

from app.viewmodels.library_rows import Receipt
from app.views.announce import announce
from app.views.fact_grid import SELECTABLE, FactGrid
from app.views.loop_bar import LoopBar
from app.views.page_dialog import PageDialog
from app.views.theme import Theme


class ReceiptDialog(PageDialog):
    """Shows receipts of the answer it was opened for; ``compare_requested`` names the answer."""

    compare_requested = Signal(str)

    def __init__(self, theme: Theme, receipt: Receipt, parent: QWidget) -> None:
        super().__init__(theme, "", parent)
        self.setWindowTitle(self.tr("How this answer came about"))
        self._receipt = receipt
        self._facts = FactGrid(theme)
        self._facts.show_lines(receipt.lines)
        self._comparison = QLabel()
        self._hint = QLabel()
        self._hint.setFont(theme.caption())
        self._hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._loops = LoopBar(theme)
        self._content.addWidget(self._loops)
        self._content.addLayout(self._facts)
        self._content.addWidget(self._hint)
        self._content.addWidget(self._comparison)
        self._content.addStretch(1)
        for label in (self._hint, self._comparison):
            label.setWordWrap(True)
        self._comparison.setTextInteractionFlags(SELECTABLE)
        self._comparison.setFont(theme.font(strong=True))
        self._comparison.setMinimumHeight(self._comparison.fontMetrics().height())
        self._compare = self.add_button(self.tr("Re-run cold and compare"))
        self._compare.clicked.connect(self._ask_to_compare)
        self.add_button(self.tr("Copy")).clicked.connect(self._copy)
        self.add_close()
        self.setMinimumWidth(theme.u(60))
        self.show_receipt(receipt)

    @property
    def message_id(self) -> str:
        """The answer the receipt is of."""
        return self._receipt.message_id

    def show_receipt(self, receipt: Receipt) -> None:
        """Show another state of the receipt."""
        if receipt.comparison and receipt.comparison != self._receipt.comparison:
            announce(self, receipt.comparison)
        if receipt.lines != self._receipt.lines:
            self._facts.show_lines(receipt.lines)
        self._receipt = receipt
        self._loops.setVisible(receipt.progress is not None)
        if receipt.progress is not None:
            self._loops.show_progress(receipt.progress)
        self._hint.setText(receipt.hint)
        self._hint.setVisible(bool(receipt.hint))
        self._comparison.setText(receipt.comparison)
        self._comparison.setAccessibleName(receipt.comparison or self.tr("Not compared yet"))
        self._compare.setEnabled(receipt.can_compare)
        self._compare.setToolTip(receipt.hint)
        self._compare.setAccessibleDescription(receipt.hint)

    def text(self) -> str:
        """Return the receipt as it is copied: a line a fact."""
        lines = [f"{line.label}: {line.value}" for line in self._receipt.lines]
        return "\n".join([*lines, self._receipt.comparison]).strip()

    @Slot()
    def _ask_to_compare(self) -> None:
        self.compare_requested.emit(self.message_id)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())
