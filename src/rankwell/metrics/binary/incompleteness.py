"""Metrics about incomplete judgements: the judged and unjudged shares of a list, bpref, infAP."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.lists import ratio

__all__ = ["Bpref", "InfAP", "JudgedShare", "UnjudgedShare"]


@definition
class JudgedShare(QueryMetric):
    """Judged share: how many of the first k items were judged; read it together with every other metric.

    Formula
        judged@k = |{r ≤ k : judged}| / min(k, n), with n = length of the list

    Edge cases
        Undefined by the list if the list is empty, or 0 with empty=zero. Grades below 0 count as unjudged unless the policy sets
        ``negative=nonrelevant``.

    Convention
        ir_measures' Judged counts negative grades as judged, and empty lists as 0; trec_eval 10's unj divides by k.

    Parameters
        empty: skip or zero, for empty lists

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 0}}, ["judged@2"]).mean
        {'judged@2': 0.5}

    Reference
        ir_measures Judged; trec_eval 10 unj (its complement where n ≥ k).
    """

    name: ClassVar[str] = "judged"
    plain: ClassVar[str] = "share of {top} that somebody has judged"
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    empty: Literal["skip", "zero"] = "skip"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Judged items in the first k, divided by min(k, n)."""
        found = judged.found.top(self.k)
        known = found.where(context.scale.judged(found.grade)).count()
        shown = judged.n_shown(self.k)
        return ratio(known, np.maximum(shown, 1) if self.empty == "zero" else shown)


@definition
class UnjudgedShare(QueryMetric):
    """Unjudged share: how many of the first k ranks hold an unjudged item.

    Formula
        unj@k = |{r ≤ k : unjudged}| / k

    Edge cases
        A list shorter than k is still divided by k, as if judged items followed; an empty list is 0. Grades below 0
        count as unjudged unless the policy sets ``negative=nonrelevant``.

    Convention
        trec_eval 10's unj. For lists of at least k items it is 1 − judged@k, which divides by min(k, n).

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 0}}, ["unj@2", "unj@6"]).mean
        {'unj@2': 0.5, 'unj@6': 0.16666666666666666}

    Reference
        trec_eval 10 unj.
    """

    name: ClassVar[str] = "unj"
    plain: ClassVar[str] = "share of {top} that nobody has judged"
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The unjudged items among the first min(k, n), divided by k."""
        assert self.k is not None
        found = judged.found.top(self.k)
        known = found.where(context.scale.judged(found.grade)).count()
        return (judged.n_shown(self.k) - known) / self.k


@definition
class Bpref(Additive):
    """Binary preference: how rarely a judged nonrelevant item is ranked above a relevant one; ignores unjudged items.

    Formula
        bpref = (1/R) Σ_{relevant retrieved} (1 − min(n_r, R) / min(N, R)), with n_r = judged nonrelevant items above,
        N = judged nonrelevant items of the query; a term with n_r = 0 is 1

    Edge cases
        Undefined by the judgements if a query has no relevant item. Relevant items that were not retrieved add 0.
        Grades below 0 are unjudged here (not in N) unless the policy sets ``negative=nonrelevant``.

    Convention
        trec_eval's definition since 2006; the formula of the 2004 paper has a different denominator.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "b": 0, "c": 1}}, ["bpref"]).mean
        {'bpref': 0.5}

    Reference
        C. Buckley and E. Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004; trec_eval bpref.
    """

    sliceable: ClassVar[bool] = False

    name: ClassVar[str] = "bpref"
    plain: ClassVar[str] = "how rarely something not relevant is ranked above something relevant"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    rel: float | None = None

    words: ClassVar[tuple[str, str, str]] = ("relevant", "1 − above/min(N, R)", "R")

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each relevant item found, minus the share of judged nonrelevant items above it."""
        scale = context.scale
        # unjudged items are skipped: only the order of judged ones counts
        found = judged.found.where(scale.judged(judged.found.grade))
        relevant = scale.relevant(found.grade, self.rel)
        nonrelevant = judged.n_nonrelevant(self.rel)
        hits = found.where(relevant)
        above = (found.nth()[relevant] - hits.nth()).astype(np.float64)
        r = judged.n_relevant(self.rel)[hits.query]
        # min(R, N) since trec_eval of 2006, not R: with few judged nonrelevant items R would never be reached
        below = np.maximum(np.minimum(nonrelevant[hits.query], r), 1)
        return Terms(hits, np.ones(len(hits)), 1.0 - np.minimum(above, r) / below)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """R, the number of relevant items."""
        return judged.n_relevant(self.rel)


EPSILON = 1e-5


@definition
class InfAP(Additive):
    """Inferred average precision: an estimate of AP from judgements of a random sample of the pool.

    Formula
        infAP = (1/R) Σ_{relevant at r} E_r, with E_1 = 1 and
        E_r = 1/r + (pool above / r) · (relevant above + ε) / (relevant above + nonrelevant above + 2ε), ε = 0.00001

    Edge cases
        Items of the pool that were not sampled for judging carry a grade below 0: they count in the pool above, but
        neither as relevant nor as nonrelevant. Items outside the pool count only in r. Undefined by the judgements if
        a query has no relevant item.

    Convention
        trec_eval's infAP. With complete judgements and no unjudged item retrieved it is close to AP.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": {"a": 4, "b": 3, "c": 2, "d": 1}}, {"q": {"a": 1, "b": -1, "c": 0, "d": 1}}
        >>> round(rw.evaluate(run, qrels, ["infap"])["infap"], 4)
        0.8125

    Reference
        E. Yilmaz and J. Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006;
        trec_eval infAP.
    """

    sliceable: ClassVar[bool] = False

    name: ClassVar[str] = "infap"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    words: ClassVar[tuple[str, str, str]] = ("relevant", "E_r", "R")

    rel: float | None = None

    def broken_laws(self) -> dict[str, str]:
        """A grade below 0 marks an item of the pool that was not drawn, which may raise the estimate of hits below it."""
        return {
            "negative grades are unjudged": "an item of a grade below 0 is in the pool, and counts as pool above",
            "a better list scores no worse": "an item of the pool that was not drawn is taken for relevant in part",
        }

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each relevant item found, weighted by the expected precision at its rank."""
        scale, found = context.scale, judged.found
        known = scale.judged(found.grade)
        relevant = scale.relevant(found.grade, self.rel)
        hits = found.where(relevant)
        hits_above = hits.nth() - 1
        known_above = found.where(known).nth()[relevant[known]] - 1
        # smoothed, as nothing above may be judged
        likely = (hits_above + EPSILON) / (known_above + 2 * EPSILON)
        above = hits.rank - 1.0
        # in the order of trec_eval's operations, so that the last bit is the same too
        pooled = above / hits.rank * ((found.nth()[relevant] - 1) / np.maximum(above, 1.0)) * likely
        return Terms(hits, np.ones(len(hits)), np.where(above == 0, 1.0, 1.0 / hits.rank + pooled))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """R, the number of relevant items."""
        return judged.n_relevant(self.rel)
