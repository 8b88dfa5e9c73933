"""Has a mean dropped, and surely by less than a margin? One-sided tests and bounds that agree with each other."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import replicates
from rankwell.statistics.frequent import TIE
from rankwell.statistics.intervals import is_doubtful, studentise
from rankwell.statistics.paired_tests import EXACT, FLIPS, NEAR
from rankwell.statistics.parts import IndependentParts, parts_of, ratio

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
    from scipy.special import stdtr, stdtrit

    n, mean, error = ratio(parts)
    if math.isnan(error):
        return UNKNOWN
    if error == 0:
        return OneSided(float(mean <= 0), float(mean >= 0), mean, mean)
    reach = float(stdtrit(n - 1, 1 - alpha)) * error
    above, below = (float(stdtr(n - 1, side * mean / error)) for side in (-1, 1))
    return OneSided(above, below, mean - reach, mean + reach)


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
