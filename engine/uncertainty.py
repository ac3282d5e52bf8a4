"""How far two readings of the same position disagree: the definition (cuda_src has the kernel)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def divergence(high: NDArray[np.float32], low: NDArray[np.float32]) -> float:
    """Return KL(p_high || p_low) in nats of two logit vectors [vocab]."""
    log_high, log_low = _log_softmax(high), _log_softmax(low)
    return max(0.0, float(np.sum(np.exp(log_high) * (log_high - log_low))))


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - float(logits.max())
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))
