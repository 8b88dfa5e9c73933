"""Lists as other tools hand them over: one list against what is relevant for its query, as tools of language models ask for a metric; and rows
that hold a score and a grade each, lists and their judgements in one, as frameworks of training have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.evaluation import Evaluator, evaluate
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_run
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


QUERY = "this query"
Ask = Callable[[Any, Any], dict[str, float]]


def ask_one_list(
    metrics: Iterable[Wanted] | Wanted, policy: Policy | None, rules: Mapping[str, Any]
) -> tuple[tuple[str, ...], Ask]:
    """Return the names of metrics, and a function that computes them of the ids retrieved and those relevant; NaN where undefined.

    What grades mean is not guessed from those of one query: they are judgements, unless a policy or a rule says otherwise.
    """
    wanted = metrics_of(metrics)
    rules = {"grades": "judgements"} | dict(rules) if policy is None else rules
    whole = policy_with(policy, rules)

    def ask(retrieved: Any, relevant: Any) -> dict[str, float]:
        for word, ids in ("retrieved", retrieved), ("relevant", relevant):
            if isinstance(ids, str) or not isinstance(ids, Iterable):
                raise DataError(f"what is {word} is a list of ids, or a dict of them, not {brief(ids)}.")
        evaluator = Evaluator({QUERY: relevant}, wanted, policy=whole)
        return evaluator.results_of(read_run({QUERY: retrieved})).mean

    return tuple(map(str, wanted)), ask
