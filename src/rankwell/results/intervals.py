"""Intervals of the means of one run, from its values per query, or from sums over those that lie on Spark; and their columns in tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError
from rankwell.metrics.metric import CorpusMetric, Metric
from rankwell.results.part import value_of
from rankwell.statistics.intervals import LARGE, LEAST_OTHERS, hold_shares
from rankwell.tables.ids import Ids, fingerprints_of
from rankwell.tables.states import Mean, State

if TYPE_CHECKING:
    from rankwell.results.part import Part
    from rankwell.results.segments import Labels


LEAST_RESAMPLES = 99
IntervalBy = Literal["auto", "studentised", "t", "wilson", "betting", "percentile", "bca"]
PERCENT = "95 %"
METHODS = {
    "wilson": "Wilson's for values that are only 0 or 1",
    "t": "Student's t",
    "betting": "hedged betting where others are likely too short",
    "studentised": "studentised Poisson bootstrap",
}
ENDS = Column("low", "value"), Column("high", "value")


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


Intervals = Mapping[str, Mapping[str, MeanInterval]]


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

    if method == "wilson" and not (hold_shares(metric.range) and ((values == 0) | (values == 1)).all()):
        raise no_share(metric)
    if method == "betting" and not are_bounded(values, metric.range):
        low, high = metric.range
        raise UsageError(
            f"method='betting' is for values of a finite range, and that of {metric} is {low:g} to {high:g}; leave method= out."
        )
    # draws depend on the ids, and not on rows: a system has the same interval beside whatever others it is compared with
    interval = interval_of(
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
    return MeanInterval(*interval, n=len(values))


def no_share(metric: Metric) -> UsageError:
    """Return the error for Wilson's interval of a metric that has, or could have, other values than those of a share."""
    return UsageError(
        f"method='wilson' is for values that are only 0 or 1, which those of {metric} are not, or need not be."
    )


def refuse_without_mean(part: Part, metric: Metric) -> None:
    """Refuse a metric whose value is no mean of values per query, or whose values were not kept."""
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


def has_interval(part: Part, metric: Metric) -> bool:
    """Whether the mean of a metric has an interval: it is a plain mean, and its values are kept."""
    return metric in part.values and metric not in part.weighted and isinstance(part.states[metric], Mean)


def interval_by_sums(
    rows: Any, metric: Metric, state: State | None, method: Literal["auto", "t", "wilson"], level: float
) -> MeanInterval | None:
    """Return the interval of a mean of at least 100,000 values; None for fewer, or for a metric that has none such.

    Raises
    ------
    UsageError
        If Wilson's is asked for of other values than 0 and 1.
    """
    from pyspark.sql import functions as sql

    from rankwell.statistics.frequent import DIGITS
    from rankwell.statistics.many import closed_bounds, t_of

    name = str(metric)
    if not isinstance(state, Mean) or state.n < LARGE or name not in rows.columns:
        return None
    mean = value_of(metric, state)
    value = sql.col("value")
    values = rows.select(sql.col(f"`{name}`").alias("value")).where(value.isNotNull() & ~sql.isnan(value))
    # values that differ by rounding alone are one, as where the values are held: whether an interval is doubtful rests on how often the
    # most frequent one stands there
    counts = values.groupBy(sql.round(value, DIGITS)).agg(
        sql.min(value).alias("value"), sql.count(sql.lit(1)).alias("number")
    )
    number = sql.col("number")
    sums = counts.agg(
        sql.sum(number).alias("n"),
        sql.sum((value - mean) * number).alias("apart"),
        sql.sum((value - mean) * (value - mean) * number).alias("squares"),
        sql.max(number).alias("most"),
        sql.max((~value.isin(0.0, 1.0)).cast("int")).alias("others"),
        sql.count(sql.lit(1)).alias("different"),
    ).collect()[0]
    is_share = hold_shares(metric.range) and not sums["others"]
    kind = ("wilson" if is_share else "t") if method == "auto" else method
    if kind == "wilson" and not is_share:
        raise no_share(metric)
    # the mean is rounded, so what is left of the sum of deviations corrects that of their squares; equal values have exactly no spread
    rest = sums["squares"] - sums["apart"] ** 2 / sums["n"] if sums["different"] > 1 else 0.0
    own = t_of(np.array([sums["n"]]), np.array([mean]), np.array([rest]))
    low, high = closed_bounds(own, np.array([kind], object), level)
    least, most = metric.range
    return MeanInterval(
        mean,
        float(np.maximum(low, least)[0]),
        float(np.minimum(high, most)[0]),
        kind,
        sums["n"] - sums["most"] < LEAST_OTHERS,
        sums["n"],
    )


def segment_intervals(
    part: Part, labels: Labels, metric: Metric, segments: Collection[tuple[str, ...]]
) -> dict[tuple[str, ...], MeanInterval]:
    """Return the intervals of a metric's mean in some segments, by their labels, the same that ``compare`` has.

    There are none for metrics without a mean of values per query, and for files that do not say where a query belongs.
    With 100,000 queries or more, segments of at least 1,000 have Student's, as many bootstraps would take minutes.
    """
    if part.segment is None or metric not in part.divided or not isinstance(part.states[metric], Mean):
        return {}
    values, intervals = part.divided[metric], {}
    for code, own in enumerate(labels.of(np.arange(len(labels)))):
        rows = np.flatnonzero((part.segment == code) & ~np.isnan(values)) if own in segments else ()
        if len(rows):
            rows = rows[part.queries[rows].order()]  # bets are made in the order of the queries
            intervals[own] = mean_interval(
                metric, values[rows], part.queries[rows], None, "auto", 0.95, 0, 2000, total=len(values)
            )
    return intervals


# Tables: ``intervals`` are those of each run by its name, and in it by the metric's.


def with_intervals(table: Table, metrics: Sequence[Metric], intervals: Intervals) -> Table:
    """Return a table of one run, or of several side by side, with the intervals of its means."""
    notes = [*_notes(metrics, intervals), *table.notes]
    if table.columns[0].name == "metric":  # a row per metric of one run, in place of a row per run
        (own,) = intervals.values()
        columns = [*table.columns[:2], *ENDS, *table.columns[2:]]
        rows = [
            (*row[:2], *_ends(own.get(str(metric))), *row[2:])
            for metric, row in zip(metrics, table.rows, strict=True)
        ]
        return replace(table, columns=columns, rows=rows, notes=notes)
    return replace(_beside_each(table, intervals), notes=notes)


def with_bounds(table: Table, intervals: Intervals) -> Table:
    """Return a table of lines per run and metric, with low and high in the lines of the whole run, which come first."""
    left = {(run, name): own for run, by_metric in intervals.items() for name, own in by_metric.items()}
    at = [column.name for column in table.columns].index("metric")
    # taken out at their first line: the lines of segments and slices, which follow, have none
    rows = [(*row, *_ends(left.pop((str(row[0]), str(row[at])), None))) for row in table.rows]
    return replace(table, columns=[*table.columns, *ENDS], rows=rows)


def _ends(own: MeanInterval | None) -> tuple[float | None, float | None]:
    return (None, None) if own is None or math.isnan(own.low) else (own.low, own.high)


def _beside_each(table: Table, intervals: Intervals) -> Table:
    names = {name for by_metric in intervals.values() for name in by_metric}
    columns: list[Column] = []
    rows: list[list[Cell]] = [[] for _ in table.rows]
    for at, column in enumerate(table.columns):
        columns += [column, Column(f"{column.name} {PERCENT}")] if column.name in names else [column]
        for row, cells in zip(rows, table.rows, strict=True):
            row.append(cells[at])
            if column.name in names:
                low, high = _ends(intervals[str(cells[0])].get(column.name))
                row.append(None if low is None else f"{number(low)} – {number(high)}")
    return replace(table, columns=columns, rows=[tuple(row) for row in rows])


def _notes(metrics: Sequence[Metric], intervals: Intervals) -> list[str]:
    of_metric = {
        str(metric): [by_metric[str(metric)] for by_metric in intervals.values() if str(metric) in by_metric]
        for metric in metrics
    }
    methods = {own.method for by_metric in of_metric.values() for own in by_metric}
    how = "; ".join(words for method, words in METHODS.items() if method in methods)
    notes = [f"{PERCENT} intervals of each mean{f': {how}' if how else ''}"]
    if bet := [
        name for name, by_metric in of_metric.items() if any(own.method == "betting" for own in by_metric)
    ]:
        notes.append(
            f"hedged betting intervals, which hold for any number of queries but are wide (few queries, or nearly all with the "
            f"same value): {', '.join(bet)}"
        )
    if doubtful := [
        name for name, by_metric in of_metric.items() if any(own.is_doubtful for own in by_metric)
    ]:
        notes.append(
            f"intervals likely too short (few queries, or nearly all with the same value): {', '.join(doubtful)}"
        )
    if others := [name for name, by_metric in of_metric.items() if not by_metric]:
        notes.append(
            f"no interval, as they are no mean of values per query: {', '.join(others)} (rw.jackknife in Python)"
        )
    if len(intervals) > 1:
        notes.append("whether two runs differ is not to be read off their intervals: `rankwell compare`")
    return notes
