"""Scoring of situations: one evaluation with each list as a query, and which list of each pair scores higher."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs
from rankwell.inspection.axioms.counterexamples import Counterexample
from rankwell.inspection.axioms.situations import NAMES, Situation
from rankwell.matching.policy import Policy
from rankwell.metrics.additive import Additive
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.items_users import Items, Users
from rankwell.tables.run_qrels import Qrels, Run

MARGIN = 1e-13  # float differences below this are treated as ties
WEIGHS = 5  # the highest weight of a topic, and so the number of its items needed for histories
ROUNDING = 2.0**-48  # rounding error relative to the terms that differ, for metrics with terms


@record(eq=False)
class Tables:
    """The tables of situations; list 2i is the better one of situation i, list 2i + 1 the worse one."""

    run: Run
    qrels: Qrels
    items: Items
    train: Qrels
    users: Users


@record(eq=False)
class Compared:
    """The values of pairs of lists: ``sign`` is 1 if the better list scores higher, 0 for a tie, -1 if it scores lower.

    ``is_defined`` says which pairs have two values, ``is_exact`` which signs come from terms and not from a difference of two
    rounded values, ``is_rounded`` which ties are ties only within rounding.
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
    """Score both lists of each situation; ``top`` is the highest possible grade.

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
    """The terms of a metric for each list, and the divisor."""
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
    """Return Σ left − Σ right without intermediate rounding; 0 if it does not exceed the rounding error of the terms.

    Terms common to both sums cancel, so a tiny term in only one of them is not lost among large ones.

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
    """Return the run, judgements, catalogue, history and users of situations.

    The history of a list has as many items of each topic as the topic weighs, all with the same rating: the user's profile
    equals the weights, and the users table gives the same profile. One more judged query, missing from the run, has the highest
    grade and a topic of its own.
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
