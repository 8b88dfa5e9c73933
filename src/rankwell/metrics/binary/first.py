"""Metrics of one rank: reciprocal rank, first relevant rank, last relevant rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from rankwell.kernels import sums
from rankwell.matching.batch import Context, Judged
from rankwell.matching.ties import expected_reciprocal
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.bounds import DifferenceBounds, of_first
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.lists import ratio

if TYPE_CHECKING:
    from rankwell.matching.holes import Both

__all__ = ["RR", "FirstRank", "FullRank"]


@definition
class RR(Additive):
    """Reciprocal rank: 1 divided by the rank of the first relevant item; its mean is called MRR.

    Formula
        RR = 1 / min{r : relevant}, 0 if there is none (or none with r ≤ k)

    Edge cases
        Undefined by the judgements if a query has no relevant item; a list without a hit is 0.

    Convention
        trec_eval's recip_rank has no cut-off; with @k it is MS MARCO's MRR@k.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1}}, ["rr", "rr@1"]).mean
        {'rr': 0.5, 'rr@1': 0.0}

    Reference
        E. Voorhees, The TREC-8 question answering track report, 1999; trec_eval recip_rank.
    """

    name: ClassVar[str] = "rr"
    plain: ClassVar[str] = "how early the first relevant item comes in {top}"
    aliases: ClassVar[tuple[str, ...]] = ("mrr", "recip_rank")
    words: ClassVar[tuple[str, str, str]] = ("first", "1/r", "")
    rises: ClassVar[bool] = True
    copies: ClassVar[bool] = True

    rel: float | None = None

    def has_expected_value(self) -> bool:
        """Yes: the mean of 1/r over the ranks that the first hit can take."""
        return True

    def difference_bounds(self, both: Both, context: Context) -> DifferenceBounds:
        """The bounds of the difference: one unjudged item decides either list."""

        def reciprocal(rank: np.ndarray) -> np.ndarray:
            return np.where((rank > 0) & (rank <= self.last_rank), 1.0 / np.maximum(rank, 1), 0.0)

        return of_first(self, both, reciprocal)

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The first hit, weighted by the reciprocal of its rank."""
        hits = judged.relevant(self.rel)
        first = hits.where(hits.nth() == 1).top(self.k)
        return Terms(first, np.ones(len(first)), 1.0 / first.rank)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The reciprocal of the first hit's rank."""
        hits, below = judged.relevant(self.rel), self.divisor(judged, context)
        if judged.is_expected:
            return ratio(expected_reciprocal(hits, self.k), below)
        return sums.reciprocals(
            hits.query, hits.rank, self.last_rank, np.ascontiguousarray(below, np.float64)
        )

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """1; 0, undefined, for a query without relevant items."""
        return (judged.n_relevant(self.rel) > 0).astype(np.int64)


@definition
class FirstRank(QueryMetric):
    """Rank of the first hit: how far down the list the first relevant item is.

    Formula
        min{r : relevant}

    Edge cases
        Undefined by the list if it holds no relevant item (or none with r ≤ k), also if the query has none; read it
        together with hit@k. The mean is over the queries with a hit.

    Convention
        Its mean is called mean first relevant rank. Unlike reciprocal rank it is an interval scale, and one deep hit can
        dominate the mean; the median may be a better summary.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1}}, ["first_rank"]).mean
        {'first_rank': 2.0}

    Reference
        N. Fuhr, Some common mistakes in IR evaluation, and how they can be avoided, SIGIR Forum 51(3), 2017.
    """

    sliceable: ClassVar[bool] = True

    name: ClassVar[str] = "first_rank"
    plain: ClassVar[str] = "place of the first relevant item"
    range: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The rank of the first hit."""
        hits = judged.relevant(self.rel)
        first = hits.where(hits.nth() == 1).top(self.k)
        return ratio(first.sum(first.rank), first.count())


@definition
class FullRank(QueryMetric):
    """Rank of full recall: how far down the list one must read to see every relevant item.

    Formula
        max{r : relevant}, if all R relevant items are in the list

    Edge cases
        Undefined by the list if a relevant item is missing (or has r > k), also if the query has none; read it
        together with r@k. The mean is over the queries whose relevant items were all found.

    Convention
        Systems are compared over the queries that both complete. trec_eval has no such measure; TREC's total recall
        and e-discovery tracks report it as the effort for 100 % recall.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 1, "a": 1}}, ["full_rank"]).mean
        {'full_rank': 2.0}

    Reference
        W. Cooper, Expected search length, American Documentation 19(1), 1968 (the search length for all documents).
    """

    sliceable: ClassVar[bool] = True

    name: ClassVar[str] = "full_rank"
    range: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The rank of the R-th hit."""
        hits = judged.relevant(self.rel)
        last = hits.where(hits.nth() == judged.n_relevant(self.rel)[hits.query]).top(self.k)
        return ratio(last.sum(last.rank), last.count())
