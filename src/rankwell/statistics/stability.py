"""Stability: how often two disjoint halves of the units disagree about which of two systems is better."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankwell.statistics.draws import further, replicates
from rankwell.statistics.frequent import TIE

HALVES = 7  # what these draws are for
CELLS = 1 << 22  # differences worked on at a time


class Swaps(NamedTuple):
    """Of comparisons of two rows on two disjoint sets of ``size`` units: how often the sets disagree.

    ``rate`` is the share of swaps among comparisons that both sets decide, ``tied`` the share that one of them does not. ``needed``
    is the least difference in one set from which on at most 5 % are swapped, ``reached`` the share of comparisons that have it.
    """

    size: int
    rate: float
    tied: float
    needed: float
    reached: float


def swaps(
    values: np.ndarray, units: np.ndarray, size: int, *, times: int, seed: int, most: float = 0.05
) -> Swaps:
    """Return how often the means of rows are ordered differently by two disjoint random sets of units.

    ``values`` has a row per system and a column per unit, none of them NaN; ``units`` a fixed number (uint64) per unit, from which
    the sets are drawn. All pairs of rows are compared in ``times`` random divisions.

    Source: E. Voorhees and C. Buckley, The effect of topic set size on retrieval experiment error, SIGIR 2002; ``needed`` and
    ``reached``: T. Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.

    Examples
    --------
    >>> values = np.array([[0.9, 0.8, 0.7, 0.9], [0.1, 0.2, 0.3, 0.1], [0.3, 0.0, 0.1, 0.4]])
    >>> found = swaps(values, np.arange(4, dtype=np.uint64), 2, times=100, seed=0)
    >>> round(found.rate, 2), round(found.tied, 2)
    (0.14, 0.22)
    """
    left, right = np.triu_indices(len(values), 1)
    rows = max(CELLS // max(len(left), values.shape[1]), 1)
    # a division takes the units with the lowest draws, and as many after them, so that the sets share none
    parts = []
    for low in range(0, times, rows):
        keys = replicates(seed, HALVES, low, min(low + rows, times))
        order = np.argsort(further(keys[:, None], units[None, :]), axis=1)
        means = (_means(values, order[:, :size]), _means(values, order[:, size : 2 * size]))
        parts.append(np.stack([half[:, left] - half[:, right] for half in means]).reshape(2, -1))
    first, second = np.concatenate(parts, axis=1)
    decided = (np.abs(first) > TIE) & (np.abs(second) > TIE)
    swapped = first * second < 0
    rate = float(swapped[decided].mean()) if decided.any() else math.nan
    needed, reached = _needed(np.abs(first), decided & swapped, most)
    return Swaps(size, rate, float(1 - decided.mean()), needed, reached)


def _means(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The mean of each row (column) over the units chosen in each division (row)."""
    weights = np.zeros((len(chosen), values.shape[1]))
    np.put_along_axis(weights, chosen, 1 / chosen.shape[1], axis=1)
    means: np.ndarray = weights @ values.T
    return means


def _needed(sizes: np.ndarray, swapped: np.ndarray, most: float) -> tuple[float, float]:
    """The least difference from which on at most so many comparisons are swapped, and the share that has it."""
    order = np.argsort(-sizes, kind="stable")
    ordered = sizes[order]
    # from the largest difference down: of those at least as large, so many are swapped
    shares = np.cumsum(swapped[order]) / np.arange(1, len(order) + 1)
    last = np.append(ordered[1:] < ordered[:-1] - TIE, True)  # equal differences are reached together
    fit = np.flatnonzero((shares <= most) & last)
    if not len(fit):
        return math.nan, 0.0
    return float(ordered[fit[-1]]), float((fit[-1] + 1) / len(order))
