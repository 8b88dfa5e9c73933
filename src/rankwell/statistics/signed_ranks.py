"""Wilcoxon's signed ranks of very many differences, counted by value and ranked bin by bin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankwell.statistics.frequent import TIE, starts

BITS = 42  # of a number that its bin does not tell: a bin is a 1024th of what lies between two powers of 2


class Counted(NamedTuple):
    """The distinct sizes of differences that are not 0 in ascending order, how many have each, and how many of these are positive.

    Sizes are kept to the last bit, so that parts can be joined in any order; which of them are ties is seen when they are ranked.
    """

    value: np.ndarray
    number: np.ndarray
    more: np.ndarray

    @classmethod
    def of(cls, d: np.ndarray) -> Counted:
        """Return the counts of differences; NaN is left out, and so are those within 1e-9 of 0, which are zeros."""
        d = d[np.abs(d) > TIE]
        value, of, count = np.unique(np.abs(d), return_inverse=True, return_counts=True)
        return cls(value, count, np.bincount(of, d > 0, len(value)).astype(np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Counted]) -> Counted:
        """Return the counts of all parts."""
        value, of = np.unique(np.concatenate([each.value for each in parts]), return_inverse=True)
        count, more = (
            np.bincount(of, np.concatenate(each), len(value)).astype(np.int64)
            for each in zip(*(part[1:] for part in parts), strict=True)
        )
        return cls(value, count, more)

    def bins(self) -> np.ndarray:
        """Return the bin of each value; a larger value is in the same or in a later one."""
        found: np.ndarray = self.value.view(np.int64) >> BITS
        return found

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
    def of(cls, counted: Counted) -> Ranks:
        """Return the ranks of the differences of a bin."""
        begins = np.flatnonzero(starts(counted.value))
        tied, more = (np.add.reduceat(each, begins) for each in (counted.number, counted.more))
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
    >>> round(wilcoxon_of(200, [Ranks.of(Counted.of(d))]), 6)
    9e-06
    """
    from scipy.special import ndtr

    zeros = n - sum(each.number for each in bins)
    if zeros == n:
        return math.nan
    total, before, ties = 0.0, zeros, 0.0
    last: Tied | None = None
    for each in bins:
        total += each.ranks + before * each.more
        ties += each.ties
        before += each.number
        first, end = each.lowest, each.highest
        if last is not None and first.value - last.value <= TIE:
            # a differences and b above them become ties: a's mean rank rises by b / 2, b's falls by a / 2
            total += (last.more * first.number - first.more * last.number) / 2
            ties += 3.0 * last.number * first.number * (last.number + first.number)
            if first.number == each.number:  # nothing else is in this bin, so that the next one may join, too
                end = Tied(end.value, last.number + end.number, last.more + end.more)
        last = end
    mean = n * (n + 1) / 4 - zeros * (zeros + 1) / 4
    squares = n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    error = math.sqrt((squares - ties / 2) / 24)
    return 2 * float(ndtr(-abs(total - mean) / error))
