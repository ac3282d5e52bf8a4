"""Budget: the first word of turn 10 within 1.5 times that of turn 2, also beyond the cut."""

from __future__ import annotations

import random
import statistics
import sys
from dataclasses import dataclass
from typing import Any

from budget import OtherLoad, heading, verdict
from whole_app import running_app

SLOWER, LATE = 1.5, 10
REPEATS = 3  # chats; the median of each turn counts
MOST_TOKENS = 40  # of a turn
BEYOND = 5  # turns after the cut
WALK = "Swap 1 and 5. Swap 2 and 4. " * 8


@dataclass(frozen=True, slots=True)
class Turn:
    """Seconds to the first word, tokens read for it, whether turns were left out."""

    first_word: float
    read: int
    cut: bool


class Asking:
    """Asks what nobody asked before: a kept state must not answer for a whole chat."""

    def __init__(self, rig: Any) -> None:
        self._rig = rig
        self._words = random.Random(1)

    def turn(self, before: str = "") -> Turn:
        """Ask a short question, ``before`` put in front of it."""
        numbers = " + ".join(str(self._words.randint(1, 99)) for _ in range(4))
        report = self._rig.ask(f"{before}What is {numbers} ?").report
        first = self._rig.scene.conversation.path()[0].id
        return Turn(report.first_word, report.prefilled, self._rig.newest.first_held != first)

    def chat(self, count: int) -> list[Turn]:
        """Ask so many questions in a new chat."""
        self._rig.library.new_chat()
        return [self.turn() for _ in range(count)]


def turn_by_turn(asking: Asking) -> bool:
    """Compare turn 10 with turn 2 over a few chats."""
    with OtherLoad() as load:
        chats = [asking.chat(LATE) for _ in range(REPEATS)]
    second = statistics.median(chat[1].first_word for chat in chats)
    tenth = statistics.median(chat[LATE - 1].first_word for chat in chats)
    read = [turn.read for chat in chats for turn in chat[1:]]
    figure = f"{tenth / second:.2f} x ({tenth:.2f} s against {second:.2f} s)"
    met = verdict(f"turn {LATE} against turn 2, at most {SLOWER} x", figure,
                  tenth <= SLOWER * second, load)  # fmt: skip
    what = f"a turn reads at most {MOST_TOKENS} tokens"
    return verdict(what, f"{min(read)} to {max(read)}", max(read) <= MOST_TOKENS) and met


def past_the_cut(asking: Asking, limit: int) -> bool:
    """Go on until turns are left out; compare the turns after that with turn 2."""
    with OtherLoad() as load:
        second = asking.chat(2)[1].first_word
        turn = asking.turn()
        while not turn.cut:
            turn = asking.turn(WALK)
        after = statistics.median(asking.turn().first_word for _ in range(BEYOND))
    figure = f"{after / second:.2f} x ({after:.2f} s against {second:.2f} s)"
    met = verdict(f"beyond the cut at {limit} tokens, at most {SLOWER} x", figure,
                  after <= SLOWER * second, load)  # fmt: skip
    what = "the one turn that reads what is left anew"
    print(f"       {what:<52}{turn.first_word:.2f} s for {turn.read} tokens")
    return met


def main() -> int:
    """Measure both on the bundled model."""
    with running_app() as rig:
        heading("Long conversations, time to the first word")
        asking = Asking(rig)
        met = [turn_by_turn(asking), past_the_cut(asking, rig.scene.facts.max_seq_len)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
