"""Every exception the engine raises on purpose, so that a caller can catch by kind."""

from __future__ import annotations


class EngineError(RuntimeError):
    """Base of all engine errors; the message is one sentence a user can read.

    ``code`` is a stable name for programs; ``values`` holds the numbers in the sentence.
    """

    code = "engine"

    def __init__(self, message: str, **values: int | str) -> None:
        super().__init__(message)
        self.values = values


class ModelClosed(EngineError):
    """A call on a model after ``close()``."""

    code = "model_closed"


class HandleClosed(EngineError):
    """A call with a handle or cache after its ``close()``."""

    code = "handle_closed"


class WrongModel(EngineError):
    """A handle, cache or pool entry that another model built."""

    code = "wrong_model"


class LoopDepthError(EngineError):
    """A depth (or window) that the handle, cache or pool cannot serve."""

    code = "loop_depth"


class ContextFull(EngineError):
    """Prompt and answer together do not fit the model's positions."""

    code = "context_full"


class OutOfMemory(EngineError):
    """Memory could not be had; what the call took is freed, the model stays usable."""

    code = "out_of_memory"

    def __init__(self, needed: int, free: int) -> None:
        """``needed`` and ``free`` are bytes; ``free`` is 0 where the system does not say."""
        super().__init__(
            f"Not enough memory: {needed / 2**20:.0f} MiB needed, {free / 2**20:.0f} MiB free: "
            "free what is kept, or ask for fewer tokens or loops.",
            needed=needed,
            free=free,
        )
        self.needed = needed
        self.free = free


class DeviceError(EngineError):
    """The GPU cannot be used, or failed in the middle; the message names the remedy."""

    code = "device"


class ModelFileError(EngineError):
    """A model file that cannot be read: names the file, the tensor and what was expected."""

    code = "model_file"


class Stopped(EngineError):
    """A build was stopped by ``should_stop``; what it took is freed."""

    code = "stopped"
