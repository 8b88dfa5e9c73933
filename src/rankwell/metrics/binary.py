"""Metrics that ask only whether an item is relevant: P, R, hit rate, AP, RR."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.base import QueryMetric, definition
from rankwell.errors import UsageError
from rankwell.hits import Context, Judged
from rankwell.ranked import ratio

__all__ = ["AP", "RR", "Hit", "P", "R"]


def _where_judged(values: np.ndarray, n_relevant: np.ndarray) -> np.ndarray:
    """Undefined (NaN) for queries without a relevant item."""
    return np.where(n_relevant > 0, values, np.nan)


@definition
class P(QueryMetric):
    """Precision: the share of relevant items among the first k.

    Formula
        P@k = |{r ≤ k : relevant}| / k

    Edge cases
        A list shorter than k is divided by k all the same (``denom=k``) or by its own length (``denom=n``; an empty
        list is 0). Undefined by the judgements where a query has no relevant item.

    Convention
        ``denom=k`` is trec_eval's, RecTools' and the textbooks'; search engines' built-in evaluations often divide
        by what was returned (``denom=n``).

    Parameters
        denom: k, or n for min(k, length of the list)
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 1, "d": 1}}, ["p@2", "p(denom=n)@5"]).mean
        {'p@2': 0.5, 'p(denom=n)@5': 0.3333333333333333}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979; trec_eval P.
    """

    name: ClassVar[str] = "p"
    aliases: ClassVar[tuple[str, ...]] = ("precision",)
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"

    denom: Literal["k", "n"] = "k"
    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Hits in the first k, divided by k or min(k, n)."""
        hits = judged.relevant(self.rel).top(self.k).count()
        assert self.k is not None
        shown = np.maximum(np.minimum(judged.n_retrieved, self.k), 1) if self.denom == "n" else self.k
        return _where_judged(hits / shown, judged.n_relevant(self.rel))


@definition
class R(QueryMetric):
    """Recall: the share of a query's relevant items that are among the first k.

    Formula
        R@k = |{r ≤ k : relevant}| / R, with R = number of relevant judged items

    Edge cases
        Undefined by the judgements where R = 0. With ``denom=min_rk`` a full first k counts as 1 even if R > k.

    Convention
        ``denom=R`` is trec_eval's and the textbooks'; ``min_rk`` is called capped recall (BEIR's R_cap,
        trec_eval's relative_P).

    Parameters
        denom: R, or min_rk for min(R, k)
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1, "d": 1}}, ["r@2", "r(denom=min_rk)@1"]).mean
        {'r@2': 0.5, 'r(denom=min_rk)@1': 0.0}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979; trec_eval recall, relative_P.
    """

    name: ClassVar[str] = "r"
    aliases: ClassVar[tuple[str, ...]] = ("recall",)
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"

    denom: Literal["R", "min_rk"] = "R"
    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Hits in the first k, divided by R or min(R, k)."""
        relevant = judged.n_relevant(self.rel)
        below = np.minimum(relevant, self.k or 0) if self.denom == "min_rk" else relevant
        return ratio(judged.relevant(self.rel).top(self.k).count(), below)


@definition
class Hit(QueryMetric):
    """Hit rate (success): 1 if at least one of the first k items is relevant, else 0.

    Formula
        hit@k = [ |{r ≤ k : relevant}| > 0 ]

    Edge cases
        Undefined by the judgements where a query has no relevant item; an empty list is 0.

    Convention
        Some recommender libraries call the number of hits divided by R "hit rate"; that is recall, ``r@k``.

    Parameters
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1}}, ["hit@1", "hit@2"]).mean
        {'hit@1': 0.0, 'hit@2': 1.0}

    Reference
        trec_eval success.
    """

    name: ClassVar[str] = "hit"
    aliases: ClassVar[tuple[str, ...]] = ("hr", "hit_rate", "success")
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Whether there is a hit in the first k."""
        hits = judged.relevant(self.rel).top(self.k).count()
        return _where_judged((hits > 0).astype(np.float64), judged.n_relevant(self.rel))


@definition
class RR(QueryMetric):
    """Reciprocal rank: 1 divided by the rank of the first relevant item; its mean is called MRR.

    Formula
        RR = 1 / min{r : relevant}, 0 if there is none (or none with r ≤ k)

    Edge cases
        Undefined by the judgements where a query has no relevant item; no hit in the list is 0.

    Convention
        trec_eval's recip_rank has no cut-off; with @k it is MS MARCO's MRR@k.

    Parameters
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1}}, ["rr", "rr@1"]).mean
        {'rr': 0.5, 'rr@1': 0.0}

    Reference
        E. Voorhees, The TREC-8 question answering track report, 1999; trec_eval recip_rank.
    """

    name: ClassVar[str] = "rr"
    aliases: ClassVar[tuple[str, ...]] = ("mrr", "recip_rank")

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The reciprocal of the first hit's rank."""
        hits = judged.relevant(self.rel)
        first = hits.where(hits.nth() == 1).top(self.k)
        return _where_judged(first.sum(1.0 / first.rank), judged.n_relevant(self.rel))


@definition
class AP(QueryMetric):
    """Average precision: the precision at the rank of each relevant item, added up and divided by their number.

    Formula
        AP@k = (1/Z) Σ_{r ≤ k : relevant} P@r; its mean over queries is called MAP

    Edge cases
        Undefined by the judgements where a query has no relevant item; no hit is 0 under every ``denom``. The count
        ``queries with R > k`` of a result says for how many queries ``R`` and ``min_rk`` differ.

    Convention
        Six numbers go by this name. Z is R without a cut-off. With @k the default is ``min_rk``, min(R, k), which a
        perfect first k brings to 1 (RankSys, RecBole, sentence-transformers); trec_eval's map_cut, ir_measures and
        RecTools divide by R (``denom=R``); recmetrics and others by the hits found (``hits``); Elasticsearch-like
        code by ``k``. ``min_rn`` is min(R, length of the list within k), for comparison only: it rewards short lists.

    Parameters
        denom: R, min_rk, hits, k or min_rn; default R without a cut-off and min_rk with one
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 1, "c": 1, "d": 1}}
        >>> rw.evaluate(run, qrels, ["ap", "ap@2", rw.AP(denom="hits")]).mean
        {'ap': 0.38888888888888884, 'ap(denom=min_rk)@2': 0.25, 'ap(denom=hits)': 0.5833333333333333}

    Reference
        D. Harman, Evaluation issues in information retrieval, 1992; trec_eval map, map_cut.
    """

    name: ClassVar[str] = "ap"
    aliases: ClassVar[tuple[str, ...]] = ("map",)

    denom: Literal["R", "min_rk", "hits", "k", "min_rn"] | None = None
    rel: float | None = None

    def resolved(self) -> dict[str, Any]:
        """The parameters, with the denominator that k implies."""
        implied = "R" if self.k is None else "min_rk"
        return {**super().resolved(), "denom": self.denom or implied}

    def depends_on_k(self) -> frozenset[str]:
        """The denominator does."""
        return frozenset({"denom"})

    def breaks(self) -> dict[str, str]:
        """Per hit found, a further hit far down lowers the average."""
        if self.denom != "hits":
            return {}
        return {
            "a better list scores no worse": "a hit that enters the first k low down lowers the average per hit"
        }

    def counts(self, judged: Judged) -> dict[str, int]:
        """The queries for which dividing by R and by min(R, k) differ."""
        short = 0 if self.k is None else int(np.count_nonzero(judged.n_relevant(self.rel) > self.k))
        return {"queries with R > k": short}

    def check(self) -> None:
        """Dividing by k asks for one."""
        super().check()
        if self.denom == "k" and self.k is None:
            raise UsageError("ap(denom=k) needs a cut-off: write ap(denom=k)@10.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Precision at each hit, summed in rank order, divided by the denominator."""
        hits = judged.relevant(self.rel).top(self.k)
        relevant = judged.n_relevant(self.rel)
        below = self._divisor(relevant, hits.count(), judged.n_retrieved)
        precision = hits.sum(hits.nth() / hits.rank)
        return _where_judged(precision / np.maximum(below, 1), relevant)

    def _divisor(self, relevant: np.ndarray, hits: np.ndarray, retrieved: np.ndarray) -> np.ndarray:
        k = np.iinfo(np.int64).max if self.k is None else self.k
        divisors: dict[str, Any] = {
            "R": relevant,
            "min_rk": np.minimum(relevant, k),
            "hits": hits,
            "k": k,
            "min_rn": np.minimum(relevant, np.minimum(retrieved, k)),
        }
        return np.broadcast_to(divisors[self.resolved()["denom"]], len(relevant))
