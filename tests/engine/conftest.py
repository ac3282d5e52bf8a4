"""Lets the engine's tests run on another device: TINYLOOP_TEST_DEVICE=cuda pytest tests/engine."""

from __future__ import annotations

import os
from typing import Any

import engine.model

DEVICE = os.environ.get("TINYLOOP_TEST_DEVICE", "cpu")
open_asked_for = engine.model.open_backend


def open_on_device(device: str, *arguments: Any) -> Any:
    """Open the device under test where a test asks for the CPU."""
    return open_asked_for(DEVICE if device == "cpu" else device, *arguments)


engine.model.open_backend = open_on_device
