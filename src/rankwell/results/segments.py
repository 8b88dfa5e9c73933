"""Segments, weights and clusters of queries, taken from columns of a table of users (queries); and results by segment, with the gap to the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.kernels import ids as kernel
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import record
from rankwell.results.part import Part, value_of
from rankwell.results.redaction import hidden_groups
from rankwell.tables.ids import Ids, Known, fingerprints_of
from rankwell.tables.items_users import Users
from rankwell.tables.lists import offsets_of
from rankwell.tables.series import list_values
from rankwell.tables.states import Mean, group_means

if TYPE_CHECKING:
    import polars as pl

    from rankwell.metrics.metric import Metric


Values = tuple[np.ndarray, np.ndarray]  # of the segments, and the number of queries behind each


@record(eq=False)
class Labels:
    """The labels of segments: a column of texts per column of ``by``, with a row per segment, which is its number.

    They become Python text only for the segments that are shown: there may be as many as queries.

    The numbers are in no order but that of the table of users; the last segment is that of all other queries.
    """

    columns: tuple[pl.Series, ...] = ()

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def of(self, segments: np.ndarray) -> list[tuple[str, ...]]:
        """Return the labels of some segments."""
        return list(zip(*(column.gather(segments).to_list() for column in self.columns), strict=True))

    def in_order(self, segments: np.ndarray) -> np.ndarray:
        """Return some segments, ascending, in the order of their labels; the last segment of all stays the last."""
        if not len(segments):
            return segments
        rest = segments[-1:] if segments[-1] == len(self) - 1 else segments[:0]
        others = segments[: len(segments) - len(rest)]
        return np.concatenate([others[self._order(others)], rest])

    def numbers_of(self, other: Labels) -> np.ndarray | None:
        """Return the segment that has each of the other's labels; None unless both have the same labels."""
        every = np.arange(len(self))
        if self is other:
            return every
        if (len(self.columns), len(self)) != (len(other.columns), len(other)):
            return None
        own, theirs = self.in_order(every), other.in_order(every)
        for column, another in zip(self.columns, other.columns, strict=True):
            if not (column.gather(own) == another.gather(theirs)).all():
                return None
        numbers = np.empty_like(every)
        numbers[theirs] = own
        return numbers

    def _order(self, segments: np.ndarray) -> np.ndarray:
        """The places of some segments, sorted by their labels."""
        import polars as pl

        frame = pl.DataFrame([column.gather(segments).alias(f"{n}") for n, column in enumerate(self.columns)])
        return frame.select(pl.arg_sort_by(frame.columns)).to_series().to_numpy()


UNKNOWN = "(unknown)"
TAKEN = "queries", "mean", "n"  # what saved results say of each segment beside its labels


class Segmentation(NamedTuple):
    """The columns and labels of segments, and the column of weights.

    A segment has one label per column of ``by``. The last segment holds the queries without a row. Segments of fewer queries
    than ``least`` are not shown.
    """

    by: tuple[str, ...] = ()
    labels: Labels = Labels()
    weights: str = ""
    least: int = 0


UNDIVIDED = Segmentation()


@record(eq=False)
class Segments:
    """The segment of each query, as an index into ``division.labels``, a last one for all others, its weight and its cluster.

    A cluster is a fixed number (uint64), from which it is drawn.
    """

    known: Known
    division: Segmentation
    codes: np.ndarray | None = None
    weights: np.ndarray | None = None
    clusters: np.ndarray | None = None
    table: str = "users"

    are_taken_apart: ClassVar[bool] = False  # whether the states of segments are taken from those of all

    @classmethod
    def of(
        cls,
        users: Users | None,
        by: str | Iterable[str] | None,
        weights: str | None,
        clusters: str | None = None,
        *,
        metrics: Iterable[Metric] = (),
    ) -> Segments | None:
        """Return the segments of a table of users, of which these metrics are shown; None if no column is given.

        Raises
        ------
        UsageError, DataError
            If there is no such table or column, a segment would have the name of another column, or a weight is negative or not a number.
        """
        columns = (by,) if isinstance(by, str) else () if by is None else tuple(list_values(by, "by="))
        if not all(isinstance(column, str) for column in columns):
            raise UsageError(f"by= is a column of users= or a list of them, not {brief(by)}.")
        named = [*columns, *(each for each in (weights, clusters) if each is not None)]
        if not named:
            return None
        if users is None:
            words = "by= and weights= name" if clusters is None else "by=, weights= and clusters= name"
            raise UsageError(f"{words} columns of users=; give users=, a table with a query column.")
        for column in named:
            if column not in users.columns:
                has = f"it has {one_of(users.columns)}" if users.columns else "it has only queries"
                raise UsageError(
                    f"{users.name} has no column {brief(column)}; {has}.{nearest(column, users.columns)}"
                )
        if len(set(columns)) < len(columns):
            raise UsageError(f"by={list(columns)} names a column twice; name each once.")
        if taken := [column for column in columns if column in (*TAKEN, *map(str, metrics))]:
            what = "that of a metric" if taken[0] not in TAKEN else "what results say of each segment"
            raise UsageError(
                f"by={brief(taken[0])}: the name is {what}, so that two columns would have it. Call the column of {users.name} otherwise."
            )
        codes, labels = (
            _code_labels([users.labels(column) for column in columns]) if columns else (None, Labels())
        )
        weight = None
        if weights is not None:
            weight = check_weights(
                users.numbers(weights), lambda row: f"{users.name}: query {brief(users.query.one(row))}"
            )
        numbers = None
        if clusters is not None:
            names, own = users.labels(clusters)
            # by the name alone, so that a cluster is drawn alike in whatever table it stands
            numbers = fingerprints_of(Ids.of(names.to_list()))[own]
        division = Segmentation(columns, labels, weights or "")
        return cls(Known(users.query), division, codes, weight, numbers, users.name)

    def weights_alone(self) -> Segments | None:
        """Return the weights without the segments; None if there are no weights."""
        division = Segmentation(weights=self.division.weights)
        return None if self.weights is None else replace(self, division=division, codes=None)

    def of_users(self, query: Ids, codes: np.ndarray, weights: np.ndarray, clusters: np.ndarray) -> Segments:
        """Return the same division of other users, of whom each column is given as far as it has any."""
        return replace(
            self,
            known=Known(query),
            codes=None
            if self.codes is None
            else np.append(codes, len(self.division.labels) - 1).astype(np.int64),
            weights=None if self.weights is None else weights,
            clusters=None if self.clusters is None else clusters,
        )

    def rows(self, queries: Ids) -> np.ndarray:
        """Return the row of each query in the table of users, -1 if it has none."""
        return self.known.rows_of(queries, "query")

    def codes_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the segment of each row; a row of -1 is in the segment of unknown queries."""
        assert self.codes is not None
        return self.codes[rows]

    def weights_of(self, rows: np.ndarray, queries: Ids) -> np.ndarray:
        """Return the weight of each row.

        Raises
        ------
        DataError
            If a query has no weight.
        """
        assert self.weights is not None
        self._refuse_missing(rows, queries, "weight")
        return self.weights[rows]

    def clusters_of(self, rows: np.ndarray, queries: Ids) -> np.ndarray:
        """Return the cluster of each row.

        Raises
        ------
        DataError
            If a query has no cluster.
        """
        assert self.clusters is not None
        self._refuse_missing(rows, queries, "cluster")
        return self.clusters[rows]

    def _refuse_missing(self, rows: np.ndarray, queries: Ids, what: str) -> None:
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            raise DataError(
                f"query {brief(queries.one(int(missing[0])))} has no row in {self.table}, so it has no {what} ({len(missing):,} "
                f"such queries here). Add a row for each query."
            )


def _code_labels(columns: Sequence[tuple[pl.Series, np.ndarray]]) -> tuple[np.ndarray, Labels]:
    """Return the number of each row's combination of labels, and the combinations; the unknown one is last in both."""
    (first, codes), *others = columns
    labels = [first]
    for names, own in others:  # two columns at a time, so that only combinations that occur get a number
        pairs, firsts = Ids.of_integers(codes * len(names) + own).group()
        labels = [*(column.gather(codes[firsts]) for column in labels), names.gather(own[firsts])]
        codes = pairs
    labels_known = Labels(tuple(column.extend_constant(UNKNOWN, 1) for column in labels))
    return np.append(codes, len(labels_known) - 1), labels_known


def check_weights(weights: np.ndarray, whose: Callable[[int], str]) -> np.ndarray:
    """Return the weights; raises DataError if one is negative, infinite or not a number, or all are 0."""
    wrong = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{whose(row)} has the weight {weights[row]:g}; weights must be finite and at least 0."
        )
    if len(weights) and not weights.any():
        raise DataError(
            f"{whose(0)} has the weight 0, and so have all others, so there is no weighted mean. Give one of them a weight above 0."
        )
    return weights


@record
class Gap:
    """Gap between a metric's highest and lowest segment: ``difference`` = highest − lowest, ``ratio`` = lowest ÷ highest.

    ``highest`` and ``lowest`` name the two segments. If fewer than two segments have a value, the names are empty
    and the numbers are NaN.
    """

    metric: str
    difference: float
    ratio: float
    highest: str = ""
    lowest: str = ""

    def __str__(self) -> str:
        if not self.highest:
            return f"{self.metric}: fewer than two segments have a value"
        between = f"between {self.highest} (highest) and {self.lowest} (lowest)"
        return f"{self.metric}: {number(self.difference)} {between}, ratio {number(self.ratio)}"


class Breakdown(Result):
    """Values per segment: ``print`` it, or use ``to_frame()``, ``to_table()`` or ``gap()``."""

    _plural: ClassVar[str] = "segments"

    def __init__(self, name: str, metrics: tuple[Metric, ...], division: Segmentation, part: Part) -> None:
        self.name, self.metrics, self.by = name, metrics, division.by
        columns = _by_segment(part, metrics, len(division.labels))
        sizes = _sizes(part, metrics, len(division.labels))
        filled = np.any([sizes > 0, *(n > 0 for _, n in columns.values())], axis=0)
        used = np.flatnonzero(filled & _measured(part, len(sizes)))
        used = division.labels.in_order(used[~hidden_groups(sizes[used], division.least)])
        self._labels = division.labels.of(used)
        self._sizes = sizes[used]
        self._values = {metric: own[used] for metric, (own, _) in columns.items()}
        self._n = {metric: n[used] for metric, (_, n) in columns.items()}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per segment: its labels, the number of queries, and the value and n of each metric."""
        names = [str(metric) for metric in self.metrics]
        means, numbers = (
            zip(*(column.tolist() for column in each.values()), strict=True)
            for each in (self._values, self._n)
        )
        return [
            {
                **dict(zip(self.by, labels, strict=True)),
                "queries": size,
                "mean": dict(zip(names, mean, strict=True)),
                "n": dict(zip(names, n, strict=True)),
            }
            for labels, size, mean, n in zip(self._labels, self._sizes.tolist(), means, numbers, strict=True)
        ]

    def gap(self, metric: str | Metric | type[Metric]) -> Gap:
        """Return the gap between a metric's highest and lowest segment.

        Parameters
        ----------
        metric
            One of the evaluated metrics, in any spelling. Queries missing from the table of users do not count as a
            segment. The ratio is NaN if the highest value is not above 0.

        Raises
        ------
        UsageError
            If the metric was not evaluated.

        Examples
        --------
        >>> import rankwell as rw
        >>> users = [{"query": "1", "tier": "gold"}, {"query": "2", "tier": "tin"}]
        >>> res = rw.evaluate({"1": ["a"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1}}, ["rr"], users=users, by="tier")
        >>> print(res.segments.gap("mrr"))
        rr: 0.5000 between gold (highest) and tin (lowest), ratio 0.5000
        """
        wanted = metric_of(metric)
        names = [str(metric_there) for metric_there in self.metrics]
        if wanted not in self.metrics:
            raise UsageError(
                f"{wanted} was not evaluated; the metrics are {', '.join(names)}.{nearest(str(wanted), names)}"
            )
        values = {
            ", ".join(labels): value
            for labels, value in zip(self._labels, self._values[wanted].tolist(), strict=True)
            if set(labels) != {UNKNOWN} and not math.isnan(value)
        }
        if len(values) < 2:
            return Gap(str(wanted), math.nan, math.nan)
        highest, lowest = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
        high, low = values[highest], values[lowest]
        if high == low:  # all equal: still name two segments
            lowest = next(label for label in values if label != highest)
        return Gap(str(wanted), high - low, low / high if high > 0 else math.nan, highest, lowest)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with one row per segment: the columns of ``by``, ``queries``, and one column per metric."""
        import polars as pl

        columns = {
            name: pl.Series([labels[at] for labels in self._labels], dtype=pl.String)
            for at, name in enumerate(self.by)
        }
        columns["queries"] = pl.Series(self._sizes)
        values = {str(m): pl.Series(own, nan_to_null=True) for m, own in self._values.items()}
        return pl.DataFrame(columns | values)

    def to_table(self) -> Table:
        """Return a table with one row per segment, with each value's gap to the best segment.

        A value that rests on fewer queries than the segment has, as it is undefined for some, is followed by its n.
        """
        columns = [*(Column(name) for name in self.by), Column("queries", "count")]
        sizes, numbers = self._sizes.tolist(), [self._n[metric].tolist() for metric in self.metrics]
        followers = [*numbers[1:], None]  # neighbours with the same n share its column
        shown: dict[Metric, str] = {}
        for metric, own, following in zip(self.metrics, numbers, followers, strict=True):
            if own not in (sizes, following):
                shown[metric] = f"n of {metric}" if shown or own != numbers[0] else "n"
        cells: list[Sequence[Cell]] = [[labels[at] for labels in self._labels] for at in range(len(self.by))]
        cells.append(sizes)
        for metric, n in zip(self.metrics, numbers, strict=True):
            own = self._values[metric].tolist()
            defined = [value for value in own if not math.isnan(value)]
            columns.append(Column(str(metric), "value", better=metric.better))
            cells.append(own)
            if metric.better != "neither" and len(defined) > 1:
                best = max(defined) if metric.better == "higher" else min(defined)
                columns.append(Column(f"{metric} to best", "value"))
                cells.append([value - best for value in own])
            if metric in shown:
                columns.append(Column(shown[metric], "count"))
                cells.append(n)
        rows = list(zip(*cells, strict=True))
        return Table(columns, rows, caption=f"{self.name} by {', '.join(self.by)}", mark_best=True)


def _by_segment(part: Part, metrics: Iterable[Metric], segments: int) -> dict[Metric, Values]:
    """The value of each metric in each segment, and the number of queries behind it."""
    columns = {metric: (np.full(segments, math.nan), np.zeros(segments, np.int64)) for metric in metrics}
    for (metric, code), state in part.split.items():
        values, n = columns[metric]
        values[code], n[code] = value_of(metric, state), state.n
    if part.segment is not None:
        # the queries of all batches are grouped once, for all metrics: segments may be as many as queries
        order, offsets = kernel.gather(part.segment, segments)
        for metric, own in part.divided.items():
            assert isinstance(metric, QueryMetric)
            columns[metric] = _of_groups(metric, own[order], offsets)
    return columns


def _sizes(part: Part, metrics: Iterable[Metric], segments: int) -> np.ndarray:
    """The number of queries of each segment: of judged ones, if a metric needs judgements."""
    sizes = np.zeros(segments, np.int64)
    sizes[list(part.sizes)] = list(part.sizes.values())
    if part.segment is not None:
        sizes += np.bincount(part.segment[part.counted(metrics, part.divided)], minlength=segments)
    return sizes


def _measured(part: Part, segments: int) -> np.ndarray:
    """Which segments have a state or the value of a query, defined or not."""
    is_measured = np.zeros(segments, np.bool_)
    is_measured[[code for _, code in part.split]] = True
    if part.segment is not None and part.divided:
        is_measured[part.segment] = True
    return is_measured


def _of_groups(metric: QueryMetric, values: np.ndarray, offsets: np.ndarray) -> Values:
    """The value and the number of the defined values of each group."""
    defined = ~np.isnan(values)
    values, offsets = values[defined], offsets_of(defined)[offsets]
    n, nothing = np.diff(offsets), metric.summary(values[:0])
    if isinstance(nothing, Mean):  # one pass with the same exact sums, in place of a state per segment
        return group_means(values, offsets), n
    own = np.full(len(n), metric.value(nothing))
    for code in np.flatnonzero(n).tolist():
        own[code] = metric.value(metric.summary(values[offsets[code] : offsets[code + 1]]))
    return own, n
