"""A looped language model whose answers can be taken deeper by resuming a stored state."""

from __future__ import annotations

from engine.errors import EngineError
from engine.model import Model
from engine.prefix_pool import PrefixPool
from engine.state import PrefixCache, ResumeHandle

__all__ = ["EngineError", "Model", "PrefixCache", "PrefixPool", "ResumeHandle"]
