"""Bounds under unjudged items in tables of results: columns beside the values, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankwell.display.table import Cell, Column, Table, number
from rankwell.results.bounds import MeanBounds, require
from rankwell.results.results import Results

NOTHING = "–"


def with_bounds(table: Table, results: Sequence[Results]) -> Table:
    """Return a table of one run, or of several side by side, with the bounds of its means."""
    own = _of_one(table, results[0]) if len(results) == 1 else _beside_each(table, results)
    return replace(own, notes=[*_notes(results), *table.notes])


def with_bound_lines(table: Table, results: Sequence[Results]) -> Table:
    """Return a table of lines per run and metric, with bounds in the lines of the whole run, which come first."""
    columns = [
        *table.columns,
        Column("lowest", "value"),
        Column("highest", "value"),
        Column("n max", "count"),
    ]
    left = {(res.name, name): _cells(own) for res in results for name, own in res.bounds.items()}
    at = [column.name for column in table.columns].index("metric")
    none: tuple[Cell, ...] = (None, None, None)
    rows = [(*row, *left.pop((str(row[0]), str(row[at])), none)) for row in table.rows]
    return replace(table, columns=columns, rows=rows)


def _cells(own: MeanBounds) -> tuple[Cell, ...]:
    return own.low, own.high, None if own.kind == "none" else own.n_max


def _of_one(table: Table, res: Results) -> Table:
    grows = any(own.n_max > own.n_min for own in res.bounds.values())
    added = [Column("lowest", "value"), Column("highest", "value")]
    added += [Column("n max", "count")] if grows else []
    cells = (_cells(res.bounds[str(metric)])[: len(added)] for metric in res.metrics)
    columns = [*table.columns[:2], *added, *table.columns[2:]]
    rows = [(*row[:2], *own, *row[2:]) for row, own in zip(table.rows, cells, strict=True)]
    return replace(table, columns=columns, rows=rows)


def _beside_each(table: Table, results: Sequence[Results]) -> Table:
    found = {res.name: res.bounds for res in results}
    columns: list[Column] = []
    rows: list[list[Cell]] = [[] for _ in table.rows]
    for at, column in enumerate(table.columns):
        own = [found[str(cells[0])].get(column.name) for cells in table.rows]
        is_bounded = any(each is not None and each.kind != "none" for each in own)
        columns += [column, Column(f"{column.name} bounds")] if is_bounded else [column]
        for row, cells, each in zip(rows, table.rows, own, strict=True):
            row.append(cells[at])
            if is_bounded:
                row.append(None if each is None else _between(each))
    return replace(table, columns=columns, rows=[tuple(row) for row in rows])


def _between(own: MeanBounds) -> str:
    low, high = (NOTHING if end is None else number(end) for end in (own.low, own.high))
    return f"{low} to {high}"


def _notes(results: Sequence[Results]) -> list[str]:
    first = results[0]
    bounding = require(first.bounding)
    pool = f"; pool: {bounding.pool}" if bounding.pool else ""
    notes = [
        f"lowest and highest: over all grades that the unjudged items could get; {bounding.scale()}{pool}"
    ]
    bounds = {str(metric): first.bounds[str(metric)] for metric in first.metrics}
    lacking = [
        ("no bounds", [(name, own.why) for name, own in bounds.items() if own.kind == "none"]),
        (
            "no lowest value",
            [(name, own.why) for name, own in bounds.items() if own.kind != "none" and own.why],
        ),
    ]
    for what, rows in lacking:
        notes += [f"{what} of {', '.join(names)}: {why}" for why, names in _by_reason(rows)]
    outer = [name for name, own in bounds.items() if own.kind == "outer"]
    notes += [f"outer bounds, between which the exact ones lie: {', '.join(outer)}"] if outer else []
    if any(own.n_max > own.n_min for res in results for own in res.bounds.values()):
        notes.append(
            "judging could also define queries that have no relevant item yet; bounds allow for that"
        )
    return notes


def _by_reason(rows: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for name, why in rows:
        found.setdefault(why, []).append(name)
    return list(found.items())
