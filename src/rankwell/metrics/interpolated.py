"""Interpolated precision: the best precision at a level of recall or above it, and its mean over eleven levels."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from rankwell.base import QueryMetric, definition
from rankwell.errors import UsageError
from rankwell.hits import Context, Judged
from rankwell.ranked import Ranked

__all__ = ["Avg11", "IPrec"]

Levels = Literal["exact", "trec9", "trec10"]
ELEVEN = tuple(tenth / 10 for tenth in range(11))


def needed_hits(level: float, relevant: np.ndarray, levels: str) -> np.ndarray:
    """Return how many hits reach a level of recall: exact in whole numbers, or as trec_eval 9 and 10 round."""
    if levels == "trec9":
        return (level * relevant + 0.9).astype(np.int64)
    if levels == "trec10":
        return np.floor(level * relevant + 0.5).astype(np.int64)
    exact = Fraction(repr(level))
    return -((-exact.numerator * relevant) // exact.denominator)


def interpolated(hits: Ranked, relevant: np.ndarray, level: float, levels: str) -> np.ndarray:
    """Return per query the highest precision at or after the rank that reaches a level of recall."""
    needed = np.maximum(needed_hits(level, relevant, levels), 1)
    found = hits.count()
    reached = np.flatnonzero((found >= needed) & (relevant > 0))
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
        At level 0 it is the highest precision anywhere. Undefined by the judgements where a query has no relevant
        item.

    Convention
        ``levels=exact`` asks for at least ρ · R hits, in whole numbers. trec_eval 9 asks for int(ρR + 0.9) hits and
        trec_eval 10 for ρR rounded, so that at ρ = .4 and R = 3 one hit is enough for it; ``trec9`` and ``trec10``
        give their numbers.

    Parameters
        level: the level of recall, 0 to 1
        levels: exact, trec9 or trec10
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

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
            raise UsageError(f"iprec(level={self.level:g}): a level of recall is 0 to 1.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The highest precision from the hit that reaches the level."""
        return interpolated(judged.relevant(self.rel), judged.n_relevant(self.rel), self.level, self.levels)


@definition
class Avg11(QueryMetric):
    """Eleven-point average: the mean of the interpolated precisions at recall 0, 0.1, …, 1.

    Formula
        (1/11) Σ_{j=0..10} P_int(j/10)

    Edge cases
        Undefined by the judgements where a query has no relevant item.

    Convention
        An older summary of the precision-recall curve; it is another number than AP. ``levels`` as for iprec:
        trec_eval's 11pt_avg asks for other numbers of hits in its versions 9 and 10.

    Parameters
        levels: exact, trec9 or trec10
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

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

    levels: Levels = "exact"
    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over the eleven levels."""
        hits, relevant = judged.relevant(self.rel), judged.n_relevant(self.rel)
        return sum(interpolated(hits, relevant, level, self.levels) for level in ELEVEN) / len(ELEVEN)  # type: ignore[return-value]
