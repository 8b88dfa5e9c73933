"""Metrics beside each other: what else is asked for at the same time changes no value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Any

from rankwell.evaluation import Evaluator
from rankwell.judge.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers import read_qrels, read_run
from rankwell.results import Results
from rankwell.testing.data import CHANCES, ITEMS, Data, examples, read_tables
from rankwell.testing.laws import LawBroken

POLICY = Policy(grades="judgements", outside="ignore")
KINDS = frozenset({"topics", "propensity"})  # what judgements hold only if a metric reads it


@dataclass(frozen=True)
class Values:
    """What a metric has of a run: its value in all bits, the number of queries behind it, and the value of each."""

    mean: str
    n: int
    per_query: dict[Any, float]

    @classmethod
    def of(cls, metric: Metric, res: Results) -> Values:
        """Return those of a metric."""
        own = res.values(metric).tolist() if isinstance(metric, QueryMetric) else []
        pairs = zip(res.queries, own, strict=False)  # a metric of all lists has no value per query
        defined: dict[Any, float] = {query: value for query, value in pairs if not math.isnan(value)}
        return cls(res[metric].hex(), res.n[str(metric)], defined)


class Bench:
    """The data of one case, read once."""

    def __init__(self, given: Data) -> None:
        self._run = read_run(given.run)
        self._given = given
        self._qrels: dict[frozenset[str], object] = {}

    def values(self, metrics: Sequence[Metric]) -> dict[Metric, Values]:
        """Return the values of metrics that are evaluated together, in their order."""
        kinds = KINDS & frozenset[str]().union(*(metric.needed() for metric in metrics))
        if kinds not in self._qrels:
            chances = dict(zip(ITEMS, CHANCES, strict=True))
            self._qrels[kinds] = read_qrels(self._given.judgements(metrics, chances))
        res = Evaluator(self._qrels[kinds], metrics, policy=POLICY, **read_tables()).evaluate(self._run)
        return {metric: Values.of(metric, res) for metric in metrics}


def check_neighbours(
    metrics: Iterable[str | Metric | type[Metric]],
    pairs: Iterable[tuple[str | Metric | type[Metric], ...]] | None = None,
    *,
    cases: int | Iterable[int] = 1,
    seed: int = 0,
) -> None:
    """Evaluate metrics all together, from first to last and from last to first, and in ordered pairs; compare with each alone.

    Parameters
    ----------
    metrics
        The metrics.
    pairs
        Which of them are evaluated beside each other; default all ordered pairs.
    cases, seed
        As for ``check_metric``.

    Raises
    ------
    LawBroken
        With the metric that another one changes.

    Examples
    --------
    >>> check_neighbours(["ndcg@3", "ap", "coverage@2"])
    """
    made = list(dict.fromkeys(map(metric_of, metrics)))
    wanted = permutations(made, 2) if pairs is None else pairs
    groups = [tuple(map(metric_of, pair)) for pair in wanted]
    for given in examples(cases, seed):
        bench = Bench(given)
        alone = {metric: bench.values([metric])[metric] for metric in {*made, *chain(*groups)}}
        for group in (made, made[::-1], *groups):
            for metric, values in bench.values(group).items():
                if values != alone[metric]:
                    order = ", ".join(map(str, group))
                    raise LawBroken(
                        f"{metric} has other values beside other metrics, in this order: {order}. There: {values}; alone: "
                        f"{alone[metric]}. Data: {given}"
                    )
