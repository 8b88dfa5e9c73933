"""Check that metrics evaluated together do not change each other's values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain, permutations
from typing import Any

from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers import read_qrels, read_run
from rankwell.records import record
from rankwell.results import Results
from rankwell.testing.data import CHANCES, ITEMS, Data, examples, fit_run, read_tables
from rankwell.testing.laws import LawBroken

POLICY = Policy(grades="judgements", outside="ignore", sizes="weight")
KINDS = frozenset(
    {"topics", "propensity", "spans"}
)  # columns of the judgements, read only if a metric needs them


@record
class Values:
    """A metric's values on a run: the exact mean as hexadecimal text, the number of queries, and per-query values."""

    mean: str
    n: int
    per_query: dict[Any, float]

    @classmethod
    def of(cls, metric: Metric, res: Results) -> Values:
        """Return the values of a metric in some results."""
        own = res.values(metric).tolist() if isinstance(metric, QueryMetric) else []
        pairs = zip(res.queries, own, strict=False)  # a metric of all lists has no value per query
        # NaN equals nothing, so an undefined value is one that is not there; the mean as text tells every bit
        defined: dict[Any, float] = {query: value for query, value in pairs if not math.isnan(value)}
        return cls(res[metric].hex(), res.n[str(metric)], defined)


class Bench:
    """The data of one case, each table read once."""

    def __init__(self, data: Data) -> None:
        self._run = read_run(data.run)
        self._data = data
        self._qrels: dict[frozenset[str], object] = {}

    def values(self, metrics: Sequence[Metric]) -> dict[Metric, Values]:
        """Evaluate metrics together, in this order, and return their values."""
        kinds = KINDS & frozenset[str]().union(*(metric.needed() for metric in metrics))
        if kinds not in self._qrels:
            chances = dict(zip(ITEMS, CHANCES, strict=True))
            self._qrels[kinds] = read_qrels(self._data.judgements(metrics, chances))
        evaluator = Evaluator(self._qrels[kinds], metrics, policy=POLICY, **read_tables())
        res = evaluator.evaluate(fit_run(self._run, metrics))
        return {metric: Values.of(metric, res) for metric in metrics}


def check_neighbours(
    metrics: Iterable[str | Metric | type[Metric]],
    pairs: Iterable[tuple[str | Metric | type[Metric], ...]] | None = None,
    *,
    cases: int | Iterable[int] = 1,
    seed: int = 0,
) -> None:
    """Check that metrics have the same values together as alone: all at once, in both directions, and in ordered pairs.

    Parameters
    ----------
    metrics
        The metrics to check.
    pairs
        The groups of metrics to evaluate together; by default all ordered pairs.
    cases, seed
        As for ``check_metric``.

    Raises
    ------
    LawBroken
        If another metric changes a metric's values.

    Examples
    --------
    >>> check_neighbours(["ndcg@3", "ap", "coverage@2"])
    """
    resolved = list(dict.fromkeys(map(metric_of, metrics)))
    chosen = permutations(resolved, 2) if pairs is None else pairs
    groups = [tuple(map(metric_of, pair)) for pair in chosen]
    for data in examples(cases, seed):
        for metric in resolved:
            data = data.fit(metric)
        bench = Bench(data)
        alone = {metric: bench.values([metric])[metric] for metric in {*resolved, *chain(*groups)}}
        for group in (resolved, resolved[::-1], *groups):
            for metric, values in bench.values(group).items():
                if values != alone[metric]:
                    order = ", ".join(map(str, group))
                    raise LawBroken(
                        f"{metric} has different values when evaluated in this order: {order}. Together: {values}; alone: "
                        f"{alone[metric]}. Data: {data}"
                    )
