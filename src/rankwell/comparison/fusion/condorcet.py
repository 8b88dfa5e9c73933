"""Condorcet: which of two candidates more lists rank higher, for all pairs of each query."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from rankwell.comparison.fusion.ballots import Ballots

PAIRS = 1 << 18  # of candidates at a time, which a processor's cache holds
MOST = 100  # runs whose votes a byte can count
EQUAL = 1e-9  # a margin below this share of all weights is rounding
LACKED = np.iinfo(np.int32).max


def majorities(ballots: Ballots) -> np.ndarray:
    """Return for each candidate how many others of its query it beats, ½ for each with which it ties.

    The votes are places in the lists. A list has its items above all that it lacks, and no opinion on two that it lacks.
    """
    votes, weights, candidates = ballots.votes, ballots.weights, ballots.candidates
    places = np.full((len(votes), len(candidates)), LACKED, np.int32)
    for own, (rows, values) in zip(places, votes, strict=True):
        own[rows] = values
    are_equal = len(votes) <= MOST and bool(np.all(weights == weights[0]))
    shares = np.ones(len(votes), np.int8) if are_equal else weights.astype(np.float64)
    near = 0.0 if are_equal else EQUAL * float(weights.sum())
    found = np.empty(len(candidates))
    for (low, high), (begin, end) in _blocks(candidates.offsets):
        margin = _margins(places[:, begin:end], places[:, low:high], shares)
        ties = np.count_nonzero(np.abs(margin) <= near, axis=1) - 1  # without the tie with itself
        found[begin:end] = np.count_nonzero(margin > near, axis=1) + ties / 2
    return found


def _blocks(offsets: np.ndarray) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the candidates of each query, and some of them at a time."""
    ends = offsets.tolist()
    for low, high in pairwise(ends):
        step = max(PAIRS // max(high - low, 1), 1)
        for begin in range(low, high, step):
            yield (low, high), (begin, min(begin + step, high))


def _margins(mine: np.ndarray, others: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The weight of the lists that have each of mine above each of the others, less that of those that have it below."""
    margin = np.zeros((mine.shape[1], others.shape[1]), shares.dtype)
    wins = np.empty(margin.shape, np.bool_)
    for own, theirs, share in zip(mine, others, shares, strict=True):
        np.less(own[:, None], theirs, out=wins)
        margin += share * wins.view(np.int8)
        np.greater(own[:, None], theirs, out=wins)
        margin -= share * wins.view(np.int8)
    return margin
