"""Prediction-powered means from a sample of queries that people judged wholly, as far as a metric reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankwell.comparison.agreement.pairs import Pairs
from rankwell.comparison.agreement.powering_rows import less_of, power_of, refuse_undefined, systems
from rankwell.comparison.agreement.verdicts import Power
from rankwell.comparison.aligned import Aligned
from rankwell.errors import DataError, brief
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import Metric
from rankwell.statistics import prediction_powered as powered
from rankwell.tables.arguments import plain
from rankwell.tables.ids import Ids, Known
from rankwell.tables.run_qrels import Qrels, Run


def rows_of_queries(
    runs: Mapping[str, Run],
    people: Qrels,
    machine: Qrels,
    metrics: tuple[Metric, ...],
    policy: Policy,
    evaluated: Mapping[str, Any],
    drawn: str | Mapping[Any, float],
    baseline: str | None,
    level: float,
) -> list[Power]:
    """The rows of whole queries judged by people."""
    _refuse_parts(runs, people, machine, metrics, policy, evaluated)
    truth, predicted = (
        Aligned.of(Evaluator(each, metrics, **evaluated).results_of_sources(runs), metrics)
        for each in (people, machine)
    )
    place = _places(truth.queries, predicted.queries, people, machine)
    chances = _chances(drawn, truth.queries, place, len(predicted.queries))
    found = []
    for metric in metrics:
        f, own = predicted.values(metric), truth.values(metric)
        y = np.full(f.shape, np.nan)
        y[:, place] = own
        refuse_undefined(metric, f, own)
        for row, less in systems(predicted.names, baseline):
            truths, guesses = less_of(y, row, less), less_of(f, row, less)
            told = powered.prediction_powered(truths, guesses, propensity=chances, level=level)
            plain = powered.prediction_powered(truths, guesses, propensity=chances, level=level, weight=0.0)
            errors = (guesses - truths)[~np.isnan(truths)]
            human = float(np.nanmean(truths))
            found.append(
                power_of(predicted.names, row, less, metric, told, human, plain, errors, guesses, level)
            )
    return found


def _refuse_parts(
    runs: Mapping[str, Run],
    people: Qrels,
    machine: Qrels,
    metrics: tuple[Metric, ...],
    policy: Policy,
    evaluated: Mapping[str, Any],
) -> None:
    """Refuse queries that people judged in part, as far as a metric can see."""
    cuts = sorted({metric.k for metric in metrics if metric.k is not None})
    shares = [f"judged@{k}" for k in cuts]
    for name, res in Evaluator(people, shares, **evaluated).results_of_sources(runs).items():
        for share in shares:
            values = res.per_query.filter(res.per_query[share] < 1)
            if len(values):
                raise DataError(
                    f"{people.name}: people judged queries in part, {len(values):,} in all (such as {brief(values['query'][0])}: {share} of "
                    f"{name} is {values[share][0]:.2f}). Judge every item down to the cut-off in every run, or leave these queries out."
                )
    more = _with_the_models(people, machine, policy)
    if more is None:
        return
    plain, other = (
        Aligned.of(Evaluator(each, metrics, **evaluated).results_of_sources(runs), metrics)
        for each in (people, more)
    )
    for metric in metrics:
        if not np.array_equal(plain.values(metric), other.values(metric), equal_nan=True):
            raise DataError(
                f"{metric} depends on items outside of the first ranks, and {people.name} lacks some that {machine.name} judged for "
                f"the same queries. Let people judge these too, or use a metric that only reads the first ranks, such as P@k."
            )


def _with_the_models(people: Qrels, machine: Qrels, policy: Policy) -> Qrels | None:
    """People's judgements, with what the model alone judged of their queries as highly relevant; None if that is nothing."""
    pairs = Pairs.of({"human": people, "model": machine}, policy)
    own = pairs.codes[0] >= 0
    queries = np.zeros(len(pairs.queries), bool)
    queries[pairs.query[own]] = True
    extra = queries[pairs.query] & ~own
    if not extra.any():
        return None
    rows = np.flatnonzero(own | extra)
    grades = np.where(own[rows], pairs.grades[pairs.codes[0, rows]], pairs.grades.max())
    return Qrels(pairs.queries[pairs.query[rows]], pairs.items[pairs.item[rows]], grades, name=people.name)


def _places(queries: Ids, everything: Ids, people: Qrels, machine: Qrels) -> np.ndarray:
    """The row of each query that people judged among those that the model judged."""
    place = Known(everything).rows_of(queries, "query")
    if (place < 0).any():
        raise DataError(
            f"{machine.name} lacks {int((place < 0).sum()):,} queries that {people.name} judges (such as "
            f"{brief(queries[place < 0].one(0))}); the model must judge all queries."
        )
    return place


def _is_too_long(query: object) -> bool:
    """Whether this is a number of more digits than Python writes, which is the id of no query."""
    return isinstance(query, int) and query.bit_length() > 64


def _chances(
    drawn: str | Mapping[Any, float], queries: Ids, place: np.ndarray, total: int
) -> np.ndarray | None:
    if not isinstance(drawn, Mapping):
        return None
    known = {str(query): chance for query, chance in drawn.items() if not _is_too_long(query)}
    found = np.ones(total)
    for row, query in zip(place.tolist(), queries.tolist(), strict=True):
        chance = plain("drawn", known.get(str(query), 0.0), float)
        if not 0 < chance <= 1:
            raise DataError(f"drawn: query {brief(query)} needs its probability, above 0 and at most 1.")
        found[row] = chance
    return found
