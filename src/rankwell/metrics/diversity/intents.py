"""Intent-aware metrics: the value of a list for each intent of a query, weighted by the intent's probability."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.binary.binary import P
from rankwell.metrics.binary.first import RR
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.binary.sets import SetP
from rankwell.metrics.diversity.by_topic import topic_queries
from rankwell.metrics.diversity.subtopics import Discounted, OnTopics, Weights
from rankwell.metrics.graded.ndcg import nDCG
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parameters import Gains

__all__ = ["APIA", "PIA", "RRIA", "nDCGIA"]


@definition
class _IntentAware(OnTopics):
    """The weighted mean over a query's topics of another metric, computed with each topic's judgements alone."""

    sliceable: ClassVar[bool] = True

    weights: Weights = "qrels"

    @abstractmethod
    def metric(self) -> QueryMetric:
        """Return the metric to compute for each topic."""

    def check(self) -> None:
        """Check the metric of each topic too."""
        super().check()
        self.metric().check()

    def has_expected_value(self) -> bool:
        """As for the metric of each topic: the mean over orders of a sum is the sum of the means."""
        return self.metric().has_expected_value()

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The weighted values of the topics; a topic without a relevant item adds nothing."""
        of_items = None if self.topics == "qrels" else context
        each = topic_queries(judged, self.topic_table(judged, context), of_items)
        values: Any = np.asarray(self.metric().per_query(each.judged, context), np.float64)
        found = self.subtopics(judged.pool, context)
        place = found.places(judged.pool_row[each.owner], each.topic)
        counts = (place >= 0) & ~np.isnan(values)
        parts = np.where(
            counts, np.append(found.weight, 0.0)[place] * values, 0.0
        )  # place -1 reads the 0 behind the last
        total = np.bincount(each.owner, weights=parts, minlength=len(judged))
        return np.where(self.n_topics(judged, context) > 0, total, np.nan)


@definition
class PIA(_IntentAware):
    """Intent-aware precision: the precision for each topic of the query, weighted by the topics' weights.

    Formula
        P-IA@k = Σ_t w_t |{r ≤ k : i_r is relevant for t}| / k; without a cut-off, divided by the length of the list

    Edge cases
        A list shorter than k is still divided by k. Undefined by the judgements if no item is relevant for a topic of the query,
        or all its topics weigh 0.

    Convention
        With equal weights it is ndeval's P-IA. It counts an item once for each topic it serves and ignores redundancy; to reach 1
        every item must serve all topics.

    Parameters
        weights, topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b"]}, qrels, ["p_ia@2", "p@2"]).mean
        {'p_ia@2': 0.5, 'p@2': 1.0}

    Reference
        R. Agrawal, S. Gollapudi, A. Halverson and S. Ieong, Diversifying search results, WSDM 2009; NIST ndeval.
    """

    name: ClassVar[str] = "p_ia"

    def metric(self) -> QueryMetric:
        """Precision."""
        return SetP(rel=self.rel) if self.k is None else P(k=self.k, rel=self.rel)


@definition
class APIA(_IntentAware):
    """Intent-aware average precision: AP for each topic of the query, weighted by the topics' weights.

    Formula
        AP-IA@k = Σ_t w_t AP@k(list, judgements of t), with AP as defined by ``rankwell explain ap``

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, or all its topics weigh 0. Topics without a
        relevant item do not belong to the query (``universe=judged``), or add 0.

    Convention
        Its mean over queries is ndeval's MAP-IA (no cut-off, each AP ÷ R). Like ``ap`` it divides by min(R, k) with a cut-off.

    Parameters
        denom: R, min_rk, hits, k or min_rn; default R without a cut-off and min_rk with one
        weights, topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "c", "b"]}, qrels, ["ap_ia", "ap"]).mean
        {'ap_ia': 0.6666666666666666, 'ap': 1.0}

    Reference
        R. Agrawal, S. Gollapudi, A. Halverson and S. Ieong, Diversifying search results, WSDM 2009; NIST ndeval.
    """

    name: ClassVar[str] = "ap_ia"
    aliases: ClassVar[tuple[str, ...]] = ("map_ia",)

    denom: Literal["R", "min_rk", "hits", "k", "min_rn"] | None = None

    def resolved(self) -> dict[str, Any]:
        """The parameters, with the default denominator for k filled in."""
        return {**super().resolved(), "denom": AP(k=self.k, denom=self.denom).resolved()["denom"]}

    def depends_on_k(self) -> frozenset[str]:
        """``denom``."""
        return frozenset({"denom"})

    def metric(self) -> QueryMetric:
        """Average precision."""
        return AP(k=self.k, denom=self.denom, rel=self.rel)


@definition
class RRIA(_IntentAware):
    """Intent-aware reciprocal rank: the reciprocal rank of each topic's first relevant item, weighted by the topics' weights.

    Formula
        RR-IA@k = Σ_t w_t / (rank of the first item relevant for t), 0 for a topic without one in the first k

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, or all its topics weigh 0.

    Convention
        An item that serves several topics counts for each of them.

    Parameters
        weights, topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "c", "b"]}, qrels, ["rr_ia", "rr"]).mean
        {'rr_ia': 0.75, 'rr': 1.0}

    Reference
        R. Agrawal, S. Gollapudi, A. Halverson and S. Ieong, Diversifying search results, WSDM 2009.
    """

    name: ClassVar[str] = "rr_ia"
    aliases: ClassVar[tuple[str, ...]] = ("mrr_ia",)

    def metric(self) -> QueryMetric:
        """Reciprocal rank."""
        return RR(k=self.k, rel=self.rel)


@definition
class nDCGIA(Discounted, _IntentAware):
    """Intent-aware nDCG: nDCG for each topic of the query, weighted by the topics' weights.

    Formula
        nDCG-IA@k = Σ_t w_t nDCG@k(list, judgements of t), with nDCG as defined by ``rankwell explain ndcg``

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, or all its topics weigh 0. An item not judged
        for a topic has no gain for it. A table of gains gives nothing to topics without a positive grade.

    Convention
        Each topic has its own ideal list, so no single list reaches 1 if topics compete for the first ranks; D#-nDCG has one
        ideal list for all topics together.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of the grades as they are; others gain nothing, or themselves with {1:3,others:own}
        discount, base, weights, topics, universe
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 2, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["b", "a"]}, qrels, ["ndcg_ia", "ndcg_ia(gain=exp2)@1"]).mean
        {'ndcg_ia': 0.5, 'ndcg_ia(gain=exp2)@1': 0.5}

    Reference
        R. Agrawal, S. Gollapudi, A. Halverson and S. Ieong, Diversifying search results, WSDM 2009.
    """

    name: ClassVar[str] = "ndcg_ia"

    gain: Literal["linear", "exp2"] | Gains = "linear"

    def broken_laws(self) -> dict[str, str]:
        """As for nDCG."""
        return super().broken_laws() | self.metric().broken_laws()

    def metric(self) -> QueryMetric:
        """Normalised discounted cumulative gain."""
        return nDCG(
            k=self.k,
            gain=self.gain,
            discount=self.discount,
            base=self.base,
            rel=self.rel,
            gain_from=self.gain_from,
        )
