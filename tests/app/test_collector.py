"""Garbage is collected on the GUI thread, whoever made it."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

from app.collector import Collector


class Knot:
    """An object in a cycle that remembers the thread it was taken apart on."""

    ended: list[int] = []  # noqa: RUF012

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        Knot.ended.append(threading.get_ident())


def test_cycles_made_on_another_thread_end_on_the_gui_thread(qtbot: Any) -> None:
    Knot.ended.clear()
    collector = Collector()
    assert not gc.isenabled()

    def make() -> None:
        for _ in range(5000):
            Knot()

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    assert Knot.ended == []
    collector.collect()
    assert len(Knot.ended) == 5000
    assert set(Knot.ended) == {threading.get_ident()}


def test_old_garbage_is_collected_too(qtbot: Any) -> None:
    collector = Collector()
    knot = Knot()
    seen = weakref.ref(knot)
    for _ in range(3):
        gc.collect(0)
        gc.collect(1)
    del knot
    for _ in range(400):
        kept = [[] for _ in range(2000)]  # enough allocations for a young collection
        collector.collect()
        del kept
    assert seen() is None
