"""Metrics of the precision-recall curve: interpolated precision, its mean over eleven levels, and the area."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.binary.precision import Levels, needed_hits
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parameters import Numbers
from rankwell.tables.lists import Ranked

__all__ = ["AUCPR", "Avg11", "IPrec"]

ELEVEN = tuple(tenth / 10 for tenth in range(11))


def interpolate(hits: Ranked, relevant: np.ndarray, level: float, levels: str) -> np.ndarray:
    """Return per query the highest precision at or after the rank that reaches a recall level."""
    needed = np.maximum(needed_hits(level, relevant, levels), 1)
    found = hits.count()
    reached = np.flatnonzero((found >= needed) & (relevant > 0))
    # reduceat over pairs (from, to) of the hits' rows; every other result is of the rows between two queries and is dropped. The
    # 0 appended gives the last "to" a row to point at.
    ends = np.cumsum(found)[reached]
    starts = ends - found[reached] + needed[reached] - 1
    precision = np.append(hits.nth() / hits.rank, 0.0)
    values = np.where(relevant > 0, 0.0, np.nan)
    if len(reached):
        values[reached] = np.maximum.reduceat(precision, np.stack([starts, ends], axis=1).ravel())[::2]
    return values


@definition
class IPrec(QueryMetric):
    """Interpolated precision: the highest precision at any rank whose recall is at least ``level``.

    Formula
        P_int(ρ) = max{P@r : recall@r ≥ ρ}, 0 if the list never reaches ρ

    Edge cases
        At level 0 it is the highest precision at any rank. Undefined by the judgements if a query has no relevant
        item.

    Convention
        ``levels=exact`` requires at least ρ · R hits, in whole numbers. trec_eval 9 requires int(ρR + 0.9) hits, and
        trec_eval 10 rounds ρR, so at ρ = .4 and R = 3 it accepts one hit; ``trec9`` and ``trec10`` reproduce their
        numbers.

    Parameters
        level: the recall level, 0 to 1
        levels: exact, trec9 or trec10
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 1}}
        >>> rw.evaluate(run, qrels, ["iprec(level=0.5)", "iprec(level=1)"]).mean
        {'iprec': 1.0, 'iprec(level=1)': 0.6666666666666666}

    Reference
        C. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval, 2008, section 8.4; trec_eval
        iprec_at_recall.
    """

    sliceable: ClassVar[bool] = True

    name: ClassVar[str] = "iprec"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    level: float = 0.5
    levels: Levels = "exact"
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.level <= 1:
            raise UsageError(f"iprec(level={self.level:g}): level must be between 0 and 1.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The highest precision from the hit that reaches the level."""
        return interpolate(judged.relevant(self.rel), judged.n_relevant(self.rel), self.level, self.levels)


@definition
class Avg11(QueryMetric):
    """Eleven-point average: the mean of the interpolated precisions at recall 0, 0.1, …, 1, or at other levels.

    Formula
        (1/11) Σ_{j=0..10} P_int(j/10)

    Edge cases
        Undefined by the judgements if a query has no relevant item.

    Convention
        An older summary of the precision-recall curve; it differs from AP. ``levels`` as for iprec: trec_eval's
        11pt_avg requires different numbers of hits in versions 9 and 10.

    Parameters
        at: the recall levels, each from 0 to 1; default: the eleven levels
        levels: exact, trec9 or trec10
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> ranked = {f"d{rank}": 10 - rank for rank in range(10)}
        >>> rw.evaluate({"q": ranked}, {"q": {"d0": 1, "d2": 1, "d5": 1}}, ["avg11", "ap"]).mean
        {'avg11': 0.7272727272727273, 'ap': 0.7222222222222222}

    Reference
        G. Salton and M. McGill, Introduction to Modern Information Retrieval, 1983; trec_eval 11pt_avg.
    """

    sliceable: ClassVar[bool] = True

    name: ClassVar[str] = "avg11"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    at: Numbers | None = None
    levels: Levels = "exact"
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at is not None and (not self.at or not all(0 <= level <= 1 for level in self.at)):
            raise UsageError(
                f"{self.name}(at={list(self.at)}): at must be one or more recall levels between 0 and 1."
            )

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over the levels."""
        hits, relevant = judged.relevant(self.rel), judged.n_relevant(self.rel)
        at = ELEVEN if self.at is None else self.at
        total = sum(interpolate(hits, relevant, level, self.levels) for level in reversed(at))
        return total / len(at)  # type: ignore[return-value]


@definition
class AUCPR(Additive):
    """Area under the precision-recall curve of a list: by steps it is average precision, by trapezoids it is optimistic.

    Formula
        step: Σ_{r : relevant} (1/R) · P@r; trapezoid: Σ_{r : relevant} (1/R) · (P@(r − 1) + P@r) / 2, with P@0 = 1

    Edge cases
        Relevant items missing from the list add nothing. Undefined by the judgements if a query has no relevant item.

    Convention
        ``step`` is AP without a cut-off under another name, as in scikit-learn's average_precision_score. Precision is
        not linear between two points of the curve, so ``trapezoid`` gives values that no list reaches; it exists to
        reproduce auc(recall, precision) of scikit-learn and others, and prints a caveat beside every result. Tied
        scores are ordered by the policy; scikit-learn treats them as one point.

    Parameters
        method: step or trapezoid
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 1}}
        >>> rw.evaluate(run, qrels, ["auc_pr", "auc_pr(method=trapezoid)"]).mean
        {'auc_pr': 0.8333333333333333, 'auc_pr(method=trapezoid)': 0.7916666666666666}

    Reference
        J. Davis and M. Goadrich, The relationship between precision-recall and ROC curves, ICML 2006.
    """

    name: ClassVar[str] = "auc_pr"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    method: Literal["step", "trapezoid"] = "step"
    rel: float | None = None

    @property
    def words(self) -> tuple[str, str, str]:  # type: ignore[override]
        """The names of gain, weight and divisor in the worked table."""
        return "relevant", "P@r" if self.method == "step" else "(P@(r−1) + P@r)/2", "R"

    def caution(self) -> str:
        """Linear interpolation of precision is optimistic."""
        flatters = (
            "the trapezoid is optimistic: precision is not linear between two points of the curve; AP is not"
        )
        return flatters if self.method == "trapezoid" else ""

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each hit, weighted by the precision at its rank, or by its mean with the precision one rank before."""
        hits = judged.relevant(self.rel)
        nth, rank = hits.nth(), hits.rank
        weight = nth / rank
        if (
            self.method == "trapezoid"
        ):  # recall rises at hits alone, by 1/R: a trapezoid from the precision just before to that at the hit
            weight = (weight + np.where(rank > 1, (nth - 1) / np.maximum(rank - 1, 1), 1.0)) / 2
        return Terms(hits, np.ones(len(hits)), weight)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """R, the number of relevant items."""
        return judged.n_relevant(self.rel)
