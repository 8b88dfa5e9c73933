"""Places: the full ranks that are computed with, all of them or so many that straight lines between them miss next to nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankwell.records import record
from rankwell.statistics.drawn_counts import at_most, bend, counts_of_draws

MOST = 2500  # places; with fewer ranks each is one
OUTCOMES = 2500  # how many numbers of better negatives are kept apart; above that, large numbers are grouped
CELLS = 1 << 22  # probabilities made at a time
CLOSE = 1e-6  # of the spread of a function of rank
TOP, LIMITS = 16, 24  # sampled ranks whose shares are limited: each at the top, and some below


@record(eq=False)
class Places:
    """Ranks among all candidates, ascending from the first to the last, and what a sample shows of an item there.

    ``share`` is the share of all ranks that each place stands for, a rank between two places being divided among them by its
    distance. ``kernel`` is the probability of each number of better negatives, or group of numbers that begins ``first``, a row per place;
    ``below`` that of at most ``limits`` of them, a column per place. ``missed`` is the most by which a line between two places misses the latter.
    """

    rank: np.ndarray
    share: np.ndarray
    first: np.ndarray
    kernel: np.ndarray
    limits: np.ndarray
    below: np.ndarray
    missed: float

    @classmethod
    def of(cls, candidates: int, negatives: int, functions: Sequence[np.ndarray], *, replace: bool) -> Places:
        """Return places among so many candidates, as fine as functions of their rank need."""
        ranks = places_for(candidates, functions)
        others = candidates - 1
        limits = limits_for(negatives)
        first = groups_of(negatives + 1, OUTCOMES)
        step = max(CELLS // (negatives + 1), 1)
        kernel = [
            np.add.reduceat(counts_of_draws(part, others, negatives, replace=replace), first, axis=1)
            for part in np.split(ranks - 1, range(step, len(ranks), step))
        ]
        return cls(
            ranks,
            spread_to(ranks, np.full(candidates, 1 / candidates)),
            first,
            np.concatenate(kernel),
            limits,
            at_most(ranks - 1, others, negatives, limits, replace=replace),
            bend(ranks - 1, others, negatives, replace=replace),
        )

    def mean_of(self, function: np.ndarray) -> np.ndarray:
        """Return the mean of a function of all ranks over those that each place stands for."""
        return spread_to(self.rank, function / len(function)) / self.share

    def missed_of(self, function: np.ndarray) -> float:
        """Return the most by which a line between two places misses a function of rank."""
        every = np.arange(1, len(function) + 1)
        return float(np.abs(function - np.interp(every, self.rank, function[self.rank - 1])).max())


def limits_for(negatives: int) -> np.ndarray:
    """Return the numbers of better negatives up to which shares are limited; they depend on nothing that was drawn.

    >>> limits_for(3).tolist()
    [0, 1, 2]
    """
    below = np.geomspace(1, negatives, LIMITS).round().astype(np.int64) - 1
    return np.unique(np.concatenate([np.arange(min(negatives, TOP)), below]))


def places_for(candidates: int, functions: Sequence[np.ndarray]) -> np.ndarray:
    """Return ranks, ascending: evenly spaced where a sample of negatives tells ranks apart evenly, closer where a function bends.

    The number of better negatives has a standard deviation of √(m p (1 − p)), so steps are even in arcsin √p.
    """
    if candidates <= MOST:
        return np.arange(1, candidates + 1)
    angles = np.linspace(0, math.pi / 2, MOST)
    ranks = np.unique(1 + np.round((candidates - 1) * np.sin(angles) ** 2).astype(np.int64))
    every = np.arange(1, candidates + 1)
    for function in functions:
        close = CLOSE * float(function.max() - function.min())
        while True:
            missed = np.abs(function - np.interp(every, ranks, function[ranks - 1]))
            most = np.maximum.reduceat(missed, ranks[:-1] - 1)
            wide = np.flatnonzero((most > close) & (np.diff(ranks) > 1))
            if not len(wide):
                break
            ranks = np.union1d(ranks, (ranks[wide] + ranks[wide + 1]) // 2)
    return ranks


def spread_to(ranks: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """Return the amounts of all ranks, each divided among the two places beside it by its distance to the other.

    >>> spread_to(np.array([1, 3]), np.array([1.0, 1.0, 1.0])).tolist()
    [1.5, 1.5]
    """
    every = np.arange(1, len(amounts) + 1)
    left = np.clip(np.searchsorted(ranks, every, side="right") - 1, 0, max(len(ranks) - 2, 0))
    right = np.minimum(left + 1, len(ranks) - 1)
    width = np.maximum(ranks[right] - ranks[left], 1)
    part = (every - ranks[left]) / width
    found = np.bincount(left, amounts * (1 - part), minlength=len(ranks))
    return found + np.bincount(right, amounts * part, minlength=len(ranks))


def groups_of(outcomes: int, most: int) -> np.ndarray:
    """Return where groups of outcomes begin: each alone if there are at most so many, else larger ones further down.

    >>> groups_of(4, 5).tolist(), len(groups_of(1001, 200)), groups_of(1001, 200)[-2:].tolist()
    ([0, 1, 2, 3], 190, [981, 991])
    """
    if outcomes <= most:
        return np.arange(outcomes)
    return np.unique(np.floor(np.linspace(0, math.sqrt(outcomes), most + 1)[:-1] ** 2).astype(np.int64))
