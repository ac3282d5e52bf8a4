"""A GPU that only remembers: what was allocated, uploaded, launched, captured and run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine.backends.cuda.device import device_errors
from engine.backends.cuda.shapes import LIVE
from engine.errors import OutOfMemory

PAGE = 1 << 20


class FakeBuffer:
    """Addresses that belong to nobody else, until closed."""

    def __init__(self, gpu: FakeGpu, handle: int, size: int) -> None:
        self.gpu, self.handle, self.size = gpu, handle, size

    def close(self, stream: object = None) -> None:
        del self.gpu.open[self.handle]


class FakeStream:
    def record(self, event: object) -> None:
        pass


class FakeEvent:
    def sync(self) -> None:
        pass


class FakeGpu:
    """Stands in for ``engine.backends.cuda.device.Gpu``.

    ``fail_at``: the allocation (counted from 0) that finds no memory. ``script``: the ids that
    sampling gives, over and over. ``free``: the bytes it says it has left.
    """

    name, arch, multiprocessors = "Fake 9000", 90, 132

    def __init__(self, fail_at: int | None = None, script: tuple[int, ...] = (7,)) -> None:
        self.fail_at, self.script = fail_at, script
        self.free = 1 << 40
        self.open: dict[int, int] = {}
        self.allocations = self.sequence = 0
        self.next = PAGE
        self.launches: list[tuple[str, tuple[int, ...], int, tuple[Any, ...]]] = []
        self.runs: list[Any] = []
        self.kernels: set[str] = set()
        self.live = np.zeros(1, LIVE)
        self.mailbox: Any = None
        self.stream = FakeStream()
        self._capturing: list[Any] | None = None

    def enter(self) -> None:
        pass

    @contextmanager
    def use(self) -> Iterator[None]:
        with device_errors():
            yield

    def require(self, size: int) -> None:
        if self.free < size:
            raise OutOfMemory(size, self.free)

    def release(self, buffers: Iterable[FakeBuffer]) -> None:
        for buffer in buffers:
            buffer.close()

    def allocate(self, size: int) -> FakeBuffer:
        self.allocations += 1
        if self.allocations - 1 == self.fail_at:
            raise OutOfMemory(size, 0)
        handle, self.next = self.next, self.next + (size // PAGE + 2) * PAGE
        self.open[handle] = size
        return FakeBuffer(self, handle, size)

    def memory(self) -> tuple[int, int]:
        return self.free, 1 << 40

    def pinned(self, count: int, dtype: Any) -> tuple[FakeBuffer, Any]:
        self.allocations -= 1  # host memory: not one of those that can be made to fail
        fail, self.fail_at = self.fail_at, None
        buffer, view = self.allocate(count * np.dtype(dtype).itemsize), np.zeros(count, dtype)
        self.fail_at = fail
        if dtype is np.uint64:
            self.mailbox = view
        return buffer, view

    def upload(self, to: int, array: Any) -> None:
        self.check_address(to)
        if array.dtype == LIVE:
            self.live, self.sequence = array.copy(), 0

    def download(self, start: int, shape: tuple[int, ...], dtype: Any) -> Any:
        self.check_address(start)
        return np.zeros(shape, dtype)

    def clear(self, start: int, size: int) -> None:
        self.check_address(start)

    def copy_rows(self, to: tuple[int, int], start: tuple[int, int], width: int, rows: int) -> None:
        for address, pitch in (to, start):
            self.check_address(address, pitch * (rows - 1) + width if rows else 0)

    def load(self, cubin: bytes, entries: dict[str, str], shared: int = 0) -> None:
        self.kernels |= set(entries)

    def launch(self, kernel: str, grid: tuple[int, ...], threads: int, *args: Any) -> None:
        assert kernel in self.kernels
        assert all(isinstance(a, np.generic) for a in args), kernel
        for argument in args:
            if isinstance(argument, np.uint64) and argument:
                self.check_address(int(argument))
        record = kernel, grid, threads, args
        if self._capturing is None:
            self.execute(record)
        else:
            self._capturing.append(record)

    def execute(self, record: tuple[str, tuple[int, ...], int, tuple[Any, ...]]) -> None:
        """Remember a launch; a sampling kernel publishes the script's next id."""
        for name in ("keys", "values", "state", "injected", "exits", "ids"):
            self.check_address(int(self.live[name][0]))
        self.launches.append(record)
        if record[0] in ("pick_best", "sample_token"):
            self.sequence += 1
            token = self.script[(self.sequence - 1) % len(self.script)]
            at = (self.sequence - 1) % len(self.mailbox)
            self.mailbox[at] = self.sequence << 32 | token

    @contextmanager
    def capture(self) -> Iterator[list[Any]]:
        graphs: list[Any] = []
        self._capturing = []
        yield graphs
        graphs.append(self._capturing)
        self._capturing = None

    def run(self, graph: list[Any]) -> None:
        self.runs.append(graph)
        for record in graph:
            self.execute(record)

    def sync(self) -> None:
        pass

    def event(self, *, timing: bool = False) -> FakeEvent:
        return FakeEvent()

    def close(self) -> None:
        pass

    def check_address(self, address: int, size: int = 0) -> None:
        """Fail when an address, or ``size`` bytes from it, lie in no open buffer."""
        for start, length in self.open.items():
            if start <= address < start + max(length, 1):
                assert address + size <= start + length, "past the end of a buffer"
                return
        raise AssertionError(f"address {address:#x} is in no open buffer")
