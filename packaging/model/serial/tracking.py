"""The kinds of serial question that keep track of a person, a place, a state or an order."""

from __future__ import annotations

from serial.base import Kind
from serial.calendars import calendar
from serial.comparisons import comparisons
from serial.cups import cups
from serial.passing import passing
from serial.pointers import pointers
from serial.sorting import sorting
from serial.switches import switches
from serial.turning import turning

TRACKING: dict[str, Kind] = {
    "passing": passing,
    "turning": turning,
    "cups": cups,
    "pointers": pointers,
    "comparisons": comparisons,
    "calendar": calendar,
    "sorting": sorting,
    "switches": switches,
}
