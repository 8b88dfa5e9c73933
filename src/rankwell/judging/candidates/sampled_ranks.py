"""What sampled ranks tell of the mean of a function of the full rank: estimates, and how far off they could be."""

from __future__ import annotations

import math
from dataclasses import field
from typing import NamedTuple

import numpy as np

from rankwell.judging.candidates.places import Places, groups_of
from rankwell.records import cached_property, record
from rankwell.statistics.mixtures import (
    Limits,
    MixtureBounds,
    Stopped,
    limits_of_shares,
    outcome_values,
    stopped_em,
)

GROUPS = 200  # outcomes that EM looks at; more of them are taken together
STRAIGHT = 1e-9


class Estimate(NamedTuple):
    """An estimate of a mean over all candidates, its worst-case bias, and an interval; NaN where there is none.

    One by EM says after how many ``rounds`` it was stopped, and whether the last of these still gained.
    """

    method: str
    value: float
    bias: float
    low: float
    high: float
    rounds: int = 0
    still_gains: bool = False


@record(eq=False)
class SampledRanks:
    """Sampled ranks, counted by the number of negatives above the relevant item, and the full ranks they could come from."""

    counts: np.ndarray
    places: Places
    level: float
    weight: float
    _made: dict[float, MixtureBounds] = field(default_factory=dict, init=False, repr=False)

    @property
    def n(self) -> int:
        """The number of sampled ranks."""
        return int(self.counts.sum())

    def estimates(self, function: np.ndarray) -> list[Estimate] | None:
        """Return the estimates of the mean of a function of the rank among all candidates; None if no distribution of ranks fits."""
        straight = values_of_line(function, len(self.counts) - 1)
        if straight is not None:
            mean, reach = self._mean(straight, 1 - self.level)
            ends = float(function.min()), float(function.max())
            return [
                Estimate("unbiased", mean, 0.0, *(max(mean - reach, ends[0]), min(mean + reach, ends[1])))
            ]
        least = self._least_squares(function)
        by_em = self._by_em(function)
        return None if least is None or by_em is None else [least, by_em]

    def _by_em(self, function: np.ndarray) -> Estimate | None:
        """The mean under the distribution of ranks where EM is stopped, and under all that fit."""
        found = self._bounds(function[self.places.rank - 1], self.places.missed_of(function), self.level)
        if found is None:
            return None
        weights, rounds, still_gains = self._stopped
        value = float(weights @ self.places.mean_of(function))
        low, high = max(found[0], float(function.min())), min(found[1], float(function.max()))
        bias = max(high - value, value - low, 0.0)
        return Estimate("stopped EM", value, bias, low, high, rounds, still_gains)

    def _least_squares(self, function: np.ndarray) -> Estimate | None:
        """The mean of a value per sampled rank, and its bias under all distributions that fit.

        Both the limits of the shares and the interval of the mean are wrong in half as many cases as the interval may be.
        """
        places = self.places
        values = outcome_values(places.kernel, places.mean_of(function), places.share, weight=self.weight)
        tail = (1 - self.level) / 2
        missed = places.missed_of(function) + float(np.abs(np.diff(values)).sum()) * places.missed
        found = self._bounds(places.kernel @ values - function[places.rank - 1], missed, 1 - tail)
        if found is None:
            return None
        sizes = np.diff(np.append(places.first, len(self.counts)))
        mean, reach = self._mean(np.repeat(values, sizes), tail)
        low, high = mean - found[1] - reach, mean - found[0] + reach
        ends = max(low, float(function.min())), min(high, float(function.max()))
        return Estimate("bias-variance", mean, max(found[1], -found[0], 0.0), *ends)

    def _mean(self, values: np.ndarray, tail: float) -> tuple[float, float]:
        """The mean of a value per sampled rank, and how far Student's interval reaches on both sides."""
        mean = float(self.counts @ values) / self.n
        if self.n < 2:
            return mean, math.nan
        from scipy.special import stdtrit

        variance = float(self.counts @ (values - mean) ** 2) / (self.n - 1)
        return mean, float(stdtrit(self.n - 1, 1 - tail / 2)) * math.sqrt(variance / self.n)

    def _bounds(self, target: np.ndarray, missed: float, level: float) -> tuple[float, float] | None:
        """The least and the greatest mean of what is linear in the distribution of ranks, with what lines between places miss."""
        found = self._fitting(level).of(target)
        return None if found is None else (found[0] - missed, found[1] + missed)

    def _fitting(self, level: float) -> MixtureBounds:
        """The distributions of ranks that fit, at one level."""
        if level not in self._made:
            below, missed = np.cumsum(self.counts)[self.places.limits], self.places.missed
            shares = limits_of_shares(below, self.n, level=level)
            wider = Limits(shares.low - missed, shares.high + missed)
            self._made[level] = MixtureBounds(self.places.below, wider)
        return self._made[level]

    @cached_property
    def _stopped(self) -> Stopped:
        """The distribution over places that EM has come to when it is stopped, all ranks being equally likely to begin with."""
        counts = np.add.reduceat(self.counts, self.places.first)
        of = groups_of(len(counts), GROUPS)
        kernel = np.add.reduceat(self.places.kernel, of, axis=1)
        return stopped_em(kernel, np.add.reduceat(counts, of), self.places.share)


def values_of_line(function: np.ndarray, negatives: int) -> np.ndarray | None:
    """Return the value of each number of better negatives whose mean is a function of rank that is a straight line; else None.

    x better ones of m negatives among n − 1 others: 1 + (n − 1) · x / m is unbiased for the rank, with replacement or without.

    >>> values_of_line(np.array([1.0, 0.5, 0.0]), 1).tolist()
    [1.0, 0.0]
    >>> values_of_line(np.array([1.0, 0.0, 0.0]), 1) is None
    True
    """
    n = len(function)
    line = np.linspace(function[0], function[-1], n)
    spread = float(function.max() - function.min())
    if np.abs(function - line).max() > STRAIGHT * spread:
        return None
    found: np.ndarray = np.linspace(function[0], function[-1], negatives + 1)
    return found
