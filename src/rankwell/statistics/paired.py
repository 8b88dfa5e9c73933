"""Tests of one set of paired differences: Student's t, sign flips, Wilcoxon's signed ranks, the sign test."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.frequent import TIE, starts
from rankwell.statistics.parts import parts_of, ratio

NEAR = 1e-9  # a replicate this close to the observed sum counts as reaching it, as sums of rounded numbers differ by less
NOTHING = 1e-12  # a sum is 0 if it is so small beside what was added: the rest is rounding
EXACT = 20  # up to so many non-zero differences all patterns of signs are tried
CHUNK = 64  # keys, each of 64 replicates
FLIPS = 1


class Estimate(NamedTuple):
    """A mean difference: of how many units, its standard deviation, Student's t and the two-sided p-value.

    ``n`` is the number of clusters if there are any, and the effective number of weighted units; sd / √n is the standard error.
    """

    n: float
    mean: float
    sd: float
    t: float
    p: float


class Flipped(NamedTuple):
    """A two-sided p-value by sign flips, the replicates that reached the observed sum, and of how many; exact if all were tried."""

    p: float
    reached: int
    replicates: int
    is_exact: bool


def t_test(
    d: np.ndarray, *, weights: np.ndarray | None = None, clusters: np.ndarray | None = None
) -> Estimate:
    """Return Student's paired t-test of differences: t = mean / (sd / √n) with n − 1 degrees of freedom.

    ``d`` holds a difference per unit, none NaN. Zeros count. t is NaN and p is NaN below two units; without spread p is 0 if
    the mean is not 0, else 1. With ``weights`` it is of the weighted mean, with ``clusters`` (a number, uint64, per unit) of
    clusters that vary as a whole; the standard error is that of ``ratio``.

    Examples
    --------
    >>> t_test(np.array([0.1, 0.3, -0.1, 0.2, 0.2])).p.__round__(6)
    0.107939
    """
    from scipy.special import stdtr

    count, mean, error = ratio(parts_of(d, np.arange(len(d)), weights, clusters))
    if math.isnan(error):
        return Estimate(count, mean, math.nan, math.nan, math.nan)
    if error == 0:
        is_none = abs(mean) <= NOTHING
        t = 0.0 if is_none else math.copysign(math.inf, mean)
        return Estimate(count, mean, 0.0, t, 1.0 if is_none else 0.0)
    t = mean / error
    return Estimate(count, mean, error * math.sqrt(count), t, float(2 * stdtr(count - 1, -abs(t))))


def sign_flips(
    d: np.ndarray,
    units: np.ndarray,
    *,
    times: int,
    seed: int,
    weights: np.ndarray | None = None,
    clusters: np.ndarray | None = None,
) -> Flipped:
    """Return the p-value of the mean under all signs of the differences, exact or by ``times`` random patterns.

    Up to 20 differences beyond 1e-9 all patterns are tried: p is the share that reaches the observed sum. Otherwise
    p = (b + 1) / (B + 1). ``units`` holds a fixed number (uint64) per unit, from which its signs are drawn; ``clusters`` one
    per unit, of clusters that are flipped as a whole.

    Examples
    --------
    >>> sign_flips(np.array([1.0, 1.0, 1.0, 2.0]), np.arange(4, dtype=np.uint64), times=100, seed=0)
    Flipped(p=0.125, reached=2, replicates=16, is_exact=True)
    """
    parts = parts_of(d, units, weights, clusters)
    kept = np.abs(parts.totals) > TIE * parts.sizes
    d, units = parts.totals[kept], parts.numbers[kept]
    least = abs(math.fsum(d)) * (1 - NEAR)
    least = 0.0 if least <= NOTHING * math.fsum(np.abs(d)) else least
    if len(d) <= EXACT:
        reached, patterns = _count_of_all(d, least), 1 << len(d)
        return Flipped(reached / patterns, reached, patterns, is_exact=True)
    keys = replicates(seed, FLIPS, 0, -(-times // 64))
    reached, left = 0, times
    for low in range(0, len(keys), CHUNK):
        sums = resample.flipped_sums(keys[low : low + CHUNK], units, d[:, None])[:left, 0]
        reached += int(np.count_nonzero(np.abs(sums) >= least))
        left -= len(sums)
    return Flipped((reached + 1) / (times + 1), reached, times, is_exact=False)


def _count_of_all(d: np.ndarray, least: float) -> int:
    """How many patterns of signs give a sum of at least this size.

    A sum is one of the first half of the differences and one of the second (Horowitz and Sahni, JACM 21, 1974): of 2^10 and 2^10
    sums, sorted, those that reach it together are counted by binary search, and the 2^20 of all are never written.
    """
    if not least > 0:
        return 1 << len(d)  # 0 is reached from either side, and would be counted twice
    half = (len(d) + 1) // 2
    # turning all signs round changes no size, so the first one may stay
    first = d[0] + (d[1:half, None] * _signs(half - 1)).sum(axis=0)
    second = np.sort((d[half:, None] * _signs(len(d) - half)).sum(axis=0))
    above = len(second) - np.searchsorted(second, least - first, side="left")
    below = np.searchsorted(second, -least - first, side="right")
    return 2 * int((above + below).sum())


@cache
def _signs(n: int) -> np.ndarray:
    """All patterns of n signs, one per column."""
    return 1.0 - 2.0 * ((np.arange(1 << n) >> np.arange(n)[:, None]) & 1)


def wilcoxon(d: np.ndarray) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test with Pratt's treatment of zeros, by SciPy.

    It tests the symmetry of the differences about 0, not their mean. Differences within 1e-9 of 0 are zeros, and sizes no more
    than 1e-9 apart are ties: hits at 5 of fifths, such as 1/5 − 0 and 4/5 − 3/5, differ in their last bit. NaN if all are zeros.

    Examples
    --------
    >>> round(wilcoxon(np.array([1/5 - 0, 2/5 - 5/5, 4/5 - 3/5, 4/5 - 1/5, 0 - 1/5])), 12)
    1.0
    """
    from scipy.stats import wilcoxon as test

    size = np.abs(d)
    order = np.argsort(size)
    place = np.empty(len(d))  # the test needs no more of a size than its place among all
    place[order] = np.cumsum(starts(size[order]))
    place[size <= TIE] = 0
    return float(test(np.copysign(place, d), zero_method="pratt").pvalue) if np.any(place) else math.nan


def sign_test(d: np.ndarray) -> float:
    """Return the two-sided p-value of the sign test, which tests the median; differences within 1e-9 of 0 are left out.

    Examples
    --------
    >>> sign_test(np.array([1.0, 2.0, 3.0, -1.0, 0.0]))
    0.625
    """
    return sign_test_of(int(np.count_nonzero(d > TIE)), int(np.count_nonzero(d < -TIE)))


def sign_test_of(wins: int, losses: int) -> float:
    """Return the p-value of the sign test of so many differences above and below 0."""
    from scipy.special import bdtr

    n = wins + losses
    return min(1.0, 2 * float(bdtr(min(wins, losses), n, 0.5))) if n else math.nan
