"""Bootstrap intervals of anything that is computed from sums over units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.intervals import CELLS, LIMITS, WEIGHTS, quantiles

LEAST = 0.5  # the share of replicates that must have a value


class Replicated(NamedTuple):
    """A value and its bounds over bootstrap replicates; NaN where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan


def drawn_weights(units: np.ndarray, times: int, seed: int) -> Iterator[np.ndarray]:
    """Yield how often each unit (column) is drawn in each replicate (row), some replicates at a time.

    The weights are Poisson(1) and depend on the seed and the unit alone, so that two statistics of the same units, or of units
    that are only partly the same, vary together.

    Examples
    --------
    >>> [part.shape for part in drawn_weights(np.arange(50, dtype=np.uint64), 100, seed=0)]
    [(100, 50)]
    """
    rows = max(CELLS // max(len(units), 1), 1)
    units = np.ascontiguousarray(units)
    for low in range(0, times, rows):
        yield resample.poisson(replicates(seed, WEIGHTS, low, min(low + rows, times)), units, LIMITS)


def percentiles(drawn: np.ndarray, level: float) -> tuple[float, float]:
    """Return the bounds that hold the middle ``level`` of replicates; undefined ones (NaN) are left out.

    There are none, NaN, if fewer than half of the replicates have a value.

    Examples
    --------
    >>> percentiles(np.arange(99.0), 0.5)
    (24.0, 74.0)
    """
    defined = drawn[~np.isnan(drawn)]
    if len(defined) == 0 or len(defined) < LEAST * len(drawn):
        return math.nan, math.nan
    low, high = quantiles(defined, (1 - level) / 2, (1 + level) / 2)
    return low, high


def around(value: float, drawn: np.ndarray, level: float, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the percentiles of replicates, moved so that their mean is the value, and cut at the limits of what it can be.

    For what noise lowers, such as the agreement of two orders: replicates are noisier than the sample, so their own percentiles
    would lie too low. The interval is of the value that is expected of samples of this size, not of the whole population.

    Examples
    --------
    >>> [round(bound, 2) for bound in around(0.8, np.linspace(0.4, 1, 99), 0.5, (-1, 1))]
    [0.65, 0.95]
    """
    low, high = percentiles(drawn, level)
    if math.isnan(low):
        return low, high
    shift = value - float(np.nanmean(drawn))
    return max(min(low + shift, limits[1]), limits[0]), min(max(high + shift, limits[0]), limits[1])
