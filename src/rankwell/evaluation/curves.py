"""Precision-recall curves and contingency tables of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwell.evaluation.distributed.plan import SparkPlan
from rankwell.evaluation.one_query import one_query
from rankwell.evaluation.plan import Plan
from rankwell.evaluation.streaming.plan import StreamPlan
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.results.contingency import Contingency, cells, contingency_from
from rankwell.results.curves import Curve, curve_of_one, mean_curve, steps
from rankwell.tables.run_qrels import Run


def curve_of(
    plan: Plan | StreamPlan | SparkPlan,
    run: Run,
    query: str | int | None,
    levels: Sequence[float],
    rel: float | None,
) -> Curve:
    """Return the curve of one query, or the mean interpolated curve of all queries."""
    if query is None:
        return mean_curve(_results(plan, run, steps(levels, rel)), levels)
    plan.task.require_fit(run)
    one = one_query(plan.task, run.rows.table(), query)
    ranks, relevant = one.judged.relevant(rel).rank.tolist(), int(one.judged.n_relevant(rel)[0])
    return curve_of_one(ranks, relevant, int(one.judged.last_rank()[0]), levels, one.query)


def contingency_of(
    plan: Plan | StreamPlan | SparkPlan, run: Run, k: int | None, collection: int | None, rel: float | None
) -> Contingency:
    """Return the contingency table of a run."""
    return contingency_from(_results(plan, run, cells(k, rel)), collection)


def _results(plan: Plan | StreamPlan | SparkPlan, run: Run, metrics: Sequence[Metric]) -> Results:
    return replace(plan, slices={}).with_metrics(tuple(metrics)).results(run)
