"""Collects the ids of one answer and decides where it ends."""

from __future__ import annotations

from collections.abc import Callable

from engine.arguments import Request


class Answer:
    """Receives ids one by one from a backend's decode; see ``emit``.

    ``ids`` is the answer (a stop sequence is cut from it), ``finish_reason`` is ``stop``,
    ``length`` or ``cancelled``.
    """

    def __init__(
        self, request: Request, stop_ids: frozenset[int], token_bytes: Callable[[int], bytes]
    ) -> None:
        """``token_bytes`` gives the text of an id, for stop sequences that are strings."""
        self.ids: list[int] = []
        self.finish_reason = "cancelled"
        self._request = request
        self._stop_ids = stop_ids
        self._token_bytes = token_bytes
        self._announced = 0
        sequences = request.sampling.stop_sequences
        self._stop_runs = [s for s in sequences if not isinstance(s, str)]
        self._stop_texts = [s.encode() for s in sequences if isinstance(s, str)]
        self._text = b""
        self._starts: list[int] = []  # where in _text each id begins

    def emit(self, token: int) -> bool:
        """Take the next id; return whether another one is wanted."""
        if self._request.watch.stopping():
            return False
        self.ids.append(token)
        if self._stop_texts:
            self._starts.append(len(self._text))
            self._text += self._token_bytes(token)
        cut = self._match()
        if cut is not None:
            del self.ids[cut:]
            self.finish_reason = "stop"
        elif token in self._stop_ids:
            self.finish_reason = "stop"
        elif len(self.ids) >= self._request.sampling.max_tokens:
            self.finish_reason = "length"
        else:
            self._announce(len(self.ids) - self._held())
            return True
        self._announce(len(self.ids))
        return False

    def finish(self) -> list[int]:
        """Announce ids still held back (the answer was stopped) and return all of them."""
        self._announce(len(self.ids))
        return self.ids

    def _announce(self, count: int) -> None:
        """Hand ids to ``on_token`` up to ``count``, each once."""
        while self._announced < count:
            self._announced += 1
            if self._request.on_token is not None:
                self._request.on_token(self.ids[self._announced - 1])

    def _match(self) -> int | None:
        """Return the index of the first id that belongs to a stop sequence just completed."""
        cuts = [len(self.ids) - len(run) for run in self._stop_runs
                if tuple(self.ids[-len(run):]) == run]  # fmt: skip
        for text in self._stop_texts:
            at = self._text.find(text)
            if at >= 0:
                cuts.append(sum(start <= at for start in self._starts) - 1)
        return min(cuts, default=None)

    def _held(self) -> int:
        """Return how many trailing ids could still turn out to begin a stop sequence."""
        held = 0
        for run in self._stop_runs:
            for n in range(min(len(run) - 1, len(self.ids)), 0, -1):
                if tuple(self.ids[-n:]) == run[:n]:
                    held = max(held, n)
                    break
        for text in self._stop_texts:
            for n in range(min(len(text) - 1, len(self._text)), 0, -1):
                if self._text.endswith(text[:n]):
                    first = sum(start <= len(self._text) - n for start in self._starts) - 1
                    held = max(held, len(self.ids) - first)
                    break
        return held
