"""Metrics about incomplete judgements: the judged share of a list, and bpref."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.base import QueryMetric, definition
from rankwell.hits import Context, Judged
from rankwell.ranked import ratio

__all__ = ["Bpref", "JudgedShare"]


@definition
class JudgedShare(QueryMetric):
    """Judged share: how many of the first k items were judged at all; read it beside every other metric.

    Formula
        judged@k = |{r ≤ k : judged}| / min(k, n), with n = length of the list

    Edge cases
        Undefined by the list where the list is empty. Grades below 0 count as unjudged unless the policy says
        ``negative=nonrelevant``.

    Convention
        ir_measures' Judged counts negative grades as judged; trec_eval 10's unj divides by k.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 0}}, ["judged@2"]).mean
        {'judged@2': 0.5}

    Reference
        ir_measures Judged; trec_eval 10 unj (its complement where n ≥ k).
    """

    name: ClassVar[str] = "judged"
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Judged items in the first k, divided by min(k, n)."""
        found = judged.found.top(self.k)
        assert self.k is not None
        known = found.where(context.scale.judged(found.grade)).count()
        return ratio(known, np.minimum(judged.n_retrieved, self.k))


@definition
class Bpref(QueryMetric):
    """Binary preference: how rarely a judged nonrelevant item stands above a relevant one; unjudged items are unseen.

    Formula
        bpref = (1/R) Σ_{relevant retrieved} (1 − min(n_r, R) / min(N, R)), with n_r = judged nonrelevant items above,
        N = judged nonrelevant items of the query; a term with n_r = 0 is 1

    Edge cases
        Undefined by the judgements where a query has no relevant item. Relevant items that were not retrieved add 0.
        Grades below 0 are unjudged here (not in N) unless the policy says ``negative=nonrelevant``.

    Convention
        trec_eval's, since 2006; the formula of the 2004 paper differs in its denominator.

    Parameters
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "b": 0, "c": 1}}, ["bpref"]).mean
        {'bpref': 0.5}

    Reference
        C. Buckley and E. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004; trec_eval bpref.
    """

    name: ClassVar[str] = "bpref"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """One term per relevant item found, divided by R."""
        scale = context.scale
        found = judged.found.where(scale.judged(judged.found.grade))
        relevant = scale.relevant(found.grade, self.rel)
        nonrelevant = judged.of_ideal(
            ("nonrelevant", self.rel),
            lambda best: best.where(scale.judged(best.grade) & ~scale.relevant(best.grade, self.rel)).count(),
        )
        hits = found.where(relevant)
        above = (found.nth()[relevant] - hits.nth()).astype(np.float64)
        r = judged.n_relevant(self.rel)[hits.query]
        below = np.maximum(np.minimum(nonrelevant[hits.query], r), 1)
        terms = 1.0 - np.minimum(above, r) / below
        return ratio(hits.sum(terms), judged.n_relevant(self.rel))
