"""One GPU as the backend uses it: memory, copies, launches and graphs over cuda.core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from cuda.bindings import driver
from cuda.core import (
    Buffer,
    Device,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    EventOptions,
    Kernel,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    ObjectCode,
    launch,
)
from cuda.core._utils.cuda_utils import CUDAError  # public from cuda.core 1.3 on
from cuda.core.graph import Graph
from numpy.typing import NDArray

from engine.errors import DeviceError, OutOfMemory

POOL_KEEPS = (
    1 << 30
)  # bytes of freed memory the pool holds back, so that clones cost no system call


FAILED = (
    "The GPU failed ({}); this answer ends here. If it fails again, restart the program or use "
    "--device cpu."
)
NOT_STARTED = (
    "The GPU does not start ({}): close other programs that use it, or restart the computer."
)


@contextmanager
def device_errors(sentence: str = FAILED) -> Iterator[None]:
    """Turn an error of the driver into one sentence with a remedy."""
    try:
        yield
    except CUDAError as error:
        raise DeviceError(sentence.format(str(error).split(":")[0])) from error


def address(array: NDArray[Any]) -> int:
    """Return where a contiguous array lies in host memory."""
    assert array.flags.c_contiguous
    return int(array.__array_interface__["data"][0])


class Gpu:
    """A device with one stream; everything the backend does is ordered on it."""

    def __init__(self, ordinal: int) -> None:
        self._device = Device(ordinal)
        self._device.set_current()
        properties = self._device.properties
        self.name: str = self._device.name
        self.arch = int(self._device.arch)
        self.multiprocessors: int = properties.multiprocessor_count
        self.stream = self._device.create_stream()
        self._pool = DeviceMemoryResource(self._device, DeviceMemoryResourceOptions())
        _checked(driver.cuMemPoolSetAttribute(
            self._pool.handle,
            driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
            driver.cuuint64_t(POOL_KEEPS),
        ))  # fmt: skip
        self._target: Any = self.stream
        self._kernels: dict[str, Kernel] = {}
        self._modules: list[ObjectCode] = []
        self._shared: dict[str, int] = {}
        self._configs: dict[tuple[tuple[int, ...], int, int], LaunchConfig] = {}

    def enter(self) -> None:
        """Make the device current in the calling thread."""
        self._device.set_current()

    @contextmanager
    def use(self) -> Iterator[None]:
        """Make the device current, and an error of the driver inside one sentence."""
        with device_errors():
            self.enter()
            yield

    def driver_version(self) -> str:
        """Return the newest CUDA the driver knows, ``13.0``."""
        version = _checked(driver.cuDriverGetVersion())
        return f"{version // 1000}.{version % 1000 // 10}"

    # -- memory -------------------------------------------------------------------------------

    def allocate(self, size: int) -> Buffer:
        """Return ``size`` bytes; raises OutOfMemory when the device has not that much left."""
        try:
            return self._pool.allocate(size, stream=self.stream)
        except CUDAError as error:
            if "OUT_OF_MEMORY" not in str(error):
                raise
        self.stream.sync()  # frees that are still queued
        _checked(driver.cuMemPoolTrimTo(self._pool.handle, 0))
        try:
            return self._pool.allocate(size, stream=self.stream)
        except CUDAError as error:
            if "OUT_OF_MEMORY" not in str(error):
                raise
        raise OutOfMemory(size, self.memory()[0])

    def require(self, size: int) -> None:
        """Raise OutOfMemory, with ``size`` and what is free, unless ``size`` bytes are free."""
        pool = self._pool.attributes
        if pool.reserved_mem_current - pool.used_mem_current < size:  # else no need to ask
            free, _ = self.memory()
            if free < size:
                raise OutOfMemory(size, free)

    def release(self, buffers: Iterable[Buffer]) -> None:
        """Give buffers back once the work queued so far is done.

        Never fails: where the device has failed, its memory is gone with it, and the call that
        met the failure has said so.
        """
        for buffer in buffers:
            with suppress(CUDAError):
                buffer.close(self.stream)

    def memory(self) -> tuple[int, int]:
        """Return (free, total) bytes; what the pool holds but nobody uses is free."""
        self.stream.sync()
        free, total = _checked(driver.cuMemGetInfo())
        pool = self._pool.attributes
        return free + pool.reserved_mem_current - pool.used_mem_current, total

    def pinned(self, count: int, dtype: Any) -> tuple[Buffer, NDArray[Any]]:
        """Return zeroed host memory the device can reach, and its view as an array."""
        kind = np.dtype(dtype)
        buffer = LegacyPinnedMemoryResource().allocate(count * kind.itemsize)
        view = np.from_dlpack(buffer).view(kind)
        view[:] = 0
        return buffer, view

    def upload(self, to: int, array: NDArray[Any]) -> None:
        """Copy an array to the device; it may be changed as soon as this returns."""
        flat = np.ascontiguousarray(array)
        if flat.nbytes:
            _checked(driver.cuMemcpyHtoDAsync(to, address(flat), flat.nbytes, self.stream.handle))
            if flat.nbytes > 1 << 16:  # smaller ones are staged by the driver before it returns
                self.stream.sync()

    def download(self, start: int, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Copy from the device into a new array, after all work queued so far."""
        array = np.empty(shape, dtype)
        if array.nbytes:
            _checked(driver.cuMemcpyDtoHAsync(
                address(array), start, array.nbytes, self.stream.handle
            ))  # fmt: skip
        self.stream.sync()
        return array

    def clear(self, start: int, size: int) -> None:
        """Set bytes to zero."""
        _checked(driver.cuMemsetD8Async(start, 0, size, self.stream.handle))

    def copy_rows(self, to: tuple[int, int], start: tuple[int, int], width: int, rows: int) -> None:
        """Copy ``rows`` runs of ``width`` bytes; ``to`` and ``start`` are (address, pitch)."""
        if not width or not rows:
            return
        if rows == 1:
            _checked(driver.cuMemcpyDtoDAsync(to[0], start[0], width, self.stream.handle))
            return
        copy = driver.CUDA_MEMCPY2D()
        copy.srcMemoryType = copy.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
        copy.dstDevice, copy.dstPitch = to
        copy.srcDevice, copy.srcPitch = start
        copy.WidthInBytes, copy.Height = width, rows
        _checked(driver.cuMemcpy2DAsync(copy, self.stream.handle))

    # -- kernels ------------------------------------------------------------------------------

    def load(self, cubin: bytes, entries: dict[str, str], shared: int = 0) -> None:
        """Load a cubin; ``entries`` gives each kernel's name here and in the source.

        ``shared`` bytes of dynamic shared memory go with every launch. All kernels ask for the
        same split of cache and shared memory: a change between two of them drains the device.
        """
        module = ObjectCode.from_cubin(cubin)
        self._modules.append(module)
        attribute = driver.CUfunction_attribute
        for name, entry in entries.items():
            kernel = self._kernels[name] = module.get_kernel(entry)
            self._shared[name] = shared
            for field, value in (
                (attribute.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100),
                (attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared),
            ):
                _checked(driver.cuKernelSetAttribute(
                    field, value, kernel.handle, self._device.device_id
                ))  # fmt: skip

    def launch(self, kernel: str, grid: tuple[int, ...], threads: int, *args: np.generic) -> None:
        """Queue a kernel (or record it while capturing). Arguments are NumPy scalars."""
        shared = self._shared[kernel]
        config = self._configs.get((grid, threads, shared))
        if config is None:
            config = LaunchConfig(
                grid=grid, block=threads, shmem_size=shared,
                programmatic_stream_serialization=self.arch >= 90,
            )  # fmt: skip
            self._configs[grid, threads, shared] = config
        launch(self._target, config, self._kernels[kernel], *args)

    @contextmanager
    def capture(self) -> Iterator[list[Graph]]:
        """Record launches instead of running them; the list holds the graph afterwards."""
        graphs: list[Graph] = []
        builder = self._device.create_graph_builder()
        builder.begin_building()
        self._target = builder
        try:
            yield graphs
        finally:
            self._target = self.stream
        builder.end_building()
        graphs.append(builder.complete())
        builder.close()

    def run(self, graph: Graph) -> None:
        """Queue a captured graph."""
        graph.launch(self.stream)

    def sync(self) -> None:
        """Wait until everything queued is done."""
        self.stream.sync()

    def event(self, *, timing: bool = False) -> Any:
        """Return a new event; ``stream.record`` it, then ``sync`` waits without the GIL."""
        return self._device.create_event(EventOptions(timing_enabled=timing))

    def close(self) -> None:
        """Drop the kernels and the memory nobody uses; a failed device has nothing to drop."""
        with suppress(CUDAError, DeviceError):
            self.stream.sync()
            _checked(driver.cuMemPoolTrimTo(self._pool.handle, 0))
        self._kernels.clear()
        self._modules.clear()


def _checked(result: tuple[Any, ...]) -> Any:
    """Return what a driver call gave; raise DeviceError with the driver's name for a failure."""
    status, *values = result
    if status == driver.CUresult.CUDA_SUCCESS:
        return values if len(values) > 1 else values[0] if values else None
    raise DeviceError(f"The GPU failed ({status.name}); restart the program or use --device cpu.")
