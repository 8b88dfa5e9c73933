"""Other views on results than their means: weighted and geometric means, medians, curves, the contingency table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankwell.errors import UsageError
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric

# what only some ask for is loaded when they do
if TYPE_CHECKING:
    from rankwell.results.aggregation import How
    from rankwell.results.contingency import Contingency
    from rankwell.results.curves import Curve

LEVELS = tuple(level / 100 for level in range(101))


class Origin(Protocol):
    """Where results come from: what more may be asked of the same run under the same policy."""

    def evaluate(self, metrics: list[Metric]) -> Any:
        """Return the results of other metrics."""

    def hits(self, query: str | int, rel: float | None) -> tuple[list[int], int, int, str | int]:
        """Return the ranks of a query's hits, its R, the length of its list, and its id."""


class Views:
    """What can be asked of results beyond the metrics that they hold."""

    _origin: Origin | None

    def aggregate(
        self,
        metric: str | Metric | type[Metric],
        how: How = "mean",
        *,
        weights: Mapping[Any, float] | Sequence[float] | None = None,
        floor: float = 1e-5,
    ) -> float:
        """Return another summary of a metric's values than its mean: weighted, geometric, median.

        Parameters
        ----------
        metric
            One of the metrics asked for, with a value per query.
        how
            ``mean``, ``geometric`` (no value below ``floor``) or ``median``, over the queries where it is defined.
        weights
            For a weighted mean: the weight of each query by its id, or in the order of ``per_query``.
        floor
            The least value that counts in a geometric mean.

        Raises
        ------
        RankwellError
            If a weight is missing or negative, or the metric has one value for all lists.

        Examples
        --------
        >>> import rankwell as rw
        >>> res = rw.evaluate({"1": ["a"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1}}, ["rr"])
        >>> res["rr"], res.aggregate("rr", weights={"1": 3, "2": 1}), round(res.aggregate("rr", "geometric"), 4)
        (0.75, 0.875, 0.7071)
        """
        from rankwell.results.aggregation import aggregate, weights_of

        res: Any = self  # Results, which adds what is told here
        column = str(metric_of(metric))
        _ = res[metric]
        if column not in res.per_query.columns:
            raise UsageError(f"{column} has no value per query, so there is nothing to aggregate.")
        values = res.per_query[column].to_numpy().astype(np.float64)
        given = None if weights is None else weights_of(weights, res.per_query["query"].to_list())
        return aggregate(values, how, given, floor)

    def curve(
        self, query: str | int | None = None, *, levels: Sequence[float] = LEVELS, rel: float | None = None
    ) -> Curve:
        """Return the precision-recall curve of one query, or the mean interpolated curve of all.

        Parameters
        ----------
        query
            Whose curve; None for the mean over the queries with a relevant item.
        levels
            The levels of recall at which precision is interpolated; default 0, 0.01, …, 1.
        rel
            The grade from which an item is relevant; default above 0, or the policy's rel.

        Raises
        ------
        RankwellError
            If there is no such query, or these results were added up and hold no lists any more.

        Examples
        --------
        >>> import rankwell as rw
        >>> res = rw.evaluate({"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 1}}, ["ap"])
        >>> curve = res.curve("q", levels=[0, .5, 1])
        >>> curve.precision, curve.break_even
        ((1.0, 1.0, 0.6666666666666666), 0.5)
        >>> curve.points  # rank, recall, precision
        ((1, 0.5, 1.0), (2, 0.5, 0.5), (3, 1.0, 0.6666666666666666))
        """
        from rankwell.results.curves import curve_of_one, mean_curve

        origin = self._lists("curve")
        if query is None:
            return mean_curve(origin.evaluate, levels, rel)
        ranks, relevant, length, name = origin.hits(query, rel)
        return curve_of_one(ranks, relevant, length, levels, name)

    def contingency(
        self, k: int | None = None, *, collection: int | None = None, rel: float | None = None
    ) -> Contingency:
        """Return TP, FP, FN and TN per query and pooled, with micro and macro precision, recall and F1.

        Parameters
        ----------
        k
            Only the first k items count as retrieved; None for all.
        collection
            The number of items that could be retrieved; without it TN is unknown.
        rel
            The grade from which an item is relevant; default above 0, or the policy's rel.

        Examples
        --------
        >>> import rankwell as rw
        >>> res = rw.evaluate({"q": ["a", "b"], "r": ["a"]}, {"q": {"a": 1, "c": 1}, "r": {"a": 1}}, ["ap"])
        >>> table = res.contingency(collection=10)
        >>> table.pooled, table.micro["P"], table.macro["P"]
        ({'TP': 2, 'FP': 1, 'FN': 1, 'TN': 16}, 0.6666666666666666, 0.75)
        """
        from rankwell.results.contingency import contingency_of

        return contingency_of(self._lists("contingency").evaluate, k, collection, rel)

    def _lists(self, what: str) -> Origin:
        if self._origin is None:
            raise UsageError(
                f"{what}: these results hold no lists any more; evaluate the run and ask its results."
            )
        return self._origin
