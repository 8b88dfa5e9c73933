"""Rows that hold a score and a grade each: lists and their judgements in one, as frameworks of training hand them over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rankwell.errors import DataError
from rankwell.evaluation import evaluate
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import Metric
from rankwell.tables.ids import IdColumn, Ids
from rankwell.tables.lists import places_of
from rankwell.tables.run_qrels import Qrels, Run


def values_of_rows(
    query: IdColumn,
    score: np.ndarray,
    grade: np.ndarray,
    metrics: Iterable[Metric],
    *,
    preset: str | None = None,
    policy: Policy | None = None,
    rules: Mapping[str, Any],
) -> dict[str, float]:
    """Return the value of each metric, by its text, over rows in any order, each with its query, its score and its grade.

    The items have no ids, so equal scores could only be ordered by the rows, which often have the relevant items first. So the default
    is ``ties="expected"``. Under a preset each metric has the rules that the tool has for it.
    """
    queries = Ids.of_column(query, "query")
    if not len(queries) == len(score) == len(grade):
        raise DataError(
            f"there are {len(queries):,} queries, {len(score):,} scores and {len(grade):,} grades; each row has one of each."
        )
    if preset is None and policy is None:
        rules = {"ties": "expected"} | dict(rules)
    items = _number_rows(queries)
    run, qrels = Run(queries, items, score), Qrels(queries, items, grade, name="target")
    together = [list(metrics)] if preset is None else [[metric] for metric in metrics]
    found: dict[str, float] = {}
    for group in together:
        results = evaluate(run, qrels, group, preset=preset, policy=policy, **rules)
        found |= zip(map(str, group), results.mean.values(), strict=True)
    return found


def _number_rows(queries: Ids) -> Ids:
    """The place of each row among those of its query."""
    codes, _ = queries.group()
    order = np.argsort(codes, kind="stable")
    places = np.empty(len(codes), np.int64)
    places[order] = places_of(np.bincount(codes))
    return Ids.of_integers(places)
