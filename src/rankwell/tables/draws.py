"""Random draws that depend on a seed and on ids alone: the same for any order of rows, machine and number of threads."""

from __future__ import annotations

import numpy as np

from rankwell.kernels import fingerprints
from rankwell.statistics.draws import first, further, uniform
from rankwell.tables.ids import Ids

__all__ = ["draws", "fingerprints_of", "further", "uniform"]


def draws(seed: int, *keys: Ids | np.ndarray) -> np.ndarray:
    """Return a random number of 64 bits per row, drawn by the seed and the row's keys (ids or whole numbers).

    Each key is folded in by the finaliser of SplitMix64 (Steele et al., 2014); an integer id counts as its decimal text.

    Examples
    --------
    >>> draws(1, Ids.of(["a", "b"])).tolist() == draws(1, Ids.of(["b", "a"]))[::-1].tolist()
    True
    >>> draws(1, Ids.of([10])).tolist() == draws(1, Ids.of(["10"])).tolist() != draws(2, Ids.of([10])).tolist()
    True
    """
    found = first(seed)
    for key in keys:
        numbers = fingerprints_of(key) if isinstance(key, Ids) else np.asarray(key, np.int64).view(np.uint64)
        found = further(found, numbers)
    return found


def fingerprints_of(ids: Ids) -> np.ndarray:
    """Return a fixed number of 64 bits per id: an integer has that of its decimal text."""
    if ids.is_text:
        return fingerprints.of_text(ids.text, ids.starts, ids.lengths)
    return fingerprints.of_integers(np.ascontiguousarray(ids.integers))
