"""Binary search among ascending keys."""

from __future__ import annotations

import numpy as np


def places_among(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the place of each wanted key among ascending keys from 0 on, -1 for one that is not there.

    >>> places_among(np.array([2, 5, 9]), np.array([9, 3, 2])).tolist()
    [2, -1, 0]
    """
    at = np.searchsorted(keys, wanted)
    return np.where(np.append(keys, -1)[at] == wanted, at, -1)
