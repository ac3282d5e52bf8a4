"""Each reason a GPU cannot be used is one sentence with a remedy, found in a fixed order."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from tiny_models import write_tiny_model

from engine import Model
from engine.backends.cuda.probe import (
    check_compiler,
    check_device,
    check_driver,
    check_library,
    find_gpu,
)
from engine.errors import DeviceError

SUCCESS = SimpleNamespace(name="CUDA_SUCCESS")


def driver(status: str = "CUDA_SUCCESS", version: int = 13000, count: int = 1,
           capability: tuple[int, int] = (9, 0)) -> Any:  # fmt: skip
    """A driver that answers as told."""
    result = SUCCESS if status == "CUDA_SUCCESS" else SimpleNamespace(name=status)
    names = ("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
             "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR")  # fmt: skip
    return SimpleNamespace(
        CUresult=SimpleNamespace(CUDA_SUCCESS=SUCCESS),
        CUdevice_attribute=SimpleNamespace(**{name: i for i, name in enumerate(names)}),
        cuInit=lambda flags: (result,),
        cuDriverGetVersion=lambda: (SUCCESS, version),
        cuDeviceGetCount=lambda: (SUCCESS, count),
        cuDeviceGet=lambda ordinal: (SUCCESS, ordinal),
        cuDeviceGetAttribute=lambda which, device: (SUCCESS, capability[which]),
    )


def missing(name: str) -> object:
    raise RuntimeError(f"{name} was not found")


@pytest.mark.parametrize(("fake", "reason", "remedy"), [
    (driver("CUDA_ERROR_NO_DEVICE"), "finds no GPU", "CUDA_VISIBLE_DEVICES"),
    (driver("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"), "was updated", "restart the computer"),
    (driver("CUDA_ERROR_UNKNOWN"), "CUDA_ERROR_UNKNOWN", "restart the computer"),
    (driver(version=12040), r"too old \(CUDA 12\.4\)", "version 580 or later"),
])  # fmt: skip
def test_the_driver(fake: Any, reason: str, remedy: str) -> None:
    with pytest.raises(DeviceError, match=f"{reason}.*{remedy}"):
        check_driver(fake)
    check_driver(driver())


def test_the_device() -> None:
    with pytest.raises(DeviceError, match="no GPU number 1: this computer has 1"):
        check_device(driver(), 1)
    with pytest.raises(DeviceError, match=r"compute capability 7\.0.*7\.5 or later"):
        check_device(driver(capability=(7, 0)), 0)
    check_device(driver(capability=(12, 1)), 0)


def test_the_libraries() -> None:
    with pytest.raises(DeviceError, match=r"driver was found: install .*nvidia\.com"):
        check_library(missing)
    with pytest.raises(DeviceError, match="install the package nvidia-cuda-nvrtc"):
        check_compiler(missing, None, 90)
    nvrtc = SimpleNamespace(nvrtcGetSupportedArchs=lambda: (0, [75, 90]))
    with pytest.raises(DeviceError, match=r"capability 13\.0: install a newer"):
        check_compiler(lambda name: name, nvrtc, 130)
    check_compiler(lambda name: name, nvrtc, 90)


def test_a_gpu_asked_for_by_name_says_why_and_what_else(tmp_path: Any) -> None:
    path = write_tiny_model(tmp_path / "m.tinyloop")
    with pytest.raises(DeviceError) as caught:
        Model(path, device="cuda:97")
    assert str(caught.value).endswith("Or choose --device cpu.")


def test_macos_is_not_asked_for_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(DeviceError, match="macOS has no NVIDIA GPUs: "):
        find_gpu(0, 0)


def test_auto_uses_the_gpu_or_says_why_not(tmp_path: Any) -> None:
    try:
        find_gpu(0, 0).close()
        reason = ""
    except DeviceError as error:
        reason = str(error).rstrip(".")
    with Model(write_tiny_model(tmp_path / "m.tinyloop"), device="auto") as model:
        assert model.device_note == reason
        assert (model.device == "cpu") == bool(reason)


def test_the_cpu_never_imports_cuda() -> None:
    code = (
        "import sys; from engine import Model; from engine.resources import bundled_model; "
        "Model(bundled_model(), device='cpu').close(); "
        "sys.exit('cuda' in {m.split('.')[0] for m in sys.modules})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
