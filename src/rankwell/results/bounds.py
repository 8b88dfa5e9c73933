"""Bounds of means under unjudged items, from those of each query; and their columns in tables of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict

import numpy as np

from rankwell.display.saved_files import Plain, ensure
from rankwell.display.table import Cell, Column, Table, number
from rankwell.display.text import plain_value
from rankwell.errors import UsageError
from rankwell.metrics.bounds import WHOLE, Bounded
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import record
from rankwell.results.part import Part

STATE_THE_POOL = "no pool was stated (pool=, --pool), so any number of relevant items could be missing"
ENDS = Column("lowest", "value"), Column("highest", "value"), Column("n max", "count")


class BoundingRow(TypedDict):
    """What bounds rest on, in a file."""

    grades: list[float]
    is_given: bool
    pool: str


class BoundsRow(TypedDict):
    """The bounds of a mean in a file."""

    low: Plain
    high: Plain
    n_min: int
    n_max: int
    kind: str
    why: str


@record(slots=True)
class Bounding:
    """What bounds rest on: the grades that unjudged items could have, and the stated pool, in words; empty if none was stated."""

    grades: tuple[float, ...]
    is_given: bool
    pool: str
    refused: tuple[tuple[Metric, str], ...] = ()
    saved: tuple[tuple[str, MeanBounds], ...] = ()  # of a file without the bounds of each query

    @classmethod
    def loaded(cls, data: BoundingRow, rows: Mapping[Metric, BoundsRow]) -> Bounding:
        """Return what ``to_dict`` wrote, given what the file says of the mean of each metric."""
        means = {metric: MeanBounds.of_row(row) for metric, row in rows.items()}
        refused = tuple(
            (m, own.why) for m, own in means.items() if own.kind == "none" and isinstance(m, QueryMetric)
        )
        saved = tuple((str(metric), own) for metric, own in means.items())
        return replace(cls.of_dict(data), refused=refused, saved=saved)

    @classmethod
    def of_dict(cls, data: BoundingRow) -> Bounding:
        """Return what ``to_dict`` wrote."""
        ensure(data["grades"], "bounds.grades", "there is none")
        return cls(tuple(data["grades"]), data["is_given"], data["pool"])

    def to_dict(self) -> dict[str, Any]:
        """Return what bounds rest on as plain values."""
        return {"grades": list(self.grades), "is_given": self.is_given, "pool": self.pool}

    def of(self, metric: Metric) -> Bounded:
        """Return whether a metric has bounds here, and why it has none."""
        if not isinstance(metric, QueryMetric):
            return WHOLE
        why = dict(self.refused).get(metric)
        return metric.bounded() if why is None else Bounded("none", why=why)

    def has_low(self, metric: Metric) -> bool:
        """Return whether a metric has a lower bound."""
        bounded = self.of(metric)
        return bounded.kind != "none" and (bool(self.pool) or not bounded.reads_pool)

    def scale(self) -> str:
        """The grades in words."""
        first, last = self.grades[0], self.grades[-1]
        steps = np.diff(self.grades)
        listed = (
            f"{first:g} to {last:g}"
            if len(steps) > 1 and (steps == 1).all()
            else ", ".join(f"{g:g}" for g in self.grades)
        )
        return f"grades {listed} ({'as given' if self.is_given else 'the highest judged'})"


class MeanBounds(NamedTuple):
    """The lowest and the highest mean over all grades that unjudged items could have, None where there is none, with the reason.

    ``n_min`` queries are defined whatever the grades are, ``n_max`` for some grades; either mean is over those that make it
    lowest or highest. ``kind`` is exact, outer (the true ends lie within) or none.
    """

    low: float | None
    high: float | None
    n_min: int
    n_max: int
    kind: str
    why: str = ""

    @classmethod
    def of_row(cls, row: BoundsRow) -> MeanBounds:
        """Return what ``to_dict`` wrote."""
        low, high = (None if end is None else float(end) for end in (row["low"], row["high"]))
        return cls(low, high, row["n_min"], row["n_max"], row["kind"], row["why"])

    def to_dict(self) -> dict[str, Any]:
        """Return the bounds as plain values."""
        return self._asdict() | {"low": plain_value(self.low), "high": plain_value(self.high)}


AllBounds = Mapping[str, Mapping[str, MeanBounds]]


def means_of(part: Part, metrics: tuple[Metric, ...], bounding: Bounding) -> dict[str, MeanBounds]:
    """Return the bounds of each metric's mean."""
    return {str(metric): _mean_of(part, metric, bounding) for metric in metrics}


def _mean_of(part: Part, metric: Metric, bounding: Bounding) -> MeanBounds:
    saved = dict(bounding.saved).get(str(metric))
    if metric not in part.high and saved is not None and saved.kind != "none":
        return saved
    bounded = bounding.of(metric)
    n = part.states[metric].n
    if bounded.kind == "none" or metric not in part.high:
        return MeanBounds(None, None, n, n, "none", bounded.why)
    assert isinstance(metric, QueryMetric)
    high, is_sure = part.high[metric], ~np.isnan(part.values[metric])
    most = int(np.count_nonzero(~np.isnan(high)))
    low = _extreme(metric, part.low[metric], is_sure, 1.0) if bounding.has_low(metric) else None
    why = "" if bounding.has_low(metric) else STATE_THE_POOL
    return MeanBounds(low, _extreme(metric, high, is_sure, -1.0), n, most, bounded.kind, why)


def _extreme(metric: QueryMetric, ends: np.ndarray, is_sure: np.ndarray, sign: float) -> float | None:
    """Return the lowest mean (the highest, for sign −1) of the sure queries and any of the others.

    The others are taken in ascending order while each lies below the mean of those before it; once one does not, no later one does,
    so that a search by halves finds the place. The exact sums of the metric itself give each mean: what is shown as its lowest value is
    one that it can have, to the last bit.
    """
    sure, others = ends[is_sure], ends[~is_sure & ~np.isnan(ends)]
    others = others[np.argsort(sign * others, kind="stable")]

    def mean(taken: int) -> float:
        return float(metric.value(metric.summary(np.concatenate([sure, others[:taken]]))))

    first, last = (0, len(others)) if len(sure) else (min(1, len(others)), len(others))
    if not len(sure) and not len(others):
        return None
    while first < last:
        middle = (first + last) // 2
        if sign * others[middle] < sign * mean(middle):
            first = middle + 1
        else:
            last = middle
    return mean(first)


def ends_by_name(bounds: Mapping[str, MeanBounds]) -> dict[str, float | None]:
    """Return the bounds of means under the names of the columns per query."""
    return {f"{name} {end}": getattr(own, end) for name, own in bounds.items() for end in ("low", "high")}


def require(bounding: Bounding | None) -> Bounding:
    """Return what bounds rest on; UsageError if they were not asked for."""
    if bounding is None:
        raise UsageError("there are no bounds; evaluate with bounds=True.")
    return bounding


def columns_of(part: Part, metric: Metric, bounding: Bounding | None) -> Mapping[str, np.ndarray]:
    """Return the columns of a metric's bounds beside its values, by name."""
    if bounding is None or metric not in part.high:
        return {}
    columns = {f"{metric} low": part.low[metric]} if bounding.has_low(metric) else {}
    return columns | {f"{metric} high": part.high[metric]}


# Tables: ``bounds`` are those of each run by its name, and in it by the metric's.


def with_bounds(table: Table, bounding: Bounding, bounds: AllBounds) -> Table:
    """Return a table of one run, or of several side by side, with the bounds of its means."""
    notes = [*_notes(bounding, bounds), *table.notes]
    if table.columns[0].name != "metric":  # a row per run in place of one per metric
        return replace(_beside_each(table, bounds), notes=notes)
    (own,) = bounds.values()
    added = ENDS if any(own_bounds.n_max > own_bounds.n_min for own_bounds in own.values()) else ENDS[:2]
    columns = [*table.columns[:2], *added, *table.columns[2:]]
    rows = [
        (*row[:2], *_cells(own_bounds)[: len(added)], *row[2:])
        for row, own_bounds in zip(table.rows, own.values(), strict=True)
    ]
    return replace(table, columns=columns, rows=rows, notes=notes)


def with_bound_lines(table: Table, bounds: AllBounds) -> Table:
    """Return a table of lines per run and metric, with bounds in the lines of the whole run, which come first."""
    left = {(run, name): _cells(own) for run, by_metric in bounds.items() for name, own in by_metric.items()}
    at = [column.name for column in table.columns].index("metric")
    # taken out at their first line: the lines of segments and slices, which follow, have none
    rows = [(*row, *left.pop((str(row[0]), str(row[at])), (None, None, None))) for row in table.rows]
    return replace(table, columns=[*table.columns, *ENDS], rows=rows)


def _cells(own: MeanBounds) -> tuple[Cell, ...]:
    return own.low, own.high, None if own.kind == "none" else own.n_max


def _beside_each(table: Table, bounds: AllBounds) -> Table:
    columns: list[Column] = []
    rows: list[list[Cell]] = [[] for _ in table.rows]
    for at, column in enumerate(table.columns):
        own = [bounds[str(cells[0])].get(column.name) for cells in table.rows]
        is_bounded = any(each is not None and each.kind != "none" for each in own)
        columns += [column, Column(f"{column.name} bounds")] if is_bounded else [column]
        for row, cells, each in zip(rows, table.rows, own, strict=True):
            row.append(cells[at])
            if is_bounded:
                ends = None if each is None else (each.low, each.high)
                row.append(None if ends is None else " to ".join(map(number, ends)))
    return replace(table, columns=columns, rows=[tuple(row) for row in rows])


def _notes(bounding: Bounding, bounds: AllBounds) -> list[str]:
    pool = f"; pool: {bounding.pool}" if bounding.pool else ""
    notes = [
        f"lowest and highest: over all grades that the unjudged items could get; {bounding.scale()}{pool}"
    ]
    first = next(iter(bounds.values()))  # which metrics have bounds, and why not, is the same for all runs
    lacking: dict[tuple[str, str], list[str]] = {}
    for what, is_none in ("no bounds", True), ("no lowest value", False):
        for name, own in first.items():
            if own.kind == "none" if is_none else own.kind != "none" and own.why:
                lacking.setdefault((what, own.why), []).append(name)
    notes += [f"{what} of {', '.join(names)}: {why}" for (what, why), names in lacking.items()]
    outer = [name for name, own in first.items() if own.kind == "outer"]
    notes += [f"outer bounds, between which the exact ones lie: {', '.join(outer)}"] if outer else []
    if any(own.n_max > own.n_min for each in bounds.values() for own in each.values()):
        notes.append(
            "judging could also define queries that have no relevant item yet; bounds allow for that"
        )
    return notes
