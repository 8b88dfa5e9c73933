"""Intervals of the means of one run, from its values per query, or from sums over those that lie on Spark; and their columns in tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.results.part import value_of
from rankwell.statistics.intervals import LARGE, LEAST_OTHERS, hold_shares
from rankwell.tables.ids import Ids
from rankwell.tables.states import Mean, State

if TYPE_CHECKING:
    from rankwell.results.part import Part
    from rankwell.results.results import Results


# Intervals of the means of one run, from its values per query.


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


# Intervals of means in tables of results: columns beside the values, and what to mind when reading them.


PERCENT = "95 %"
BETTING = "hedged betting where others are likely too short"
METHODS = {"wilson": "Wilson's for values that are only 0 or 1", "t": "Student's t"}
METHODS["betting"] = BETTING
METHODS["studentised"] = "studentised Poisson bootstrap"


def bounds(found: Mapping[str, MeanInterval], name: str) -> tuple[float | None, float | None]:
    """Return the lower and upper bound of a metric's mean; None without an interval."""
    own = found.get(name)
    return (None, None) if own is None or math.isnan(own.low) else (own.low, own.high)


def with_intervals(table: Table, results: Sequence[Results]) -> Table:
    """Return a table of one run, or of several side by side, with the intervals of its means."""
    found = {res.name: res.intervals() for res in results}
    notes = [*_notes(results, found), *table.notes]
    own = _beside_each(table, results, found) if len(results) > 1 else _of_one(table, results[0], found)
    return replace(own, notes=notes)


def with_bounds(table: Table, results: Sequence[Results]) -> Table:
    """Return a table of lines per run and metric, with low and high in the lines of the whole run, which come first."""
    columns = [*table.columns, Column("low", "value"), Column("high", "value")]
    left = {
        (res.name, str(metric)): bounds(found, str(metric))
        for res in results
        for found in (res.intervals(),)
        for metric in res.metrics
    }
    at = [column.name for column in table.columns].index("metric")
    rows = [(*row, *left.pop((str(row[0]), str(row[at])), (None, None))) for row in table.rows]
    return replace(table, columns=columns, rows=rows)


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
            own = mean_interval(
                metric, values[rows], part.queries[rows], None, "auto", 0.95, 0, 2000, total=len(values)
            )
            found[labels] = own
    return found


def _of_one(table: Table, res: Results, found: Mapping[str, Mapping[str, MeanInterval]]) -> Table:
    columns = [*table.columns[:2], Column("low", "value"), Column("high", "value"), *table.columns[2:]]
    rows = [
        (*row[:2], *bounds(found[res.name], str(metric)), *row[2:])
        for metric, row in zip(res.metrics, table.rows, strict=True)
    ]
    return replace(table, columns=columns, rows=rows)


def _beside_each(
    table: Table, results: Sequence[Results], found: Mapping[str, Mapping[str, MeanInterval]]
) -> Table:
    names = {
        str(metric) for metric in results[0].metrics if any(str(metric) in own for own in found.values())
    }
    columns: list[Column] = []
    rows: list[list[Cell]] = [[] for _ in table.rows]
    for at, column in enumerate(table.columns):
        columns.append(column)
        for row, cells in zip(rows, table.rows, strict=True):
            row.append(cells[at])
        if column.name not in names:
            continue
        columns.append(Column(f"{column.name} {PERCENT}"))
        for row in rows:
            low, high = bounds(found[str(row[0])], column.name)
            row.append(None if low is None else f"{number(low)} – {number(high)}")
    return replace(table, columns=columns, rows=[tuple(row) for row in rows])


def _notes(results: Sequence[Results], found: Mapping[str, Mapping[str, MeanInterval]]) -> list[str]:
    every = [each for own in found.values() for each in own.values()]
    how = "; ".join(METHODS[kind] for kind in METHODS if any(each.method == kind for each in every))
    notes = [f"{PERCENT} intervals of each mean{f': {how}' if how else ''}"]
    doubtful = [
        str(metric)
        for metric in results[0].metrics
        if any((each := own.get(str(metric))) is not None and each.is_doubtful for own in found.values())
    ]
    bet = [
        str(metric)
        for metric in results[0].metrics
        if any(
            (each := own.get(str(metric))) is not None and each.method == "betting" for own in found.values()
        )
    ]
    if bet:
        notes.append(
            f"hedged betting intervals, which hold for any number of queries but are wide (few queries, or nearly all with the "
            f"same value): {', '.join(bet)}"
        )
    if doubtful:
        notes.append(
            f"intervals likely too short (few queries, or nearly all with the same value): {', '.join(doubtful)}"
        )
    others = [str(m) for m in results[0].metrics if not any(str(m) in own for own in found.values())]
    if others:
        notes.append(
            f"no interval, as they are no mean of values per query: {', '.join(others)} (rw.jackknife in Python)"
        )
    if len(results) > 1:
        notes.append("whether two runs differ is not to be read off their intervals: `rankwell compare`")
    return notes


# Intervals of means of very many values that lie on Spark, from sums over these: no value comes back.


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
    # values that differ by rounding are one
    counts = values.groupBy(sql.round(value, DIGITS)).agg(
        sql.min(value).alias("value"), sql.count(sql.lit(1)).alias("number")
    )
    number = sql.col("number")
    found = counts.agg(
        sql.sum(number).alias("n"),
        sql.sum((value - mean) * number).alias("apart"),
        sql.sum((value - mean) * (value - mean) * number).alias("squares"),
        sql.max(number).alias("most"),
        sql.max((~value.isin(0.0, 1.0)).cast("int")).alias("others"),
        sql.count(sql.lit(1)).alias("different"),
    ).collect()[0]
    is_share = hold_shares(metric.range) and not found["others"]
    chosen = "wilson" if is_share else "t"
    kind = chosen if method == "auto" else method
    if kind == "wilson" and not is_share:
        raise no_share(metric)
    rest = found["squares"] - found["apart"] ** 2 / found["n"] if found["different"] > 1 else 0.0
    own = t_of(np.array([found["n"]]), np.array([mean]), np.array([rest]))
    low, high = closed_bounds(own, np.array([kind], object), level)
    least, most = metric.range
    is_doubtful = found["n"] - found["most"] < LEAST_OTHERS
    return MeanInterval(
        mean,
        float(np.maximum(low, least)[0]),
        float(np.minimum(high, most)[0]),
        kind,
        is_doubtful,
        found["n"],
    )
