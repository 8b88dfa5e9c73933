"""Totals estimated from a sample of units drawn with known probabilities, and the variance that the draw gives them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


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
