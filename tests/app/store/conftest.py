"""A store in a folder with an awkward name, closed at the end of each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from store_rig import Kept


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that is not there yet."""
    return tmp_path / "数 é ?#%20 x"


@pytest.fixture
def open_store(folder: Path) -> Iterator[Callable[..., Kept]]:
    """Open stores, in ``folder`` unless told otherwise; all are closed at the end."""
    stores: list[Kept] = []

    def opened(where: Path | None = folder, **options: Any) -> Kept:
        stores.append(Kept(where, **options))
        return stores[-1]

    yield opened
    for store in stores:
        store.close()
        assert not store._writer._thread.is_alive(), "the store thread did not end"
