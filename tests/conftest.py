"""What every test runs under: no screen, no network, no unexpected word from Qt."""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

WINDOWED = {"app", "flows"}  # folders under tests whose tests run Qt
OFFSCREEN_SAYS = "This plugin does not support"  # of any request to a window manager


def pytest_configure() -> None:
    """Collect garbage on the main thread only, as the app does: see ``app.collector``."""
    gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A warning of Qt fails the tests that use it."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.path.relative_to(here).parts[0] in WINDOWED:
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN_SAYS))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Throw windows away on this thread.

    Python collects garbage on whatever thread makes it run: an engine's thread of a later test
    would take Qt objects apart that belong here, which ends the process.
    """
    result = yield
    last_of_file = nextitem is None or nextitem.path != item.path
    if last_of_file or "qtbot" in getattr(item, "fixturenames", ()):
        gc.collect()
    return result


def is_local(address: Any) -> bool:
    """Whether a socket address stays on this computer."""
    if not isinstance(address, tuple):
        return True  # a Unix socket's path
    host = str(address[0])
    return host in ("", "localhost", "::1") or host.startswith("127.")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test in which anything, on any thread, calls another computer."""
    called: list[Any] = []

    def guard(name: str) -> None:
        real = getattr(socket.socket, name)

        def guarded(self: socket.socket, *arguments: Any) -> Any:
            address = arguments[-1]
            if not is_local(address):
                called.append(address)
                raise OSError(f"A test must not call {address}.")
            return real(self, *arguments)

        monkeypatch.setattr(socket.socket, name, guarded)

    for name in ("connect", "connect_ex", "sendto"):
        guard(name)
    yield
    assert not called, f"a connection was tried: {called}"
