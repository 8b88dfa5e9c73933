"""What judges can still change of a comparison: the queries that either system wins whatever unjudged items turn out to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.comparison import Comparison
from rankwell.comparison.decided import Decided
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.bounds import NO_PAIR, PairBounds
from rankwell.evaluation.plan import Plan
from rankwell.metrics.bounds import DifferenceBounds
from rankwell.metrics.metric import Metric
from rankwell.statistics.frequent import TIE
from rankwell.tables.run_qrels import Run


class Judging(NamedTuple):
    """An evaluator that was asked for bounds, and the runs that it evaluated, by name."""

    evaluator: Evaluator
    runs: Mapping[str, Run]


def with_bounds(found: Comparison, judging: Judging) -> Comparison:
    """Return a comparison with the bounds of its differences under unjudged items.

    Raises
    ------
    UsageError
        If a system is not one run, or queries are weighted.
    """
    lacking = [name for name in found.names if name not in judging.runs]
    if lacking or found.seeds or found.folds:
        what = (
            f"{lacking[0]} is not"
            if lacking and not (found.seeds or found.folds)
            else "trainings and folds are not"
        )
        raise UsageError(
            f"bounds of differences need the lists of each system: {what} one run; give the runs themselves."
        )
    if found.weights:
        raise UsageError("bounds cannot be combined with weights=.")
    plan = judging.evaluator.plan
    assert isinstance(plan, Plan)
    bounds = plan.for_runs([*judging.runs.values()]).bounds
    assert bounds is not None
    pairs = PairBounds.of(bounds, judging.runs)
    columns: dict[Metric, list[dict[str, Any]]] = {metric: [] for metric in found.metrics}
    for left, right in found.pairs.T.tolist():
        differences = pairs.differences(found.names[left], found.names[right])
        for metric in found.metrics:
            is_open = bounds.bounding.of(metric).reads_pool and not bounds.bounding.pool
            columns[metric].append(_decided(differences.get(metric), pairs.why(metric), is_open=is_open))
    decided = {metric: Decided.of(rows) for metric, rows in columns.items()}
    return replace(found, decided=decided, bounding=bounds.bounding)


def _decided(own: DifferenceBounds | None, why: str, *, is_open: bool) -> dict[str, Any]:
    """Return what is decided of one pair under one metric; without a stated pool there are no bounds of a mean of metrics of R."""
    if own is None:
        return {"kind": "none", "why": why}
    defined = np.flatnonzero(~np.isnan(own.least) & ~np.isnan(own.most))
    least, most = own.least[defined], own.most[defined]
    first, second = least > TIE, most < -TIE
    equal = (np.abs(least) <= TIE) & (np.abs(most) <= TIE)
    counts = {
        "n": len(defined),
        "first": int(first.sum()),
        "second": int(second.sum()),
        "equal": int(equal.sum()),
        "undecided": int((~first & ~second & ~equal).sum()),
        "kind": "exact" if own.is_decided else "outer",
    }
    if is_open:
        return counts | {"why": NO_PAIR}
    means = (
        {"low": float(own.low[defined].mean()), "high": float(own.high[defined].mean())}
        if len(defined)
        else {}
    )
    return counts | means | {"mean_kind": "exact" if own.is_exact else "outer"}
