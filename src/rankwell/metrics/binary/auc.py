"""Areas under the ROC curve: how often a relevant item scores higher than a nonrelevant one."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.matching.ties import TieGroups
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.binary.collection import OfCells
from rankwell.metrics.metric import CorpusMetric, QueryMetric, definition
from rankwell.tables.lists import Ranked, ratio
from rankwell.tables.states import WeightedMean

__all__ = ["AUC", "GAUC", "PAUC", "AUCTopK", "PAp"]


@definition
class AUC(QueryMetric):
    """Area under the ROC curve: the probability that a relevant item of the list scores higher than another item.

    Formula
        AUC = mean over pairs (relevant, other) of [s_rel > s_other] + ½ [s_rel = s_other], both in the list

    Edge cases
        Undefined by the list if it holds no relevant item, or nothing else. Relevant items missing from the list are
        ignored; for lists cut at k use auc_topk. Tied scores count one half under every policy for ties.

    Convention
        Computed per query, then averaged over queries (user-averaged AUC). ``among=judged`` compares with judged items
        only, which is right for logs of items that were shown but not clicked; on one list it equals scikit-learn's
        roc_auc_score of its labels. For averages weighted by the number of relevant items use ``gauc``.

    Parameters
        among: list (compare with all other items of the list), or judged (with its judged items only)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 1}}, ["auc"]).mean
        {'auc': 0.5}

    Reference
        J. Hanley and B. McNeil, The meaning and use of the area under a ROC curve, Radiology 143(1), 1982;
        scikit-learn roc_auc_score.
    """

    name: ClassVar[str] = "auc"
    plain: ClassVar[str] = "how often something relevant is ranked above something that is not"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    needs: ClassVar[frozenset[str]] = frozenset({"ties"})
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    among: Literal["list", "judged"] = "list"
    rel: float | None = None

    def has_expected_value(self) -> bool:
        """Yes: tied scores already count one half."""
        return True

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The relevant items' mean ranks from below, summed, minus the comparisons among themselves."""
        rows = judged.found
        if rows.tie_start is None:  # a query missing from the run
            return np.full(len(judged), np.nan)
        if self.among == "judged":
            rows = rows.where(context.scale.judged(rows.grade))
            middle, n = _middle_ranks(rows), rows.count()
        else:
            assert rows.tie_start is not None
            assert rows.tie_size is not None
            # places, not ranks: where ranks have gaps, the rows between them are not there to be beaten
            first = rows.tie_start - rows.rank + rows.places()
            middle, n = first + (rows.tie_size - 1) / 2, judged.n_retrieved
        relevant = context.scale.relevant(rows.grade, self.rel)
        hits = rows.where(relevant)
        positive = hits.count()
        # Mann and Whitney's U from mean ranks: each hit beats half of what it is tied with, and hits beat no hits
        from_below = hits.sum(n[hits.query] + 1 - middle[relevant])
        wins = from_below - positive * (positive + 1) / 2
        return ratio(wins, positive * (n - positive))


@definition
class GAUC(CorpusMetric):
    """Group AUC: the mean of the AUC of each list, weighted by the number of relevant items in the list.

    Formula
        GAUC = Σ_u P_u · AUC_u / Σ_u P_u, P_u relevant items in the list of u, AUC_u as for auc

    Edge cases
        Lists without a relevant item, or without another item, are left out.

    Convention
        RecBole's GAUC, and that of advertising, where P is also the number of impressions or clicks. ``auc`` weights all
        lists equally.

    Parameters
        among: list (compare with all other items of the list), or judged (with its judged items only)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run = {"u": {"a": 3, "b": 2, "c": 1}, "v": {"a": 2, "b": 1}}
        >>> rw.evaluate(run, {"u": {"a": 1, "b": 1}, "v": {"b": 1}}, ["gauc", "auc"]).mean
        {'gauc': 0.6666666666666666, 'auc': 0.5}

    Reference
        G. Zhou et al., Deep interest network for click-through rate prediction, KDD 2018; RecBole GAUC.
    """

    name: ClassVar[str] = "gauc"
    plain: ClassVar[str] = "how often something relevant is ranked above something that is not"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    needs: ClassVar[frozenset[str]] = frozenset({"ties"})
    judgements: ClassVar[bool] = True
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    among: Literal["list", "judged"] = "list"
    rel: float | None = None

    def has_expected_value(self) -> bool:
        """Yes: tied scores already count one half."""
        return True

    def state(self, judged: Judged, context: Context) -> WeightedMean:
        """The AUC of each list, weighted by its relevant items."""
        values = AUC(among=self.among, rel=self.rel).per_query(judged, context)
        weights = judged.relevant(self.rel).count().astype(np.float64)
        kept = ~np.isnan(values)
        return WeightedMean.of(values[kept], weights[kept])

    def value(self, state: WeightedMean) -> float:
        """The mean; NaN of nothing."""
        return state.value


def _middle_ranks(rows: Ranked) -> np.ndarray:
    """The mean rank of each row's group of tied scores, counting only these rows."""
    groups = TieGroups.of(rows)
    return (groups.before + (groups.rows + 1) / 2)[groups.of_row]


@definition
class AUCTopK(OfCells):
    """AUC of a list cut at k: the area under the ROC curve if all items beyond rank k were in random order.

    Formula
        mean over pairs (relevant, other) of the collection: 1 if the relevant item is ranked higher, ½ if neither is
        among the first k, 0 otherwise

    Edge cases
        Undefined by the judgements if a query has no relevant item, or all items are relevant. Tied scores are ordered
        by the policy.

    Convention
        Known as limited AUC. The other items are the whole collection except the relevant ones, so a list cut at
        k = 10 of a large catalogue stays near ½. Some programs leave out relevant items that were not retrieved, or
        count hits only within k; those are different measures.

    Parameters
        collection: the number of items that could be retrieved; default: the number of rows of items=
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1, "c": 1}}, ["auc_topk(collection=6)@2"]).mean
        {'auc_topk(collection=6)@2': 0.5625}

    Reference
        G. Schröder, M. Thiele and W. Lehner, Setting goals and choosing metrics for recommender system evaluations,
        UCERSTI 2011.
    """

    name: ClassVar[str] = "auc_topk"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "judgements"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The items that each hit beats, plus one half for each pair that was not retrieved."""
        found, wrong, missed, left = self.cells(judged, context)
        hits = judged.relevant(self.rel).top(self.k)
        negative = wrong + left
        beaten = hits.sum(negative[hits.query] - (hits.places() - hits.nth()))
        return ratio(beaten + missed * left / 2, (found + missed) * negative)


@definition
class _Partial(Additive):
    """A metric of pairs of relevant items and the first k nonrelevant items of the list."""

    sliceable: ClassVar[bool] = False

    cut: ClassVar[Literal["required", "optional", "none"]] = "required"

    rel: float | None = None

    def broken_laws(self) -> dict[str, str]:
        """The cut-off counts nonrelevant items, not ranks."""
        return {"only the first k count": "k counts nonrelevant items, not ranks"}

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each hit, weighted by the share of the first k nonrelevant items that it beats."""
        assert self.k is not None
        # above a hit are the hits before it and nonrelevant items: so many of the first k does it not beat
        hits = self._hits(judged)
        return Terms(hits, np.ones(len(hits)), np.maximum(self.k - (hits.places() - hits.nth()), 0) / self.k)

    def _hits(self, judged: Judged) -> Ranked:
        return judged.relevant(self.rel)


@definition
class PAUC(_Partial):
    """Partial AUC: how often a relevant item is ranked above one of the first k nonrelevant items.

    Formula
        pAUC@k = (1 / (k · R)) Σ_{relevant retrieved} max(0, k − nonrelevant items above it)

    Edge cases
        Undefined by the judgements if a query has no relevant item. Relevant items that were not retrieved beat
        nothing. If the list holds fewer than k nonrelevant items, the missing ones count as beaten.

    Convention
        RecTools' PartialAUC with its default handling of short lists. Its k counts nonrelevant items, so it sees all k
        of them only in lists longer than k.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1, "c": 1}}, ["pauc@3"]).mean
        {'pauc@3': 0.3333333333333333}

    Reference
        A. Budhiraja et al., Rich-item recommendations for rich-users, 2020; RecTools PartialAUC.
    """

    name: ClassVar[str] = "pauc"
    words: ClassVar[tuple[str, str, str]] = ("relevant", "beats / k", "R")

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """R, the number of relevant items."""
        return judged.n_relevant(self.rel)


@definition
class PAp(_Partial):
    """pAp: how often one of the first min(k, R) relevant items is ranked above one of the first k nonrelevant items.

    Formula
        pAp@k = (1 / (k · β)) Σ_{first β relevant retrieved} max(0, k − nonrelevant items above it), with
        β = min(k, R)

    Edge cases
        Undefined by the judgements if a query has no relevant item. Relevant items that were not retrieved beat
        nothing. If the list holds fewer than k nonrelevant items, the missing ones count as beaten.

    Convention
        RecTools' PAP with its default handling of short lists: precision if R is above k, partial AUC otherwise. Its k
        counts items of either kind, not ranks.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1, "c": 1}}, ["pap@1"]).mean
        {'pap@1': 0.0}

    Reference
        G. Hiranandani et al., Optimization and analysis of the pAp@k metric for recommender systems, ICML 2020;
        RecTools PAP.
    """

    name: ClassVar[str] = "pap"
    words: ClassVar[tuple[str, str, str]] = ("relevant", "beats / k", "min(k, R)")

    def _hits(self, judged: Judged) -> Ranked:
        hits = judged.relevant(self.rel)
        assert self.k is not None
        return hits.where(hits.nth() <= self.k)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """min(k, R)."""
        assert self.k is not None
        return np.minimum(judged.n_relevant(self.rel), self.k)
