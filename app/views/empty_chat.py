"""What a new chat shows: one sentence, four questions that need depth, one line of facts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.rows import Card
from app.views.page_layout import NARROW, column
from app.views.theme import Theme
from app.views.two_line_button import TwoLineButton, TwoLines


class EmptyChat(QScrollArea):
    """Left-aligned at a third of the height; a card puts its question into the composer."""

    card_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cards: list[tuple[TwoLineButton, Card]] = []
        self._title = QLabel(self.tr("Ask. If the answer is wrong, try harder."))
        self._text = QLabel()
        self._facts = QLabel()
        for label in (self._title, self._text, self._facts):
            label.setWordWrap(True)
        self._grid = QGridLayout()
        page = QWidget()
        self._column = QVBoxLayout(page)
        self._column.addStretch(1)
        self._column.addWidget(self._title)
        self._column.addWidget(self._text)
        self._column.addLayout(self._grid)
        self._column.addWidget(self._facts)
        self._column.addStretch(2)
        self.setWidget(page)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("New chat"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_cards(self, cards: Sequence[Card]) -> None:
        """Offer these questions."""
        for button, _ in self._cards:
            button.deleteLater()
        self._cards = []
        for card in cards:
            button = TwoLineButton(self._theme)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            title = self.tr("{title}   ·   {n} steps").format(title=card.title, n=card.steps)
            button.show_lines(TwoLines(title, card.question))
            button.clicked.connect(self._card_clicked)
            self._cards.append((button, card))
        self._flow()

    def show_depths(self, efforts: tuple[int, ...]) -> None:
        """Say at which depths this model answers; in general words before it is loaded."""
        first, further = self.tr("few loops"), self.tr("more")
        if len(efforts) == 3:
            first = self.tr("{n} loops").format(n=efforts[0])
            further = self.tr("{n} and {m}").format(n=efforts[1], m=efforts[2])
        text = self.tr(
            "The first answer takes {first}; the two buttons under it take the same question on "
            "to {further}, keeping the work already done. More loops help with questions of many "
            "steps; they add no knowledge."
        )
        self._text.setText(text.format(first=first, further=further))

    def show_facts(self, facts: str) -> None:
        """Show one line about the model."""
        self._facts.setText(facts)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the column; one card a line where two have no room."""
        super().resizeEvent(event)
        self._flow()

    def _flow(self) -> None:
        left, wide = column(self._theme, self.width())
        u = self._theme.u
        self._column.setContentsMargins(left + u(1), u(2), left + u(1), u(2))
        columns = 1 if wide < u(NARROW) else 2
        for number, (button, _) in enumerate(self._cards):
            self._grid.addWidget(button, number // columns, number % columns)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)

    @Slot()
    def _card_clicked(self) -> None:
        chosen = next(card for button, card in self._cards if button is self.sender())
        self.card_chosen.emit(chosen)

    @Slot()
    def _restyle(self) -> None:
        u = self._theme.u
        self._title.setFont(self._theme.title())
        self._text.setFont(self._theme.body())
        self._facts.setFont(self._theme.caption())
        self._facts.setForegroundRole(self._facts.foregroundRole().PlaceholderText)
        self._column.setSpacing(u(2))
        self._grid.setSpacing(u(1.5))
        self._grid.setContentsMargins(0, u(1), 0, u(0.5))
        self._flow()
