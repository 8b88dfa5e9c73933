"""What means and differences of very many units need of them, as sums that add up over parts of the units."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from rankwell.statistics.effects import TIE
from rankwell.statistics.many import BESIDE, Summaries, t_of
from rankwell.statistics.paired import EXACT

Counts = dict[float, int]


class Moments(NamedTuple):
    """Per row of values: how many are defined, the sum of their distances from a centre, and of the squares of these.

    ``counts`` are the values of a row with their numbers as long as all but the most frequent one are fewer than 30 in all, and None
    after that: so rows without spread, and such whose interval is doubtful, are known for certain.
    """

    n: np.ndarray
    total: np.ndarray
    squares: np.ndarray
    are_shares: np.ndarray
    counts: tuple[Counts | None, ...]

    @classmethod
    def of(cls, rows: np.ndarray, centres: np.ndarray) -> Moments:
        """Return the moments of rows of values around a centre each; NaN is left out."""
        defined = ~np.isnan(rows)
        apart = np.where(defined, rows - centres[:, None], 0.0)
        are_shares = ((rows == 0) | (rows == 1) | ~defined).all(axis=1)
        counts = tuple(_counts(row[own]) for row, own in zip(rows, defined, strict=True))
        return cls(defined.sum(axis=1), apart.sum(axis=1), (apart**2).sum(axis=1), are_shares, counts)

    def __add__(self, other: Moments) -> Moments:  # type: ignore[override]
        """Return the moments of the units of both."""
        return Moments(
            self.n + other.n,
            self.total + other.total,
            self.squares + other.squares,
            self.are_shares & other.are_shares,
            tuple(_both(one, more) for one, more in zip(self.counts, other.counts, strict=True)),
        )

    def summaries(self, centres: np.ndarray) -> Summaries:
        """Return what ``summaries`` says of the rows themselves."""
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = centres + self.total / self.n
            squares = np.maximum(self.squares - self.total**2 / self.n, 0.0)
        for row, counts in enumerate(self.counts):
            if (
                counts is not None
            ):  # from the values themselves, so that what is left of rounding is no spread
                values, numbers = np.array([*counts]), np.array([*counts.values()], np.float64)
                mean[row] = (values * numbers).sum() / self.n[row] if counts else np.nan
                squares[row] = ((values - mean[row]) ** 2 * numbers).sum()
        return t_of(self.n, mean, squares)

    def are_doubtful(self) -> np.ndarray:
        """Return whether an interval of each row's mean is likely too short, for at least 50 units."""
        return np.array([counts is not None for counts in self.counts], bool)


class PairMoments(NamedTuple):
    """Of pairs of rows, over the units where both are defined: the moments of the difference and of either, and who is better.

    ``nonzero`` holds the differences that are not 0 as long as they are few enough to try all their signs, and None after that.
    """

    difference: Moments
    first: Moments
    second: Moments
    more: np.ndarray
    less: np.ndarray
    lost_first: np.ndarray
    lost_second: np.ndarray
    nonzero: tuple[tuple[float, ...] | None, ...]

    @classmethod
    def of(cls, values: np.ndarray, pairs: np.ndarray, centres: np.ndarray) -> PairMoments:
        """Return the moments of pairs (two rows of places in ``values``); each row of values has a centre."""
        first, second = values[pairs[0]], values[pairs[1]]
        d = first - second
        defined = ~np.isnan(d)
        own = [np.where(defined, each, np.nan) for each in (first, second)]
        middle = centres[pairs[0]], centres[pairs[1]]
        return cls(
            Moments.of(d, middle[0] - middle[1]),
            Moments.of(own[0], middle[0]),
            Moments.of(own[1], middle[1]),
            np.count_nonzero(d > TIE, axis=1),
            np.count_nonzero(d < -TIE, axis=1),
            np.count_nonzero(np.isnan(first) & ~np.isnan(second), axis=1),
            np.count_nonzero(~np.isnan(first) & np.isnan(second), axis=1),
            tuple(_few(row[is_own & (row != 0)].tolist()) for row, is_own in zip(d, defined, strict=True)),
        )

    def __add__(self, other: PairMoments) -> PairMoments:  # type: ignore[override]
        """Return the moments of the units of both."""
        nonzero = (
            None if one is None or more is None else _few([*one, *more])
            for one, more in zip(self.nonzero, other.nonzero, strict=True)
        )
        return PairMoments(
            self.difference + other.difference,
            self.first + other.first,
            self.second + other.second,
            self.more + other.more,
            self.less + other.less,
            self.lost_first + other.lost_first,
            self.lost_second + other.lost_second,
            tuple(nonzero),
        )


def added(parts: Sequence[tuple[Moments, PairMoments]]) -> tuple[Moments, PairMoments]:
    """Return the sum of parts.

    Examples
    --------
    >>> values, pairs = np.array([[0.2, 0.4, 1.0], [0.1, 0.5, 0.0]]), np.array([[0], [1]])
    >>> centres = values.mean(axis=1)
    >>> parts = [(Moments.of(part, centres), PairMoments.of(part, pairs, centres)) for part in (values[:, :2], values[:, 2:])]
    >>> own, paired = added(parts)
    >>> own.summaries(centres).mean.round(4).tolist(), paired.more.tolist(), paired.less.tolist()
    ([0.5333, 0.2], [2], [1])
    """
    return reduce(lambda one, more: (one[0] + more[0], one[1] + more[1]), parts)


def _counts(values: np.ndarray) -> Counts | None:
    found, numbers = np.unique(values, return_counts=True)
    return _capped(dict(zip(found.tolist(), numbers.tolist(), strict=True)))


def _both(one: Counts | None, other: Counts | None) -> Counts | None:
    if one is None or other is None:
        return None
    return _capped({value: one.get(value, 0) + other.get(value, 0) for value in one | other})


def _capped(counts: Counts) -> Counts | None:
    """The counts, unless so many values differ from the most frequent one that more parts could not change it."""
    return None if counts and sum(counts.values()) - max(counts.values()) >= BESIDE else counts


def _few(values: Sequence[float]) -> tuple[float, ...] | None:
    return tuple(values) if len(values) <= EXACT else None
