"""Scoring: all situations in one evaluation, each list a query of its own; and which list of each pair scores higher."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs
from rankwell.inspection.axioms.counterexamples import Counterexample
from rankwell.inspection.axioms.situations import NAMES, Situation
from rankwell.judge.policy import Policy
from rankwell.metrics.additive import Additive
from rankwell.metrics.metric import Metric
from rankwell.tables.items_users import Items, Users
from rankwell.tables.run_qrels import Qrels, Run

MARGIN = 1e-13  # a smaller difference of two floats says nothing
WEIGHS = 5  # the most that a topic weighs: so many items of it are there for histories
ROUNDING = 2.0**-48  # of the terms that differ, where a metric tells its terms


@dataclass(frozen=True, eq=False)
class Tables:
    """What situations look like to an evaluation; list 2i is the better one of situation i, list 2i + 1 the worse one."""

    run: Run
    qrels: Qrels
    items: Items
    train: Qrels
    users: Users


@dataclass(frozen=True, eq=False)
class Compared:
    """The values of pairs of lists: ``sign`` is 1 where the better list does score better, 0 for a tie, -1 where it scores worse.

    ``is_defined`` says which pairs have two values, ``is_exact`` for which the sign comes from terms, not from a difference of
    two rounded values, ``is_rounded`` which ties are only within rounding.
    """

    better: np.ndarray
    worse: np.ndarray
    sign: np.ndarray
    is_defined: np.ndarray
    is_exact: np.ndarray
    is_rounded: np.ndarray

    def where(self, sign: int) -> list[int]:
        """Return which pairs have two values and this sign."""
        return np.flatnonzero(self.is_defined & (self.sign == sign)).tolist()

    def count(self, sign: int) -> int:
        """Return how many pairs have two values and this sign."""
        return len(self.where(sign))

    def example(self, situation: Situation, at: int, n: int | None = None) -> Counterexample:
        """Return a pair with its values."""
        values = float(self.better[at]), float(self.worse[at])
        by_terms = bool(self.is_exact[at] and self.sign[at])
        return Counterexample.of(situation, values, n, by_terms=by_terms)


def compared(metric: Metric, situations: tuple[Situation, ...], policy: Policy, top: int) -> Compared:
    """Score both lists of each situation; ``top`` is the highest grade that there is.

    Raises
    ------
    RankwellError
        If the metric cannot be computed from judgements with topics, items with topics and a history.
    """
    data = tables(situations, top)
    inputs = Inputs.of(metric, policy, qrels=data.qrels, train=data.train, items=data.items, users=data.users)
    evaluator = Evaluator.of(inputs)
    results = evaluator.results_of(data.run)
    values = np.full(2 * len(situations), np.nan)
    values[np.asarray(results.queries, np.int64)] = results.values(metric)
    better, worse = values[::2], values[1::2]
    difference = (better - worse) * (-1.0 if metric.better == "lower" else 1.0)
    is_defined = ~np.isnan(difference)
    sign = np.where(np.abs(difference) > MARGIN, np.sign(difference), 0.0)
    is_exact = np.zeros(len(situations), np.bool_)
    near = np.flatnonzero(is_defined & (sign == 0))
    if len(near) and isinstance(metric, Additive) and type(metric).per_query is Additive.per_query:
        terms, divisor = _terms(metric, evaluator, data.run, len(values))
        near = near[divisor[2 * near] == divisor[2 * near + 1]]
        is_exact[near] = True
        for pair in near.tolist():
            exact = exact_difference(terms[2 * pair], terms[2 * pair + 1]) / divisor[2 * pair]
            sign[pair] = np.sign(exact) * (-1.0 if metric.better == "lower" else 1.0)
    is_rounded = is_defined & ~is_exact & (sign == 0) & (difference != 0)
    return Compared(
        better, worse, np.where(is_defined, sign, 0).astype(int), is_defined, is_exact, is_rounded
    )


def _terms(
    metric: Additive, evaluator: Evaluator, run: Run, lists: int
) -> tuple[list[list[float]], np.ndarray]:
    """What a metric adds up for each list, and what it divides that by."""
    task = evaluator.task.of_run(run)
    judged, _ = task.judged(next(run.rows.batches(len(run)))())
    terms, divisor = metric.terms(judged, task.context), np.full(lists, np.nan)
    query = np.asarray(judged.queries.tolist(), np.int64)
    divisor[query] = metric.divisor(judged, task.context)
    added: list[list[float]] = [[] for _ in range(lists)]
    for row, term in zip(query[terms.rows.query].tolist(), (terms.gain * terms.weight).tolist(), strict=True):
        added[row].append(term)
    return added, divisor


def exact_difference(left: Iterable[float], right: Iterable[float]) -> float:
    """Return Σ left − Σ right without rounding on the way; 0 if it is no larger than the rounding of the terms themselves.

    Terms that both sums have cancel, so that a tiny one that only one of them has is seen beside large ones.

    >>> exact_difference([1.0, 1e-30], [1.0])
    1e-30
    >>> exact_difference([0.1, 0.2], [0.3])
    0.0
    """
    first, second = Counter(left), Counter(right)
    rest = [*(first - second).elements(), *(-term for term in (second - first).elements())]
    difference = math.fsum(rest)
    return difference if abs(difference) > ROUNDING * sum(map(abs, rest)) else 0.0


@lru_cache(maxsize=128)
def tables(situations: tuple[Situation, ...], top: int) -> Tables:
    """Return run, judgements, catalogue, history and users of situations.

    The history of a list has as many items of each topic, all of the same rating, as the topic weighs: the profile of its
    user is the weights, and the table of users gives it as it is. One more judged query, which is in no run, has the highest grade and a topic of its own.
    """
    import polars as pl

    topics: list[str] = [name for name in NAMES for _ in range(WEIGHS)]
    judged: list[tuple[int, int, int, str, int]] = [(2 * len(situations), len(topics), top, "scale", 1)]
    topics.append("scale")
    lists: list[tuple[int, int]] = []
    learned: list[tuple[int, int]] = []
    profiles = {name: np.zeros(2 * len(situations)) for name in NAMES}
    for at, situation in enumerate(situations):
        rows = {each: row for row, each in enumerate(situation.items, len(topics))}
        topics += ["|".join(NAMES[topic] for topic in each.grades) for each in rows]
        had = [
            WEIGHS * topic + number
            for topic, weight in enumerate(situation.weights)
            for number in range(weight)
        ]
        for name, weight in zip(NAMES, situation.weights, strict=False):
            profiles[name][2 * at : 2 * at + 2] = weight / sum(situation.weights)
        pools = (situation.better, (*situation.worse, *situation.unlisted))
        for place, items in enumerate((situation.better, situation.worse)):
            query, pool = 2 * at + place, pools[place] if situation.apart else rows
            lists += [(query, rows[item]) for item in items]
            judged += [
                (query, rows[item], grade, NAMES[topic], situation.weights[topic])
                for item in pool
                for topic, grade in item.grades.items()
                if grade is not None
            ]
            learned += [(query, item) for item in had]
    queries, rated, grades, of_topics, weights = zip(*judged, strict=True)
    return Tables(
        Run(*map(list, zip(*lists, strict=True)), name="lists"),
        Qrels(queries, rated, grades, of_topics, topic_weight=weights),
        Items(list(range(len(topics))), pl.DataFrame({"topics": topics})),
        Qrels(*map(list, zip(*learned, strict=True)), name="train"),
        Users(list(range(2 * len(situations))), pl.DataFrame(profiles)),
    )
