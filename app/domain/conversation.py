"""A conversation as a tree of messages, and the path through it that is on screen."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from app.domain.answer import AnswerSampling, ModelId, RunReport


class Role(Enum):
    """Who wrote a message; the values are the roles of the engine's chat template."""

    USER = "user"
    ASSISTANT = "assistant"


class Status(Enum):
    """How a message came to its end; WRITING has none yet."""

    DONE = "done"
    WRITING = "writing"
    STOPPED = "stopped"
    LENGTH = "length"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


UNFINISHED = frozenset({Status.STOPPED, Status.LENGTH, Status.INTERRUPTED, Status.FAILED})


def new_id() -> str:
    """Return an id that no other message or conversation has."""
    return uuid.uuid4().hex


@dataclass(slots=True)
class Message:
    """One question or one variant of an answer; a row of the store later.

    ``token_ids`` are the text's ids without template marks, as encoded (question) or as
    written (answer). An answer also keeps all that rebuilds its prompt exactly:
    ``first_held`` is the first message the model saw, ``system`` the text before it, ``model``
    what wrote it. ``created`` is in seconds since 1970, 0 until the message is stored.
    """

    id: str
    parent_id: str | None
    role: Role
    text: str
    token_ids: tuple[int, ...] = ()
    status: Status = Status.DONE
    depth: int = 0
    first_held: str = ""
    sampling: AnswerSampling | None = None
    model: ModelId | None = None
    again: bool = False
    deepened_from: str = ""
    error: str = ""
    report: RunReport | None = None
    system: str = ""
    error_code: str = ""
    created: float = 0.0

    @property
    def words(self) -> int:
        """How many words the text has."""
        return len(self.text.split())


@dataclass(slots=True)
class Conversation:
    """Every message ever made, and ``head_id``: the newest message on screen.

    Nothing is overwritten: an edit, a deeper answer or another answer is a new sibling.
    ``created`` and ``updated`` (its newest message) are in seconds since 1970; ``depth`` is the
    chat's own for its next answers, 0 for the model's first effort. A ``temporary`` one is never
    handed to the store.
    """

    id: str = field(default_factory=new_id)
    head_id: str | None = None
    draft: str = ""
    title: str = ""
    pinned: bool = False
    created: float = 0.0
    updated: float = 0.0
    depth: int = 0
    temporary: bool = False
    _messages: dict[str, Message] = field(default_factory=dict)
    _children: dict[str | None, list[str]] = field(default_factory=dict)

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._messages

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        """All messages in the order they were made."""
        return iter(self._messages.values())

    def __getitem__(self, message_id: str) -> Message:
        return self._messages[message_id]

    def add(self, message: Message, show: bool = True) -> None:
        """Add a message under its parent; ``show`` makes it the end of the path on screen."""
        if message.parent_id is not None and message.parent_id not in self._messages:
            raise ValueError(f"The parent {message.parent_id!r} is not in this conversation.")
        self._messages[message.id] = message
        self._children.setdefault(message.parent_id, []).append(message.id)
        if show:
            self.head_id = message.id

    def children(self, message_id: str | None) -> list[Message]:
        """Return what was written after a message (None: the first questions), oldest first."""
        return [self._messages[child] for child in self._children.get(message_id, ())]

    def siblings(self, message: Message) -> list[Message]:
        """Return all versions of a message, itself included, oldest first."""
        return self.children(message.parent_id)

    def variants(self, question_id: str) -> list[Message]:
        """Return a question's answers in order of depth, then of age."""
        answers = [m for m in self.children(question_id) if m.role is Role.ASSISTANT]
        return sorted(answers, key=lambda message: message.depth)

    def path_to(self, message_id: str | None) -> list[Message]:
        """Return the messages from the first question down to ``message_id``."""
        path: list[Message] = []
        while message_id is not None:
            path.append(self._messages[message_id])
            message_id = path[-1].parent_id
        return path[::-1]

    def path(self) -> list[Message]:
        """Return the messages on screen, top to bottom."""
        return self.path_to(self.head_id)

    def latest_leaf(self, message_id: str) -> str:
        """Return the newest message that nothing follows, at or under ``message_id``."""
        order = {known: age for age, known in enumerate(self._messages)}
        newest, waiting = message_id, [message_id]
        newest_age = -1
        while waiting:
            here = waiting.pop()
            below = self._children.get(here, [])
            waiting.extend(below)
            if not below and order[here] > newest_age:
                newest, newest_age = here, order[here]
        return newest

    def select(self, message_id: str) -> None:
        """Show the path through ``message_id`` to its latest leaf."""
        self.head_id = self.latest_leaf(message_id)

    def following(self, message_id: str) -> int:
        """Return how many messages follow one on the path to its latest leaf."""
        depth = len(self.path_to(message_id))
        return len(self.path_to(self.latest_leaf(message_id))) - depth
