"""Trials: the values of a metric when candidates are fused with one setting or another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankwell.comparison.fusion.candidates import Candidates
from rankwell.comparison.fusion.learning import Setting
from rankwell.comparison.fusion.norms import Votes
from rankwell.comparison.fusion.recipes import Recipe
from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.kernels import votes
from rankwell.matching.judged import Judged
from rankwell.matching.lists import matches_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.metrics.names import MODULES
from rankwell.records import cached_property
from rankwell.tables.csr import owners
from rankwell.tables.places import RowOf
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Run


class Trials:
    """The values of a metric for the judged queries among candidates (``judged``, rows), worked out once for each setting."""

    def __init__(self, recipe: Recipe, candidates: Candidates, evaluator: Evaluator) -> None:
        task = evaluator.task
        self.judged = np.flatnonzero(task.pool.queries.rows_of(candidates.queries, "query") >= 0)
        if not len(self.judged):
            raise DataError(
                "no query of the runs is judged, so nothing can be learned; give the judgements of some of their queries."
            )
        self.metric = evaluator.metrics[0]
        self._recipe, self._candidates = recipe, candidates.of_queries(self.judged)
        self._votes: dict[float, list[Votes]] = {}
        self._values: dict[Setting, np.ndarray] = {}
        lists = self._candidates.queries, self._candidates.offsets
        none = np.zeros(len(self._candidates))
        rows = Columns(None, self._candidates.items, none, place=RowOf("fused"), lists=lists)
        self._lists, self._task = rows.lists(), task.of_run(Run.of_rows(rows, "fused"))
        self._k = _last_read(self.metric, task.asked.policy)

    def values(self, setting: Setting) -> np.ndarray:
        """Return the value of each judged query, NaN where the metric is undefined."""
        if setting not in self._values:
            score = self._recipe.scores(self._votes_of(setting.number), self._candidates, setting)
            part = self._task.measure(*self._judged(score))
            self._values[setting] = part.values[self.metric]
        return self._values[setting]

    def _votes_of(self, number: float) -> list[Votes]:
        known = self._votes  # another thread may change it for another number
        if number not in known:
            known = self._votes = {number: self._recipe.votes(self._candidates, number)}
        return known[number]

    def _judged(self, score: np.ndarray) -> tuple[Judged, dict[str, int]]:
        """The judged lists with these scores, without rows that the metric does not read."""
        lists, pool_row = replace(self._lists, score=score), self._pool_row
        if self._k is not None:
            rows, offsets = votes.highest(lists.offsets, score, self._k)
            lists = replace(lists, offsets=offsets, items=lists.items[rows], score=score[rows])
            pool_row = pool_row[rows]
        if self._task.asked.policy.depth is not None:  # the lists become shorter before they are matched
            return self._task.judged(lists)
        hits = np.flatnonzero(pool_row >= 0)
        return self._task.judged(lists, (owners(lists.offsets)[hits], hits, pool_row[hits], (-1, -1)))

    @cached_property
    def _pool_row(self) -> np.ndarray:
        """The row of the pool of each candidate, -1 for those that are not judged."""
        found = np.full(len(self._candidates), -1)
        _, rows, pooled, _ = matches_of(self._lists, self._task.pool)
        found[rows] = pooled
        return found


def _last_read(metric: Metric, policy: Policy) -> int | None:
    """The last rank that a metric reads, None if it is not known to read none below it.

    It is known of metrics of rankwell's own, by a law that they are tested for; the rules of the policy may read more.
    """
    module = f"rankwell.metrics.{MODULES.get(metric.name)}"
    if type(metric).__module__ != module or "only the first k count" in metric.broken_laws():
        return None
    reads_more = metric.sampled is not None or "ties" in metric.needed()
    is_plain = policy.unjudged == "nonrelevant" and policy.scores == "double"
    return metric.k if is_plain and not reads_more else None


def evaluator_of(qrels: Any, metric: Wanted, policy: Policy, read: Mapping[str, Any]) -> Evaluator:
    """Return what gives each query its value of a metric.

    Raises
    ------
    RankwellError
        If the metric has no value per query, none that is better than another, or needs more than the judgements.
    """
    only, *others = metrics_of(metric)
    if others or not isinstance(only, QueryMetric) or only.better == "neither":
        raise UsageError(
            f"metric={brief(metric)}: must be one metric with a value per query, such as 'ndcg@10', whose mean can be made as "
            f"good as possible."
        )
    request = Request(metrics=(only,), policy=policy, qrels=qrels, of_qrels=read, threads=1, tie_ranges=False)
    return Evaluator.of(request)
