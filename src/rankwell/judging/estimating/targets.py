"""What can be estimated: AP by statAP and xinfAP, nDCG by inferred nDCG; and which estimators a metric has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.judging.estimating.gains import infndcg
from rankwell.judging.estimating.part import Estimate, Part
from rankwell.judging.estimating.relevant import statap, xinfap
from rankwell.matching.context import Context
from rankwell.matching.scale import Scale
from rankwell.metrics import metrics_of
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.graded.ndcg import nDCG
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.arguments import as_list
from rankwell.tables.ranked import Ranked

OF_AP: dict[str, Callable[..., Estimate | None]] = {
    "statap": statap,
    "xinfap": xinfap,
    "xinfap_trec": partial(xinfap, classes=3),
}
RULES = {
    "statap": "Σ over pairs of relevant items, each by how likely both were drawn, over the estimated R",
    "xinfap": "the expected precision at each relevant item, each by how many items it stands for",
    "xinfap_trec": "xinfap with the smoothing of sample_eval.pl, 3ε",
    "infndcg": "the mean gain of each stratum in the list, over the ideal of the estimated numbers of each grade",
}
DEFAULT = ("statap", "xinfap", "infndcg")
LISTED = ("xinfap", "xinfap_trec", "infndcg")  # they read which items of the list are in the frame


class Target(Protocol):
    """A metric whose value for one list can be estimated."""

    @property
    def metric(self) -> Metric:
        """The metric."""

    @property
    def estimators(self) -> tuple[str, ...]:
        """The estimators that were asked for."""

    @property
    def most(self) -> float:
        """The number of relevant items above which more make no difference; infinite without a cut-off."""

    def estimate(
        self, estimator: str, part: Part, rank: np.ndarray, grade: np.ndarray, scale: Scale
    ) -> Estimate | None:
        """Return the estimate of a list that has the items of the frame at these ranks (infinity: not at all)."""


@record
class OfAP:
    """AP, divided by R or by min(R, k)."""

    metric: AP
    estimators: tuple[str, ...]

    def estimate(
        self, estimator: str, part: Part, rank: np.ndarray, grade: np.ndarray, scale: Scale
    ) -> Estimate | None:
        """Return the estimate; None if no judged item is relevant."""
        relevant = part.judged & scale.relevant(grade, self.metric.rel)
        return OF_AP[estimator](part, _cut(rank, self.metric.k), relevant, self.most)

    @property
    def most(self) -> float:
        """The k of min(R, k)."""
        k = self.metric.k
        return np.inf if k is None or self.metric.denom == "R" else float(k)


@record
class OfnDCG:
    """nDCG with the ideal list of all judged items."""

    metric: nDCG
    estimators: tuple[str, ...]

    def estimate(
        self, estimator: str, part: Part, rank: np.ndarray, grade: np.ndarray, scale: Scale
    ) -> Estimate | None:
        """Return the estimate; None if no judged item has a gain. There is one estimator."""
        assert estimator in self.estimators
        known = np.where(part.judged, grade, 0.0)
        ranked = Ranked(len(grade), np.arange(len(grade)), np.ones(len(grade), np.int64), known)
        gain = np.where(
            part.judged & scale.judged(grade), self.metric.gains(ranked, Context(scale, None)), 0.0
        )
        k = self.metric.k
        cut = _cut(rank, k)
        deepest = cut[np.isfinite(cut)].max(initial=1.0)
        last = int(max(deepest, np.ceil(part.weight.sum()), len(grade))) if k is None else k
        return infndcg(part, cut, np.maximum(gain, 0.0), self.metric.weights_of(np.arange(1, last + 1)))

    @property
    def most(self) -> float:
        """The cut-off, at which the ideal list ends."""
        return np.inf if self.metric.k is None else float(self.metric.k)


def _cut(rank: np.ndarray, k: int | None) -> np.ndarray:
    return rank if k is None else np.where(rank <= k, rank, np.inf)


def targets_of(metrics: Any, estimators: Any = None) -> tuple[Target, ...]:
    """Return what to estimate of each metric.

    Raises
    ------
    UsageError
        For a metric, or a switch of it, that no estimator is of; an unknown estimator; or a metric that none of those given is of.
    """
    names = DEFAULT if estimators is None else tuple(as_list("estimators", estimators))
    if not names:
        raise UsageError(f"estimators= is empty; give {one_of(RULES)}.")
    for name in names:
        if name not in RULES:
            raise UsageError(f"estimators={brief(name)}: must be {one_of(RULES)}.{nearest(name, RULES)}")
    return tuple(_target_of(metric, names) for metric in metrics_of(metrics))


def _target_of(metric: Metric, names: tuple[str, ...]) -> Target:
    found: Target
    if type(metric) is AP:
        if metric.denom not in (None, "R", "min_rk"):
            raise UsageError(f"{metric}: AP is estimated with denom=R, and at a cut-off min_rk.")
        found = OfAP(metric, tuple(name for name in names if name in OF_AP))
    elif type(metric) is nDCG:
        is_plain = metric.ideal in ("judged", "uncut" if metric.k is None else "judged")
        if not is_plain or not isinstance(metric.gain, str) or not isinstance(metric.discount, str):
            raise UsageError(
                f"{metric}: nDCG is estimated with gain=linear or exp2, a named discount, and the ideal list of all judged items."
            )
        found = OfnDCG(metric, tuple(name for name in names if name == "infndcg"))
    else:
        raise UsageError(
            f"{metric} has no estimator here; ap, ap@k, ndcg and ndcg@k have. Sums over items (P@k, DCG@k, RBP@k) are estimated from items drawn "
            f"with known propensities by rw.prediction_powered(drawn='items')."
        )
    if not found.estimators:
        own = OF_AP if type(metric) is AP else ["infndcg"]
        raise UsageError(f"{metric}: none of {one_of(names)} estimates it; take {one_of(own)}.")
    return found
