"""Serial questions of every kind: n small operations that must be done one after the other."""

from serial.base import Draw, Kind, Mark, Split
from serial.equations import program, shuffled, variables
from serial.shopping import prices
from serial.story import story
from serial.sums import chain, two_digit
from serial.tracking import TRACKING

__all__ = ["KINDS", "Draw", "Kind", "Mark", "Split"]

KINDS: dict[str, Kind] = {
    "chain": chain,
    "two_digit": two_digit,
    "story": story,
    "variables": variables,
    "shuffled": shuffled,
    "program": program,
    "prices": prices,
    **TRACKING,
}
