"""Graded gains over several topics at once: D-nDCG and D#-nDCG."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.matching.scale import exp2_gain, refuse_large_gains
from rankwell.metrics.additive import Additive, Terms, mean_weights
from rankwell.metrics.diversity.subtopics import Discounted, Subtopics, of_queries
from rankwell.metrics.diversity.topic_recall import SRecall
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import definition
from rankwell.tables.lists import Ranked, owners

__all__ = ["DSharpnDCG", "DnDCG"]


@definition
class DnDCG(Discounted, Additive):
    """D-nDCG: nDCG of the global gain, the sum of an item's gains for each topic, weighted by the topics' weights.

    Formula
        D-nDCG@k = Σ_{r ≤ k} GG(i_r) d(r) / Σ_{r ≤ k} GG*_r d(r), GG(i) = Σ_t w_t gain(g_t(i)), GG* the global gains of all judged items,
        highest first

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, or all its topics weigh 0.

    Convention
        Its ideal list is a sort, not an NP-hard search. It does not penalise redundancy: three items of one topic are as good as
        three of different topics. D#-nDCG adds I-rec for that.

    Parameters
        gain: linear or exp2 (2^g − 1)
        discount, base, weights, topics, universe
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 2, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["b", "a"]}, qrels, ["d_ndcg@2", "dsharp_ndcg@2"]).mean
        {'d_ndcg@2': 1.0, 'dsharp_ndcg@2': 0.75}

    Reference
        T. Sakai and R. Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011.
    """

    name: ClassVar[str] = "d_ndcg"
    words: ClassVar[tuple[str, str, str]] = ("global gain", "discount", "ideal")

    gain: Literal["linear", "exp2"] = "linear"

    def has_expected_value(self) -> bool:
        """Yes: gains do not depend on the order."""
        return True

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The discount of each rank."""
        return discount(self.discount, self.base, ranks)

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The discounted global gains within k."""
        rows = judged.found if judged.is_expected else judged.found.top(self.k)
        assert rows.pool_row is not None
        gain = self._global(judged.pool, context)[rows.pool_row]
        if judged.is_expected:
            return Terms(rows, gain, mean_weights(rows, self.k, self.weights_of))
        return Terms(rows, gain, self.weights_of(rows.rank))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The sum over the judged items, highest global gain first."""
        sums = context.shared.once(_ideal_sums, judged.pool, self)
        return np.where(self.n_topics(judged, context) > 0, sums[judged.pool_row], 0.0)

    def ideal_terms(self, judged: Judged, context: Context) -> Terms:
        """The judged items, highest global gain first."""
        return of_queries(self.best(judged.pool, context), judged)

    def best(self, pool: Pool, context: Context) -> Terms:
        """Return the judged items of all queries of the pool, highest global gain first."""
        gain = self._global(pool, context)
        query = owners(pool.offsets)
        rows = np.flatnonzero(gain > 0)
        # gains add up over topics here and use nothing up, so one sort is the best list: nothing about it is NP-hard
        rows = rows[np.lexsort((-gain[rows], query[rows]))]
        best = Ranked(len(pool.offsets) - 1, query[rows], rows, pool.grades[rows], item=rows, pool_row=rows)
        best.rank = best.nth()
        best = best.top(self.k)
        assert best.pool_row is not None
        return Terms(best, gain[best.pool_row], self.weights_of(best.rank))

    def _global(self, pool: Pool, context: Context) -> np.ndarray:
        """The global gain of each row of the pool."""
        return context.shared.once(_global_gains, self.subtopics(pool, context), self.gain)


def _global_gains(_: Context, found: Subtopics, gain: str) -> np.ndarray:
    gains = refuse_large_gains(found.level, found.level) if gain == "linear" else exp2_gain(found.level)
    weighed = gains * found.weight[found.at]
    # added in the order of topics, which is that of their ids, so that the order of the judgements changes no bit
    return np.bincount(found.owner, weights=weighed, minlength=len(found.offsets) - 1)


def _ideal_sums(context: Context, pool: Pool, metric: DnDCG) -> np.ndarray:
    return np.append(metric.best(pool, context).sum(), 0.0)


@definition
class DSharpnDCG(Discounted):
    """D#-nDCG: a mixture of the share of topics that the first k items cover, and of their discounted global gain.

    Formula
        D#-nDCG@k = γ · I-rec@k + (1 − γ) · D-nDCG@k

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, or all its topics weigh 0.

    Convention
        γ = .5 is the value of the paper and the NTCIR tasks. Without a cut-off both parts use the whole list.

    Parameters
        gamma: the weight of I-rec, 0 to 1
        gain: linear or exp2 (2^g − 1)
        discount, base, weights, topics, universe
        rel: the grade from which an item is relevant, for I-rec; under ratings also the one from which gains count; default above
            0, or the policy's rel
        gain_from

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b"]}, qrels, ["dsharp_ndcg@2", "d_ndcg@2", "i_rec@2"]).mean
        {'dsharp_ndcg@2': 0.75, 'd_ndcg@2': 1.0, 'i_rec@2': 0.5}

    Reference
        T. Sakai and R. Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011.
    """

    name: ClassVar[str] = "dsharp_ndcg"
    aliases: ClassVar[tuple[str, ...]] = ("d_sharp_ndcg",)
    sliceable: ClassVar[bool] = True

    gamma: float = 0.5
    gain: Literal["linear", "exp2"] = "linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.gamma <= 1:
            raise UsageError(f"dsharp_ndcg(gamma={self.gamma:g}): gamma must be between 0 and 1.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The weighted mean of I-rec and D-nDCG."""
        fields = {name: value for name, value in self.resolved().items() if name != "gamma"}
        gained = DnDCG(k=self.k, **fields).per_query(judged, context)
        reached = SRecall(k=self.k, topics=self.topics, universe=self.universe, rel=self.rel)
        return self.gamma * reached.per_query(judged, context) + (1.0 - self.gamma) * gained
