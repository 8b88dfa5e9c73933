"""Systems that were trained several times, on very many units: sums that add up over parts of these, and the interval from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankwell.statistics.draws import further, replicates, uniform
from rankwell.statistics.frequent import Frequent
from rankwell.statistics.intervals import LEAST, LEAST_OTHERS
from rankwell.statistics.many import NO_SPREAD
from rankwell.statistics.seeds import SEEDS, Seeded, drawn_counts, interval_of, over_seeds

UNITS = 7  # what the draws are for
HALF = 2.0**-54


class SeedMoments(NamedTuple):
    """Of the units where all seeds are defined: their number, the sums of distances from a centre per seed, and of their products.

    ``seeds`` says how many each system has. The most frequent differences of the systems' means tell whether to doubt.
    """

    seeds: tuple[int, ...]
    n: int
    total: np.ndarray
    products: np.ndarray
    frequent: Frequent

    @classmethod
    def of(cls, systems: Sequence[np.ndarray], centres: Sequence[float]) -> SeedMoments:
        """Return the moments of one or two systems (a row per seed, a column per unit), around a centre each."""
        values = np.vstack(systems)
        whole = ~np.isnan(values).any(axis=0)
        own = [each[:, whole] for each in systems]
        apart = np.vstack([each - centre for each, centre in zip(own, centres, strict=True)])
        difference = own[0].mean(axis=0) - (own[1].mean(axis=0) if len(own) > 1 else 0.0)
        return cls(
            tuple(map(len, own)),
            int(np.count_nonzero(whole)),
            apart.sum(axis=1),
            apart @ apart.T,
            Frequent.of(difference, np.ones(len(difference))),
        )

    def __add__(self, other: SeedMoments) -> SeedMoments:  # type: ignore[override]
        """Return the moments of the units of both."""
        return SeedMoments(
            self.seeds,
            self.n + other.n,
            self.total + other.total,
            self.products + other.products,
            self.frequent + other.frequent,
        )

    def interval(
        self, centres: Sequence[float], *, level: float = 0.95, times: int = 2000, seed: int = 0
    ) -> Seeded:
        """Return the interval of ``seeds_interval``, of so many units that the means of the seeds over them are drawn as normal.

        The Poisson bootstrap of n units has means with the covariance of the seeds over units, divided by n; all else is as there.

        Examples
        --------
        >>> values = np.random.default_rng(1).random((3, 200_000))
        >>> own = SeedMoments.of([values + 0.1, values[:, ::-1]], [0.6, 0.5])
        >>> found = own.interval([0.6, 0.5])
        >>> round(found.mean, 3), found.low < 0.1 < found.high
        (0.1, True)
        """
        is_doubtful = self.n < LEAST or self.n - self.frequent.most < LEAST_OTHERS
        if self.n < 2:
            return Seeded(math.nan, math.nan, math.nan, math.nan, math.nan, is_doubtful)
        means = self.total / self.n
        covariance = self.products / self.n - np.outer(means, means)
        is_constant = np.diag(covariance) <= NO_SPREAD * np.diag(self.products) / self.n
        covariance[is_constant] = covariance[:, is_constant] = 0.0
        means = means + np.repeat(centres, self.seeds)
        whole = [np.ones((1, count)) for count in self.seeds]
        mean, of_seeds, of_units = (float(each[0]) for each in self._moments(means[None], covariance, whole))
        keys = replicates(seed, UNITS, 0, times)
        numbers = np.arange(len(means), dtype=np.uint64)
        drawn = means + _normal(further(keys[:, None], numbers)) @ _root(covariance / self.n)
        chosen = [
            drawn_counts(replicates(seed, purpose, 0, times), count)
            for purpose, count in zip(SEEDS, self.seeds, strict=False)
        ]
        found = self._moments(drawn, covariance, chosen)
        return interval_of((mean, of_seeds, of_units), found, level=level, is_doubtful=is_doubtful)

    def _moments(
        self, means: np.ndarray, covariance: np.ndarray, chosen: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per row of means: the mean difference under counts of the seeds, and the parts of its variance from seeds and from units."""
        mean, of_seeds = over_seeds(np.split(means, np.cumsum(self.seeds)[:-1], axis=1), chosen)
        of_each = np.hstack(
            [sign * counts / counts.shape[1] for sign, counts in zip((1, -1), chosen, strict=False)]
        )
        of_units = np.einsum("ri,ij,rj->r", of_each, covariance, of_each) / (self.n - 1)
        most = np.einsum("ri,ij,rj->r", *map(np.abs, (of_each, covariance, of_each))) / (self.n - 1)
        return mean, of_seeds, np.where(of_units <= NO_SPREAD * most, 0.0, of_units)


def _normal(drawn: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri

    found: np.ndarray = ndtri(uniform(drawn) + HALF)
    return found


def _root(covariance: np.ndarray) -> np.ndarray:
    """The symmetric square root; what is left of rounding is no spread."""
    values, vectors = np.linalg.eigh(covariance)
    values[values <= NO_SPREAD * values.max(initial=0.0)] = 0.0
    return (vectors * np.sqrt(values)) @ vectors.T
