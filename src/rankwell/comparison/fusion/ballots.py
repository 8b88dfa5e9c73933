"""Ballots: the values that each list gives its items, and what is made of them without knowing where they come from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwell.comparison.fusion.candidates import Candidates
from rankwell.comparison.fusion.norms import Votes
from rankwell.kernels import votes
from rankwell.records import record


@record(eq=False)
class Ballots:
    """The votes and the weight of each run: candidates, each at most once, and a value for each."""

    votes: Sequence[Votes]
    weights: np.ndarray
    candidates: Candidates

    def total(self) -> np.ndarray:
        """Return Σ w v of each candidate, added in the order of the runs."""
        total = np.zeros(len(self.candidates))
        for (rows, values), weight in zip(self.votes, self.weights, strict=True):
            votes.add(total, rows, values, weight)
        return total

    def count(self) -> np.ndarray:
        """Return N, the number of lists of weight above 0 that have a candidate; 1 for those that have none, whose sum is 0."""
        count = np.zeros(len(self.candidates))
        for (rows, _), weight in zip(self.votes, self.weights, strict=True):
            count[rows] += weight > 0
        return np.maximum(count, 1.0)

    def least(self) -> np.ndarray:
        """Return the least value of each candidate."""
        return self._extreme(np.minimum, np.inf)

    def greatest(self) -> np.ndarray:
        """Return the greatest value of each candidate."""
        return self._extreme(np.maximum, -np.inf)

    def median(self) -> np.ndarray:
        """Return the median of the values of each candidate, the mean of the two in the middle if their number is even."""
        rows, values = (np.concatenate(column) for column in zip(*self.votes, strict=True))
        count = np.bincount(rows, minlength=len(self.candidates))
        ordered = values[np.lexsort((values, rows))]
        first = np.cumsum(count) - count
        return (ordered[first + (count - 1) // 2] + ordered[first + count // 2]) / 2

    def _extreme(self, better: np.ufunc, worst: float) -> np.ndarray:
        found = np.full(len(self.candidates), worst)
        for rows, values in self.votes:
            found[rows] = better(found[rows], values)
        return found
