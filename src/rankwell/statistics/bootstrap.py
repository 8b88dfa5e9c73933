"""Bootstraps: intervals of anything that is computed from sums over units; and the Bayesian one of a mean difference, with the differences that
count as none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import further, replicates, uniform
from rankwell.statistics.frequent import TIE
from rankwell.statistics.intervals import CELLS, LIMITS, WEIGHTS, quantiles

LEAST = 0.5  # the share of replicates that must have a value
POSTERIOR = 4  # what the draws are for
WEIGHTS_AT_ONCE = 1 << 20  # weights made at a time


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


class Posterior(NamedTuple):
    """A mean difference, its credible interval, and the probabilities that it is below, within and above ±rope."""

    mean: float
    low: float
    high: float
    below: float
    within: float
    above: float
    rope: float


def posterior(
    d: np.ndarray, units: np.ndarray, *, rope: float, level: float = 0.95, times: int = 4000, seed: int = 0
) -> Posterior:
    """Return what the Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981) says of the mean of differences.

    A draw of the posterior is the mean under weights that are uniform over all that add up to 1. ``rope`` is the difference up
    to which two systems count as equal (region of practical equivalence; Kruschke, 2018): there is no default, for the
    probabilities depend on it. ``units`` holds a fixed number (uint64) per difference, from which its weights are drawn.
    Probabilities and interval are NaN for less than two differences.

    Examples
    --------
    >>> d = np.array([0.1, 0.3, -0.1, 0.2, 0.2, 0.0])
    >>> found = posterior(d, np.arange(6, dtype=np.uint64), rope=0.01)
    >>> round(found.mean, 3), round(found.above, 2), round(found.within + found.below, 2)
    (0.117, 0.98, 0.02)
    """
    _check(rope)
    n = len(d)
    mean = math.fsum(d) / n if n else math.nan
    if n < 2:
        return Posterior(mean, math.nan, math.nan, math.nan, math.nan, math.nan, rope)
    drawn = np.sort(_draw_means(d, units, times, seed))
    # order statistics of B + 1, rounded outwards; and a mean on the edge of the rope is inside also if rounding moved it out
    tail = math.floor((times + 1) * (1 - level) / 2)
    low, high = drawn[max(tail - 1, 0)], drawn[min(times - tail, times - 1)]
    below, above = int((drawn < -rope - TIE).sum()), int((drawn > rope + TIE).sum())
    within = times - below - above
    return Posterior(mean, float(low), float(high), below / times, within / times, above / times, rope)


def chances(
    rows: np.ndarray,
    units: np.ndarray,
    *,
    rope: float,
    sizes: np.ndarray | None = None,
    times: int = 4000,
    seed: int = 0,
) -> np.ndarray:
    """Return the probabilities that the mean of each row of differences is below, within and above ±rope, in three rows.

    NaN in ``rows`` is left out, and units with the same number are drawn as a whole; ``sizes`` are their weights in the mean.
    Rows of less than two differences have NaN.

    Examples
    --------
    >>> d = np.array([[0.1, 0.3, -0.1, 0.2, 0.2, 0.0], [0.0, 0.0, 0.0, 0.0, np.nan, 0.0]])
    >>> chances(d, np.arange(6, dtype=np.uint64), rope=0.01).round(2).tolist()
    [[0.01, 0.0], [0.01, 1.0], [0.98, 0.0]]
    """
    _check(rope)
    defined = ~np.isnan(rows)
    counted = defined * (1.0 if sizes is None else sizes)
    # one product of matrices gives the divisors and the sums of all rows
    columns = np.vstack([counted, np.where(defined, rows, 0.0) * counted]).T
    below, above = np.zeros((2, len(rows)))
    for weights in _weights(units, times, seed):
        total, sums = np.split(weights @ columns, 2, axis=1)
        with np.errstate(invalid="ignore"):
            means = sums / total
        below += np.count_nonzero(means < -rope - TIE, axis=0)
        above += np.count_nonzero(means > rope + TIE, axis=0)
    shares = np.array([below, times - below - above, above]) / times
    shares[:, np.count_nonzero(counted, axis=1) < 2] = math.nan
    return shares


def chances_of_many(mean: np.ndarray, error: np.ndarray, n: np.ndarray, rope: float) -> np.ndarray:
    """Return the same of very many differences, whose mean has a standard error: the bootstrap would only say what Student's t does.

    Three rows; NaN where there is no error.

    Examples
    --------
    >>> chances_of_many(np.array([0.02, 0.0]), np.array([0.01, 0.0]), np.array([1e6, 1e6]), rope=0.01).round(4).tolist()
    [[0.0013, 0.0], [0.1573, 1.0], [0.8413, 0.0]]
    """
    from scipy.special import stdtr

    _check(rope)
    with np.errstate(divide="ignore", invalid="ignore"):
        below, above = (stdtr(n - 1, (side * mean - rope - TIE) / error) for side in (-1, 1))
    return np.array([below, 1.0 - below - above, above])


def _check(rope: float) -> None:
    if not rope >= 0:
        raise ValueError(f"posterior(rope={rope}): must be 0 or more, the difference that counts as none.")


def _draw_means(d: np.ndarray, units: np.ndarray, times: int, seed: int) -> np.ndarray:
    """Means under weights from Dirichlet(1, …, 1): exponential draws, divided by their sum."""
    columns = np.column_stack([np.ones(len(d)), d])
    sums = np.concatenate([weights @ columns for weights in _weights(units, times, seed)])
    return sums[:, 1] / sums[:, 0]


def _weights(units: np.ndarray, times: int, seed: int) -> Iterator[np.ndarray]:
    rows = max(WEIGHTS_AT_ONCE // max(len(units), 1), 1)
    for low in range(0, times, rows):
        keys = replicates(seed, POSTERIOR, low, min(low + rows, times))
        # exponential by the inverse of its distribution; draws are below 1, so none is infinite
        yield -np.log1p(-uniform(further(keys[:, None], units)))
