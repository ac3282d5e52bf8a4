"""Drives the real window with the bundled model and takes the pictures of the README."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_rig import click, spoken, wait, words_on_screen

from app import paths
from app.domain.conversation import Conversation, Message, Role, new_id
from app.domain.store.transfer import write_chats
from app.engine_link.messages import Progress
from app.main import App, read_cards
from app.startup import parse
from app.viewmodels.rows import Card
from app.views.receipt_dialog import ReceiptDialog
from app.views.theme import SchemeChoice

SIZE = (1080, 720)
SMALLEST = 0  # Qt's quality of a PNG: its strongest compression
SCHEMES = (SchemeChoice.LIGHT, SchemeChoice.DARK)
FIRST_QUESTION = "What can you do?"
DAY = 24 * 3600.0  # seconds
HELD_AT = 13  # of 16 loops, while the picture of a run is taken
*EARLIER, ASKED = read_cards()  # the last card comes right at 16 loops as a second question too

LISTED = ("New chat", "Search chats", "Yesterday", *(card.title for card in EARLIER))

# What each picture must show, in accessible names.
SHOWN = {
    "empty": (
        *LISTED,
        "Ask. If the answer is wrong, try harder.",
        f"{ASKED.title}   ·   {ASKED.steps} steps",
        "Answers at 8 loops",
        f"{paths.model_size()} parameters · on this computer · English · often wrong",
        "Send",
    ),
    "running": (
        *LISTED,
        f"You: {FIRST_QUESTION}",
        "Loop 13 of 16 — the first 8 were kept",
        "Really hard instead",
        "Stop the answer",
    ),
    "variants": (
        *LISTED,
        "8 loops, state kept",
        "16 loops, state kept",
        "32 loops, state kept",
        f"known answer: {ASKED.answer} — right · ",
        "Copy",
        "Answer again",
        "Really hard",
    ),
    "receipt": (
        "How this answer came about",
        "Depth: 16 loops",
        "16 loops, the first 8 were kept",
        "Re-run cold and compare",
        "Copy",
    ),
    "error": (*LISTED, "Open another model…", "Send"),
}


def missing(picture: str, words: list[str]) -> list[str]:
    """Return what a picture of this file name must show and does not."""
    shown = SHOWN[picture.split("_", maxsplit=1)[0]]
    return [word for word in shown if not any(word in said for said in words)]


def chat(card: Card, when: float) -> Conversation:
    """Return a chat in which a card's question was asked at ``when``."""
    made = Conversation(title=card.title, created=when, updated=when)
    made.add(Message(new_id(), None, Role.USER, card.question, created=when))
    return made


class Photographer:
    """Takes one picture a scheme and notes the words that were on screen then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.words: dict[str, list[str]] = {}
        places = paths.Places.under(Path(tempfile.mkdtemp()))
        self.app = App(QApplication.instance(), parse(["--device", "cpu"]), places)
        self.window = self.app.window
        self.go_on = threading.Event()
        self.app.service._worker.happened.connect(self.hold, Qt.ConnectionType.DirectConnection)
        self.app.start()
        self.window.resize(*SIZE)
        self.until(lambda: self.app.chat.scene.facts is not None)
        self.bring_chats()

    def bring_chats(self) -> None:
        """Import two chats of yesterday and one of the day before: the cards that are not asked."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "chats.jsonl"
            now = time.time()
            ages = zip(EARLIER, (DAY, DAY + 1, 2 * DAY), strict=True)
            write_chats(file, [chat(card, now - age) for card, age in ages])
            self.window.import_chats_requested.emit(str(file))
            self.until(lambda: self.app.models.status.notice is not None)
        click(self.window, "OK")
        click(self.window, "New chat")

    def until(self, condition: Callable[[], object]) -> None:
        end = time.monotonic() + 120
        while not condition():
            assert time.monotonic() < end, "waited too long"
            wait(2)

    def idle(self) -> None:
        service = self.app.service
        self.until(lambda: self.app.chat.scene.run is None and not service.busy)
        wait(30)

    def ask(self, text: str) -> None:
        box = self.window.composer.edit
        box.setFocus()
        box.insertPlainText(text)
        QTest.keyClick(box, Qt.Key.Key_Return)

    def take(self, name: str) -> None:
        self.window.composer.edit.setFocus()
        for scheme in SCHEMES:
            self.app.theme.set_choice(scheme)
            wait(0)
            self.save(self.window.grab(), f"{name}_{scheme.value}", words_on_screen(self.window))

    def all(self) -> dict[str, list[str]]:
        """Go through a conversation; return the words of each picture."""
        self.take("empty")
        self.ask(FIRST_QUESTION)
        self.idle()
        self.ask(ASKED.question)
        self.idle()
        click(self.window, "Try harder")
        self.until(self.held)
        self.take("running")
        self.go_on.set()
        self.idle()
        click(self.window, "Really hard")
        self.idle()
        click(self.window, "16 loops, state kept")
        self.take("variants")
        self.take_receipt()
        self.open_half_a_model()
        self.take("error")
        self.window.close()
        return self.words

    def take_receipt(self) -> None:
        """Open the receipt of the shown variant, run it again cold, and show both."""
        QTest.keyClick(self.window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        receipt = self.app.receipt
        self.until(lambda: receipt.receipt is not None)
        (dialog,) = self.window.findChildren(ReceiptDialog)
        click(dialog, "Re-run cold and compare")
        self.until(lambda: receipt.receipt.comparison.startswith("identical"))
        for scheme in SCHEMES:
            self.app.theme.set_choice(scheme)
            wait(10)
            picture = self.window.grab()
            over = dialog.grab()
            painter = QPainter(picture)
            left = (picture.width() - over.width()) // 2
            top = (picture.height() - over.height()) // 2
            painter.drawPixmap(left, top, over)
            painter.setPen(self.app.theme.colours.mid)
            painter.drawRect(left - 1, top - 1, over.width() + 1, over.height() + 1)
            painter.end()
            self.save(picture, f"receipt_{scheme.value}", [*spoken(dialog), dialog.windowTitle()])
        dialog.close()

    def save(self, picture: QPixmap, name: str, words: list[str]) -> None:
        picture.save(str(self.folder / f"{name}.png"), "PNG", SMALLEST)
        self.words[name] = words

    def open_half_a_model(self) -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            half = Path("half-downloaded.tinyloop")
            with paths.model_file().open("rb") as whole:
                half.write_bytes(whole.read(1 << 20))
            self.app.chat.load(str(half))
            self.until(lambda: self.app.models.status.error is not None)

    def hold(self, event: object) -> None:
        """Stand still in the middle of the deepening; this runs on the engine's thread."""
        if isinstance(event, Progress) and (event.kept, event.done) == (8, HELD_AT):
            self.go_on.wait()

    def held(self) -> bool:
        progress = self.app.models.transcript.footer.progress
        return progress is not None and progress.done == HELD_AT


def take_all(folder: Path) -> dict[str, list[str]]:
    """Write all pictures into ``folder`` and return what each of them shows."""
    folder.mkdir(parents=True, exist_ok=True)
    return Photographer(folder).all()
