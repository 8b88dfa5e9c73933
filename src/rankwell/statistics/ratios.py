"""Ratios of two positive quantities that were observed on the same units, such as the latencies of two systems by query."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankwell.errors import UsageError
from rankwell.statistics.intervals import Method, interval
from rankwell.statistics.quantiles import needed

TIMES = 2_000
LOG_LARGEST = math.log(np.finfo(float).max)


class RatioInterval(NamedTuple):
    """A ratio with its bounds, NaN where there are too few units for them; ``n`` is their number, ``needed`` the least."""

    value: float
    low: float
    high: float
    n: int
    needed: int


def geometric_ratio(new: np.ndarray, old: np.ndarray, *, level: float = 0.95, seed: int = 0) -> RatioInterval:
    """Return the ratio of geometric means, exp(mean of ln new − ln old), with the studentised bootstrap interval of that mean.

    Examples
    --------
    >>> old = np.arange(1.0, 101.0)
    >>> found = geometric_ratio(old * np.exp(np.sin(old) / 10) * 1.05, old)
    >>> [round(each, 2) for each in found[:3]]
    [1.05, 1.03, 1.06]
    """
    _check(new, old)
    return ratio_of_logs(np.log(new) - np.log(old), level=level, seed=seed)


def ratio_of_logs(
    logs: np.ndarray, *, least: int = 2, method: Method = "studentised", level: float = 0.95, seed: int = 0
) -> RatioInterval:
    """Return exp of the mean of log ratios with exp of its interval, which needs at least so many of them.

    Examples
    --------
    >>> found = ratio_of_logs(np.log([1.0, 2.0, 4.0]), least=3, method="t")
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (2.0, 0.36, 11.19)
    """
    n, value = len(logs), math.exp(float(logs.mean()))
    if n < least:
        return RatioInterval(value, math.nan, math.nan, n, least)
    if np.ptp(logs) == 0:  # without spread, as between a system and itself
        return RatioInterval(value, value, value, n, least)
    bounds = interval(logs, np.arange(n, dtype=np.uint64), method=method, level=level, seed=seed)
    # few and very different times leave an end beyond all numbers
    low, high = (math.inf if end > LOG_LARGEST else math.exp(end) for end in (bounds.low, bounds.high))
    return RatioInterval(value, low, high, n, least)


def quantile_ratio(
    new: np.ndarray, old: np.ndarray, q: float, *, level: float = 0.95, seed: int = 0
) -> RatioInterval:
    """Return the ratio of a quantile, with the percentile interval of a bootstrap that draws units, for both at once.

    There are bounds only where the quantile of each has them (``quantiles.needed``).

    Examples
    --------
    >>> old = np.arange(1.0, 101.0)
    >>> quantile_ratio(old * 2, old, 0.9)
    RatioInterval(value=2.0, low=2.0, high=2.0, n=100, needed=36)
    """
    _check(new, old)
    n, least = len(new), needed(q, level)
    place = max(math.ceil(q * n - 1e-9), 1) - 1
    value = float(np.sort(new)[place] / np.sort(old)[place])
    if n < least:
        return RatioInterval(value, math.nan, math.nan, n, least)
    # the same units of both: a query that is slow in one system is slow in the other, and that must not widen the ratio
    rng = np.random.default_rng(seed)
    drawn = np.empty(TIMES)
    for time in range(TIMES):
        rows = rng.integers(n, size=n)
        drawn[time] = np.partition(new[rows], place)[place] / np.partition(old[rows], place)[place]
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return RatioInterval(value, float(low), float(high), n, least)


def _check(new: np.ndarray, old: np.ndarray) -> None:
    if not len(new) or len(new) != len(old):
        raise UsageError("a ratio needs two values of each unit, and at least one unit.")
    if not ((new > 0).all() and (old > 0).all() and np.isfinite(new).all() and np.isfinite(old).all()):
        raise UsageError("a ratio needs finite values above 0.")
