"""Bounds of means under unjudged items, from those of each query; and their columns in tables of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

import numpy as np

from rankwell.display.saved_files import Plain, ensure
from rankwell.display.table import Cell, Column, Table, number
from rankwell.display.text import plain_value
from rankwell.errors import UsageError
from rankwell.metrics.bounds import WHOLE, Bounded
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import record
from rankwell.results.part import Part

if TYPE_CHECKING:
    from rankwell.results.results import Results

# Bounds of means under unjudged items, from those of each query.


STATE_THE_POOL = "no pool was stated (pool=, --pool), so any number of relevant items could be missing"


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


class MetricRow(TypedDict):
    """A metric as ``to_dict`` writes it."""

    metric: str
    value: NotRequired[Plain]
    n: int
    weighted: bool
    undefined: dict[str, int]
    tie_range: tuple[float, float] | None
    bounds: NotRequired[BoundsRow]
    diagnostics: NotRequired[dict[str, Plain]]


@record(slots=True)
class Bounding:
    """What bounds rest on: the grades that unjudged items could have, and the stated pool, in words; empty if none was stated."""

    grades: tuple[float, ...]
    is_given: bool
    pool: str
    refused: tuple[tuple[Metric, str], ...] = ()
    saved: tuple[tuple[str, MeanBounds], ...] = ()  # of a file without the bounds of each query

    @classmethod
    def loaded(cls, data: BoundingRow, saved: Mapping[Metric, MetricRow]) -> Bounding:
        """Return what ``to_dict`` wrote, given the plain values of each metric."""
        means = {metric: MeanBounds.of_row(each["bounds"]) for metric, each in saved.items()}
        refused = tuple(
            (m, own.why) for m, own in means.items() if own.kind == "none" and isinstance(m, QueryMetric)
        )
        kept = tuple((str(metric), own) for metric, own in means.items())
        return replace(cls.of_dict(data), refused=refused, saved=kept)

    @classmethod
    def of_dict(cls, data: BoundingRow) -> Bounding:
        """Return what ``to_dict`` wrote."""
        ensure(data["grades"], "bounds.grades", "there is none")
        return cls(tuple(data["grades"]), data["is_given"], data["pool"])

    def to_dict(self) -> dict[str, Any]:
        """Return what bounds rest on as plain values."""
        return {"grades": list(self.grades), "is_given": self.is_given, "pool": self.pool}

    def refuse_others(self, other: Bounding | None) -> None:
        """Raise UsageError unless other bounds rest on the same scale, and both or neither on a stated pool."""
        if other is None or (self.grades, bool(self.pool)) != (other.grades, bool(other.pool)):
            raise UsageError(
                "cannot add results with different bounds: evaluate both with bounds=True, the same scale=, and a pool= or none."
            )

    def of(self, metric: Metric) -> Bounded:
        """Return whether a metric has bounds here, and why it has none."""
        if isinstance(metric, QueryMetric):
            return (
                Bounded("none", why=dict(self.refused)[metric])
                if metric in dict(self.refused)
                else metric.bounded()
            )
        return WHOLE

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
        return self._asdict() | {
            name: None if value is None else plain_value(value)
            for name, value in (("low", self.low), ("high", self.high))
        }


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

    The others are taken in ascending order while each lies below the mean of those before it; once one does not, no later one does.
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


def ends_by_name(found: Mapping[str, MeanBounds]) -> dict[str, float | None]:
    """Return the bounds of means under the names of the columns per query."""
    return {f"{name} {end}": getattr(own, end) for name, own in found.items() for end in ("low", "high")}


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


# Bounds under unjudged items in tables of results: columns beside the values, and what they rest on.


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
