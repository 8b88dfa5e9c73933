"""Metrics that add up a gain times a weight for each row of a list, and what they expect over equal scores.

Most metrics of the field are of this kind: value = Σ gain · weight / divisor. What is said once here serves the value,
its mean over all orders of equal scores, and the worked table of one query.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.ids import Ids
from rankwell.tables.ranked import Ranked, ratio


@dataclass(frozen=True, slots=True)
class Terms:
    """What is added up: rows in rank order, what each gains, and what that weighs at its rank.

    In an ideal list the items of ``rows`` are judged ones of the query, or rows of ``ids`` where these are given.
    """

    rows: Ranked
    gain: np.ndarray
    weight: np.ndarray
    ids: Ids | None = None

    def sum(self) -> np.ndarray:
        """Return the sum per query."""
        return self.rows.sum(self.gain * self.weight)


@definition
class Additive(QueryMetric):
    """A metric that is a sum over rows, divided by something that the order of the list does not change.

    ``words`` names the gain, the weight and the divisor for the worked table; without a divisor the last is empty.
    """

    words: ClassVar[tuple[str, str, str]] = ("gain", "weight", "")
    sliceable: ClassVar[bool] = True

    @abstractmethod
    def terms(self, judged: Judged, context: Context) -> Terms:
        """Return what is added up; rows that add nothing may be left out."""

    @abstractmethod
    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """Return what each sum is divided by; the value is undefined where it is 0."""

    def ideal_terms(self, judged: Judged, context: Context) -> Terms | None:
        """Return what the best possible lists add up, for metrics that divide by it."""
        return None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The sums, divided."""
        return ratio(self.terms(judged, context).sum(), self.divisor(judged, context))


@definition
class RankWeighted(Additive):
    """An additive metric whose weights are a function of the rank alone; its mean over tied orders is exact.

    In a group of equal scores every item is equally likely to stand at each of its ranks, so its expected weight is
    the mean of the group's weights (McSherry and Najork, 2008).
    """

    def expects(self) -> bool:
        """Yes: a mean of weights is all that is needed."""
        return True

    def rows(self, judged: Judged) -> Ranked:
        """Return the rows that may gain something, down to any rank: the judged items found."""
        return judged.found

    @abstractmethod
    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """Return the gain of each row."""

    @abstractmethod
    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """Return the weight of each rank."""

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The gains down to k, each with the weight of its rank, or of its group of equal scores."""
        rows = self.rows(judged)
        if judged.is_expected:
            return Terms(rows, self.gains(rows, context), self._mean_weights(rows))
        rows = rows.top(self.k)
        return Terms(rows, self.gains(rows, context), self.weights_of(rows.rank))

    def _mean_weights(self, rows: Ranked) -> np.ndarray:
        return mean_weights(rows, self.k, self.weights_of)


def mean_weights(rows: Ranked, k: int | None, weights_of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return for each row the mean of the weights of the ranks of its group of equal scores, 0 beyond k."""
    assert rows.tie_start is not None
    assert rows.tie_size is not None
    ends = rows.tie_start + rows.tie_size - 1
    ranks = np.arange(1, int(ends.max(initial=0)) + 1)
    weights = weights_of(ranks)
    if k is not None:
        weights = np.where(ranks <= k, weights, 0.0)
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    mean = (sums[ends] - sums[rows.tie_start - 1]) / rows.tie_size
    alone = rows.tie_size == 1
    mean[alone] = weights[rows.rank[alone] - 1]
    return mean
