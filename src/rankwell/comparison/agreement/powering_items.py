"""Prediction-powered terms of metrics that are sums over items, from a sample of items that people judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankwell.comparison.agreement.pairs import Pairs
from rankwell.comparison.agreement.powering_rows import less_of, power_of, refuse_undefined, systems
from rankwell.comparison.agreement.verdicts import Power
from rankwell.comparison.aligned import Aligned
from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.statistics import prediction_powered as powered
from rankwell.tables.ids import Known
from rankwell.tables.run_qrels import Qrels, Run

LINEAR = "p", "cg", "dcg", "rbp"  # gains times weights, over a number that no judgement changes


def rows_of_items(
    runs: Mapping[str, Run],
    people: Qrels,
    machine: Qrels,
    metrics: tuple[Metric, ...],
    policy: Policy,
    evaluated: Mapping[str, Any],
    baseline: str | None,
    level: float,
) -> list[Power]:
    """The rows of single items judged by people."""
    n = len(people.query.distinct())
    found = []
    for metric in metrics:
        predicted, true, rest = _terms(runs, people, machine, metric, policy, evaluated)
        f = predicted.values(metric)
        refuse_undefined(metric, f)
        is_sampled = ((true != 0) | (predicted.values(metric) != rest)).any(axis=0)
        for row, less in systems(predicted.names, baseline):
            truths = less_of(true, row, less)
            told = powered.prediction_powered_terms(truths, less_of(rest, row, less), n, level=level)
            others, guesses = less_of(rest, row, less), less_of(f, row, less)
            plain = powered.prediction_powered_terms(truths, others, n, level=level, weight=0.0)
            errors = (guesses - others - truths)[is_sampled]
            human = float(truths.mean())
            found.append(
                power_of(predicted.names, row, less, metric, told, human, plain, errors, guesses, level)
            )
    return found


def _terms(
    runs: Mapping[str, Run],
    people: Qrels,
    machine: Qrels,
    metric: Metric,
    policy: Policy,
    evaluated: Mapping[str, Any],
) -> tuple[Aligned, np.ndarray, np.ndarray]:
    """Return the values of a metric under the model's judgements, with people's part of each query, and what is left of it.

    People's part is the Horvitz–Thompson estimate Σ gain · weight / probability over the items they judged, in runs (rows) and
    queries (columns); the rest is the model's value less the same estimate of it.

    Raises
    ------
    RankwellError
        If the metric is no such sum, or the model did not judge all items that it reads.
    """
    if metric.name not in LINEAR:
        raise UsageError(
            f"{metric} is no sum over items with a divisor known beforehand, so a sample of items does not estimate it; use P@k, CG@k, "
            f"DCG@k or RBP@k, or a sample of whole queries."
        )
    _refuse_gaps(runs, machine, metric, evaluated)
    predicted = Aligned.of(Evaluator(machine, [metric], **evaluated).results_of_sources(runs), (metric,))
    weighed = metric_of(f"ips(metric={metric})")
    # a query of whose items none was drawn adds nothing to the estimate
    rules = {**evaluated, "policy": replace(policy, undefined="zero")}
    parts = []
    for qrels in (people, _models_part(people, machine, policy)):
        own = Aligned.of(Evaluator(qrels, [weighed], **rules).results_of_sources(runs), (weighed,))
        place = Known(predicted.queries).rows_of(own.queries, "query")
        if (place < 0).any():
            raise DataError(
                f"{machine.name} lacks {int((place < 0).sum()):,} queries that {people.name} judges (such as "
                f"{brief(own.queries[place < 0].one(0))}); the model must judge all queries."
            )
        values = np.zeros((len(runs), len(predicted.queries)))
        values[:, place] = own.values(weighed)
        parts.append(values)
    return predicted, parts[0], predicted.values(metric) - parts[1]


def _refuse_gaps(
    runs: Mapping[str, Run], machine: Qrels, metric: Metric, evaluated: Mapping[str, Any]
) -> None:
    share = f"judged@{getattr(metric, 'k', None)}"
    for name, res in Evaluator(machine, [share], **evaluated).results_of_sources(runs).items():
        values = res.per_query.filter(res.per_query[share] < 1)
        if len(values):
            raise DataError(
                f"{machine.name}: the model judged queries in part, {len(values):,} in all (such as {brief(values['query'][0])}: {share} of "
                f"{name} is {values[share][0]:.2f}), and people could not draw what it lacks. Let it judge every item down to the "
                f"cut-off in every run."
            )


def _models_part(people: Qrels, machine: Qrels, policy: Policy) -> Qrels:
    """What the model says of the items that people judged, with the probability of each to be drawn."""
    pairs = Pairs.of({"human": people, "model": machine}, policy)
    width = len(pairs.items)
    query, item = (
        Known(pairs.queries).rows_of(people.query, "query"),
        Known(pairs.items).rows_of(people.item, "item"),
    )
    keys = pairs.query * width + pairs.item
    at = np.searchsorted(keys, query * width + item).clip(max=len(keys) - 1)
    codes = np.where(keys[at] == query * width + item, pairs.codes[1, at], -1)
    rows = np.flatnonzero(codes >= 0)
    assert people.propensity is not None
    chances = people.propensity[rows]
    return Qrels(
        people.query[rows],
        people.item[rows],
        pairs.grades[codes[rows]],
        propensity=chances,
        name=machine.name,
    )
