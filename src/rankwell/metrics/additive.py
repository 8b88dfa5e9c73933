"""Metrics that sum gain × weight over the rows of a list, and their expected values under tied scores.

Most metrics have this form: value = Σ gain · weight / divisor. The code here computes the value, its mean over all
orders of tied scores, and the worked table of one query.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankwell.kernels import sums
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.bounds import DifferenceBounds, of_sums
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked

if TYPE_CHECKING:
    from rankwell.matching.holes import Both


@record(slots=True)
class Terms:
    """The terms of the sum: rows in rank order, the gain of each row, and its weight at its rank.

    In an ideal list, ``rows`` are the query's judged items, or rows of ``ids`` if that is given.
    """

    rows: Ranked
    gain: np.ndarray
    weight: np.ndarray
    ids: Ids | None = None

    def sum(self) -> np.ndarray:
        """Return the sum per query."""
        return self.rows.sum(self.gain * self.weight)

    def over(self, below: np.ndarray) -> np.ndarray:
        """Return the sum per query divided by its divisor, NaN where this is 0."""
        gain, weight = (
            np.ascontiguousarray(self.gain, np.float64),
            np.ascontiguousarray(self.weight, np.float64),
        )
        return sums.ratios(self.rows.query, gain, weight, np.ascontiguousarray(below, np.float64))


@definition
class Additive(QueryMetric):
    """A metric that is a sum over rows, divided by a number that does not depend on the order of the list.

    ``words`` names the gain, the weight and the divisor in the worked table; the last is empty if nothing is divided. ``of_list``
    says that the rows are those of the list, so that each of its ranks has a part of the value.
    """

    words: ClassVar[tuple[str, str, str]] = ("gain", "weight", "")
    of_list: ClassVar[bool] = True
    sliceable: ClassVar[bool] = True

    @abstractmethod
    def terms(self, judged: Judged, context: Context) -> Terms:
        """Return the terms of the sum; rows that add nothing may be left out."""

    @abstractmethod
    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """Return the divisor of each query's sum; the value is undefined where it is 0."""

    def ideal_terms(self, judged: Judged, context: Context) -> Terms | None:
        """Return the terms of the ideal lists, for metrics that divide by their sum."""
        return None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The sums over the divisors."""
        return self.terms(judged, context).over(self.divisor(judged, context))


@definition
class RankWeighted(Additive):
    """An additive metric whose weights depend on the rank alone; its mean over tied orders is exact.

    Each item of a group of tied scores is equally likely to take each of the group's ranks, so its expected weight is
    the mean weight of the group (McSherry and Najork, 2008).
    """

    def has_expected_value(self) -> bool:
        """Yes: the mean of the weights gives the exact value."""
        return True

    def has_common_divisor(self) -> bool:
        """Yes, if the divisor depends on the judgements alone."""
        return self.rises

    def worth(self, rows: Ranked, context: Context) -> np.ndarray:
        """Return the gain of each row, given its grade alone."""
        return self.gains(rows, context)

    def difference_bounds(self, both: Both, context: Context) -> DifferenceBounds:
        """The bounds of a function that is linear in the gains, unless the two lists have divisors of their own."""
        if not self.has_common_divisor():
            return super().difference_bounds(both, context)
        return of_sums(self, both, context)

    def rows(self, judged: Judged) -> Ranked:
        """Return the rows that may have a gain, at any rank: the judged items found."""
        return judged.found

    @abstractmethod
    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """Return the gain of each row."""

    @abstractmethod
    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """Return the weight of each rank."""

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The gains within k, each with the weight of its rank, or the mean weight of its group of tied scores."""
        rows = self.rows(judged)
        if (
            judged.is_expected
        ):  # not cut at k: of a group that k divides, every item is within it in some orders
            return Terms(rows, self.gains(rows, context), self._mean_weights(rows))
        rows = rows.top(self.k)
        return Terms(rows, self.gains(rows, context), self.weights_of(rows.rank))

    def _mean_weights(self, rows: Ranked) -> np.ndarray:
        return mean_weights(rows, self.k, self.weights_of)


def mean_weights(rows: Ranked, k: int | None, weights_of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return for each row the mean weight over the ranks of its group of tied scores; ranks beyond k weigh 0."""
    assert rows.tie_start is not None
    assert rows.tie_size is not None
    ends = rows.tie_start + rows.tie_size - 1
    ranks = np.arange(1, int(ends.max(initial=0)) + 1)
    weights = weights_of(ranks)
    if k is not None:
        weights = np.where(ranks <= k, weights, 0.0)
    # every item of a group is as likely at each of its ranks, and the sum is linear in the weights, so their mean is exact
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    mean = (sums[ends] - sums[rows.tie_start - 1]) / rows.tie_size
    # a difference of running sums loses the last bits, and lists without ties must have the values that they always have
    alone = rows.tie_size == 1
    mean[alone] = weights[rows.rank[alone] - 1]
    return mean
