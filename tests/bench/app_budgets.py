"""Budgets of the app: start, gaps of the GUI thread in a long chat, stop, quit while writing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from budget import OtherLoad, heading, verdict
from whole_app import ROOT, application, running_app

START, OPEN, GAP, STOP, QUIT = 1.5, 0.300, 0.050, 0.200, 3.0  # seconds
SETTLING = 1.0
REPEATS, TURNS, WORDS = 5, 400, 240
LONG = "The coin is under cup 3. " + "Swap 1 and 5. Swap 2 and 4. " * 12 + "Where is the coin?"


def closing_app(*arguments: str) -> float:
    """Run tests/closing_app.py and return the seconds it says."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "tests" / "closing_app.py"), folder, *arguments]
        run = subprocess.run(command, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
                             capture_output=True, text=True, check=True)  # fmt: skip
    return float(run.stdout)


def start_and_quit() -> bool:
    """Measure from the first line of the process to the window, and closing a stuck engine."""
    with OtherLoad() as load:
        start = statistics.median(closing_app("loading", "0") for _ in range(REPEATS))
        stuck = closing_app("stuck")
    met = verdict(f"window ready, under {START} s", f"{start:.2f} s", start < START, load)
    what = f"quit while an engine does not listen, under {QUIT:.0f} s"
    return verdict(what, f"{stuck:.2f} s", stuck < QUIT) and met


def gaps() -> bool:
    """Open a chat of 800 messages in the real window and write in it; the longest pause."""
    from PySide6.QtCore import QCoreApplication
    from scripted_engine import Script

    from app import main, paths
    from app.startup import parse

    script = Script(delay=0.004, hold_after=0, max_seq_len=1 << 16,
                    answers={8: "some **words** in a line\n" * WORDS})  # fmt: skip
    service = main.EngineService
    main.EngineService = lambda: service(script.model, script.tokenizer)
    app = main.App(application(), parse([]), paths.Places.under(Path(tempfile.mkdtemp())))
    app.start()
    pump(QCoreApplication.processEvents, lambda: app.chat.scene.facts is None)
    fill(app.chat)
    opening = open_again(app, QCoreApplication.processEvents)
    with OtherLoad() as load:
        app.chat.send("And now?")
        longest = pump(QCoreApplication.processEvents, lambda: app.chat.scene.run is not None)
    app.window.close()
    main.EngineService = service
    what = f"a chat of {2 * TURNS} messages opens, under {OPEN * 1000:.0f} ms"
    met = verdict(what, f"{opening * 1000:.0f} ms", opening < OPEN)
    what = f"longest gap while it writes there, under {GAP * 1000:.0f} ms"
    return verdict(what, f"{longest * 1000:.0f} ms", longest < GAP, load) and met


def open_again(app: Any, events: Any) -> float:
    """Turn to another chat and back; return the seconds from the click to the page."""
    chat_id, until = app.chat.scene.conversation.id, time.monotonic() + SETTLING
    app.library.new_chat()
    pump(events, lambda: time.monotonic() < until)
    started = time.perf_counter()
    app.library.open_chat(chat_id)
    events()
    took = time.perf_counter() - started
    until = time.monotonic() + SETTLING
    pump(events, lambda: time.monotonic() < until)
    return took


def pump(events: Any, goes_on: Any) -> float:
    """Let events happen while ``goes_on``; return the longest a round of them took."""
    longest = 0.0
    while goes_on():
        before = time.perf_counter()
        events()
        longest = max(longest, time.perf_counter() - before)
        time.sleep(0.002)
    return longest


def fill(chat: Any) -> None:
    """Put finished turns into the chat on screen."""
    from app.domain.conversation import Message, Role, new_id

    conversation = chat.scene.conversation
    for _ in range(TURNS):
        asked = Message(new_id(), conversation.head_id, Role.USER, "Why? " * 10)
        conversation.add(asked)
        said = Message(new_id(), asked.id, Role.ASSISTANT, "word " * 40, depth=8,
                       model=chat.scene.facts.id)  # fmt: skip
        conversation.add(said)
    chat.stage.saving.save(conversation, *conversation)
    chat.stage.show()


def stop_and_close(rig: Any) -> bool:
    """Stop a reading at 32 loops of the bundled model, then close in the middle of one."""
    rig.chat.set_depth(32)
    took = []
    with OtherLoad() as load:
        for number in range(REPEATS):
            rig.chat.send(f"{number}. {LONG}")
            rig.until(lambda: rig.scene.run.done > 1)
            started = time.perf_counter()
            rig.chat.stop()
            rig.idle()
            took.append(time.perf_counter() - started)
        rig.chat.send(LONG)
        rig.until(lambda: rig.scene.run.done > 1)
        started = time.perf_counter()
        rig.close()
        closing = time.perf_counter() - started
    figure = f"{max(took) * 1000:.0f} ms, the longest of {REPEATS}"
    met = verdict(f"stop at 32 loops, under {STOP * 1000:.0f} ms", figure, max(took) < STOP, load)
    what = f"quit while it runs, under {QUIT:.0f} s"
    return verdict(what, f"{closing:.2f} s", closing < QUIT) and met


def main() -> int:
    """Measure all of them; the chats go to folders that are thrown away."""
    heading("The app")
    met = [start_and_quit()]
    with running_app() as rig:
        met += [gaps(), stop_and_close(rig)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
