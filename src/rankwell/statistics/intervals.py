"""Intervals of a mean: studentised Poisson bootstrap, Student's t, Wilson's for shares, percentile and BCa; and when to doubt them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import further, replicates

WEIGHTS = 3  # what the draws of the bootstrap are for
CELLS = 1 << 22  # weights made at a time
Method = Literal["studentised", "t", "wilson", "percentile", "bca"]


class Interval(NamedTuple):
    """A mean with its lower and upper bound; NaN where there is none. ``is_doubtful``: likely too short."""

    mean: float
    low: float
    high: float
    method: str
    is_doubtful: bool


def interval(
    values: np.ndarray,
    units: np.ndarray,
    *,
    method: Method = "studentised",
    level: float = 0.95,
    times: int = 2000,
    seed: int = 0,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Return the interval of the mean of values, none of them NaN, cut at the limits of what a value can be.

    There is none, and low and high are NaN, for less than two values and for values without spread. ``wilson`` is for values
    that are 0 or 1. ``units`` holds a fixed number (uint64) per value, from which its weights in the bootstrap are drawn.

    Examples
    --------
    >>> values = np.array([0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    >>> found = interval(values, np.arange(10, dtype=np.uint64), method="wilson")
    >>> round(found.low, 4), round(found.high, 4)
    (0.3968, 0.8922)
    """
    n = len(values)
    mean = math.fsum(values) / n if n else math.nan
    if n < 2 or (values == values[0]).all():
        return Interval(mean, math.nan, math.nan, method, is_doubtful(values))
    tail = (1 - level) / 2
    if method == "t":
        low, high = _t(values, mean, tail)
    elif method == "wilson":
        low, high = _wilson(mean, n, tail)
    else:
        drawn = np.concatenate(list(_replicates(values - mean, units, times, seed)))
        bounds = {"studentised": _studentised, "percentile": _percentile, "bca": _bca}[method]
        low, high = bounds(values - mean, drawn, tail)
        low, high = mean + low, mean + high
    return Interval(mean, max(low, limits[0]), min(high, limits[1]), method, is_doubtful(values))


def is_doubtful(values: np.ndarray) -> bool:
    """Whether an interval of the mean is likely too short: n < 50, or fewer than 30 values beside the most frequent one."""
    n = len(values)
    if n < 50:
        return True
    _, counts = np.unique(values, return_counts=True)
    return bool(n - counts.max() < 30)


def _t(values: np.ndarray, mean: float, tail: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    n = len(values)
    error = math.sqrt(math.fsum((values - mean) ** 2) / (n - 1) / n)
    reach = float(stdtrit(n - 1, 1 - tail)) * error
    return mean - reach, mean + reach


def _wilson(share: float, n: int, tail: float) -> tuple[float, float]:
    """Wilson's score interval of a share (JASA 22, 1927)."""
    from scipy.special import ndtri

    z = float(ndtri(1 - tail))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - reach, middle + reach


def _replicates(centred: np.ndarray, units: np.ndarray, times: int, seed: int) -> Iterator[np.ndarray]:
    """Yield rows of (mean, standard error) of values whose mean is 0, under weights drawn from Poisson(1)."""
    columns = np.column_stack([np.ones_like(centred), centred, centred**2])
    rows = max(CELLS // len(centred), 1)
    for low in range(0, times, rows):
        keys = replicates(seed, WEIGHTS, low, min(low + rows, times))
        sums = resample.poisson(keys, units, LIMITS) @ columns
        while len(again := np.flatnonzero(sums[:, 0] < 2)):
            keys[again] = further(keys[again], np.array([1], np.uint64))
            sums[again] = resample.poisson(keys[again], units, LIMITS) @ columns
        n, total, squares = sums.T
        mean = total / n
        variance = np.maximum(squares - n * mean**2, 0.0) / (n * (n - 1))
        variance[variance <= 1e-15 * squares / (n * n)] = 0.0  # what is left of rounding is no spread
        yield np.column_stack([mean, np.sqrt(variance)])


def _studentised(centred: np.ndarray, drawn: np.ndarray, tail: float) -> tuple[float, float]:
    """Bounds from the distribution of t*; a replicate without spread counts as ±∞, for dropping it makes intervals too short."""
    mean, error = drawn.T
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, mean / error, np.sign(mean) * math.inf)
    t[np.isnan(t)] = 0.0
    lower, upper = _quantiles(t, tail, 1 - tail)
    own = math.sqrt(math.fsum(centred**2) / (len(centred) - 1) / len(centred))
    return -upper * own, -lower * own


def _percentile(_: np.ndarray, drawn: np.ndarray, tail: float) -> tuple[float, float]:
    low, high = _quantiles(drawn[:, 0], tail, 1 - tail)
    return low, high


def _bca(centred: np.ndarray, drawn: np.ndarray, tail: float) -> tuple[float, float]:
    """Bias-corrected and accelerated (Efron, JASA 82, 1987)."""
    from scipy.special import ndtr, ndtri

    means = drawn[:, 0]
    below = (np.count_nonzero(means < 0) + np.count_nonzero(means == 0) / 2) / len(means)
    bias = float(ndtri(min(max(below, 0.5 / len(means)), 1 - 0.5 / len(means))))
    acceleration = math.fsum(centred**3) / (6 * math.fsum(centred**2) ** 1.5)
    z = float(ndtri(tail))
    shares = [float(ndtr(bias + (bias + side) / (1 - acceleration * (bias + side)))) for side in (z, -z)]
    low, high = _quantiles(means, *shares)
    return low, high


def _quantiles(drawn: np.ndarray, *shares: float) -> list[float]:
    """The order statistics at shares of B + 1, as p-values count them; never between two, of which one may be infinite."""
    ordered = np.sort(drawn)
    places = [(len(drawn) + 1) * share for share in shares]
    rows = [math.floor(places[0]) - 1, *(math.ceil(place) - 1 for place in places[1:])]
    return [float(ordered[min(max(row, 0), len(drawn) - 1)]) for row in rows]


def _limits() -> np.ndarray:
    """Where the distribution of Poisson(1), as a part of 2^64, reaches 1, 2, 3 …"""
    below, term, found = 0.0, math.exp(-1), []
    for value in range(1, 25):
        below += term
        term /= value
        if below >= 1:
            break
        found.append(min(int(below * 2.0**64), 2**64 - 1))
    return np.array(found, np.uint64)


LIMITS = _limits()
