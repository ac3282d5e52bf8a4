"""An engine that answers from a script: held, slowed or broken where a test wants it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from engine.errors import Stopped
from engine.report import LastRun, MemoryReport

BOS, USER, ASSISTANT, END = 1, 3, 4, 5
FIRST_CHAR = 10  # ids from here are characters: one token a character


class ScriptedTokenizer:
    """One token a character, so that a test can count tokens by eye."""

    def encode(self, text: str) -> list[int]:
        return [ord(c) + FIRST_CHAR for c in text]

    def encode_chat(self, turns: Iterable[tuple[str, str | Sequence[int]]]) -> list[int]:
        turns = list(turns)
        roles = [role for role, _ in turns]
        assert roles == [("user", "assistant")[i % 2] for i in range(len(roles))], roles
        assert roles[-1] == "user"
        ids = [BOS]
        for role, content in turns:
            part = self.encode(content) if isinstance(content, str) else list(content)
            if role == "user":
                ids += [USER, *part, ASSISTANT]
            else:
                ids += part if part[-1:] == [END] else [*part, END]
        return ids

    def detokenizer(self) -> SimpleNamespace:
        return SimpleNamespace(push=decode_one, flush=lambda: "")


def decode_one(token: int) -> str:
    return chr(token - FIRST_CHAR) if token >= FIRST_CHAR else ""


@dataclass
class Script:
    """What the engine does. ``answers`` by depth; gates that are clear hold the engine.

    The reading is held before every loop, or before ``hold_loop`` only.

    ``faults`` maps "tokenizer", "load", "build", "extend" or "write" to exceptions, raised one
    a call; "write" after ``write_fault_after`` tokens. ``calls`` is what the engine was asked.
    ``programs`` are compiled for the GPU, all but the last before the load's gate.
    """

    efforts: tuple[int, ...] = (8, 16, 32)
    answers: dict[int, str] = field(default_factory=dict)
    max_seq_len: int = 512
    free: int = 1 << 30
    handle_bytes: int = 1 << 20
    ignore_stop: bool = False
    delay: float = 0.0
    hold_after: int = 3
    hold_loop: int | None = None
    faults: dict[str, list[Exception]] = field(default_factory=dict)
    write_fault_after: int = 2
    fingerprint: str = "model-a"
    device: str = "cpu"
    load_gate: threading.Event = field(default_factory=threading.Event)
    read_gate: threading.Event = field(default_factory=threading.Event)
    write_gate: threading.Event = field(default_factory=threading.Event)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    samplings: list[dict[str, Any]] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    programs: int = 0
    loops_eval: dict[str, Any] | None = None
    closed: bool = False

    def __post_init__(self) -> None:
        self.release()

    def release(self) -> None:
        for gate in (self.load_gate, self.read_gate, self.write_gate):
            gate.set()

    def model(
        self, path: str, device: str, on_compile: Callable[[int, int], None]
    ) -> ScriptedModel:
        self.loads.append(path)
        for done in range(self.programs):
            on_compile(done, self.programs)
        self.load_gate.wait()
        self.fault("load")
        return ScriptedModel(self, path)

    def tokenizer(self, path: str) -> ScriptedTokenizer:
        self.fault("tokenizer")
        return ScriptedTokenizer()

    def fault(self, name: str) -> None:
        if self.faults.get(name):
            raise self.faults[name].pop(0)

    def wait(
        self, gate: threading.Event, should_stop: Callable[[], bool], loop: int | None = None
    ) -> bool:
        """Wait at a gate; True when the caller wants to stop (and the script listens)."""
        time.sleep(self.delay)
        while not gate.wait(0.002) and (loop is None or self.hold_loop in (None, loop)):
            if should_stop() and not self.ignore_stop:
                return True
        return should_stop() and not self.ignore_stop


class ScriptedHandle:
    """A kept state: what it read and how deep."""

    def __init__(self, tokens: Sequence[int], depth: int, nbytes: int) -> None:
        self._tokens, self._depth, self._nbytes = list(tokens), depth, nbytes
        self.closed = False

    def tokens(self) -> list[int]:
        assert not self.closed
        return list(self._tokens)

    def loops_used(self) -> int:
        assert not self.closed, "a closed handle was used"
        return self._depth

    def nbytes(self) -> int:
        return self._nbytes

    def close(self) -> None:
        self.closed = True


class ScriptedModel:
    """The calls of ``engine.Model`` that the app uses, with the same promises."""

    def __init__(self, script: Script, path: str) -> None:
        self.script = script
        self.name = path.rsplit("/", 1)[-1].removesuffix(".tinyloop")
        self.license, self.source = "CC0", "a script"
        self.file_bytes, self.parameters = 24_055_729, 27_500_000
        self.loops_eval = script.loops_eval
        self.fingerprint = f"{script.fingerprint}:{path}"
        self.device, self.device_note = script.device, "no NVIDIA driver"
        self.max_seq_len = script.max_seq_len
        self.config = SimpleNamespace(efforts=script.efforts, num_pre_layers=0, num_loop_layers=1)
        self.tokenizer = ScriptedTokenizer()
        self.last_run = LastRun()

    def memory_report(self) -> MemoryReport:
        return MemoryReport(0, 0, 0, self.script.free, self.script.free)

    def build_resume_handle(
        self, prompt: Sequence[int], L_used: int, max_loops: int, start: ScriptedHandle | None,
        **watch: Any,
    ) -> ScriptedHandle:  # fmt: skip
        reused = 0
        if start is not None:
            assert start.loops_used() == L_used <= max_loops
            reused = _shared(start.tokens(), prompt)
        rest = len(prompt) - reused
        self.script.calls.append(("build", L_used, rest))
        self.script.fault("build")
        self._loops(0 if rest else L_used, L_used, watch)
        loops = (0, L_used - 1) if rest else (None, None)
        self.last_run = LastRun(rest, rest * L_used, *loops, prefill_seconds=rest * 1e-3)
        return ScriptedHandle(prompt, L_used, self.script.handle_bytes)

    def extend_handle(self, handle: ScriptedHandle, new_L: int, **watch: Any) -> ScriptedHandle:
        old, tokens = handle.loops_used(), handle.tokens()
        self.script.calls.append(("extend", old, new_L))
        self.script.fault("extend")
        self._loops(old, new_L, watch)
        cells = len(tokens) * (new_L - old)
        self.last_run = LastRun(0, cells, old, new_L - 1, extend_seconds=cells * 1e-4)
        return ScriptedHandle(tokens, new_L, self.script.handle_bytes)

    def resume_generate(
        self, handle: ScriptedHandle, new_L: int, on_token: Callable[[int], None],
        should_stop: Callable[[], bool], return_handle: bool, **sampling: Any,
    ) -> tuple[list[int], ScriptedHandle]:  # fmt: skip
        assert new_L == handle.loops_used()
        assert return_handle
        tokens = handle.tokens()
        assert len(tokens) + sampling["max_tokens"] <= self.max_seq_len
        self.script.calls.append(("write", new_L))
        self.script.samplings.append(sampling)
        reason = "length"
        for count, token in enumerate(self._answer(tokens, new_L)[: sampling["max_tokens"]]):
            if count == self.script.write_fault_after:
                self.script.fault("write")
            gate = self.script.write_gate
            if count >= self.script.hold_after and self.script.wait(gate, should_stop):
                reason = "cancelled"
                break
            tokens.append(token)
            on_token(token)
            reason = "stop" if token == END else "length"
        self.last_run = LastRun(finish_reason=reason)
        return tokens, ScriptedHandle(tokens[:-1], new_L, self.script.handle_bytes)

    def close(self) -> None:
        self.script.closed = True

    def _answer(self, tokens: list[int], depth: int) -> list[int]:
        """The scripted answer's ids, less what stands behind the last assistant mark."""
        begun = tokens[len(tokens) - tokens[::-1].index(ASSISTANT) :]
        text = self.script.answers.get(depth, f"answer at {depth}")
        ids = [*ScriptedTokenizer().encode(text), END]
        assert ids[: len(begun)] == begun
        return ids[len(begun) :]

    def _loops(self, done: int, target: int, watch: dict[str, Any]) -> None:
        while done < target:
            if self.script.wait(self.script.read_gate, watch["should_stop"], done):
                raise Stopped("stopped")
            done += 1
            if watch["on_progress"] is not None:
                watch["on_progress"](done, target)


def _shared(left: Sequence[int], right: Sequence[int]) -> int:
    pairs = zip(left, right, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))
