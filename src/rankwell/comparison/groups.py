"""Groups: the segments of the queries that are compared, their weights and clusters, from columns of a table of users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.results.segments import Segments
from rankwell.statistics.many import Design
from rankwell.tables.draws import fingerprints_of
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Users


@dataclass(frozen=True, eq=False)
class Groups:
    """The labels of all queries (none) and of each segment, the places of their queries, and how queries count."""

    by: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    members: tuple[np.ndarray, ...]
    design: Design
    weights: str
    clusters: str


def columns_of(by: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the columns that divide queries into segments: none, one or several."""
    return () if by is None else (by,) if isinstance(by, str) else tuple(by)


def segments_of(users: Any, by: Sequence[str], encoding: str | None) -> Segments | None:
    """Return the segments by columns of a table of users; None if there are no columns."""
    return Segments.of(None if users is None else _read(users, encoding), by, None) if by else None


def groups_of(
    queries: Ids,
    users: Any,
    *,
    by: Sequence[str],
    weights: str | None,
    clusters: str | None,
    encoding: str | None,
) -> Groups:
    """Return the groups of queries by columns of a table of users.

    Raises
    ------
    UsageError, DataError
        If there is no such table or column, or a query has no weight or no cluster.
    """
    every = np.arange(len(queries))
    if not by and weights is None and clusters is None:
        return Groups((), ((),), (every,), Design(), "", "")
    table = None if users is None else _read(users, encoding)
    segments = Segments.of(table, by or None, weights)
    heavy = None
    labels: tuple[tuple[str, ...], ...] = ()
    members: tuple[np.ndarray, ...] = ()
    if segments is not None:
        rows = segments.rows(queries)
        heavy = None if weights is None else segments.weights_of(rows, queries)
        if by:
            codes = segments.codes_of(rows)
            used = segments.division.labels.in_order(np.unique(codes))
            labels = tuple(segments.division.labels.of(used))
            members = tuple(np.flatnonzero(codes == code) for code in used)
    numbers = None if clusters is None else _clusters(queries, table, clusters)
    return Groups(
        tuple(by), ((), *labels), (every, *members), Design(heavy, numbers), weights or "", clusters or ""
    )


def _read(users: Any, encoding: str | None) -> Users:
    from rankwell.readers.items_users import read_users

    return read_users(users, encoding=encoding)


def _clusters(queries: Ids, users: Users | None, column: str) -> np.ndarray:
    """The fixed number of each query's cluster."""
    if users is None:
        raise UsageError("clusters= names a column of users=; give users=, a table with a query column.")
    if column not in users.columns:
        has = f"it has {one_of(users.columns)}" if users.columns else "it has only queries"
        raise UsageError(
            f"{users.name} has no column {brief(column)}; {has}.{nearest(column, users.columns)}"
        )
    rows = Known(users.query).rows_of(queries, "query")
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        raise DataError(
            f"query {brief(queries.one(int(missing[0])))} has no row in {users.name}, so it has no cluster ({len(missing):,} "
            f"such queries). Add a row for each query."
        )
    names, codes = users.labels(column)
    return fingerprints_of(Ids.of(names.to_list()))[codes][rows]
