"""Segments, weights and clusters of queries, taken from columns of a table of users (queries)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.records import record
from rankwell.tables.ids import Ids, Known, fingerprints_of
from rankwell.tables.items_users import Users
from rankwell.tables.series import list_values

if TYPE_CHECKING:
    import polars as pl

    from rankwell.metrics.metric import Metric


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
    """Return the weights; raises DataError if one is negative, infinite or not a number."""
    wrong = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{whose(row)} has the weight {weights[row]:g}; weights must be finite and at least 0."
        )
    return weights
