"""Means over impressions whose clusters (users) vary as a whole: their standard error, interval and exact test; and how weights are spread."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankwell.tables.arguments import refuse_level

LEAST = 1e-15  # what rounding leaves of a p-value
FEW, NOTHING = 1 << 12, -45.0  # points of a transform, and the logarithm of what adds nothing to it
LOWEST, HIGHEST = -10, 30  # powers of 2 between which weights are told apart


class ClusterMean(NamedTuple):
    """A mean over units of clusters, its standard error, degrees of freedom and interval; NaN where there are fewer than two clusters."""

    value: float
    n: int
    clusters: int
    error: float
    freedom: float
    low: float
    high: float


def cluster_mean(sums: np.ndarray, sizes: np.ndarray, *, level: float = 0.95) -> ClusterMean:
    """Return the mean of units in clusters, given the sum of each cluster's units and their number.

    Formula
        se² = (U − 1)/U · Σ_u (e_u / (1 − m_u/n))² / n², e_u = the sum of the cluster less m_u · mean; Student's t with n²/Σm_u² − 1 degrees
        of freedom (the leverage 1 − m_u/n as in HC3: users who come often pull the mean towards themselves)

    Examples
    --------
    >>> found = cluster_mean(np.array([1.0, 0.0, 2.0]), np.array([2, 2, 3]))
    >>> round(found.value, 4), found.clusters, round(found.error, 4), round(found.freedom, 4)
    (0.4286, 3, 0.2035, 1.8824)
    """
    refuse_level(level)
    n, clusters = int(sizes.sum()), len(sizes)
    value = math.fsum(sums) / n
    if clusters < 2:
        return ClusterMean(value, n, clusters, *[math.nan] * 4)
    rest = (sums - value * sizes) / (1 - sizes / n)
    error = math.sqrt((clusters - 1) / clusters * math.fsum(rest**2)) / n
    freedom = n**2 / math.fsum(sizes.astype(np.float64) ** 2) - 1
    return ClusterMean(value, n, clusters, error, freedom, *student(value, error, freedom, level))


def student(value: float, error: float, freedom: float, level: float) -> tuple[float, float]:
    """Return Student's interval; NaN where nothing varies, as of values that are all the same nothing is known."""
    from scipy.special import stdtrit

    if not error > 1e-12 * max(abs(value), 1e-300) or not freedom > 0:
        return math.nan, math.nan
    reach = float(stdtrit(freedom, (1 + level) / 2)) * error
    return value - reach, value + reach


class Weights(NamedTuple):
    """How the weights of rows (or of clicks) are spread: which share of them all the rows of each size carry.

    ``n_effective`` is (Σw)²/Σw², ``largest`` the share of the largest weight. ``ends`` are 0, for weights that are 0, and powers of 2, each
    the lower end of a bin that reaches to its double; ``rows`` and ``shares`` tell how many weights lie in each, and which share of Σw they
    are.
    """

    of: str
    n: int
    n_effective: float
    largest: float
    ends: list[float]
    rows: list[int]
    shares: list[float]

    @classmethod
    def spread(cls, of: str, weights: np.ndarray, total: float | None = None) -> Weights:
        """Return how weights are spread, which are at least 0 and not all 0; ``total`` is their sum, if it is known.

        >>> found = Weights.spread("new", np.array([0.0, 0.5, 1.0, 2.5]))
        >>> found.ends, found.rows, found.shares
        ([0.0, 0.5, 1.0, 2.0], [1, 1, 1, 1], [0.0, 0.125, 0.25, 0.625])
        """
        total = math.fsum(weights) if total is None else total
        bins = np.where(weights > 0, np.clip(np.frexp(weights)[1] - 1, LOWEST, HIGHEST) - LOWEST + 1, 0)
        rows, shares = np.bincount(bins), np.bincount(bins, weights) / total
        used = np.flatnonzero(rows)
        ends = np.where(used > 0, 2.0 ** (used + LOWEST - 1), 0.0)
        effective, largest = total**2 / math.fsum(weights**2), float(weights.max()) / total
        return cls(
            of, len(weights), effective, largest, ends.tolist(), rows[used].tolist(), shares[used].tolist()
        )

    def is_whole(self) -> bool:
        """Whether the bins hold all rows and all of the weight."""
        is_even = len(self.ends) == len(self.rows) == len(self.shares)
        return is_even and sum(self.rows) == self.n and abs(sum(self.shares) - 1) < 1e-9


def flips_of_halves(sums: np.ndarray) -> float:
    """Return the two-sided p-value of a sum under all signs of its terms, which are whole or half numbers; exact for any number of them.

    The sum lies on a lattice, so that its distribution is a finite Fourier sum of Π cos(2 s_u t), whose tail has a closed form. Rounding
    leaves p at least 1e-15.

    Examples
    --------
    >>> round(flips_of_halves(np.array([1.0, 1.0, 1.0, 2.0])), 9), round(flips_of_halves(np.repeat([0.5, -0.5], [230, 180])), 6)
    (0.125, 0.015421)
    """
    steps = np.rint(2 * np.abs(sums)).astype(np.int64)
    steps, often = np.unique(steps[steps > 0], return_counts=True)
    seen, most = abs(round(2 * math.fsum(sums))), int((steps * often).sum())
    if not seen:
        return 1.0
    # every second number only, as sums of ±steps have one parity
    angles = np.pi * np.arange(1, most + 1) / (most + 1)
    sign, size = np.ones(most), np.zeros(most)
    for step, times in sorted(zip(steps.tolist(), often.tolist(), strict=True), key=lambda each: -each[1]):
        wave = np.cos(angles * step)
        with np.errstate(divide="ignore"):
            size += times * np.log(np.abs(wave))
        sign *= np.sign(wave) ** (times % 2)
        if len(angles) > FEW:  # what is nothing already stays so
            angles, sign, size = (each[size > NOTHING] for each in (angles, sign, size))
    waves = sign * np.exp(size) * np.sin((seen - 1) * angles) / np.sin(angles)
    p = (most - seen + 2 - math.fsum(waves)) / (most + 1)
    return float(min(max(p, 2.0 ** (1 - int(often.sum())), LEAST), 1.0))
