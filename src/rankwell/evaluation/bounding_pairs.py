"""Bounds of differences of runs under unjudged items, jointly: what judges say of an item counts in both lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.evaluation.bounding import Bounds, BoundsTask
from rankwell.matching.asked import Asked
from rankwell.matching.unjudged import Both, Items, Side, ranks_in, with_pooled
from rankwell.metrics.bounds import DifferenceBounds
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import record
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.matching.context import Context
    from rankwell.matching.pool import Pool

NO_PAIR = "without a stated pool (pool=, --pool), judging other items could turn it"


@record(eq=False)
class PairBounds:
    """Runs whose lists are matched with each other, so that differences can be bounded."""

    bounds: Bounds
    pool: Pool
    sides: Mapping[str, Side]

    @classmethod
    def of(cls, bounds: Bounds, runs: Mapping[str, Run]) -> PairBounds:
        """Return the runs of a call, all of whose items are pooled."""
        task = bounds.task
        pool = with_pooled(task.pool, runs.values(), None, task.asked.policy)
        asked = Asked(task.asked.policy)
        items = Items(pool, np.array(task.grades))
        sides = {name: Side(items, ranks_in(run, pool, asked, task.context)) for name, run in runs.items()}
        return cls(bounds, pool, sides)

    def differences(self, first: str, second: str) -> dict[Metric, DifferenceBounds]:
        """Return the bounds of the difference of two runs, first less second, for each query of the pool."""
        task = self.bounds.task
        both = Both(self.sides[first], self.sides[second])
        found: dict[Metric, DifferenceBounds] = {}
        for metric in task.metrics:
            assert isinstance(metric, QueryMetric)
            if not self.why(metric):
                found[metric] = _of_defined(metric, both, metric.difference_bounds(both, task.context), task)
        for each in both:
            each.let_go()
        return found

    def why(self, metric: Any) -> str:
        """Why a metric's differences have no bounds; empty if they have."""
        bounded = self.bounds.bounding.of(metric)
        if bounded.kind == "none":
            return bounded.why
        is_open = bounded.reads_pool and not self.bounds.task.is_stated
        return NO_PAIR if is_open and not metric.has_common_divisor() else ""


def _of_defined(
    metric: QueryMetric, both: Both, found: DifferenceBounds, task: BoundsTask
) -> DifferenceBounds:
    """Return the bounds of the queries that are defined as judged, and listed by both runs if others are skipped."""
    defined = both.first.once(_is_defined, metric, task.context)
    if task.asked.policy.missing == "skip":
        defined = defined & both.first.once(_is_listed) & both.second.once(_is_listed)
    least, most, low, high = (
        np.where(defined, each, np.nan) for each in (found.least, found.most, found.low, found.high)
    )
    return found._replace(least=least, most=most, low=low, high=high)


def _is_defined(side: Side, metric: QueryMetric, context: Context) -> np.ndarray:
    one = side.unjudged
    return ~np.isnan(metric.per_query(one.completed(np.nan, np.nan), one.context(context)))


def _is_listed(side: Side) -> np.ndarray:
    return np.bincount(side.items.query[side.within(None)], minlength=len(side.items)) > 0
