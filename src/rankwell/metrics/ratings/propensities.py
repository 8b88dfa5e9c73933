"""Estimates corrected for unobserved preferences: each hit is weighted by 1 / propensity (IPS, SNIPS)."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.additive import Additive, RankWeighted
from rankwell.metrics.metric import Metric, QueryMetric, definition
from rankwell.records import record
from rankwell.tables.lists import owners, ratio
from rankwell.tables.states import Total

__all__ = ["IPS", "SNIPS"]

UNFIT = frozenset({"shown"})  # only hits have a propensity


@definition
class _Weighed(QueryMetric):
    """A sum of gain · weight over a list, each term divided by the propensity of its judgement."""

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    needs: ClassVar[frozenset[str]] = frozenset({"propensity"})
    sliceable: ClassVar[bool] = True

    metric: Metric | None = None
    clip: float | None = None

    def __post_init__(self) -> None:
        if self.k is not None:
            raise UsageError(
                f"{self.name}@{self.k}: the cut-off belongs to the metric inside: {self.name}(metric=p@{self.k})."
            )
        super().__post_init__()
        if self.clip is not None and not 0 < self.clip <= 1:
            raise UsageError(
                f"{self.name}(clip={self.clip:g}): clip, the lowest propensity, must be above 0 and at most 1."
            )

    def _fit(self, name: str, value: Any, hint: Any) -> Any:
        if name == "metric" and value is not None:
            from rankwell.metrics import metric_of

            return metric_of(value, complete=False)
        return super()._fit(name, value, hint)

    def check(self) -> None:
        """The metric must be given, be a sum over hits, and have its cut-off."""
        super().check()
        if self.metric is None:
            raise UsageError(
                f"{self.name} weights the hits of another metric: name it, such as {self.name}(metric=ndcg@10)."
            )
        self.metric.check()
        base = self.metric
        if (
            not isinstance(base, Additive)
            or base.better != "higher"
            or not base.sliceable
            or base.needed() & UNFIT
        ):
            raise UsageError(
                f"{self}: {base} is not a sum over the relevant items found, so hits cannot be weighted. Use a metric such as "
                f"p@10, r@10, dcg@10, ndcg@10, rbp or rr."
            )

    def needed(self) -> frozenset[str]:
        """The propensities, and what the metric needs."""
        return self.needs | (self.metric.needed() if self.metric is not None else frozenset())

    def has_expected_value(self) -> bool:
        """Yes, if each tied item may take each of its group's ranks whatever the other items are."""
        return isinstance(self.metric, RankWeighted)

    def broken_laws(self) -> dict[str, str]:
        """The laws that the metric breaks; and a hit of a higher grade may weigh less."""
        kept = self.metric.broken_laws() if self.metric is not None else {}
        reason = "a hit that was certain to be observed weighs less than others"
        return kept | dict.fromkeys(
            ("a better list scores no worse", "best and worst bracket expected"), reason
        )

    def caution(self) -> str:
        """A warning for metrics that propensities cannot correct."""
        if isinstance(self.metric, RankWeighted):
            return ""
        return f"the terms of {self.metric} depend on which other items were observed, which weighting cannot correct"

    @property
    def rel(self) -> float | None:
        """The metric's ``rel``, if it has one."""
        if not hasattr(self.metric, "rel"):
            raise AttributeError("rel")
        return self.metric.rel  # type: ignore[union-attr]

    def diagnostics(self, judged: Judged) -> WeightSums:
        """The weights of all relevant judgements of these queries."""
        relevant, weights = self._weights(judged)
        _, _, rows = judged.pool_rows()
        rows = rows[relevant[rows]]
        assert judged.pool.propensity is not None
        return WeightSums.of(weights[rows], judged.pool.propensity[rows] < (self.clip or 0.0))

    def _weights(self, judged: Judged) -> tuple[np.ndarray, np.ndarray]:
        """Which judgements of the pool are relevant, and their weights."""
        pool, rel = judged.pool, getattr(self, "rel", None)
        if pool.propensity is None:
            raise LookupError('a metric that weights by propensities must declare needs = {"propensity"}')
        return pool.once(_relevant_rows, rel), pool.once(_weights, self.clip)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The weighted sum over the divisor."""
        assert isinstance(self.metric, Additive)
        terms = self.metric.terms(judged, context)
        rows, (_, weights) = terms.rows.pool_row, self._weights(judged)
        if rows is None:
            raise UsageError(
                f"{self}: the terms of {self.metric} are not rows of the list, so they have no propensity."
            )
        return ratio(terms.rows.sum(terms.gain * terms.weight * weights[rows]), self.divisor(judged, context))

    @abstractmethod
    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """Return the divisor of each sum."""

    def _relevant_weights(self, judged: Judged) -> np.ndarray:
        """The sum of the weights of each query's relevant judgements."""
        return judged.pool.once(_sums_of_weights, getattr(self, "rel", None), self.clip)[judged.pool_row]


def _relevant_rows(pool: Pool, rel: float | None) -> np.ndarray:
    return pool.scale.relevant(pool.grades, rel)


def _weights(pool: Pool, clip: float | None) -> np.ndarray:
    assert pool.propensity is not None
    return 1.0 / np.maximum(pool.propensity, clip or 0.0)


def _sums_of_weights(pool: Pool, rel: float | None, clip: float | None) -> np.ndarray:
    """The sum for each query of the pool; the last is for queries without judgements."""
    query = owners(pool.offsets)
    weights = pool.once(_weights, clip) * pool.once(_relevant_rows, rel)
    return np.append(
        np.bincount(query, weights=weights, minlength=len(pool.queries)), np.nan
    )  # -1 reads the NaN


@record(slots=True)
class WeightSums:
    """How uneven weights are: their exact sum, that of their squares, and how many were clipped."""

    sum: Total
    squares: Total
    clipped: int

    @classmethod
    def of(cls, weights: np.ndarray, clipped: np.ndarray) -> WeightSums:
        """Return the state of some weights, given which of them were clipped."""
        return cls(Total.of(weights), Total.of(np.square(weights)), int(np.count_nonzero(clipped)))

    def __add__(self, other: WeightSums) -> WeightSums:
        return WeightSums(self.sum + other.sum, self.squares + other.squares, self.clipped + other.clipped)

    @property
    def diagnostics(self) -> dict[str, float]:
        """The effective sample size (Σ w)² / Σ w², and the share of weights that were clipped."""
        n = self.sum.n
        return {
            "relevant judgements": n,
            "effective sample size": self.sum.value**2 / self.squares.value if n else 0.0,
            "share of weights clipped": self.clipped / n if n else 0.0,
        }


@definition
class IPS(_Weighed):
    """A metric with each hit weighted by its inverse propensity, the probability of being observed (IPS).

    Formula
        IPS(M) = Σ_{hits} gain · weight / max(p, clip) ÷ divisor, where M = Σ_{hits} gain · weight ÷ divisor

    Edge cases
        Needs a column ``propensity`` of the judgements, above 0 and at most 1; repeated rows of a pair must agree. Undefined
        by the judgements if M is. May exceed 1. With all propensities 1 it is M.

    Convention
        M itself, unweighted, is the average over all observed (AOA). The divisor of M is not weighted: if it too depends on
        what was observed (R of recall, the ideal of nDCG), ``snips`` is the cleaner estimate. The result also shows the
        effective sample size of the relevant judgements, (Σ w)² / Σ w² with w = 1/p, and the share of weights clipped.

    Parameters
        metric: a metric that is a sum over the relevant items found, with its cut-off: p@10, dcg@10, ndcg@10, rbp …
        clip: the lowest propensity: 1/p is at most 1/clip; default: none

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["u", "u"], item=["a", "b"], propensity=[0.5, 0.1])
        >>> rw.evaluate({"u": ["a", "b"]}, qrels, ["p@2", "ips(metric=p@2)", "ips(metric=p@2,clip=0.2)"]).mean
        {'p@2': 1.0, 'ips(metric=p@2)': 6.0, 'ips(metric=p@2,clip=0.2)': 3.5}

    Reference
        L. Yang et al., Unbiased offline recommender evaluation for missing-not-at-random implicit feedback, RecSys 2018;
        T. Schnabel et al., Recommendations as treatments, ICML 2016.
    """

    name: ClassVar[str] = "ips"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The metric's own divisor."""
        assert isinstance(self.metric, Additive)
        return self.metric.divisor(judged, context)


@definition
class SNIPS(_Weighed):
    """A metric with each hit weighted by its inverse propensity, divided by the sum of these weights (SNIPS).

    Formula
        SNIPS(M) = Σ_{hits} gain · weight / max(p, clip) ÷ Σ_{relevant judged} 1 / max(p, clip), per query, where M sums
        gain · weight; the divisor of M is not used

    Edge cases
        Needs a column ``propensity`` of the judgements, above 0 and at most 1; repeated rows of a pair must agree.
        Undefined by the judgements if a query has no relevant item.

    Convention
        Self-normalised per user, as in the paper: with p@k or r@k it is recall, with dcg the mean discount of a relevant
        item. It has less variance than ``ips`` and a small bias; a common factor of all propensities cancels. The result also
        shows the effective sample size of the relevant judgements, (Σ w)² / Σ w² with w = 1/p, and the share of weights
        clipped.

    Parameters
        metric: a metric that is a sum over the relevant items found, with its cut-off: r@10, dcg@10, rbp …
        clip: the lowest propensity: 1/p is at most 1/clip; default: none

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["u", "u"], item=["a", "b"], propensity=[0.5, 0.1])
        >>> rw.evaluate({"u": ["a", "b"]}, qrels, ["r@1", "snips(metric=r@1)", "snips(metric=r@1,clip=0.25)"]).mean
        {'r@1': 0.5, 'snips(metric=r@1)': 0.16666666666666666, 'snips(metric=r@1,clip=0.25)': 0.3333333333333333}

    Reference
        L. Yang et al., Unbiased offline recommender evaluation for missing-not-at-random implicit feedback, RecSys 2018;
        A. Swaminathan and T. Joachims, The self-normalized estimator for counterfactual learning, NIPS 2015.
    """

    name: ClassVar[str] = "snips"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The weights of all relevant judgements."""
        return self._relevant_weights(judged)
