"""The lists of some users, drawn anew for each call: REC is Parquet. The same lists in every environment."""

from __future__ import annotations

import numpy as np

K = 10
CALLS = 3


def draws(users: np.ndarray, wanted: int, seed: int) -> list[np.ndarray]:
    """Which users each call gets."""
    rng = np.random.default_rng(901 + seed)
    return [np.sort(rng.choice(users, size=wanted, replace=False)) for _ in range(CALLS)]
