"""Condorcet: which of two candidates more lists rank higher, for all pairs of each query."""

from __future__ import annotations

import numpy as np

from rankwell.comparison.fusion.ballots import Ballots
from rankwell.kernels import majorities as pairs
from rankwell.tables.csr import owners

UNITS = 1 << 28  # of all weights together: three times as many are below the highest whole number of 32 bits
EQUAL = 1e-9  # a margin below this share of all weights is rounding
LACKED = np.iinfo(np.int32).max


def majorities(ballots: Ballots) -> np.ndarray:
    """Return for each candidate how many others of its query it beats, ½ for each with which it ties.

    The votes are places in the lists. A list has its items above all that it lacks, and no opinion on two that it lacks.
    """
    votes, candidates = ballots.votes, ballots.candidates
    weights = np.asarray(ballots.weights, np.float64)
    places = np.full((len(votes), len(candidates)), LACKED, np.int32)
    for own, (rows, values) in zip(places, votes, strict=True):
        own[rows] = values
    units, doubt = _units(weights)
    near = EQUAL * float(weights.sum())
    leads = pairs.leads(candidates.offsets, places, LACKED, units, doubt, weights, near)
    others = candidates.sizes[owners(candidates.offsets)] - 1
    return (others + leads) / 2


def _units(weights: np.ndarray) -> tuple[np.ndarray, int]:
    """The weights in whole numbers, and the greatest margin of these that could be another in the weights themselves."""
    if np.all(weights == weights[0]):
        return np.ones(len(weights), np.int32), 0
    return np.rint(weights / weights.sum() * UNITS).astype(np.int32), len(weights) + 1
