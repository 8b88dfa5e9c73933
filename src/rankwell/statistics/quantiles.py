"""Quantiles with intervals from order statistics, which hold for any distribution."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankwell.errors import UsageError, brief


class QuantileInterval(NamedTuple):
    """A quantile with its bounds, NaN where there are too few values for them.

    ``n`` is the number of values, ``effective`` the number of independent ones that they are worth, ``needed`` the least number of
    independent values for which both bounds exist.
    """

    value: float
    low: float
    high: float
    n: int
    effective: float
    needed: int

    @property
    def missing(self) -> int:
        """How many more independent values both bounds need; 0 if they exist."""
        return max(self.needed - math.floor(self.effective), 0)


def needed(q: float, level: float = 0.95) -> int:
    """Return the least number of independent values for which the interval of a quantile has both bounds.

    The bounds are at most the smallest and the largest value, which miss the quantile with the probabilities (1 − q)ⁿ and qⁿ.

    Examples
    --------
    >>> [needed(q) for q in (0.5, 0.95, 0.99, 0.999)]
    [6, 72, 368, 3688]
    """
    tail = _check_tail(q, level)
    return math.ceil(math.log(tail) / math.log(max(q, 1 - q)))


def quantile_interval(
    values: np.ndarray, q: float, *, level: float = 0.95, effective: float | None = None
) -> QuantileInterval:
    """Return a quantile of values and an interval for it, between two of the values.

    The quantile is the ⌈q·n⌉-th smallest value. The interval lies between the largest and the smallest order statistic whose
    binomial tails are at most (1 − level)/2 each, so it covers at least ``level`` for any distribution. Values may be infinite, such
    as the latency of a call that was given up.

    Parameters
    ----------
    values
        At least one number, none NaN.
    q
        Between 0 and 1, both excluded.
    level
        The confidence, both sides together.
    effective
        The number of independent values that they are worth, if they depend on each other; at most their number. The places
        of the bounds are those for so many values, spread over the places that there are.

    Raises
    ------
    UsageError
        If there is no value, one is NaN, or a number is out of its range.

    Examples
    --------
    >>> found = quantile_interval(np.arange(1.0, 101.0), 0.5)
    >>> found.value, found.low, found.high
    (50.0, 40.0, 61.0)
    >>> found = quantile_interval(np.arange(1.0, 101.0), 0.99)
    >>> found.value, found.high, found.missing
    (99.0, nan, 268)
    """
    from scipy.special import bdtr

    tail = _check_tail(q, level)
    n = len(values)
    if not n or np.isnan(values).any():
        raise UsageError("a quantile needs at least one value, and none that is NaN.")
    worth = float(n) if effective is None else min(float(effective), float(n))
    if not worth > 0:
        raise UsageError(f"effective is a number of values above 0, not {brief(effective)}.")
    ordered = np.sort(values)
    value = float(
        ordered[max(math.ceil(q * n - 1e-9), 1) - 1]
    )  # .07 · 100 is 7.000000000000001, of which ceil makes 8
    least = needed(q, level)
    m = math.floor(worth)
    if m < least:
        return QuantileInterval(value, math.nan, math.nan, n, worth, least)
    # the l-th smallest of m values is above the quantile if at most l − 1 of them are below it
    below = bdtr(np.arange(m), m, q)
    first = int(np.searchsorted(below, tail, side="right"))
    last = int(np.searchsorted(below, 1 - tail, side="left")) + 1
    low = max(math.floor(first * n / m), 1)
    high = min(math.ceil(last * n / m), n)
    return QuantileInterval(value, float(ordered[low - 1]), float(ordered[high - 1]), n, worth, least)


def _check_tail(q: float, level: float) -> float:
    """The tail on each side; UsageError for a number that is not between 0 and 1."""
    for word, number in (("q", q), ("level", level)):
        if not 0 < number < 1:
            raise UsageError(f"{word} is between 0 and 1, not {brief(number)}.")
    return (1 - level) / 2
