"""`tinyloop chat`: a conversation in the terminal whose last answer can be taken deeper."""

from __future__ import annotations

import argparse
import contextlib
import sys

from engine import EngineError, Model, ResumeHandle
from engine.cli.answering import Asker, LiveAnswer, count
from engine.cli.common import (
    add_model_options,
    add_sampling_options,
    checked_question,
    loops,
    open_model,
    watching_interrupts,
)
from engine.errors import Stopped
from engine.tokenizer import Message

HELP = """\
/harder    the last answer again, one effort deeper; loops already run are kept
/really    the same, as deep as the model was made for
/loops N   answer at N loops from now on
/new       forget this conversation
/help      this list
/quit      leave (Ctrl-D does too); Ctrl-C stops an answer"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how deep to think and how to write."""
    parser.add_argument(
        "--loops",
        type=loops,
        metavar="N",
        help="how deep to think (default: the model's first effort)",
    )
    add_sampling_options(parser)
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read lines until /quit or the end of input; an error in one costs only that one."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - arrow keys and history, where the system has it
    with open_model(arguments) as model:
        chat = Chat(model, arguments)
        print(
            f"{model.name} on the {model.device.upper()}. /harder takes an answer deeper, "
            "/help says more."
        )
        while (line := _read_line()) is not None:
            try:
                if not chat.take(line):
                    return 0
            except Stopped:
                print("(stopped)")
            except (EngineError, ValueError) as error:
                print(error)
    return 0


def _read_line() -> str | None:
    """Return the next line that is not blank; None at the end of the input."""
    line = ""
    while not line:
        try:
            line = input("> " if sys.stdin.isatty() else "").strip()
        except EOFError:
            return None
        except KeyboardInterrupt:
            print()
            raise
    return line


class Chat:
    """The conversation so far, and the handles from which it goes on or deeper."""

    def __init__(self, model: Model, options: argparse.Namespace) -> None:
        """``options`` are those of the command line."""
        self._model = model
        self._options = options
        self._loops = model.config.efforts[0] if options.loops is None else options.loops
        self._turns: list[Message] = []  # user, assistant, user, assistant …
        self._asker: Asker | None = None  # of the last question
        self._answer = ""
        self._spoken: dict[int, ResumeHandle] = {}  # by depth: the conversation as last read

    def take(self, line: str) -> bool:
        """Answer or obey ``line``; return whether to go on. Raises Stopped, EngineError."""
        if not line.startswith("/"):
            self._send(checked_question(line))
            return True
        word, _, rest = line.partition(" ")
        efforts = self._model.config.efforts
        if word == "/quit":
            return False
        if word == "/help":
            print(HELP)
        elif word == "/new":
            self._forget()
        elif word == "/loops":
            self._set_loops(rest)
        elif word == "/harder":
            reached = self._asker.depth if self._asker else 0
            self._deepen(next((depth for depth in efforts if depth > reached), efforts[-1]))
        elif word == "/really":
            self._deepen(efforts[-1])
        else:
            print(f"There is no {word}; /help lists what there is.")
        return True

    def _send(self, text: str) -> None:
        """Answer the next question of the conversation."""
        turns = [*self._turns, ("user", text)]
        prompt = self._fit(turns)
        asker = Asker(self._model, prompt, self._options, self._start(prompt))
        live = self._listen(asker, self._loops)
        self._turns = [*turns, ("assistant", asker.ids)]
        self._keep(asker, live)

    def _deepen(self, depth: int) -> None:
        """Answer the last question again at ``depth``; the new answer takes the old one's place."""
        asker = self._asker
        if asker is None:
            print("There is no answer yet; ask something first.")
        elif asker.depth >= depth:
            print(f"{count(asker.depth, 'loop')} is the deepest this model was made for.")
        else:
            before, kept = self._answer, asker.depth
            live = self._listen(asker, depth)
            same = "same answer as" if live.text == before else "changed from the one"
            print(f"({same} at {count(kept, 'loop')})")
            self._turns[-1] = ("assistant", asker.ids)
            self._keep(asker, live)

    def _listen(self, asker: Asker, depth: int) -> LiveAnswer:
        """Print the answer at ``depth`` and what it took; Ctrl-C ends it early."""
        kept = asker.depth
        with watching_interrupts() as interrupt:
            live = asker.answer(depth, interrupt)
        reuse = f", {kept} of them kept" if kept else ""
        stopped = ", stopped" if interrupt.pressed else ""
        print(f"({count(depth, 'loop')}{reuse}; {live.times()}{stopped})")
        return live

    def _keep(self, asker: Asker, live: LiveAnswer) -> None:
        self._asker = asker
        self._answer = live.text
        if asker.spoken is not None:
            self._spoken[asker.depth] = asker.spoken

    def _start(self, prompt: list[int]) -> ResumeHandle | None:
        """Return the kept reading of the conversation that spares most loops over ``prompt``."""
        usable = [handle for depth, handle in self._spoken.items()
                  if depth <= self._loops <= handle.max_loops()]  # fmt: skip
        return max(usable, key=lambda h: h.loops_used() * _shared(h.tokens(), prompt), default=None)

    def _fit(self, turns: list[Message]) -> list[int]:
        """Return the prompt of ``turns``; the oldest ones are left out when room gets short."""
        encode, limit = self._model.tokenizer.encode_chat, self._model.max_seq_len
        prompt = encode(turns)
        if len(prompt) + self._options.max_tokens > limit and len(turns) > 1:
            while len(turns) > 1 and len(prompt) > limit // 2:
                del turns[:2]
                prompt = encode(turns)
            self._spoken.clear()
            print("(the model no longer sees the oldest turns)")
        return prompt

    def _set_loops(self, text: str) -> None:
        """Answer at another depth from now on."""
        deepest = self._model.config.max_loops
        if not text.isdecimal() or not 1 <= int(text) <= deepest:
            raise ValueError(f"/loops takes a number from 1 to {deepest}, found {text!r}.")
        self._loops = int(text)
        print(f"Answers at {count(self._loops, 'loop')} from now on.")

    def _forget(self) -> None:
        self._turns, self._asker = [], None
        self._spoken.clear()
        print("A new conversation.")


def _shared(a: list[int], b: list[int]) -> int:
    """Return how many leading ids two prompts have in common."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))
