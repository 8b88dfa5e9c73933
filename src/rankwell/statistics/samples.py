"""Random samples of units: totals estimated by the known probabilities of the draw, with their variance; and how many marked units a sample holds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

CELLS = 1 << 21  # probabilities made at a time


def pair_factors(sizes: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return π_i π_j / π_ij for two units of one stratum, of which ``drawn`` of ``sizes`` are drawn at random without replacement.

    It is ((N − 1) / N) · (n / (n − 1)): above 1, as two units of a stratum are drawn together less often than independent ones
    are; 1 where all are drawn. Where one of several is drawn no two are ever seen together, and it is 1 for want of a value.

    >>> pair_factors(np.array([4, 4, 3]), np.array([2, 4, 1])).tolist()
    [1.5, 1.0, 1.0]
    """
    n = np.maximum(drawn, 2)
    factors = (sizes - 1) / np.maximum(sizes, 1) * n / (n - 1)
    return np.where((drawn > 1) & (drawn < sizes), factors, 1.0)


class Variance(NamedTuple):
    """An estimated variance, and its degrees of freedom (infinite if it is 0); both NaN if it is not known."""

    value: float
    df: float

    @classmethod
    def sum(cls, values: np.ndarray, df: np.ndarray) -> Variance:
        """Return the variance of a sum of independent terms; its degrees of freedom are Satterthwaite's, (Σ v)² / Σ (v² / df).

        >>> Variance.sum(np.array([1.0, 1.0]), np.array([4.0, 4.0]))
        Variance(value=2.0, df=8.0)
        """
        total = float(values.sum())
        if not total > 0:
            return cls(total, float("inf") if total == 0 else total)
        counted = values > 0
        return cls(total, total**2 / float((values[counted] ** 2 / df[counted]).sum()))


def independent_variance(values: np.ndarray, chances: np.ndarray) -> Variance:
    """Return the estimated variance of Σ value / chance over the units drawn, each independently with its own chance.

    Σ (1 − π) (value / π)², without bias (Horvitz and Thompson, 1952). Each unit that was not sure to be drawn is a degree of freedom.

    >>> independent_variance(np.array([1.0, 2.0]), np.array([0.5, 1.0])).value
    2.0
    """
    terms = (1.0 - chances) * (values / chances) ** 2
    return Variance.sum(terms, np.ones(len(terms)))


def stratified_variance(
    values: np.ndarray, stratum: np.ndarray, sizes: np.ndarray, drawn: np.ndarray
) -> Variance:
    """Return the estimated variance of Σ (N / n) · value over units drawn at random without replacement from each stratum.

    Formula
        Σ over strata of N² (1 − n/N) s² / n, with s² the variance of the values in the stratum (n − 1 below): the formula of
        Sen, Yates and Grundy for this design, without bias where n ≥ 2 in every stratum that is not drawn whole.

    Parameters
    ----------
    values
        The value of each unit drawn.
    stratum
        The number of its stratum.
    sizes, drawn
        N and n of each stratum. A stratum of which nothing is drawn adds nothing, as it adds nothing to the total.

    Returns
    -------
    Variance
        NaN if it is not known: one unit is drawn of a stratum of several, and no other stratum has two.

    Notes
    -----
    Strata of which one unit of several is drawn show no variance of their own. Two and more such strata are taken together
    (collapsed): G/(G − 1) Σ (t − t̄)² over their totals t, which is too large by the differences of the strata (W. Cochran, Sampling
    Techniques, 1977, section 5A.12). A single one is given the variance of the values within the other strata.

    Examples
    --------
    >>> stratified_variance(np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1]), np.array([4, 1]), np.array([2, 1]))
    Variance(value=2.0, df=1.0)
    >>> stratified_variance(np.array([1.0]), np.array([0]), np.array([4]), np.array([1]))
    Variance(value=nan, df=nan)
    """
    means = np.bincount(stratum, values, minlength=len(sizes)) / np.maximum(drawn, 1)
    squares = np.bincount(stratum, (values - means[stratum]) ** 2, minlength=len(sizes))
    has_own = (drawn > 1) & (drawn < sizes)
    n, size = drawn[has_own], sizes[has_own]
    own, df = size * (size - n) / n * squares[has_own] / (n - 1), n - 1.0
    lonely = (drawn == 1) & (sizes > 1)
    if not lonely.any():
        return Variance.sum(own, df)
    totals = sizes[lonely] * means[lonely]
    if len(totals) > 1:
        rest = len(totals) / (len(totals) - 1) * ((totals - totals.mean()) ** 2).sum()
        return Variance.sum(np.append(own, rest), np.append(df, len(totals) - 1.0))
    with_two = drawn > 1
    if not with_two.any():
        return Variance(float("nan"), float("nan"))
    df_within = (drawn[with_two] - 1).sum()
    rest = sizes[lonely] * (sizes[lonely] - 1.0) * squares[with_two].sum() / df_within
    return Variance.sum(np.append(own, rest), np.append(df, df_within))


def counts_of_draws(marked: np.ndarray, total: int, draws: int, *, replace: bool = False) -> np.ndarray:
    """Return the probability of 0, 1 … ``draws`` marked units in a sample, a row per number of marked ones.

    Formula
        C(K, x) · C(N − K, m − x) / C(N, m) without replacement (hypergeometric), C(m, x) · p^x · (1 − p)^(m − x) with p = K / N
        with it (binomial)

    Parameters
    ----------
    marked
        How many of the units are marked (K), 0 to ``total``.
    total, draws
        The number of units (N), and how many are drawn (m): at most N without replacement.
    replace
        Whether a unit can be drawn again.

    Examples
    --------
    >>> counts_of_draws(np.array([0, 2]), 4, 2).round(4).tolist()
    [[1.0, 0.0, 0.0], [0.1667, 0.6667, 0.1667]]
    >>> counts_of_draws(np.array([2]), 4, 2, replace=True).round(4).tolist()
    [[0.25, 0.5, 0.25]]
    """
    from scipy.special import gammaln

    if total < 1 or draws < 1 or (not replace and draws > total):
        raise ValueError(f"counts_of_draws: {draws} draws of {total} units cannot be made.")
    drawn = np.arange(draws + 1)
    whole = np.asarray(marked, np.int64)[:, None]
    logs = gammaln(np.arange(max(total, draws) + 1) + 1.0)  # of factorials, which overflow
    # factors that are the same along a row (K!, (N − K)!, 1 / C(N, m)) are left out, as the sum of the row divides them away
    if not replace:
        rest = total - whole
        other = draws - drawn
        is_possible = (drawn <= whole) & (other <= rest)
        log_chance = -logs[drawn] - logs[other] - logs[np.where(is_possible, whole - drawn, 0)]
        log_chance = log_chance - logs[np.where(is_possible, rest - other, 0)]
    else:
        is_possible = ((whole > 0) | (drawn == 0)) & ((whole < total) | (drawn == draws))
        yes, no = np.log(np.maximum(whole, 1) / total), np.log(np.maximum(total - whole, 1) / total)
        log_chance = -logs[drawn] - logs[draws - drawn] + drawn * yes + (draws - drawn) * no
    log_chance = np.where(is_possible, log_chance, -np.inf)
    chance = np.exp(
        log_chance - log_chance.max(axis=1, keepdims=True)
    )  # without the maximum exp would underflow to 0 / 0
    shares: np.ndarray = chance / chance.sum(axis=1, keepdims=True)
    return shares


def at_most(
    marked: np.ndarray, total: int, draws: int, limits: np.ndarray, *, replace: bool = False
) -> np.ndarray:
    """Return the probability that a sample holds at most so many marked units: a row per limit, a column per number of marked ones.

    Examples
    --------
    >>> at_most(np.array([0, 2, 4]), 4, 2, np.array([0, 1])).round(4).tolist()
    [[1.0, 0.1667, 0.0], [1.0, 0.8333, 0.0]]
    """
    shares = np.empty((len(limits), len(marked)))
    step = max(CELLS // (draws + 1), 1)
    for low in range(0, len(marked), step):
        rows = counts_of_draws(marked[low : low + step], total, draws, replace=replace)
        shares[:, low : low + step] = np.minimum(
            np.cumsum(rows, axis=1)[:, limits].T, 1.0
        )  # rounding may pass 1
    return shares


def bend(places: np.ndarray, total: int, draws: int, *, replace: bool = False) -> float:
    """Return the most by which straight lines between places can miss the probability of a count up to any limit.

    The places are numbers of marked units, ascending, from 0 to ``total``.

    Formula
        w² / 8 · D: w the distance of two places, D the largest second difference of P(X ≤ x) between them. Exactly, the second
        difference in K is m(m − 1) / (N(N − 1)) times the difference of two neighbouring probabilities when m − 2 of N − 2 are
        drawn (with replacement: of the second derivative, m(m − 1) / N² times that of m − 2 draws). The count is a sum of
        independent indicators with variance v, so by its characteristic function such a difference is at most
        4/π · F(√(2v)) / √(2v), F Dawson's function.

    Notes
    -----
    That a hypergeometric count is such a sum: V. Vatutin and V. Mikhailov, Theory of Probability and its Applications 27 (1982).
    The bound follows from |φ(t)|² = Π (1 − 2 p q (1 − cos t)) ≤ exp(−2v(1 − cos t)).

    Examples
    --------
    >>> places = np.array([0, 30, 60, 100])
    >>> exact = at_most(np.arange(101), 100, 20, np.arange(20))
    >>> lines = np.array([np.interp(np.arange(101), places, row[places]) for row in exact])
    >>> bool(abs(lines - exact).max() <= bend(places, 100, 20))
    True
    >>> bend(np.arange(101), 100, 20)
    0.0
    """
    from scipy.special import dawsn

    width = np.diff(places)
    if draws < 2 or width.max(initial=0) < 2:
        return 0.0
    lost = 0 if replace else 2
    units = total - lost
    ends = np.clip(np.stack([places[:-1], places[1:]]), 0, units) / max(units, 1)
    spread = np.min(ends * (1 - ends), axis=0) * (draws - 2)
    if not replace:
        spread = spread * (total - draws) / max(total - 3, 1)
    root = np.sqrt(2 * np.maximum(spread, 0.0))
    # the most by which two neighbouring probabilities differ
    step = np.where(root > 0, 4 / math.pi * dawsn(root) / np.where(root > 0, root, 1.0), 1.0)
    pairs = draws * (draws - 1) / (total * (total - 1 if not replace else total))
    missed = np.where(width > 1, width**2 / 8 * pairs * np.minimum(step, 1.0), 0.0)
    return min(float(missed.max()), 1.0)
