"""Groups: the segments of the queries that are compared, their weights and clusters, from columns of a table of users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.records import record
from rankwell.results.segments import Segments
from rankwell.statistics.many import Design
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Users
from rankwell.tables.lists import distinct


@record(eq=False)
class QueryGroups:
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


def segments_of(
    users: Any, by: Sequence[str], weights: str | None, clusters: str | None, reading: Mapping[str, Any]
) -> Segments | None:
    """Return the segments, weights and clusters by columns of a table of users; None if there are no columns.

    Raises
    ------
    UsageError, DataError
        If there is no such table or column, or a weight is none.
    """
    if not by and weights is None and clusters is None:
        return None
    table = None if users is None else _read(users, reading)
    return Segments.of(table, by or None, weights, clusters)


def groups_of(
    queries: Ids,
    users: Any,
    *,
    by: Sequence[str],
    weights: str | None,
    clusters: str | None,
    reading: Mapping[str, Any],
) -> QueryGroups:
    """Return the groups of queries by columns of a table of users.

    Raises
    ------
    UsageError, DataError
        If there is no such table or column, or a query has no weight or no cluster.
    """
    every = np.arange(len(queries))
    segments = segments_of(users, by, weights, clusters, reading)
    if segments is None:
        return QueryGroups((), ((),), (every,), Design(), "", "")
    rows = segments.rows(queries)
    labels: tuple[tuple[str, ...], ...] = ()
    members: tuple[np.ndarray, ...] = ()
    if by:
        codes = segments.codes_of(rows)
        # only segments that some query is in, in the order of their labels
        used = segments.division.labels.in_order(distinct(codes))
        labels = tuple(segments.division.labels.of(used))
        members = tuple(np.flatnonzero(codes == code) for code in used)
    return QueryGroups(
        tuple(by),
        ((), *labels),
        (every, *members),
        design_of(segments, rows, queries),
        weights or "",
        clusters or "",
    )


def design_of(segments: Segments, rows: np.ndarray, queries: Ids) -> Design:
    """Return how queries count, which have these rows in the table of users.

    Raises
    ------
    DataError
        If a query has no weight or no cluster.
    """
    return Design(
        None if segments.weights is None else segments.weights_of(rows, queries),
        None if segments.clusters is None else segments.clusters_of(rows, queries),
    )


def _read(users: Any, reading: Mapping[str, Any]) -> Users:
    from rankwell.readers.items_users import read_users

    return read_users(users, **reading)
