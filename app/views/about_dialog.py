"""About this model: the facts of its file, and how often it was right at which depth."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.viewmodels.about import About, Figure, FigureRow
from app.views.fact_grid import FactGrid
from app.views.loop_bar import LoopBar
from app.views.page_dialog import PageDialog
from app.views.theme import Theme

WIDTH = 72  # u: what needs less is given this
NAME = 24  # u: the widest name of a row
GAP = 2  # u: before a column
BESIDE, BELOW = 9, 11  # u: margins and scroll bar beside the page, margins and button below it


class AboutDialog(PageDialog):
    """All of it scrolls where the screen is too small."""

    def __init__(self, theme: Theme, about: About, parent: QWidget) -> None:
        super().__init__(theme, "", parent)
        self.setWindowTitle(self.tr("About this model"))
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setAccessibleName(self.tr("About this model"))
        self._content.addWidget(self._scroll)
        self.add_close()
        self._scroll.setFocus()  # its keys scroll
        self.show_about(about)

    def show_about(self, about: About) -> None:
        """Show another model, or that there is none."""
        page = self._page(about)
        self._scroll.setWidget(page)
        room, u = self.room(), self._theme.u
        wide = max(u(WIDTH), page.minimumSizeHint().width() + u(BESIDE))
        tall = page.heightForWidth(wide - u(BESIDE)) + u(BELOW)
        self.setMinimumWidth(min(wide, room.width()))
        self.resize(self.minimumWidth(), min(tall, room.height() - u(BELOW)))

    def _page(self, about: About) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, self._theme.u(2), 0)
        column.setSpacing(self._theme.u(2))
        if about.lines:
            facts = FactGrid(self._theme)
            facts.show_lines(about.lines)
            column.addLayout(facts)
        sentence = QLabel(about.sentence)
        sentence.setWordWrap(True)
        column.addWidget(sentence)
        if about.chart:
            column.addLayout(self._chart(about))
        if about.sections:
            column.addLayout(self._table(about))
        column.addStretch(1)
        return page

    def _chart(self, about: About) -> QGridLayout:
        """Return a row of loops a depth, and how often the answers at it are right."""
        grid = self._grid()
        for number, (progress, figure) in enumerate(about.chart):
            loops = LoopBar(self._theme)
            loops.show_progress(progress)
            grid.addWidget(loops, number, 0)
            grid.addWidget(QLabel(progress.caption), number, 1)
            self._add_figure(grid, number, 2, figure)
        grid.setColumnStretch(grid.columnCount(), 1)
        return grid

    def _table(self, about: About) -> QGridLayout:
        """Return all sections in one grid, so that their columns are the same."""
        grid = self._grid()
        line = 0
        for section in about.sections:
            self._add_heads(grid, line, section.heading, about.depths)
            for row in section.rows:
                line += 1
                self._add_row(grid, line, row)
            line += 1
            grid.setRowMinimumHeight(line, self._theme.u(1))
            line += 1
        grid.setColumnStretch(grid.columnCount(), 1)
        return grid

    def _grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(self._theme.u(1))
        grid.setVerticalSpacing(self._theme.u(0.5))
        return grid

    def _add_heads(
        self, grid: QGridLayout, line: int, heading: str, depths: tuple[str, ...]
    ) -> None:
        for column, text in enumerate((heading, *depths)):
            head = QLabel(text)
            head.setFont(self._theme.font(strong=True))
            if column:
                head.setAlignment(Qt.AlignmentFlag.AlignTrailing)
                head.setMinimumWidth(head.sizeHint().width() + self._theme.u(GAP))
            grid.addWidget(head, line, max(0, 2 * column - 1), 1, 2 if column else 1)

    def _add_row(self, grid: QGridLayout, line: int, row: FigureRow) -> None:
        name, widest = QLabel(), self._theme.u(NAME)
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setText(name.fontMetrics().elidedText(row.name, Qt.TextElideMode.ElideRight, widest))
        name.setAccessibleName(row.name)
        grid.addWidget(name, line, 0)
        for number, figure in enumerate(row.figures):
            self._add_figure(grid, line, 2 * number + 1, figure)

    def _add_figure(self, grid: QGridLayout, line: int, column: int, figure: Figure) -> None:
        """Add a share and, quietly behind it, its interval if there is one."""
        percent = QLabel(figure.percent)
        percent.setAccessibleName(figure.spoken)
        percent.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        percent.setMinimumWidth(percent.sizeHint().width() + self._theme.u(GAP))
        grid.addWidget(percent, line, column, 1, 1 if figure.interval else 2)
        if not figure.interval:
            return
        interval = QLabel(figure.interval)
        interval.setAccessibleName(figure.spoken_interval)
        interval.setFont(self._theme.caption())
        interval.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        grid.addWidget(interval, line, column + 1)
