"""How an answer was made: its sampling, the model that wrote it, what the run cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.domain.model_file import FileFacts

AGAIN_TEMPERATURE = 0.7  # greedy "again" would give the same words


@dataclass(frozen=True, slots=True)
class AnswerSampling:
    """Options of one answer, as the engine takes them; a deepening takes its variant's own."""

    max_tokens: int = 256
    temperature: float = 0.0
    top_k: int = 50
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ModelId:
    """What a kept state depends on: the file (a hash), the device, how K/V are kept."""

    file: str
    device: str
    kv_mode: str = "fp16"


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the app knows of the loaded model. ``device_text`` carries its reason.

    ``budget`` are the bytes for kept states, ``nbytes`` those of the model itself; ``file`` is
    what its file says about it; ``pre_loops`` is what the layers before the loops cost, in loops.
    """

    id: ModelId
    name: str
    device_text: str
    efforts: tuple[int, ...]
    max_seq_len: int
    budget: int
    nbytes: int = 0
    file: FileFacts = field(default_factory=FileFacts)
    pre_loops: float = 0.0

    @property
    def deepest(self) -> int:
        """The last effort; states are kept with room for it."""
        return self.efforts[-1]


@dataclass(frozen=True, slots=True)
class RunReport:
    """What one run really did, as the engine counted it; times in seconds.

    ``kept_loops``: loops the prompt's state already had (0 = none). ``prefilled``: prompt
    tokens read in this run, the rest came from a kept state. ``cells``: tokens × loops before
    the first word, ``loops`` the first and one past the last of them. ``first_word`` counts
    from the click; ``write_seconds`` from the first token to the last.
    """

    depth: int
    prompt_tokens: int
    kept_loops: int
    prefilled: int
    cells: int
    loops: tuple[int, int]
    read_seconds: float
    first_word: float
    written: int
    write_seconds: float
    finish_reason: str

    @property
    def tokens_per_second(self) -> float | None:
        """Writing speed, None when fewer than two tokens were timed."""
        if self.written < 2 or self.write_seconds <= 0:
            return None
        return (self.written - 1) / self.write_seconds
