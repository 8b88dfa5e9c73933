"""Intervals of means in tables of results: columns beside the values, and what to mind when reading them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwell.display.table import Cell, Column, Table, number
from rankwell.metrics.metric import Metric
from rankwell.results.mean_intervals import MeanInterval, mean_interval
from rankwell.results.results import Results
from rankwell.tables.states import Mean

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
