"""A metric as a function of the rank of the one relevant item, taken from the metric itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.context import Context
from rankwell.matching.judged import Judged
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.tables.ids import Ids
from rankwell.tables.ranked import Ranked

READ = frozenset({"ties", "grade_max"})  # tables that one relevant item at a rank determines


def refuse_metric(metric: Metric) -> None:
    """Raise UsageError for a metric that is not the mean of a function of the rank of the one relevant item."""
    is_mean = isinstance(metric, QueryMetric) and type(metric).summary is QueryMetric.summary
    if not is_mean or not metric.judgements or metric.needed() - READ:
        raise UsageError(
            f"{metric} is not the mean of a function of the rank of one relevant item, which is all that a sample of candidates shows. "
            f"Take hit@10, rr, ndcg@10, ap or auc, or rank all candidates."
        )


def values_by_rank(metric: Metric, length: int, scale: Scale, grades: Sequence[float]) -> np.ndarray:
    """Return the metric of lists of a length whose one relevant item is at rank 1, 2 … length, and whose other items are not judged.

    ``grades`` are those that the relevant items have.

    Raises
    ------
    UsageError
        If the metric reads more than that rank, depends on the grade, or is undefined at some rank.

    Examples
    --------
    >>> from rankwell.metrics import metrics_of
    >>> [metric] = metrics_of("rr@2")
    >>> values_by_rank(metric, 4, Scale(), [1.0]).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """
    refuse_metric(metric)
    assert isinstance(metric, QueryMetric)
    metric = replace(metric, sampled=None)
    first = _values(metric, length, scale, grades[0])
    for grade in grades[1:]:
        if not np.array_equal(first, _values(metric, length, scale, grade), equal_nan=True):
            raise UsageError(
                f"{metric} depends on the grade of the relevant item, and these have {len(grades)} different ones. Take a metric "
                f"of ranks alone, such as ndcg@10, or grades='interactions'."
            )
    undefined = np.flatnonzero(np.isnan(first))
    if len(undefined):
        raise UsageError(
            f"{metric} is undefined when the relevant item is at rank {undefined[0] + 1:,} of {length:,}, so it has no mean over "
            f"all queries. Take a metric that is 0 there, such as rr@10 or hit@10."
        )
    return first


def _values(metric: QueryMetric, length: int, scale: Scale, grade: float) -> np.ndarray:
    lists = np.arange(length)
    ids = Ids.of_integers(lists)
    grades = np.full(length, grade)
    ranks, ones = lists + 1, np.ones(length, np.int64)
    pool = Pool(ids, np.arange(length + 1), ids, grades, scale)
    found = Ranked(length, lists, ranks, grades, tie_start=ranks, tie_size=ones)
    judged = Judged(ids, lists, found, np.full(length, length), pool, ties=(ranks, ones))
    context = Context(scale=scale, grade_max=grade, grade_min=grade)
    return np.asarray(metric.per_query(judged, context), np.float64)
