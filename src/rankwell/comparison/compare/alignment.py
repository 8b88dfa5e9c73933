"""What is compared: the values of several systems side by side, each query in one column whatever its place in their results; and the groups
of queries, their segments, weights and clusters, from columns of a table of users.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError, nearest
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import cached_property, record
from rankwell.results import Results
from rankwell.results.segments import Segments
from rankwell.statistics.many import Design
from rankwell.tables.ids import Ids, Known, fingerprints_of, to_one_kind
from rankwell.tables.items_users import Users
from rankwell.tables.lists import distinct
from rankwell.tables.states import Mean

MISSING = "judged queries missing from the run"  # as results count them


@record(eq=False)
class Aligned:
    """The results of several systems, and the queries that any of them has, sorted by id."""

    names: tuple[str, ...]
    results: tuple[Results, ...]
    metrics: tuple[Metric, ...]
    queries: Ids
    places: tuple[np.ndarray, ...]

    @classmethod
    def of(
        cls,
        results: Mapping[str, Results],
        metrics: Sequence[Metric] | None = None,
        *,
        partial: Collection[str] = (),
    ) -> Aligned:
        """Return the results of systems side by side, of all metrics that the first has unless some are named.

        Those that are ``partial``, such as folds, may have judgements of their own.

        Raises
        ------
        UsageError, DataError
            If a metric is missing somewhere, or policies, grade scales or judgements differ.
        """
        # values that lie on a cluster come here, once: all that follows looks them up by place
        results = {name: res.collected() for name, res in results.items()}
        wanted = next(iter(results.values())).metrics if metrics is None else tuple(metrics)
        # first, as ids of another kind are why judgements are others
        found = to_one_kind([res.query_ids for res in results.values()], "query")
        refuse_unlike(results, wanted, partial)
        every = Ids.concatenate(found)
        queries = every[every.group()[1]]
        # sorted, so that nothing depends on which system is named first
        queries = queries[queries.order()]
        row_of = Known(queries)
        places = tuple(row_of.find(ids) if len(ids) else np.empty(0, np.int64) for ids in found)
        return cls(tuple(results), tuple(results.values()), wanted, queries, places)

    @cached_property
    def units(self) -> np.ndarray:
        """A fixed number per query, from which what is drawn for it is made."""
        return fingerprints_of(self.queries)

    def has_query(self) -> np.ndarray:
        """Return which queries each result has: a row per system and a column per query."""
        table = np.zeros((len(self.results), len(self.queries)), bool)
        for row, places in enumerate(self.places):
            table[row, places] = True
        return table

    def values(self, metric: Metric) -> np.ndarray:
        """Return a row per system and a column per query; NaN where a query is missing or the metric undefined."""
        table = np.full((len(self.results), len(self.queries)), np.nan)
        for row, (res, places) in enumerate(zip(self.results, self.places, strict=True)):
            table[row, places] = res.values(metric)
        return table

    def has_values(self, metric: Metric) -> bool:
        """Whether the metric's value is the mean of a value per query in all results, so that differences can be tested."""
        return all(
            metric in res.part.values and isinstance(res.part.states[metric], Mean) for res in self.results
        )


def value_and_n(
    results: Sequence[Results], metric: Metric, by: Sequence[str], labels: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the value and n of a metric, per result, of all queries or of a segment; NaN and 0 where there is none."""
    name = str(metric)
    if not labels:
        return np.array([res.mean[name] for res in results]), np.array([res.n[name] for res in results])
    values, n = np.full(len(results), math.nan), np.zeros(len(results), np.int64)
    # segments of other columns than those asked for are of no use, and their system has no value here
    for row, res in enumerate(results):
        for segment in res.segments.to_dicts() if res.division.by == tuple(by) else ():
            if tuple(segment[column] for column in by) == labels:
                values[row], n[row] = segment["mean"][name], segment["n"][name]
    return values, n


def refuse_unlike(
    results: Mapping[str, Results], wanted: Sequence[Metric], partial: Collection[str] = ()
) -> None:
    """Refuse results that cannot be compared; those that are ``partial`` may have judgements of their own.

    Raises
    ------
    UsageError, DataError
        If a metric is missing somewhere, or policies, grade scales or judgements differ.
    """
    (first, own), *others = results.items()
    for name, res in results.items():
        _refuse_missing(name, res, wanted)
    for name, res in others:
        _refuse_other_conditions(first, own, name, res)
    _refuse_other_judgements({name: res for name, res in results.items() if name not in partial})


def _refuse_missing(name: str, res: Results, wanted: Sequence[Metric]) -> None:
    for metric in wanted:
        if metric not in res.part.states:
            names = [str(other) for other in res.metrics]
            raise UsageError(
                f"{name}: {metric} was not evaluated; its metrics are {', '.join(names)}."
                f"{nearest(str(metric), names)} Evaluate all systems with the same metrics."
            )
        # of values on a cluster only the names of the columns are known here
        is_there = metric in res.part.values if res.remote is None else str(metric) in res.remote.columns
        if isinstance(metric, QueryMetric) and not is_there:
            raise UsageError(
                f"{name}: the values of {metric} per query are not there, so differences cannot be tested; evaluate with "
                f"per_query=True (on the command line --per-query)."
            )


def _refuse_other_conditions(name: str, first: Results, other: str, res: Results) -> None:
    """Refuse what makes two values incomparable; saved results know no more than this."""
    if first.policy != res.policy:
        own, its = first.policy.to_dict(), res.policy.to_dict()
        rules = ", ".join(
            f"{field} ({own.get(field, False)} and {its.get(field, False)})"
            for field in {**own, **its}
            if own.get(field) != its.get(field)
        )
        raise UsageError(
            f"{name} and {other} were evaluated with different policies: {rules}. Evaluate both with the same."
        )
    if first.conditions.scale != res.conditions.scale:
        raise UsageError(
            f"{name} and {other} were evaluated with different meanings of the grades: {first.conditions.scale} and "
            f"{res.conditions.scale}. Evaluate both with the same."
        )


def _refuse_other_judgements(results: Mapping[str, Results]) -> None:
    """Refuse systems that were evaluated against other judgements than the first."""
    for (name, first), (other, res) in product([*results.items()][:1], [*results.items()][1:]):
        if difference := difference_of_judgements(first, res):
            raise DataError(
                f"{name} and {other} were evaluated against different judgements: {difference}. Evaluate both against the same, and save "
                f"them anew."
            )


def difference_of_judgements(one: Results, other: Results) -> str:
    """Return what two results show of a difference between their judgements: the numbers of these, or else their digests; empty if nothing."""
    for what in ("judged queries", "judgements"):
        mine, theirs = one.counts.get(what, 0), other.counts.get(what, 0)
        if mine != theirs:
            return f"{mine:,} and {theirs:,} {what}"
    digests = {res.conditions.qrels for res in (one, other)} - {None}  # of a file saved before there were any
    return "as many, with other queries, items or grades" if len(digests) > 1 else ""


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
