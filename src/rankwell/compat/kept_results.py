"""Results as bytes that travel between processes, and their sum, in which a query that comes twice counts once."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results import Results
from rankwell.results.part import Part
from rankwell.tables.ids import Ids
from rankwell.tables.states import State

LENGTH = np.dtype(
    "<i8"
)  # of the number of bytes, before each pickle: processes send arrays of bytes end to end


def kept_bytes(results: Results) -> np.ndarray:
    """Return results as bytes, after their number."""
    content = np.frombuffer(pickle.dumps(results), np.uint8)
    return np.concatenate([np.array([len(content)], LENGTH).view(np.uint8), content])


def sum_of_kept(content: np.ndarray) -> Results | None:
    """Return the sum of results that were made bytes, in any order; None if there are none.

    They are pickled, so they are only to come from processes of the same training.

    Raises
    ------
    DataError
        If a query comes twice with different values, or with the same ones and a metric has no value per query.
    """
    results = list(_results_in(content))
    return Results.sum(_once(results)) if results else None


def _results_in(content: np.ndarray) -> Iterator[Results]:
    at = 0
    while at < len(content):
        begin = at + LENGTH.itemsize
        at = begin + int(content[at:begin].copy().view(LENGTH)[0])
        yield pickle.loads(content[begin:at].tobytes())  # noqa: S301 - of processes of the same training


def _once(results: list[Results]) -> list[Results]:
    """Return the results with each query in the first of those that have it."""
    queries = Ids.concatenate([res.part.queries for res in results])
    codes, firsts = queries.group()
    is_first = np.arange(len(codes)) == firsts[codes]
    if is_first.all():
        return results
    ends = np.cumsum([len(res.part.queries) for res in results])
    metrics = results[0].metrics
    for metric in metrics:
        if not isinstance(metric, QueryMetric):
            again = int(np.flatnonzero(~is_first)[0])
            raise DataError(
                f"query {brief(queries.one(again))} comes twice, and {metric} has no value per query of which one could be left "
                f"out. Give each process queries of its own, with no query repeated to fill up the last batch."
            )
        values = np.concatenate([res.part.values[metric] for res in results])
        differ = np.flatnonzero(
            ~((values == values[firsts[codes]]) | (np.isnan(values) & np.isnan(values[firsts[codes]])))
        )
        if len(differ):
            raise DataError(
                f"query {brief(queries.one(int(differ[0])))} comes twice, with different values of {metric}. Give each query an id "
                f"of its own, and call reset() after each epoch."
            )
    parts = zip(results, np.split(is_first, ends[:-1]), strict=True)
    return [res if chosen.all() else _only(res, chosen) for res, chosen in parts if chosen.any()]


def _only(results: Results, rows: np.ndarray) -> Results:
    """The results of some of the queries, for metrics with a value per query."""
    part = results.part
    values: dict[Metric, np.ndarray] = {}
    states: dict[Metric, State] = {}
    for metric in results.metrics:
        assert isinstance(metric, QueryMetric)
        own = values[metric] = part.values[metric][rows]
        states[metric] = metric.summary(own[~np.isnan(own)])
    return replace(results, part=Part(part.queries[rows], part.pool_row[rows], values, states))
