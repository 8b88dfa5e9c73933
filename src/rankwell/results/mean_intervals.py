"""Intervals of the means of one run, from its values per query."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.tables.arguments import plain
from rankwell.tables.ids import Ids
from rankwell.tables.states import Mean

if TYPE_CHECKING:
    from rankwell.results.results import Results

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


def interval(  # noqa: D417 - a method of Results, which would be too long a file with it
    self: Results,
    metric: str | Metric | type[Metric],
    *,
    method: IntervalBy = "auto",
    level: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
    weights: Mapping[Any, float] | Sequence[float] | None = None,
) -> MeanInterval:
    """Return the mean of a metric's values per query with its interval, the same that ``compare`` has for a system.

    Parameters
    ----------
    metric
        One of the evaluated metrics whose value is a mean of values per query; ``rw.jackknife`` is for all others.
    method
        ``studentised`` (Poisson bootstrap), ``t``, ``wilson`` (for values that are all 0 or 1), ``betting`` (hedged betting, for
        metrics of a finite range; it holds for any number of queries and any values), ``percentile`` or ``bca``.
        ``auto`` is Wilson's where it can be, Student's from 100,000 queries on, hedged betting where other intervals are likely
        too short and the range is finite, and otherwise the studentised bootstrap.
    level
        The share of intervals that should contain the true mean.
    seed, resamples
        Of the bootstrap, and of the orders of bets. Draws depend on the seed and the ids of the queries alone.
    weights
        The weight of each query, by its id or in the order of ``per_query``. Results with weighted means need them again, for
        they do not hold the weight of each query.

    Examples
    --------
    >>> import rankwell as rw
    >>> res = rw.evaluate({q: ["a"] for q in range(40)}, {q: {"a" if q % 4 else "b": 1} for q in range(40)}, ["p@1"])
    >>> found = res.interval("p@1")
    >>> found.mean, round(found.low, 3), round(found.high, 3), found.method, found.is_doubtful
    (0.75, 0.598, 0.858, 'wilson', True)
    """
    from rankwell.results.aggregation import weights_of

    method = cast("IntervalBy", plain("method", method, IntervalBy))
    level, seed = plain("level", level, float), plain("seed", seed, int)
    resamples = plain("resamples", resamples, int)
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be between 0 and 1, such as 0.95.")
    if resamples < LEAST_RESAMPLES:
        raise UsageError(f"resamples={resamples}: must be at least {LEAST_RESAMPLES}.")
    wanted = metric_of(metric)
    _ = self[wanted]
    if self.spark_rows is not None and weights is None and method in ("auto", "t", "wilson"):
        from rankwell.results.spark_intervals import interval_by_sums

        if (by_sums := interval_by_sums(self, wanted, method, level)) is not None:
            return by_sums
    self = self.collected()
    _refuse_without_mean(self, wanted)
    if wanted in self.part.weighted and weights is None:
        raise UsageError(
            f"{wanted} is weighted by {self.weights}, and results do not hold the weight of each query; give weights= here too, "
            f"by query id, or use rw.compare(…, weights={brief(self.weights)})."
        )
    values = self.values(wanted)
    defined = np.flatnonzero(~np.isnan(values))
    heavy = None if weights is None else weights_of(weights, self.queries)[defined]
    queries = self.part.queries[self.part.concerned()[defined]]
    found = _found(wanted, values[defined], queries, heavy, method, level, seed, resamples)
    return found if heavy is not None else found._replace(mean=self.plain_mean[str(wanted)])


def segment_intervals(
    res: Results, metric: Metric, segments: Collection[tuple[str, ...]]
) -> dict[tuple[str, ...], MeanInterval]:
    """Return the intervals of a metric's mean in some segments, by their labels, the same that ``compare`` has.

    There are none for metrics without a mean of values per query, and for files that do not say where a query belongs.
    With 100,000 queries or more, segments of at least 1,000 have Student's, as many bootstraps would take minutes.
    """
    part, found = res.part, {}
    if part.segment is None or metric not in part.divided or not isinstance(part.states[metric], Mean):
        return {}
    values = part.divided[metric]
    for code, labels in enumerate(res.division.labels.of(np.arange(len(res.division.labels)))):
        if labels not in segments:
            continue
        rows = np.flatnonzero((part.segment == code) & ~np.isnan(values))
        if len(rows):
            rows = rows[part.queries[rows].order()]
            own = _found(
                metric, values[rows], part.queries[rows], None, "auto", 0.95, 0, 2000, total=len(values)
            )
            found[labels] = own
    return found


def _found(
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


def _refuse_without_mean(res: Results, metric: Metric) -> None:
    """Refuse a metric whose value is no mean of values per query, or whose values were not kept."""
    from rankwell.metrics.corpus_metric import CorpusMetric

    if isinstance(metric, CorpusMetric):
        raise UsageError(
            f"{metric} has one value for all lists and none per query; rw.jackknife gives its interval from the run."
        )
    if metric not in res.part.values:
        raise UsageError(
            f"the values of {metric} per query are not there; evaluate with per_query=True (on the command line --per-query)."
        )
    if not isinstance(res.part.states[metric], Mean):
        raise UsageError(
            f"{metric} is no mean of its values per query, so it has no interval of this kind; ask for one of a mean."
        )


def intervals_of(res: Results) -> dict[str, MeanInterval]:
    """Return the intervals of all metrics that have one, by name."""
    return {
        str(metric): interval(res, metric)
        for metric in res.metrics
        if metric in res.part.values and isinstance(res.part.states[metric], Mean)
    }
