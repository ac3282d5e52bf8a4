"""After a sleep of the computer the device is tried; what it lost is said, once."""

from __future__ import annotations

import pytest
from app_rig import Rig
from PySide6.QtCore import QCoreApplication

from app.wake import CHECK_MS, WakeWatch
from engine.errors import DeviceError


@pytest.mark.parametrize(("passed", "wakes"), [(5.0, 0), (20.0, 0), (36.0, 1), (28800.0, 1)])
def test_a_clock_that_went_on_without_us_is_a_sleep(passed: float, wakes: int) -> None:
    assert QCoreApplication.instance() is not None
    now = [1000.0]
    watch = WakeWatch(clock=lambda: now[0])
    woke: list[bool] = []
    watch.woke.connect(lambda: woke.append(True))
    now[0] += passed
    watch.check()
    now[0] += CHECK_MS / 1000
    watch.check()
    assert len(woke) == wakes


def test_a_device_that_still_answers_keeps_its_states(rig: Rig) -> None:
    rig.load()
    rig.ask()
    kept = len(rig.scene.kept)
    rig.service.probe()
    rig.until(lambda: ("build", 1, 1) in rig.calls)
    rig.live(20)
    assert len(rig.scene.kept) == kept > 0


def test_a_device_that_was_reset_has_lost_its_states(rig: Rig) -> None:
    rig.load()
    rig.ask()
    rig.script.faults["build"] = [DeviceError("The GPU was reset: try again.")]
    rig.service.probe()
    rig.until(lambda: not rig.scene.kept)
    button = rig.transcript.footer.buttons[0]
    assert button.from_scratch
    assert "the device was reset" in button.price + button.hint
    rig.chat.deepen(16)
    rig.idle()
    assert rig.newest.text == "answer at 16"
