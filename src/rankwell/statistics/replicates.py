"""What a number of random replicates can tell: the interval of a p-value found with them, and the smallest one that can be."""

from __future__ import annotations

import math

import numpy as np

PER_TEST = 50  # replicates beyond the least that can reach alpha


def share_interval(reached: int, replicates: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of a share by Clopper and Pearson (Biometrika 26, 1934): ``reached`` of so many replicates.

    Of a Monte Carlo p-value it is the interval of what all possible replicates would give.

    Examples
    --------
    >>> [round(bound, 4) for bound in share_interval(37, 9_999)]
    [0.0026, 0.0051]
    """
    from scipy.special import betaincinv

    if not replicates:
        return math.nan, math.nan
    tail, rest = (1 - level) / 2, replicates - reached
    low = float(betaincinv(reached, rest + 1, tail)) if reached else 0.0
    high = float(betaincinv(reached + 1, rest, 1 - tail)) if rest else 1.0
    return low, high


def p_intervals(p: np.ndarray, replicates: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of each Monte Carlo p-value, (b + 1) / (B + 1), from its b of B replicates; NaN for NaN.

    Examples
    --------
    >>> [bound.round(4).tolist() for bound in p_intervals(np.array([0.0038, np.nan]), 9_999, 0.95)]
    [[0.0026, nan], [0.0051, nan]]
    """
    low, high = np.full((2, len(p)), math.nan)
    tested = np.flatnonzero(~np.isnan(p))
    reached = np.rint(p[tested] * (replicates + 1)).astype(np.int64) - 1
    counts, of = np.unique(reached, return_inverse=True)
    bounds = [share_interval(int(count), replicates, level=level) for count in counts]
    if bounds:
        low[tested], high[tested] = np.array(bounds)[of].T
    return low, high


def is_testable(comparisons: int, replicates: int, alpha: float) -> bool:
    """Whether the smallest p-value that Holm's procedure can give with so many replicates, m / (B + 1), reaches alpha.

    Examples
    --------
    >>> is_testable(10, 199, 0.05), is_testable(11, 199, 0.05)
    (True, False)
    """
    # products are rounded: 0.29 · 100 is 28.999999999999996
    return comparisons <= alpha * (replicates + 1) * (1 + 1e-12)


def replicates_needed(comparisons: int, alpha: float) -> int:
    """Return 50 · m / alpha: enough replicates for Holm's procedure over so many comparisons.

    Examples
    --------
    >>> replicates_needed(10, 0.05)
    10000
    """
    return math.ceil(
        PER_TEST * comparisons / alpha * (1 - 1e-12)
    )  # a last bit above a whole number must not add one
