"""Finds out whether a GPU can be used; each reason it cannot is one sentence with a remedy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.errors import DeviceError
from engine.resources import is_frozen

if TYPE_CHECKING:
    from engine.backends.cuda.device import Gpu

OLDEST_DRIVER = 13000  # CUDA 13.0, whose first driver is 580
OLDEST_CAPABILITY = 75  # Turing: the first with integer tensor cores
WORKSPACE = 256 << 20  # bytes beside the weights: workspace, driver, one short conversation


def find_gpu(ordinal: int, weights: int) -> Gpu:
    """Return GPU number ``ordinal`` when a model of ``weights`` bytes can run on it.

    Raises DeviceError: the first thing that is missing, and what to do about it. The compiler
    is not looked for here but when a kernel must be compiled: loading it costs 0.2 s.
    """
    if sys.platform == "darwin":
        raise DeviceError("macOS has no NVIDIA GPUs: the model runs on the CPU there.")
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib

        check_library(load_nvidia_dynamic_lib)  # before slow imports: most have no driver
        from cuda.bindings import driver

        check_driver(driver)
        from engine.backends.cuda.device import NOT_STARTED, Gpu, device_errors
    except ImportError as error:
        if is_frozen():
            raise DeviceError(
                "This is the cpu build of TinyLoop Chat: take the cuda build to use a GPU."
            ) from error
        raise DeviceError(
            f"The packages for NVIDIA GPUs cannot be loaded ({error}): install cuda-core, "
            "cuda-bindings and nvidia-cuda-nvrtc."
        ) from error
    check_device(driver, ordinal)
    needed = weights + WORKSPACE
    with device_errors(NOT_STARTED):
        gpu = Gpu(ordinal)
        free, _ = gpu.memory()
    if free < needed:
        gpu.close()
        raise DeviceError(
            f"{gpu.name} has {free >> 20} MiB free, the model needs {needed >> 20} MiB: close "
            f"other programs that use the GPU."
        )
    return gpu


def check_library(load: Callable[[str], object]) -> None:
    """Check that a driver is installed; ``load`` raises RuntimeError for a library not found."""
    try:
        load("cuda")
    except RuntimeError as error:
        raise DeviceError(
            "No NVIDIA driver was found: install one from nvidia.com/drivers if this computer "
            "has an NVIDIA GPU."
        ) from error


def check_driver(driver: Any) -> None:
    """Check that the driver starts and is new enough."""
    status = driver.cuInit(0)[0]
    remedies = {
        "CUDA_ERROR_NO_DEVICE": "The NVIDIA driver finds no GPU: check that one is plugged in "
        "and not hidden by CUDA_VISIBLE_DEVICES.",
        "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": "The NVIDIA driver was updated while the computer "
        "was running: restart the computer.",
    }
    if status != driver.CUresult.CUDA_SUCCESS:
        raise DeviceError(
            remedies.get(
                status.name,
                f"The NVIDIA driver does not start ({status.name}): restart the computer, or "
                "install the driver again.",
            )
        )
    version = driver.cuDriverGetVersion()[1]
    if version < OLDEST_DRIVER:
        raise DeviceError(
            f"The NVIDIA driver is too old (CUDA {version // 1000}.{version % 1000 // 10}): "
            "install version 580 or later."
        )


def check_device(driver: Any, ordinal: int) -> None:
    """Check that the GPU is there and can run the kernels."""
    count = driver.cuDeviceGetCount()[1]
    if ordinal >= count:
        raise DeviceError(
            f"There is no GPU number {ordinal}: this computer has {count}, counted from 0."
        )
    device = driver.cuDeviceGet(ordinal)[1]
    kind = driver.CUdevice_attribute
    major, minor = (
        driver.cuDeviceGetAttribute(attribute, device)[1]
        for attribute in (
            kind.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            kind.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        )
    )
    if int(major) * 10 + int(minor) < OLDEST_CAPABILITY:
        raise DeviceError(
            f"GPU number {ordinal} is too old (compute capability {major}.{minor}): 7.5 or later "
            "is needed, that is GeForce 16, RTX 20 or newer."
        )


def check_compiler(load: Callable[[str], object], nvrtc: Any, arch: int) -> None:
    """Check that the kernel compiler is there and knows the GPU."""
    find_compiler(load)
    known = nvrtc.nvrtcGetSupportedArchs()[1]
    if arch not in known:
        raise DeviceError(
            f"The run-time compiler does not know compute capability {arch / 10:.1f}: install a "
            "newer nvidia-cuda-nvrtc."
        )


def find_compiler(load: Callable[[str], object]) -> None:
    """Load the kernel compiler; ``load`` raises RuntimeError for a library not found."""
    try:
        load("nvrtc")
    except RuntimeError as error:
        raise DeviceError(
            "NVIDIA's run-time compiler was not found: install the package nvidia-cuda-nvrtc."
        ) from error
