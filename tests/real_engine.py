"""The bundled model under the app, and the questions the flows ask it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app_rig import Rig

from app.engine_link.worker import open_model, open_tokenizer
from engine import Model

CHATTY = ("What is a cat?", "Tell me a story about a dog.", "How do I bake bread?")
ENOUGH = 12  # tokens of an answer that can be stopped in the middle
SUM = "What is 6 + 8 + 5 + 2 - 2 - 2 - 3 + 7 - 8 - 6 + 2 - 2 ?"
LONG = "The coin is under cup 3. " + "Swap 1 and 5. Swap 2 and 4. " * 12 + "Where is the coin?"


class RealEngine:
    """Opens models as the app does and keeps a grip on the last one."""

    def __init__(self) -> None:
        self.last: Model | None = None

    def model(self, path: str, device: str, on_compile: Callable[[int, int], None]) -> Any:
        self.last = open_model(path, device, on_compile)
        return self.last

    def tokenizer(self, path: str) -> Any:
        return open_tokenizer(path)

    def release(self) -> None:
        """Nothing holds a real engine."""


def chatty(model: Model) -> str:
    """Return the first of some questions whose answers at 8 and 16 loops take a while."""
    for text in CHATTY:
        prompt = model.tokenizer.encode_chat([("user", text)])
        if all(len(model.generate(prompt, depth)) - len(prompt) >= ENOUGH for depth in (8, 16)):
            return text
    raise AssertionError("every answer is over at once")


def prompt_of(rig: Rig, text: str) -> list[int]:
    return rig.script.last.tokenizer.encode_chat([("user", text)])
