"""Parts of a mean that vary on their own: units, weighted units, or whole clusters of units."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class IndependentParts(NamedTuple):
    """A mean as Σ totals / Σ sizes of independent parts.

    A part is a unit (size 1), a weighted unit (size: its weight) or a cluster (the sum of its units). ``numbers`` holds a fixed
    number (uint64) per part, for draws; ``n`` is how many parts the mean rests on: the number of clusters, or the effective one
    of weighted units; ``n_units`` is always that of units.
    """

    totals: np.ndarray
    sizes: np.ndarray
    numbers: np.ndarray
    n: float
    n_units: float
    is_clustered: bool


class Ratio(NamedTuple):
    """A mean and its standard error, with ``n`` − 1 degrees of freedom."""

    n: float
    mean: float
    error: float


def parts_of(
    values: np.ndarray,
    units: np.ndarray,
    weights: np.ndarray | None = None,
    clusters: np.ndarray | None = None,
) -> IndependentParts:
    """Return the parts of the (weighted) mean of values; equal weights are as none, and units of weight 0 are left out.

    ``units`` and ``clusters`` hold a fixed number (uint64) for the unit and the cluster of each value.
    """
    values, units = np.asarray(values, np.float64), np.ascontiguousarray(units)
    sizes, n = np.ones(len(values)), float(len(values))
    if weights is not None and not (weights >= 0).all():
        raise ValueError(f"weights: {weights[~(weights >= 0)][0]} is no weight; they must be 0 or more.")
    if weights is not None and len(weights) and not ((weights == weights[0]) & (weights > 0)).all():
        has_weight = weights > 0
        values, units, sizes = (
            values[has_weight],
            units[has_weight],
            np.asarray(weights[has_weight], np.float64),
        )
        clusters = None if clusters is None else clusters[has_weight]
        n = effective_n(sizes)
    totals = values * sizes
    if clusters is None:
        return IndependentParts(totals, sizes, units, min(len(values), n), n, is_clustered=False)
    numbers, of = np.unique(clusters, return_inverse=True)
    total = np.bincount(of, totals)  # of whole clusters
    return IndependentParts(total, np.bincount(of, sizes), numbers, len(numbers), n, is_clustered=True)


def student(mean: float, error: float, freedom: float, upper: float) -> tuple[float, float]:
    """Return the bounds of a mean by Student's t, of which ``upper`` is the share below the higher one: .975 for an interval of 95 %.

    Examples
    --------
    >>> [round(bound, 4) for bound in student(0.5, 0.1, 9, 0.975)]
    [0.2738, 0.7262]
    """
    from scipy.special import stdtrit

    reach = float(stdtrit(freedom, upper)) * error
    return mean - reach, mean + reach


def effective_n(weights: np.ndarray) -> float:
    """Return (Σw)² / Σw²: as many units of equal weight would give a mean as certain as these (Kish, Survey Sampling, 1965).

    Examples
    --------
    >>> effective_n(np.array([1.0, 1.0, 2.0])).__round__(4)
    2.6667
    """
    squares = math.fsum(np.square(weights))
    return math.fsum(weights) ** 2 / squares if squares else 0.0


def ratio(parts: IndependentParts) -> Ratio:
    """Return the mean of parts with its standard error, that of a ratio of two sums.

    m = Σb / Σa and se² = G / (G − 1) · Σ(b − m·a)² / (Σa)² for totals b and sizes a of G parts: for clusters the
    cluster-robust variance CR1 of a mean, for units s² / n. Source: Cochran, Sampling Techniques (1977), 6.3 and 9A.2.
    """
    # fsum is rounded once, so that the order of the parts changes nothing
    size = math.fsum(parts.sizes)
    if not size:
        return Ratio(0, math.nan, math.nan)
    mean = math.fsum(parts.totals) / size
    if len(parts.totals) < 2 or not parts.n > 1:
        return Ratio(parts.n, mean, math.nan)
    rest = math.fsum((parts.totals - mean * parts.sizes) ** 2)
    error = math.sqrt(rest * parts.n / (parts.n - 1)) / size
    # what is left of rounding is no spread
    is_some = error * math.sqrt(parts.n) > 1e-12 * max(abs(mean), 1.0)
    return Ratio(parts.n, mean, error if is_some else 0.0)
