"""Ratios of two positive quantities that were observed on the same units, such as the latencies of two systems by query; and the slope of a
line through the origin where both coordinates have errors.
"""

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


GRID = 256  # directions of a half turn that are tried at each scale
HALVINGS = 60
VERTICAL = 1e9  # times the largest y over the largest x: a steeper line is vertical


def slope_with_errors(x: np.ndarray, y: np.ndarray, se_x: np.ndarray, se_y: np.ndarray) -> float:
    """Return the slope β of a line through the origin that minimises Σ (y − βx)²/(se_y² + β²·se_x²); NaN if the best line is vertical.

    All standard errors are above 0. The global minimum: the line β = d/c is a direction (c, d), of which vertical is one like any other. A term
    varies as a sine of the angle when x and y are scaled by its own errors, so directions are tried at the scale of each, and the sign
    of the derivative tells the minima between them.

    Source: D. York, Least-squares fitting of a straight line, Canadian Journal of Physics 44, 1966, without an intercept.

    Examples
    --------
    >>> x, y, se = np.array([1.0, 2.0]), np.array([2.0, 5.0]), np.array([0.1, 0.1])
    >>> round(slope_with_errors(x, y, se, se), 4), round(slope_with_errors(x, y, se * 1e-6, se), 4)
    (2.4142, 2.4)
    """
    a, b = float(np.abs(x).max(initial=0)), float(np.abs(y).max(initial=0))
    if not a or not b:  # a line along an axis
        return 0.0 if a else math.nan
    x, y, se_x, se_y = x / a, y / b, se_x / a, se_y / b

    def terms(angle: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """The sum that is minimised and its derivative by the angle."""
        c, d = np.cos(angle)[:, None], scale * np.sin(angle)[:, None]
        to_c, to_d = -d / scale, scale * c
        size = np.hypot(c * se_y, d * se_x)
        off, turned = (c * y - d * x) / size, (to_c * y - to_d * x) / size
        longer = (c * se_y / size) * (to_c * se_y / size) + (d * se_x / size) * (to_d * se_x / size)
        return (off * off).sum(axis=1), (off * (turned - off * longer)).sum(axis=1)

    angles = np.linspace(-math.pi / 2, math.pi / 2, GRID + 1)
    # vertical, where the directions begin and end: a minimum there is between no two of them
    best = float(terms(angles[:1], 1.0)[0][0]), math.inf
    # scales within a factor of 2 see the same; 1 is that of the points
    for scale in np.exp2([*{0.0, *np.rint(np.log2(se_y / se_x)).tolist()}]).tolist():
        turns = terms(angles, scale)[1]
        at = np.flatnonzero((turns[:-1] < 0) & (turns[1:] >= 0))
        low, high = angles[at], angles[at + 1]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            is_low = terms(middle, scale)[1] < 0
            low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
        for value, angle in zip(terms(high, scale)[0].tolist(), high.tolist(), strict=True):
            best = min(best, (value, scale * math.tan(angle)))
    return best[1] * b / a if abs(best[1]) < VERTICAL else math.nan
