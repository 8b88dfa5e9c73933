"""Recall against exact search: what an approximate index finds of what it should."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.readers import read_run
from rankwell.statistics.intervals import interval
from rankwell.tables.arguments import UNFIT, fit_kind
from rankwell.tables.run_qrels import Run

TOLERANCE = 1e-6  # of the k-th score: two ways of adding up a distance differ by less


class Recall(NamedTuple):
    """The mean recall over queries with its 95 % interval, NaN where there are fewer than two, and the recall of each query."""

    mean: float
    low: float
    high: float
    by_query: dict[str, float]


def recall_of_exact(run: Any, exact: Any, k: int, *, tolerance: float = TOLERANCE) -> Recall:
    """Return which share of the k nearest items an approximate search finds, where equally near ones count alike.

    recall = |{items of the first k of `run` with a score of at least s − tolerance · |s|}| / k, with s the k-th best score of the exact
    search. An item that is as near as the k-th counts, whether the exact search chose it or its equal, which a comparison of ids would
    count as missed.

    Parameters
    ----------
    run, exact
        The approximate and the exact answers: anything that ``read_run`` takes, with scores on the same scale, such as −distance or
        similarity, both exact for the items that are there. Queries of `exact` that `run` lacks have a recall of 0.
    k
        How many items should be found; where the exact search has fewer, as many as it has.
    tolerance
        A share of the k-th score.

    Returns
    -------
    Recall
        Between 0 and 1.

    Raises
    ------
    UsageError
        If k or the tolerance is out of its range.
    DataError
        If a run has no scores, or the exact one no query.

    Examples
    --------
    >>> exact = {"1": {"a": -0.1, "b": -0.5, "c": -0.5}}
    >>> recall_of_exact({"1": {"a": -0.1, "c": -0.5}}, exact, 2).mean  # c is as near as b
    1.0
    >>> recall_of_exact({"1": {"a": -0.1, "d": -0.6}}, exact, 2).mean
    0.5
    """
    number: object = k
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise UsageError(f"k is a whole number from 1 on, not {brief(k)}.")
    if fit_kind(tolerance, float) is UNFIT or not 0 <= tolerance < 1:
        raise UsageError(f"tolerance is a share from 0 to below 1, not {brief(tolerance)}.")
    approximate, nearest = (_best(read_run(source), k) for source in (run, exact))
    if not nearest:
        raise DataError("the exact run has no query.")
    values = {}
    for query, scores in nearest.items():
        least = scores[-1] - tolerance * abs(scores[-1])
        # divided by what the exact search has, so that a query with fewer than k items can reach 1
        values[query] = float((approximate.get(query, np.zeros(0)) >= least).sum()) / len(scores)
    array = np.array([*values.values()])
    if len(array) < 2:
        return Recall(float(array.mean()), math.nan, math.nan, values)
    bounds = interval(array, np.arange(len(array), dtype=np.uint64), method="auto", limits=(0.0, 1.0))
    return Recall(float(array.mean()), bounds.low, bounds.high, values)


def _best(run: Run, k: int) -> dict[str, np.ndarray]:
    """The k highest scores of each query, descending."""
    table = run.rows.table()
    scores = table.given_score if table.by_rank else table.key
    if scores is None:
        raise DataError(
            f"{run.name}: the run has no scores, and recall against exact search is about distances."
        )
    lists: dict[str, list[float]] = {}
    for query, score in zip(table.query.tolist(), np.asarray(scores, float).tolist(), strict=True):
        lists.setdefault(str(query), []).append(score)
    return {query: np.array(sorted(own, reverse=True)[:k]) for query, own in lists.items()}
