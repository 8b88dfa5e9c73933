"""Random numbers by counters: keyed by a seed, a replicate and a fixed number per unit, the same on every machine and in any order."""

from __future__ import annotations

import numpy as np

STEP = np.uint64(0x9E3779B97F4A7C15)
FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
ONE = 2.0**-53
SLICE = 1 << 15  # numbers at a time, which stay in a processor's cache


def first(seed: int) -> np.ndarray:
    """Return the draw that all others of a seed are made from, as an array of one."""
    return _mix(np.array([seed], np.int64).view(np.uint64) + STEP)


def further(drawn: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return new draws from draws and numbers (uint64), which broadcast: a draw for each replicate and unit, for example."""
    return _mix((drawn ^ numbers) + STEP)


def replicates(seed: int, purpose: int, begin: int, end: int) -> np.ndarray:
    """Return the keys of replicates ``begin`` to ``end``; what is drawn for one purpose tells nothing of another."""
    own = further(first(seed), np.array([purpose], np.uint64))
    return further(own, np.arange(begin, end, dtype=np.uint64))


def uniform(drawn: np.ndarray) -> np.ndarray:
    """Return draws as numbers from 0 up to, and without, 1."""
    return (drawn >> np.uint64(11)) * ONE


def _mix(values: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64 (Steele et al., 2014) of each number of 64 bits, written over the numbers."""
    flat = values.ravel(order="K")
    with np.errstate(over="ignore"):
        for low in range(0, len(flat), SLICE):
            part = flat[low : low + SLICE]
            part ^= part >> np.uint64(30)
            part *= FACTORS[0]
            part ^= part >> np.uint64(27)
            part *= FACTORS[1]
            part ^= part >> np.uint64(31)
    return values
