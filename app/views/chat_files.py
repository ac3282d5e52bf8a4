"""Asks for what the commands about many chats need: a file to write or read, a confirmation."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

SUFFIX = ".jsonl"
LONGEST_NAME = 60  # characters of a title in a file's name


class ChatFiles(QObject):
    """Emits only what the user really chose."""

    export_all_requested = Signal(str)
    export_chat_requested = Signal(str, str)
    import_chats_requested = Signal(str)
    delete_all_requested = Signal()
    folder_chosen = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    @Slot()
    def export_all(self) -> None:
        """Ask where all chats go."""
        path = self._file_to_write(self.tr("Export all chats"), "chats" + SUFFIX, self._jsonl())
        if path:
            self.export_all_requested.emit(path)

    def export_chat(self, chat_id: str, title: str) -> None:
        """Ask where one chat goes: whole as JSONL, or its shown path as Markdown."""
        plain = "".join(c if c.isalnum() or c in " -_" else "_" for c in title).strip()
        name = plain[:LONGEST_NAME].strip() or "chat"
        kinds = f"{self._jsonl()};;{self.tr('Markdown, as shown (*.md)')}"
        path = self._file_to_write(self.tr("Export the chat"), name + SUFFIX, kinds)
        if path:
            self.export_chat_requested.emit(chat_id, path)

    @Slot()
    def import_chats(self) -> None:
        """Ask for a file that was exported before."""
        title = self.tr("Import chats")
        path, _ = QFileDialog.getOpenFileName(self._window, title, _documents(""), self._jsonl())
        if path:
            self.import_chats_requested.emit(path)

    @Slot()
    def choose_folder(self) -> None:
        """Ask for a folder to keep the chats in."""
        title = self.tr("Choose a folder for your chats")
        folder = QFileDialog.getExistingDirectory(self._window, title, _documents(""))
        if folder:
            self.folder_chosen.emit(folder)

    @Slot()
    def delete_all(self) -> None:
        """Ask whether really all chats are to go."""
        box = QMessageBox(self._window)
        box.setWindowTitle(self.tr("Delete all chats"))
        box.setText(self.tr("Delete all chats?"))
        box.setInformativeText(self.tr("For ten seconds after that Undo brings them back."))
        delete = box.addButton(self.tr("Delete all"), QMessageBox.ButtonRole.DestructiveRole)
        keep = box.addButton(self.tr("Keep them"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.exec()
        if box.clickedButton() is delete:
            self.delete_all_requested.emit()

    def _file_to_write(self, title: str, name: str, kinds: str) -> str:
        chosen, kind = QFileDialog.getSaveFileName(self._window, title, _documents(name), kinds)
        if not chosen or Path(chosen).suffix:
            return chosen
        path = chosen + (".md" if ".md" in kind else SUFFIX)
        return path if not Path(path).exists() or self._replaces(path) else ""

    def _replaces(self, path: str) -> bool:
        """Ask what the file dialog could not: it did not know the suffix."""
        question = self.tr("{path} is there already. Replace it?").format(path=path)
        yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
        title = self.tr("Replace the file")
        return QMessageBox.question(self._window, title, question, yes | no, no) == yes

    def _jsonl(self) -> str:
        return self.tr("Chats, with every variant (*.jsonl)")


def _documents(name: str) -> str:
    """Return ``name`` in the user's documents folder, where dialogs begin."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return str(Path(folder) / name)
