"""Tests of one set of paired differences: Student's t, sign flips, Wilcoxon's signed ranks, the sign test; and whether a mean has dropped,
and surely by less than a margin, with bounds that agree with the tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.frequent import TIE, starts
from rankwell.statistics.intervals import is_doubtful, studentise
from rankwell.statistics.parts import IndependentParts, parts_of, ratio, student

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


Method = Literal["t", "sign flips", "bootstrap", "identical", "too few"]
FEWEST = 5  # non-zero differences: the signs of four leave p at 1/16


class Margins(NamedTuple):
    """What is known of a mean difference and of a drop that is tolerated, larger values being better.

    ``p_drop`` is small if the mean surely dropped (the hypothesis: it did not), ``p_margin`` if it surely did not drop by the
    margin (it did), ``p_beyond`` if it surely dropped by more (it did not). ``low`` and ``high`` are the one-sided bounds of the
    mean, each at alpha. ``spare`` is the lower bound of what the margin leaves over: it is above 0 where ``p_margin`` < alpha.
    ``method`` is how they were found: ``"t"``; ``"sign flips"`` where t is likely too short; ``"bootstrap"`` where asked for;
    ``"identical"`` for no difference at all, which passes; or ``"too few"`` non-zero differences, fewer than five, of which nothing can be said: all are NaN.
    """

    n: float
    mean: float
    nonzero: int
    p_drop: float
    p_margin: float
    p_beyond: float
    low: float
    high: float
    spare: float
    method: Method


class OneSided(NamedTuple):
    """One-sided p-values of a mean (``above``: small if it is surely above 0) and its one-sided bounds."""

    above: float
    below: float
    low: float
    high: float


UNKNOWN = OneSided(math.nan, math.nan, math.nan, math.nan)


def margins(
    new: np.ndarray,
    old: np.ndarray,
    units: np.ndarray,
    *,
    margin: float,
    is_relative: bool = False,
    by: Literal["t", "bootstrap"] = "t",
    alpha: float = 0.05,
    times: int = 10_000,
    seed: int = 0,
    weights: np.ndarray | None = None,
    clusters: np.ndarray | None = None,
) -> Margins:
    """Return the tests of a drop and of a margin, for two systems' values on the same units.

    ``margin`` is the drop that is tolerated; if ``is_relative``, as a share of the mean of ``old``, whose error counts: what is
    tested is the mean of new − (1 − margin) · old. Weights, clusters and units are those of ``sign_flips``.

    By default (``"t"``) it is Student's t, or sign flips where ``is_doubtful`` holds. Both suppose that differences are not too
    lopsided: of drops that are rare and large, a small sample may hold too few, and then a drop as large as the margin passes
    more often than alpha says (a tenth of 60 units drop, by .3 on average, the others win .02: 14 % at alpha 5 %, by either
    way). ``"bootstrap"`` is the one-sided studentised bootstrap, which allows for that (1 %), and for few symmetric differences
    rejects a little too often (8 % for 30 units of which six differ).

    Examples
    --------
    >>> old = np.linspace(0.2, 0.8, 60)
    >>> found = margins(old + np.linspace(-0.03, 0.04, 60), old, np.arange(60, dtype=np.uint64), margin=0.01)
    >>> found.method, round(found.p_drop, 3), found.p_margin < 0.05, round(found.low, 4)
    ('t', 0.967, True, 0.0005)
    """
    if not margin >= 0:
        raise ValueError(f"margins(margin={margin}): must be 0 or more, the drop that is tolerated.")
    new, old = np.asarray(new, np.float64), np.asarray(old, np.float64)
    parts = parts_of(new - old, units, weights, clusters)
    whole = ratio(parts)
    # of a mean below 0, such as that of a loss, the share is one of its size
    allowed = margin * (old * math.copysign(1.0, math.fsum(old)) if is_relative else np.ones(len(old)))
    left = parts_of(new - old + allowed, units, weights, clusters)
    nonzero = int(np.count_nonzero(np.abs(parts.totals) > TIE * parts.sizes))
    if len(parts.totals) and (np.abs(new - old) <= TIE).all():
        return Margins(whole.n, whole.mean, 0, 1.0, 0.0, 1.0, 0.0, 0.0, ratio(left).mean, "identical")
    method: Method
    is_sparse = is_doubtful(parts.totals / parts.sizes, parts.sizes)
    if is_sparse and nonzero < FEWEST:
        own = rest = UNKNOWN
        method = "too few"
    elif by == "bootstrap":
        own, rest = (by_bootstrap(part, alpha=alpha, times=times, seed=seed) for part in (parts, left))
        method = "bootstrap"
    elif is_sparse:
        columns = np.column_stack([parts.totals, left.totals, parts.sizes])
        *sums, sizes = _subsets(columns, parts.numbers, times, seed)
        own, rest = (_sides(part, sizes, of, alpha) for part, of in zip(sums, (parts, left), strict=True))
        method = "sign flips"
    else:
        own, rest = by_t(parts, alpha=alpha), by_t(left, alpha=alpha)
        method = "t"
    p = own.below, rest.above, rest.below
    return Margins(whole.n, whole.mean, nonzero, *p, own.low, own.high, rest.low, method)


def by_t(parts: IndependentParts, *, alpha: float) -> OneSided:
    """Return the one-sided tests of a mean against 0, and its bounds, by Student's t."""
    from scipy.special import stdtr

    n, mean, error = ratio(parts)
    if math.isnan(error):
        return UNKNOWN
    if error == 0:
        return OneSided(float(mean <= 0), float(mean >= 0), mean, mean)
    above, below = (float(stdtr(n - 1, side * mean / error)) for side in (-1, 1))
    return OneSided(above, below, *student(mean, error, n - 1, 1 - alpha))


def by_bootstrap(parts: IndependentParts, *, alpha: float, times: int, seed: int) -> OneSided:
    """Return the one-sided tests of a mean against 0, and its bounds, by the studentised Poisson bootstrap."""
    _, mean, error = ratio(parts)
    if not error > 0:
        return by_t(parts, alpha=alpha)
    drawn = np.sort(studentise(parts, times=times, seed=seed))
    t = mean / error  # replicates of few different values reach it exactly, but for rounding
    above = (times - np.searchsorted(drawn, t - NEAR, side="left") + 1) / (times + 1)
    below = (np.searchsorted(drawn, t + NEAR, side="right") + 1) / (times + 1)
    place = _beyond(alpha, times + 1) - 1
    if place < 0:
        return OneSided(float(above), float(below), -math.inf, math.inf)
    low, high = (mean - float(drawn[at]) * error for at in (-1 - place, place))
    return OneSided(float(above), float(below), low, high)


def _beyond(alpha: float, total: int) -> int:
    """How many of so many draws may lie beyond a mean that is still rejected: p < alpha."""
    return math.ceil(round(alpha * total, 9)) - 1  # alpha · total is rounded: .07 · 100 is 7.000000000000001


def by_flips(parts: IndependentParts, *, alpha: float, times: int, seed: int) -> OneSided:
    """Return the one-sided tests of a mean against 0, and its bounds, where the p of a shift crosses alpha, by sign flips.

    Flipped are the differences from the mean that is tested. A flip reaches their sum just where those that it turns have a
    mean beyond the one tested, so the p-values of all shifts at once are ranks among the means of subsets (Hartigan, JASA 64,
    1969): of all, for up to 20 parts, else of random ones, and p = (b + 1) / (B + 1).
    """
    totals, sizes = _subsets(np.column_stack([parts.totals, parts.sizes]), parts.numbers, times, seed)
    return _sides(totals, sizes, parts, alpha)


def _sides(totals: np.ndarray, sizes: np.ndarray, parts: IndependentParts, alpha: float) -> OneSided:
    is_some = sizes > 1e-9 * parts.sizes.min()
    drawn, total = np.sort(totals[is_some] / sizes[is_some]), len(sizes)
    always = total - len(drawn)  # flips that change nothing reach every sum
    near = 1e-12 * float(np.abs(parts.totals / parts.sizes).max())
    above = (np.searchsorted(drawn, near, side="right") + always) / total
    below = (len(drawn) - np.searchsorted(drawn, -near, side="left") + always) / total
    place = _beyond(alpha, total) - always
    if place < 0:
        return OneSided(float(above), float(below), -math.inf, math.inf)
    return OneSided(float(above), float(below), float(drawn[place]), float(drawn[-1 - place]))


def _subsets(columns: np.ndarray, numbers: np.ndarray, times: int, seed: int) -> np.ndarray:
    """The sums of each column over subsets of parts, the empty one among them: a row per column."""
    if len(columns) <= EXACT:
        sums = np.zeros((1, columns.shape[1]))
        for part in columns:  # each doubles the subsets: those without it and those with it
            sums = np.concatenate([sums, sums + part])
        return sums.T
    keys = replicates(seed, FLIPS, 0, -(-times // 64))
    # what a flip turns goes from + to −, so the sum of what it turns is half of what the whole sum loses
    whole = columns.sum(axis=0)
    chosen = (whole - resample.flipped_sums(keys, numbers, columns)[:times]) / 2
    return np.vstack([np.zeros_like(whole), chosen]).T
