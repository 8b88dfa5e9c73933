"""Aligned: the values of several systems side by side, each query in one column whatever its place in their results."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import product

import numpy as np

from rankwell.errors import DataError, UsageError, nearest
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import cached_property, record
from rankwell.results import Results
from rankwell.tables.ids import Ids, Known, fingerprints_of, to_one_kind
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
            If a metric is missing somewhere, or policies, grade scales or numbers of judgements differ.
        """
        # values that lie on a cluster come here, once: all that follows looks them up by place
        results = {name: res.collected() for name, res in results.items()}
        wanted = next(iter(results.values())).metrics if metrics is None else tuple(metrics)
        refuse_unlike(results, wanted, partial)
        found = to_one_kind([res.part.queries[res.part.concerned()] for res in results.values()], "query")
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
        If a metric is missing somewhere, or policies, grade scales or numbers of judgements differ.
    """
    (first, own), *others = results.items()
    for name, res in results.items():
        _refuse_missing(name, res, wanted)
    for name, res in others:
        _refuse_other_conditions(first, own, name, res)
    _refuse_other_judgements({name: res.counts for name, res in results.items() if name not in partial})


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


def _refuse_other_judgements(counts: Mapping[str, Mapping[str, int]]) -> None:
    """Refuse systems whose results count other judgements than those of the first."""
    name, first = next(iter(counts.items()), ("", {}))
    for (other, own), what in product(counts.items(), ("judged queries", "judgements")):
        # saved results have no judgements, only their numbers; these differ between nearly any two versions of a
        # collection
        mine, theirs = first.get(what), own.get(what)
        if mine != theirs:
            raise DataError(
                f"{name} and {other} were evaluated against different judgements: {mine or 0:,} and {theirs or 0:,} "
                f"{what}. Evaluate both against the same, and save them anew."
            )
