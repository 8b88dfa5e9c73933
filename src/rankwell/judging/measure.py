"""Measure: how much a judgement of an item can change a metric, for metrics in which this has a closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context
from rankwell.matching.scale import Scale
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.binary.binary import P
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.graded.gain import CG, DCG
from rankwell.metrics.graded.ndcg import nDCG
from rankwell.metrics.graded.users import RBP
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.lists import Ranked

LINEAR = (P, CG, DCG, RBP)
EXAMPLES = "ap, p@10, dcg@10, cg@10 and rbp"


@record
class Measure:
    """A metric that is a sum over items (P, CG, DCG, RBP), or over pairs of items (AP).

    AP · R = Σ_{i ≤ j} a_ij x_i x_j with a_ij = 1 / max(rank of i, rank of j), x = 1 for a relevant item and 0 for others. Its
    derivative in x_i at any x, 1 for item i itself, is ``effects``; of the others it is the discount of the rank.
    """

    metric: Metric
    is_quadratic: bool

    @property
    def k(self) -> int | None:
        """The cut-off."""
        k: int | None = getattr(self.metric, "k", None)
        return k

    def effects(self, rank: np.ndarray, x: np.ndarray | None) -> np.ndarray:
        """Return what each item adds to its list if it is relevant, and each other one to the degree x; None: no other one.

        ``rank`` and ``x`` have a row for each list, in rank order; a rank of infinity is beyond the list.
        """
        seen = np.isfinite(rank) if self.k is None else rank <= self.k
        if not self.is_quadratic:
            metric: Any = self.metric
            weights = np.zeros(rank.shape)
            weights[seen] = metric.weights_of(rank[seen].astype(np.int64))
            return weights / (self.k or 1) if isinstance(metric, P) else weights
        share = np.where(seen, 1.0 / rank, 0.0)
        if x is None:
            return share
        above = np.cumsum(x, axis=1) - x
        added = x * share
        # the sum of what stands below, from the end: of AP an item adds to the precision at each relevant one beneath it
        below = np.cumsum(added[:, ::-1], axis=1)[:, ::-1] - added
        return (1.0 + above) * share + np.where(seen, below, 0.0)

    def gains(self, grade: np.ndarray, scale: Scale, highest: float) -> np.ndarray:
        """Return the gain of each grade: 1 for relevant ones, or what a graded metric gives them; 0 for NaN."""
        if isinstance(self.metric, AP | P):
            return scale.relevant(grade, self.metric.rel).astype(np.float64)
        rows = np.arange(len(grade))
        # gains are looked up per grade, so each grade is handed over as a list of one
        judged = np.nan_to_num(grade, nan=0.0)
        ranked = Ranked(len(grade), rows, np.ones(len(grade), np.int64), judged)
        metric: Any = self.metric
        gains: np.ndarray = metric.gains(ranked, Context(scale, highest))
        return np.where(scale.judged(grade), gains, 0.0)

    def relevant(self, grade: np.ndarray, scale: Scale) -> np.ndarray:
        """Return which grades are relevant to the metric."""
        return scale.relevant(grade, getattr(self.metric, "rel", None))


def measure_of(wanted: Wanted) -> Measure:
    """Return the measure of a metric.

    Raises
    ------
    UsageError
        For a metric, or a switch of it, of which the change has no closed form here.
    """
    metric = metric_of(wanted)
    if type(metric) is AP and metric.budget is None:
        if metric.denom not in (None, "R", "min_rk"):
            raise UsageError(f"{metric}: judgements are chosen for AP divided by R or min(R, k).")
        return Measure(metric, is_quadratic=True)
    if not isinstance(getattr(metric, "gain", ""), str):
        raise UsageError(
            f"{metric}: a table of gains may give the highest grade less than others, so what a judgement can change is not known. "
            f"Take gain=linear or gain=exp2."
        )
    is_fixed = getattr(metric, "denom", "k") == "k" and getattr(metric, "max_grade", None) != "query"
    if type(metric) not in LINEAR or not is_fixed or metric.budget is not None:
        hint = " For nDCG take dcg: its order of two lists is the same." if isinstance(metric, nDCG) else ""
        raise UsageError(
            f"{metric}: judgements are chosen for {EXAMPLES}, whose change has a closed form.{hint}"
        )
    return Measure(metric, is_quadratic=False)
