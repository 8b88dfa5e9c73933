"""How large a difference is, what could have been seen, and whether two systems are as good as each other."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rankwell.statistics.frequent import TIE
from rankwell.statistics.many import NO_SPREAD, Summaries

MOST = 10**9  # units that a power calculation looks up to


class Effect(NamedTuple):
    """The size of a paired difference.

    ``dz`` is mean / sd of the differences, ``smd`` the mean over the mean standard deviation of the two systems' values,
    ``superiority`` the share of units where the first is better, ties counted half; and the numbers of units won, tied and lost.
    """

    dz: float
    smd: float
    superiority: float
    wins: int
    ties: int
    losses: int


def effect(first: np.ndarray, second: np.ndarray) -> Effect:
    """Return the effect sizes of two systems' values on the same units, larger being better; NaN where there is no spread.

    Examples
    --------
    >>> effect(np.array([0.5, 0.7, 0.2]), np.array([0.4, 0.5, 0.2]))[2:]
    (0.8333333333333334, 2, 1, 0)
    """
    d = np.asarray(first, np.float64) - second
    wins, losses = int(np.count_nonzero(d > TIE)), int(np.count_nonzero(d < -TIE))
    ties = len(d) - wins - losses
    if len(d) < 2:
        return Effect(
            math.nan, math.nan, (wins + ties / 2) / len(d) if len(d) else math.nan, wins, ties, losses
        )
    sd = float(d.std(ddof=1))
    pooled = math.sqrt((float(np.var(first, ddof=1)) + float(np.var(second, ddof=1))) / 2)
    mean = float(d.mean())
    return Effect(
        mean / sd if sd > 0 else math.nan,
        mean / pooled if pooled > 0 else math.nan,
        (wins + ties / 2) / len(d),
        wins,
        ties,
        losses,
    )


def smallest_visible(sd: float, n: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true mean difference that a two-sided t-test of n units finds with a probability of ``power``.

    Examples
    --------
    >>> round(smallest_visible(0.2, 50), 4)
    0.0808
    """
    return _visible(n, alpha, power) * sd if n >= 2 and sd > 0 else math.nan


@lru_cache(maxsize=1024)
def _visible(n: float, alpha: float, power: float) -> float:
    """The smallest visible difference in standard deviations, which very many segments of one size share."""
    low, high = 0.0, 1.0
    while _power(high, n, alpha) < power:
        high *= 2
    for _ in range(60):  # halvings, after which nothing is left of a double
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, n, alpha) < power else (low, middle)
    return high


def expected_maximum(k: int) -> float:
    """Return the mean of the largest of k independent standard normal values, ∫ x · kφ(x)Φ(x)^(k − 1) dx, within 1e-12; 0 for k = 1.

    Examples
    --------
    >>> [round(expected_maximum(k), 6) for k in (1, 2, 10, 1_000_000)]
    [0.0, 0.56419, 1.538753, 4.862897]
    """
    from scipy.special import log_ndtr

    # the trapezoidal rule, whose error for a smooth function that ends at 0 on both sides falls exponentially
    step = 1 / 128
    x = np.arange(step / 2, 40, step)
    both = [np.exp(math.log(k) - x * x / 2 + (k - 1) * log_ndtr(end)) for end in (x, -x)]
    return float((x * (both[0] - both[1])).sum() * step / math.sqrt(2 * math.pi))


def units_needed(
    sd: np.ndarray | float, n: np.ndarray | float, margin: float, *, alpha: float = 0.05, power: float = 0.8
) -> Any:
    """Return how many units a two-sided t-test needs to find a difference of ``margin`` with a probability of ``power``.

    ``sd`` is that of n differences seen; its upper 80 % bound is counted with, as the sample may have had too little spread.
    The observed difference is not used. An array for arrays, else a number: from 2 to 1e9, NaN of less than two differences and of those
    without spread.

    Examples
    --------
    >>> units_needed(np.array([0.2, 0.0]), 50, 0.05)
    array([154.,  nan])
    """
    from scipy.special import chdtri

    if not margin > 0:
        raise ValueError(f"units_needed(margin={margin}): must be positive.")
    sd, n = np.broadcast_arrays(np.asarray(sd, np.float64), np.asarray(n, np.float64))
    units = np.full(sd.shape, math.nan)
    has_spread = (n >= 2) & (sd > 0)
    with np.errstate(all="ignore"):  # next to no spread is overflow, and two units are enough
        # chdtri gives the value that is exceeded with a probability
        dz = margin / (sd[has_spread] * np.sqrt((n[has_spread] - 1) / chdtri(n[has_spread] - 1, 0.8)))
        units[has_spread] = _least_units(dz, alpha, power)
    return units[()]  # a number, not an array without axes


def _least_units(dz: np.ndarray, alpha: float, power: float) -> np.ndarray:
    """The least numbers of units that give the power, all looked for at once, as there may be very many segments."""
    low, high = np.full((2, len(dz)), [[1.0], [2.0]])
    rows = np.arange(len(dz))
    while len(rows := rows[_power(dz[rows], high[rows], alpha) < power]):
        low[rows], high[rows] = high[rows], 2 * high[rows]
        rows = rows[high[rows] <= MOST]
    high[high > MOST] = MOST
    rows = np.flatnonzero(high < MOST)
    while len(rows := rows[high[rows] - low[rows] > 1]):
        middle = low[rows] + (high[rows] - low[rows]) // 2
        is_less = _power(dz[rows], middle, alpha) < power
        low[rows] = np.where(is_less, middle, low[rows])
        high[rows] = np.where(is_less, high[rows], middle)
    return high


def _power(dz: np.ndarray | float, n: np.ndarray | float, alpha: float) -> np.ndarray:
    """The power of the two-sided paired t-test, by the noncentral t distribution."""
    from scipy.special import nctdtr, stdtrit

    critical = stdtrit(n - 1, 1 - alpha / 2)
    shift = dz * np.sqrt(n)
    return 1 - nctdtr(n - 1, shift, critical) + nctdtr(n - 1, shift, -critical)


def equivalence(stats: Summaries, margin: float) -> np.ndarray:
    """Return the p-value of two one-sided t-tests per row: below alpha, the true mean difference lies within ±margin.

    Source: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
    """
    from scipy.special import stdtr

    if math.isnan(margin):
        return np.full(len(stats.n), math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        # of the two one-sided tests that of the nearer bound has the larger p-value, and both must hold
        t = (margin - np.abs(stats.mean)) / (stats.sd / np.sqrt(stats.effective))
        p = stdtr(stats.effective - 1.0, -t)
    return np.where(stats.n < 2, math.nan, p)


def heterogeneity_of(n: np.ndarray, mean: np.ndarray, sd: np.ndarray) -> float:
    """Return the p-value of Welch's analysis of variance: whether the mean differences of groups of units differ.

    Each group has a number of units, a mean and a standard deviation, NaN where there is none. Groups of less than two units, or
    without spread, are left out; NaN with fewer than two groups left. Source: Welch, Biometrika 38 (1951).
    """
    from scipy.special import fdtrc

    with np.errstate(invalid="ignore"):
        is_tested = (n >= 2) & (
            sd > NO_SPREAD * np.maximum(np.abs(mean), 1.0)
        )  # what is left of rounding is no spread
    n, mean, sd = n[is_tested].astype(np.float64), mean[is_tested], sd[is_tested]
    k = len(n)
    if k < 2:
        return math.nan
    weights = n / sd**2
    share = weights / weights.sum()
    between = float((weights * (mean - (share * mean).sum()) ** 2).sum()) / (k - 1)
    lost = float(((1 - share) ** 2 / (n - 1)).sum())
    statistic = between / (1 + 2 * (k - 2) / (k * k - 1) * lost)
    return float(fdtrc(k - 1, (k * k - 1) / (3 * lost), statistic))
