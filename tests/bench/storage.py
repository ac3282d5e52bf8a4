"""Budgets: a list of 10 000 chats < 300 ms, a search in them < 100 ms, 800 messages < 300 ms."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from budget import OtherLoad, heading, verdict

from app.domain.conversation import Conversation, Message, Role, new_id
from app.domain.store import ChatStore, open_database
from app.domain.store.adding import add
from app.domain.store.schema import transaction

CHATS, TURNS, LONG = 10_000, 3, 400
SEARCHES = {
    "a word of many chats": "the",
    "a word of few chats": "needle",
    "two words": "answer needle",
    "a word of none": "xyzzyx",
    "two letters of none": "éé",
    "two letters of all": "an",
    "two characters of CJK": "答え",
}


def conversation(number: int, turns: int) -> Conversation:
    """Make a chat of questions and answers of 100 and 500 characters."""
    words = random.Random(number)
    made = Conversation(title=f"Chat {number}", created=1.0 + number, updated=1.0 + number)
    for turn in range(turns):
        for role, count in ((Role.USER, 17), (Role.ASSISTANT, 83)):
            text = " ".join(words.choice(VOCABULARY) for _ in range(count))
            text += " the answer" if turn else ""
            text += " needle 答え" if number % 1000 == 7 else ""
            made.add(Message(new_id(), made.head_id, role, text, tuple(range(count)), created=1.0))
    return made


def _vocabulary() -> list[str]:
    letters = random.Random(1)
    return ["".join(letters.choices("etaoinshrdlucmfwypvbgk", k=letters.randint(2, 9)))
            for _ in range(5000)]  # fmt: skip


VOCABULARY = _vocabulary()


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds of the middle one of five calls, and the last result."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        result = call()
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times)[2], result


def main() -> int:
    """Build the chats, then measure what the sidebar and the search field wait for."""
    heading(f"Storage: {CHATS} chats of {2 * TURNS} messages")
    met = []
    with tempfile.TemporaryDirectory() as folder:
        opening = open_database(Path(folder))
        long = conversation(CHATS, LONG)
        with transaction(opening.connection):
            add(opening.connection, (conversation(n, TURNS) for n in range(CHATS)))
            add(opening.connection, [long])
        opening.connection.close()
        size = (Path(folder) / "chats.db").stat().st_size / 2**20
        started = time.perf_counter()
        store = ChatStore(open_database(Path(folder)), lambda event: None)
        took = (time.perf_counter() - started) * 1000
        print(f"       the file has {size:.0f} MiB and opens in {took:.0f} ms, checked")
        with OtherLoad() as load:
            took, rows = timed(store.chats)
        met.append(verdict(f"list of {len(rows)} chats < 300 ms", f"{took:.0f} ms",
                           took < 300, load))  # fmt: skip
        for name, text in SEARCHES.items():
            with OtherLoad() as load:
                took, hits = timed(lambda text=text: store.search(text))
            met.append(verdict(f"search, {name} < 100 ms", f"{took:.1f} ms, {len(hits)} chats",
                               took < 100, load))  # fmt: skip
        took, loaded = timed(lambda: store.load(long.id))
        met.append(verdict(f"chat of {len(loaded)} messages < 300 ms", f"{took:.0f} ms",
                           took < 300))  # fmt: skip
        took, _ = timed(lambda: store.save(loaded, loaded[loaded.head_id]).result())
        print(f"       a message is on the disk after {took:.1f} ms")
        store.close()
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
