"""What the window shows, in one value."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.viewmodels.composer import ComposerModel
from app.viewmodels.conversations import Conversations
from app.viewmodels.status import StatusModel
from app.viewmodels.transcript import Transcript


@dataclass(frozen=True, slots=True)
class ViewModels:
    """The conversation, what is around it, and the list of chats."""

    transcript: Transcript
    composer: ComposerModel
    status: StatusModel
    conversations: Conversations = field(default_factory=Conversations)
