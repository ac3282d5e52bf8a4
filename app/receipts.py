"""The use cases of looking inside: an answer's receipt, the kept states, the model's file."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.chat import Chat
from app.domain.run import Run
from app.engine_link.messages import KeptChanged, Loaded, LoadFailed
from app.engine_link.service import EngineService
from app.viewmodels.about import AboutModel, about_of
from app.viewmodels.receipt import ReceiptModel, compared, receipt_of
from app.viewmodels.shelf import ShelfModel, shelf_of

RUNNING = "running…"


class Receipts(QObject):
    """Shows what was asked for; an answer can be run again from nothing and compared."""

    def __init__(
        self,
        chat: Chat,
        service: EngineService,
        receipt: ReceiptModel,
        shelf: ShelfModel,
        about: AboutModel,
    ) -> None:
        super().__init__()
        self._chat = chat
        self._service = service
        self._receipt = receipt
        self._shelf = shelf
        self._about = about
        chat.stage.compared = self._compared
        service.happened.connect(self._follow)

    @Slot(str)
    def show_receipt(self, message_id: str) -> None:
        """Show how an answer of the chat on screen came about."""
        conversation = self._chat.scene.conversation
        if message_id in conversation:
            self._receipt.show(receipt_of(self._chat.scene, conversation[message_id]))

    @Slot(str)
    def compare_cold(self, message_id: str) -> None:
        """Run an answer again from nothing, with its own depth and seed, and compare the ids."""
        scene = self._chat.scene
        if message_id not in scene.conversation:
            return
        message = scene.conversation[message_id]
        if receipt_of(scene, message).can_compare:
            self._chat.compare_cold(message_id)
            self._receipt.show(receipt_of(scene, message, RUNNING))

    @Slot()
    def show_shelf(self) -> None:
        """Show what the memory holds; it is kept up to date from here on."""
        self._shelf.show(shelf_of(self._chat.scene))

    @Slot()
    def free_states(self) -> None:
        """Free all kept states."""
        self._service.free()

    @Slot()
    def show_about(self) -> None:
        """Show what the model's file says; another model takes its place from here on."""
        self._about.show(about_of(self._chat.scene))

    def _compared(self, run: Run, again: tuple[int, ...] | None) -> None:
        if run.base_id in run.conversation:
            message = run.conversation[run.base_id]
            said = compared(message.token_ids, again)
            self._receipt.show(receipt_of(self._chat.scene, message, said))

    @Slot(object)
    def _follow(self, event: object) -> None:
        """Keep what is open up to date; the stage has taken in the event before."""
        if isinstance(event, KeptChanged | Loaded) and self._shelf.shelf is not None:
            self._shelf.show(shelf_of(self._chat.scene))
        if isinstance(event, Loaded | LoadFailed) and self._about.about is not None:
            self.show_about()
