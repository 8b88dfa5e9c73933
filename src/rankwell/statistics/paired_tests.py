"""Tests of one set of paired differences: Student's t, sign flips, Wilcoxon's signed ranks, the sign test."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
FLIPS = 1  # what the draws are for
BITS = 42  # of a number that its bin does not tell: a bin is a 1024th of what lies between two powers of 2


class MeanDifference(NamedTuple):
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
) -> MeanDifference:
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
        return MeanDifference(count, mean, math.nan, math.nan, math.nan)
    if error == 0:
        is_none = abs(mean) <= NOTHING
        t = 0.0 if is_none else math.copysign(math.inf, mean)
        return MeanDifference(count, mean, 0.0, t, 1.0 if is_none else 0.0)
    t = mean / error
    return MeanDifference(count, mean, error * math.sqrt(count), t, float(2 * stdtr(count - 1, -abs(t))))


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
    is_nonzero = np.abs(parts.totals) > TIE * parts.sizes
    d, units = parts.totals[is_nonzero], parts.numbers[is_nonzero]
    least = abs(math.fsum(d)) * (1 - NEAR)
    # a sum of 0 is reached by every pattern, also by one that rounding left short of it
    least = 0.0 if least <= NOTHING * math.fsum(np.abs(d)) else least
    if len(d) <= EXACT:
        reached, patterns = _count_of_all(d, least), 1 << len(d)
        return Flipped(reached / patterns, reached, patterns, is_exact=True)
    keys = replicates(
        seed, FLIPS, 0, -(-times // 64)
    )  # the 64 bits drawn for a unit are its signs in 64 replicates
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
    first = d[0] + (d[1:half, None] * all_signs(half - 1)).sum(axis=0)
    second = np.sort((d[half:, None] * all_signs(len(d) - half)).sum(axis=0))
    above = len(second) - np.searchsorted(second, least - first, side="left")
    below = np.searchsorted(second, -least - first, side="right")
    return 2 * int((above + below).sum())


@cache
def all_signs(n: int) -> np.ndarray:
    """Return all patterns of n signs, one per column."""
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


class SizeCounts(NamedTuple):
    """The distinct sizes of differences that are not 0 in ascending order, how many have each, and how many of these are positive.

    Sizes are kept to the last bit, so that parts can be joined in any order; which of them are ties is seen when they are ranked.
    """

    value: np.ndarray
    number: np.ndarray
    more: np.ndarray

    @classmethod
    def of(cls, d: np.ndarray) -> SizeCounts:
        """Return the counts of differences; NaN is left out, and so are those within 1e-9 of 0, which are zeros."""
        d = d[np.abs(d) > TIE]
        value, of, count = np.unique(np.abs(d), return_inverse=True, return_counts=True)
        return cls(value, count, np.bincount(of, d > 0, len(value)).astype(np.int64))

    @classmethod
    def joined(cls, parts: Sequence[SizeCounts]) -> SizeCounts:
        """Return the counts of all parts."""
        value, of = np.unique(np.concatenate([column.value for column in parts]), return_inverse=True)
        count, more = (
            np.bincount(of, np.concatenate(column), len(value)).astype(np.int64)
            for column in zip(*(part[1:] for part in parts), strict=True)
        )
        return cls(value, count, more)

    def bins(self) -> np.ndarray:
        """Return the bin of each value; a larger value is in the same or in a later one."""
        # doubles above 0 are in the order of their bits as whole numbers, so a shift makes bins of any width in order
        bins: np.ndarray = self.value.view(np.int64) >> BITS
        return bins

    def differences(self, n: int) -> np.ndarray:
        """Return n differences with these counts, the rest 0."""
        sides = (np.repeat(self.value, self.more), -np.repeat(self.value, self.number - self.more))
        return np.concatenate([*sides, np.zeros(n - int(self.number.sum()))])


class Tied(NamedTuple):
    """The differences of one size at an end of a bin: the size at that end, how many there are, and how many positive."""

    value: float
    number: int
    more: int


class Ranks(NamedTuple):
    """Of the differences in a bin: how many, how many positive, the sum of the ranks of these among those of the bin, and Σ(t³ − t).

    Ties (sizes no more than 1e-9 apart) have their mean rank; t are the numbers of differences of one size. Those at either
    end may be ties with some of the next bin.
    """

    number: int
    more: int
    ranks: float
    ties: float
    lowest: Tied
    highest: Tied

    @classmethod
    def of(cls, counted: SizeCounts) -> Ranks:
        """Return the ranks of the differences of a bin."""
        begins = np.flatnonzero(starts(counted.value))
        tied, more = (np.add.reduceat(column, begins) for column in (counted.number, counted.more))
        number = tied.astype(np.float64)
        rank = np.cumsum(number) - number + (number + 1) / 2
        return cls(
            int(tied.sum()),
            int(more.sum()),
            float((more * rank).sum()),
            float((number**3 - number).sum()),
            *(Tied(float(counted.value[end]), int(tied[end]), int(more[end])) for end in (0, -1)),
        )


def wilcoxon_of(n: int, bins: Sequence[Ranks]) -> float:
    """Return the two-sided p-value of ``wilcoxon`` for n differences from their bins, in ascending order, by its normal limit.

    Zeros are ranked first and then dropped (Pratt, JASA 54, 1959), with the moments of Cureton (JASA 62, 1967). NaN if all are 0.

    Examples
    --------
    >>> d = np.random.default_rng(0).integers(-3, 5, 200) / 7
    >>> round(wilcoxon_of(200, [Ranks.of(SizeCounts.of(d))]), 6)
    9e-06
    """
    from scipy.special import ndtr

    zeros = n - sum(own.number for own in bins)
    if zeros == n:
        return math.nan
    total, before, ties = 0.0, zeros, 0.0
    last: Tied | None = None
    for own in bins:
        total += own.ranks + before * own.more
        ties += own.ties
        before += own.number
        first, end = own.lowest, own.highest
        if last is not None and first.value - last.value <= TIE:
            # a differences and b above them become ties: a's mean rank rises by b / 2, b's falls by a / 2
            total += (last.more * first.number - first.more * last.number) / 2
            ties += 3.0 * last.number * first.number * (last.number + first.number)
            if first.number == own.number:  # nothing else is in this bin, so that the next one may join, too
                end = Tied(end.value, last.number + end.number, last.more + end.more)
        last = end
    mean = n * (n + 1) / 4 - zeros * (zeros + 1) / 4
    squares = n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    error = math.sqrt((squares - ties / 2) / 24)
    return 2 * float(ndtr(-abs(total - mean) / error))
