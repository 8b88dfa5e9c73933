"""Random draws that depend on a seed and on ids alone: the same for any order of rows, machine and number of threads."""

from __future__ import annotations

import numpy as np

from rankwell.kernels import fingerprints
from rankwell.tables.ids import Ids

STEP = np.uint64(0x9E3779B97F4A7C15)
FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
ONE = 2.0**-53


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
    found = _mixed(np.array([seed], np.int64).view(np.uint64) + STEP)
    for key in keys:
        numbers = fingerprints_of(key) if isinstance(key, Ids) else np.asarray(key, np.int64).view(np.uint64)
        found = further(found, numbers)
    return found


def further(drawn: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return new draws from draws and numbers (uint64), which broadcast: a draw for each user and place, for example."""
    return _mixed((drawn ^ numbers) + STEP)


def uniform(drawn: np.ndarray) -> np.ndarray:
    """Return draws as numbers from 0 up to, and without, 1."""
    return (drawn >> np.uint64(11)) * ONE


def fingerprints_of(ids: Ids) -> np.ndarray:
    """Return a fixed number of 64 bits per id: an integer has that of its decimal text."""
    if ids.is_text:
        return fingerprints.of_text(ids.text, ids.starts, ids.lengths)
    return fingerprints.of_integers(np.ascontiguousarray(ids.integers))


def _mixed(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        values = values ^ (values >> np.uint64(30))
        values *= FACTORS[0]
        values ^= values >> np.uint64(27)
        values *= FACTORS[1]
        values ^= values >> np.uint64(31)
        return values
