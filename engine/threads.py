"""How many threads NumPy's BLAS may use, decided once for the whole process."""

from __future__ import annotations

import os

from threadpoolctl import threadpool_info, threadpool_limits

_USER_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def limit_blas() -> int:
    """Leave one core to the rest of the computer and return the threads BLAS now uses.

    The engine's products fit one thread (``numerics.PANEL``); a BLAS that splits them all the
    same is slower beside a busy core than one thread alone, so the default is
    max(1, cores - 1). A number the user has set in the environment is kept.
    """
    if not any(os.environ.get(name) for name in _USER_VARIABLES):
        threadpool_limits(max(1, (os.cpu_count() or 2) - 1), user_api="blas")
    return blas_threads()


def blas_threads() -> int:
    """Return how many threads BLAS uses (1 when no BLAS reports itself)."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return max((int(pool["num_threads"]) for pool in pools), default=1)
