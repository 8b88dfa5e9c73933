"""Intervals of the means of one run, from its values per query."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.tables.ids import Ids
from rankwell.tables.states import Mean

if TYPE_CHECKING:
    from rankwell.results.part import Part

LEAST_RESAMPLES = 99
IntervalBy = Literal["auto", "studentised", "t", "wilson", "betting", "percentile", "bca"]


class MeanInterval(NamedTuple):
    """A mean of n queries with its interval and how that was made; low and high are NaN where there is none.

    ``is_doubtful``: likely too short, as there are under 50 queries, or under 30 beside those with the most frequent value. A
    betting interval never is.
    """

    mean: float
    low: float
    high: float
    method: str
    is_doubtful: bool
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return the interval alone as plain values; undefined is None."""
        low, high = (None if math.isnan(bound) else bound for bound in (self.low, self.high))
        return {"low": low, "high": high, "method": self.method, "is_doubtful": self.is_doubtful}


def mean_interval(
    metric: Metric,
    values: np.ndarray,
    queries: Ids,
    weights: np.ndarray | None,
    method: IntervalBy,
    level: float,
    seed: int,
    resamples: int,
    *,
    total: int = 0,
) -> MeanInterval:
    """Return the mean of some values with its interval; ``total`` is of how many values these are a part."""
    from rankwell.statistics.intervals import are_bounded, hold_shares
    from rankwell.statistics.intervals import interval as interval_of
    from rankwell.tables.fingerprints import fingerprints_of

    if method == "wilson" and not (hold_shares(metric.range) and ((values == 0) | (values == 1)).all()):
        raise no_share(metric)
    if method == "betting" and not are_bounded(values, metric.range):
        low, high = metric.range
        raise UsageError(
            f"method='betting' is for values of a finite range, and that of {metric} is {low:g} to {high:g}; leave method= out."
        )
    found = interval_of(
        values,
        fingerprints_of(queries),
        method=method,
        level=level,
        times=resamples,
        seed=seed,
        limits=metric.range,
        weights=weights,
        total=total,
    )
    return MeanInterval(*found, n=len(values))


def no_share(metric: Metric) -> UsageError:
    """Return the error for Wilson's interval of a metric that has, or could have, other values than those of a share."""
    return UsageError(
        f"method='wilson' is for values that are only 0 or 1, which those of {metric} are not, or need not be."
    )


def refuse_without_mean(part: Part, metric: Metric) -> None:
    """Refuse a metric whose value is no mean of values per query, or whose values were not kept."""
    from rankwell.metrics.corpus_metric import CorpusMetric

    if isinstance(metric, CorpusMetric):
        raise UsageError(
            f"{metric} has one value for all lists and none per query; rw.jackknife gives its interval from the run."
        )
    if metric not in part.values:
        raise UsageError(
            f"the values of {metric} per query are not there; evaluate with per_query=True (on the command line --per-query)."
        )
    if not isinstance(part.states[metric], Mean):
        raise UsageError(
            f"{metric} is no mean of its values per query, so it has no interval of this kind; ask for one of a mean."
        )
