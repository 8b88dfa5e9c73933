"""Systems that were trained several times, and units that were measured several times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankwell.kernels import resample
from rankwell.statistics.draws import further, replicates, uniform
from rankwell.statistics.frequent import Frequent
from rankwell.statistics.intervals import CELLS, LEAST, LEAST_OTHERS, LIMITS, WEIGHTS, is_doubtful, quantiles
from rankwell.statistics.many import NO_SPREAD

FEWEST = 3
NEAR = 1e-9  # of the standard error
SEEDS = 5, 6  # what the draws are for: the seeds of the first and of the second system
UNITS = 7  # what the draws are for where very many units are summed up
HALF = 2.0**-54  # half a step of uniform draws, which begin at 0, whose normal quantile is −∞


class Seeded(NamedTuple):
    """A mean over seeds and units, its standard error and interval, and which share of its variance comes from the seeds."""

    mean: float
    error: float
    low: float
    high: float
    of_seeds: float
    is_doubtful: bool


def seeds_interval(
    first: np.ndarray,
    second: np.ndarray | None,
    units: np.ndarray,
    *,
    level: float = 0.95,
    times: int = 2000,
    seed: int = 0,
) -> Seeded:
    """Return the interval of the mean difference of two systems, each with its own seeds, on the same units.

    A two-way bootstrap: every replicate draws seeds of each system (with replacement) and units (weights from Poisson(1)), and
    is studentised like the interval of one mean, by se² = Σ_systems s²_seeds / S + s²_units / n. It is of the method, not of the
    models that happened to be trained.

    Parameters
    ----------
    first, second
        A row per seed, at least three, and a column per unit, none NaN. None for ``second``: the interval of one mean.
    units
        A fixed number (uint64) per unit, from which its weights are drawn.
    level, times, seed
        As for ``interval``.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((3, 60))
    >>> found = seeds_interval(values + 0.1, values[:, ::-1], np.arange(60, dtype=np.uint64))
    >>> round(found.mean, 3), found.low < 0.1 < found.high
    (0.1, True)
    """
    systems = [np.asarray(values, np.float64) for values in (first, second) if values is not None]
    if min(len(values) for values in systems) < FEWEST:
        raise ValueError(
            f"seeds_interval: {min(len(values) for values in systems)} seeds of a system; at least {FEWEST} are needed to see how "
            f"much they matter."
        )
    n = systems[0].shape[1]
    difference = systems[0].mean(axis=0) - (systems[1].mean(axis=0) if len(systems) > 1 else 0.0)
    doubt = is_doubtful(difference)
    if n < 2:
        mean = float(difference.mean()) if n else math.nan
        return Seeded(mean, math.nan, math.nan, math.nan, math.nan, doubt)
    ones = np.ones((1, n)), [np.ones((1, len(values))) for values in systems]
    mean, of_seeds, of_units = (float(values[0]) for values in _moments(systems, *ones))
    drawn = _draw_moments(systems, units, times, seed)
    return interval_of((mean, of_seeds, of_units), drawn, level=level, is_doubtful=doubt)


def interval_of(
    whole: tuple[float, float, float],
    drawn: tuple[np.ndarray, np.ndarray, np.ndarray],
    *,
    level: float,
    is_doubtful: bool,
) -> Seeded:
    """Return the interval of a mean, whose variance has a part from seeds and one from units, from the same three of replicates.

    A replicate without spread counts as ±∞.
    """
    (mean, of_seeds, of_units), (own, *parts) = whole, drawn
    error = math.sqrt(of_seeds + of_units)
    if error <= 1e-12 * max(abs(mean), 1.0):
        return Seeded(mean, 0.0, math.nan, math.nan, math.nan, is_doubtful)
    away, spread, tail = own - mean, parts[0] + parts[1], (1 - level) / 2
    # what is left of rounding, as in replicates where two systems are the same, is no spread
    away[np.abs(away) <= NEAR * error] = 0.0
    spread[spread <= (NEAR * error) ** 2] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(spread > 0, away / np.sqrt(spread), np.sign(away) * math.inf)
    lower, upper = quantiles(np.nan_to_num(t, nan=0.0, posinf=math.inf, neginf=-math.inf), tail, 1 - tail)
    return Seeded(mean, error, mean - upper * error, mean - lower * error, of_seeds / error**2, is_doubtful)


def pool_units(values: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct numbers of units and the mean of each unit's values: what several folds say of a unit counts once.

    Folds share training data, so their means are no independent measurements; units are.

    Examples
    --------
    >>> pool_units(np.array([0.2, 0.4, 0.6]), np.array([7, 9, 7], np.uint64))
    (array([7, 9], dtype=uint64), array([0.4, 0.4]))
    """
    numbers, of = np.unique(units, return_inverse=True)
    return numbers, np.bincount(of, values) / np.bincount(of)


def over_seeds(means: Sequence[np.ndarray], chosen: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean difference per row of the means of seeds, and the part of its variance that comes from the seeds.

    ``means`` has an array per system with a column per seed, and ``chosen`` how often each of these is drawn.
    """
    mean, of_seeds = np.zeros((2, len(means[0])))
    for sign, own, counts in zip((1, -1), means, chosen, strict=False):
        seeds = own.shape[1]
        middle = (counts * own).sum(axis=1) / seeds
        of_seeds += (counts * (own - middle[:, None]) ** 2).sum(axis=1) / (seeds * (seeds - 1))
        mean += sign * middle
    return mean, of_seeds


def _moments(
    systems: list[np.ndarray], weights: np.ndarray, chosen: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per row of weights of units and of seeds: the mean difference, and the parts of its variance from seeds and from units."""
    n = weights.sum(axis=1)
    mean, of_seeds = over_seeds([weights @ values.T / n[:, None] for values in systems], chosen)
    difference = np.zeros_like(weights)
    for sign, values, counts in zip((1, -1), systems, chosen, strict=False):
        difference += sign * (counts @ values) / len(values)
    of_units = (weights * (difference - mean[:, None]) ** 2).sum(axis=1) / (n * (n - 1))
    return mean, of_seeds, of_units


def _draw_moments(
    systems: list[np.ndarray], units: np.ndarray, times: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The moments of each replicate."""
    moments = []
    rows = max(CELLS // (4 * len(units)), 1)
    for low in range(0, times, rows):
        high = min(low + rows, times)
        keys = replicates(seed, WEIGHTS, low, high)
        weights = resample.poisson(keys, units, LIMITS)
        while len(again := np.flatnonzero(weights.sum(axis=1) < 2)):
            keys[again] = further(keys[again], np.array([1], np.uint64))
            weights[again] = resample.poisson(keys[again], units, LIMITS)
        chosen = [
            drawn_counts(replicates(seed, purpose, low, high), len(values))
            for purpose, values in zip(SEEDS, systems, strict=False)
        ]
        moments.append(_moments(systems, weights, chosen))
    mean, of_seeds, of_units = (np.concatenate(column) for column in zip(*moments, strict=True))
    return mean, of_seeds, of_units


def drawn_counts(keys: np.ndarray, seeds: int) -> np.ndarray:
    """Return how often each seed is drawn, for each key."""
    drawn = (uniform(further(keys[:, None], np.arange(seeds, dtype=np.uint64))) * seeds).astype(np.int64)
    return (drawn[:, :, None] == np.arange(seeds)).sum(axis=1).astype(np.float64)


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
        mean, of_seeds, of_units = (
            float(moment[0]) for moment in self._moments(means[None], covariance, whole)
        )
        keys = replicates(seed, UNITS, 0, times)
        numbers = np.arange(len(means), dtype=np.uint64)
        drawn = means + _normal(further(keys[:, None], numbers)) @ _root(covariance / self.n)
        chosen = [
            drawn_counts(replicates(seed, purpose, 0, times), count)
            for purpose, count in zip(SEEDS, self.seeds, strict=False)
        ]
        drawn_moments = self._moments(drawn, covariance, chosen)
        return interval_of((mean, of_seeds, of_units), drawn_moments, level=level, is_doubtful=is_doubtful)

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

    normal: np.ndarray = ndtri(uniform(drawn) + HALF)
    return normal


def _root(covariance: np.ndarray) -> np.ndarray:
    """The symmetric square root; what is left of rounding is no spread."""
    # not Cholesky's, which fails where two seeds are the same or one is constant
    values, vectors = np.linalg.eigh(covariance)
    values[values <= NO_SPREAD * values.max(initial=0.0)] = 0.0
    return (vectors * np.sqrt(values)) @ vectors.T
