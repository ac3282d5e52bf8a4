"""One window a data folder: a second start raises the first one."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

WAIT_MS = 1000


def name_of(folder: Path) -> str:
    """Return the name under which the app with this data folder listens."""
    digest = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
    return f"tinyloop-chat-{digest[:16]}"


def wake(folder: Path) -> bool:
    """Ask the app that has ``folder`` open to show its window; False when none answers."""
    socket = QLocalSocket()
    socket.connectToServer(name_of(folder))
    answered = socket.waitForConnected(WAIT_MS)
    socket.disconnectFromServer()
    return answered


class Doorbell(QObject):
    """Listens for second starts, on a socket of this computer that only this user may open.

    Needs the folder's lock: what an app that died left of its socket is removed.
    """

    rung = Signal()

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)
        QLocalServer.removeServer(name_of(folder))
        self._server.listen(name_of(folder))

    def close(self) -> None:
        """Listen no longer."""
        self._server.close()

    @Slot()
    def _answer(self) -> None:
        self._server.nextPendingConnection().deleteLater()
        self.rung.emit()
