"""Novelty-discounted diversity metrics: α-DCG, α-nDCG, NRBP, nNRBP."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.kernels import exact
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.additive import Terms
from rankwell.metrics.diversity.candidates import LISTS_BEGUN
from rankwell.metrics.diversity.subtopics import (
    MOST_OVER_GREEDY,
    Cascade,
    OverGreedy,
    Subtopics,
    Weights,
    everything,
)
from rankwell.metrics.diversity.topic_ideal import refuse_long
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import NO_CUT, definition

__all__ = ["NRBP", "AlphaDCG", "AlphanDCG", "nNRBP"]


@definition
class _Alpha(Cascade):
    """A cascade in which each item of a topic leaves 1 − α of it to the next.

    Parameters
        alpha: how much an item takes of its topics, 0 to 1
    """

    alpha: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"{self.name}(alpha={self.alpha:g}): alpha must be between 0 and 1.")

    def start(self, topics: Subtopics) -> np.ndarray:
        """One of each topic."""
        return np.ones(len(topics.topic))

    def use(self, topics: Subtopics, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """An item gains all that is left of its topics, and uses up the share α."""
        return np.ones(len(topics.slot)), np.full(len(topics.slot), self.alpha)

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The discount of each rank."""
        return discount("log2p1", 2.0, ranks)


@definition
class AlphaDCG(_Alpha):
    """α-DCG: discounted cumulative gain, where a topic's gain falls with each item of the topic ranked above.

    Formula
        α-DCG@k = Σ_{r ≤ k} d(r) Σ_{t ∈ A(i_r)} (1 − α)^c_t(r), with c_t(r) the items of topic t above rank r, d(r) = 1/log2(r + 1);
        norm=ndeval: ÷ (T · Σ_{i ≤ k} (1 − α)^(i − 1) d(i)), T the number of the query's topics

    Edge cases
        An item belongs to a topic if it is judged relevant for it, at any grade. An item without topics has no gain but takes up
        its rank. α = 0 counts every occurrence of a topic; α = 1 counts only the first. Undefined by the judgements if no item is
        relevant for a topic of the query.

    Convention
        norm=ndeval is NIST's "ideal ideal", a list in which every item covers every topic; ndeval omits it at rank 1, we do not.
        A query's topics are those with a relevant item (``universe=judged``, as in ndeval), those of the user's training items
        (``profile``), or all (``catalogue``); here this affects only norm=ndeval and which topics have a gain.

    Parameters
        alpha
        norm: none or ndeval
        topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b"]}, qrels, ["alpha_dcg@2"]).mean  # the second of topic x is worth half
        {'alpha_dcg@2': 1.3154648767857289}

    Reference
        C. Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008; NIST ndeval.
    """

    name: ClassVar[str] = "alpha_dcg"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    norm: Literal["none", "ndeval"] = "none"

    @property
    def words(self) -> tuple[str, str, str]:  # type: ignore[override]
        """The names of gain, weight and divisor in the worked table."""
        return "new", "discount", "" if self.norm == "none" else "every topic at every rank"

    def check(self) -> None:
        """norm=ndeval requires a cut-off."""
        super().check()
        if self.norm == "ndeval" and self.k is None:
            raise UsageError(NO_CUT.format(name="alpha_dcg(norm=ndeval)"))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, or the value of a list whose every item covers every topic."""
        if self.norm == "none":
            return super().divisor(judged, context)
        return self.n_topics(judged, context) * everything(self.alpha, self.weights_of, self.k)


@definition
class AlphanDCG(OverGreedy, _Alpha):
    """α-nDCG: α-DCG divided by that of the best list found by greedy choice among the judged items.

    Formula
        α-nDCG@k = α-DCG@k / α-DCG@k of the greedy list: at each rank the item with the highest gain, on ties the one with the
        highest id; with ideal=exact, of the best list of all

    Edge cases
        An item belongs to a topic if it is judged relevant for it, at any grade. Undefined by the judgements if no item is
        relevant for a topic of the query. Finding the best list is NP-hard, and the greedy one may be slightly worse, so a value
        can exceed 1, but never 1 / (1 − 1/e) = 1.582. ``ideal=exact`` searches for the best list down to rank 6, and fails with
        an error if that takes too long.

    Convention
        As in ndeval and pyndeval, for all cut-offs (their α-DCG@1 lacks a division that cancels here). RankSys' ideal has k + 1
        items. Ties in the greedy list are broken by descending id whatever the policy for ties, as in ndeval, which orders
        equal scores of a run by ascending id (``ties=item-asc``).

    Parameters
        alpha
        ideal: greedy, or exact (k up to 6)
        topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b"]}, qrels, ["alpha_ndcg@2", "ndcg@2"]).mean  # nDCG does not see that b is no news
        {'alpha_ndcg@2': 0.8065735963827293, 'ndcg@2': 1.0}

    Reference
        C. Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008; NIST ndeval.
    """

    name: ClassVar[str] = "alpha_ndcg"
    plain: ClassVar[str] = "how good {top} {are}, where repeating a topic counts less"
    words: ClassVar[tuple[str, str, str]] = ("new", "discount", "ideal α-DCG")

    ideal: Literal["greedy", "exact"] = "greedy"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The greedy list need not be the best, so values can exceed 1."""
        return 0.0, MOST_OVER_GREEDY if self.ideal == "greedy" else 1.0

    def check(self) -> None:
        """ideal=exact requires a short list."""
        super().check()
        if self.ideal == "exact":
            refuse_long(self)

    def greedy_terms(self, pool: Pool, context: Context) -> Terms:
        """The gains of the greedy lists, or with ideal=exact of the lists that are better."""
        made = super().greedy_terms(pool, context)
        # if items use nothing up, the greedy list is already the best
        if self.ideal == "greedy" or not self.alpha:
            return made
        found, gain = self.subtopics(pool, context), made.gain.copy()
        floors, ends = made.sum(), np.searchsorted(made.rows.query, np.arange(made.rows.queries + 1))
        for query in range(len(floors)):
            kinds = found.kinds(pool, query)
            better = self._better(kinds, found.counts[query], floors[query], pool.queries.ids.one(query))
            if len(better):  # items after its end have no gain
                gain[ends[query] : ends[query + 1]] = 0.0
                gain[ends[query] : ends[query] + len(better)] = better
        return Terms(made.rows, gain, made.weight)

    def _better(
        self, kinds: dict[tuple[int, ...], int], topics: int, floor: float, query: object
    ) -> np.ndarray:
        """The gains of a query's best list, if they exceed those of the greedy list."""
        assert self.k is not None
        weights = self.weights_of(np.arange(1, self.k + 1))
        offsets = np.cumsum([0, *map(len, kinds)])
        slots = np.array([slot for kind in kinds for slot in kind], np.int64)
        chance, copies = np.full(len(kinds), self.alpha), np.array(list(kinds.values()), np.int64)
        # the kernel takes items that satisfy with probability α; here they gain 1 and remove the share α, so gains are α times as small
        _, gains, begun = exact.best(
            np.ones(topics), offsets, slots, np.arange(len(kinds)), chance, copies, weights, floor * self.alpha, LISTS_BEGUN, False
        )  # fmt: skip
        if begun == LISTS_BEGUN:
            raise DataError(
                f"query {brief(query)}: gave up the search for the best list of {len(kinds):,} different items after "
                f"{LISTS_BEGUN:,} lists. Use ideal=greedy, or a smaller k."
            )
        return gains / self.alpha


@definition
class NRBP(_Alpha):
    """Novelty- and rank-biased precision: a reader continues with probability β, and repeated topics are worth less.

    Formula
        NRBP = (1 − (1 − α) β) Σ_r β^(r − 1) Σ_{t ∈ A(i_r)} w_t (1 − α)^c_t(r), with c_t(r) the items of topic t above rank r

    Edge cases
        The whole list counts, unless a cut-off is given. Undefined by the judgements if no item is relevant for a topic of the
        query.

    Convention
        The w_t are equal and sum to 1 (ndeval's 1/T), unless the judgements carry weights.

    Parameters
        alpha
        beta: the chance to look at the next rank, 0 to 1
        weights, topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b"]}, qrels, ["nrbp", "nnrbp"]).mean
        {'nrbp': 0.46875, 'nnrbp': 0.7692307692307693}

    Reference
        C. Clarke, M. Kolla and O. Vechtomova, An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009;
        NIST ndeval.
    """

    name: ClassVar[str] = "nrbp"
    words: ClassVar[tuple[str, str, str]] = ("new", "(1 − (1 − α) β) β^(r − 1)", "")

    beta: float = 0.5
    weights: Weights = "qrels"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.beta <= 1:
            raise UsageError(f"{self.name}(beta={self.beta:g}): beta must be between 0 and 1.")

    def start(self, topics: Subtopics) -> np.ndarray:
        """The weight of each topic."""
        return topics.weight

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The probability of looking at a rank, scaled so that a list whose every item covers everything scores 1."""
        return (1.0 - (1.0 - self.alpha) * self.beta) * self.beta ** (ranks - 1.0)


@definition
class nNRBP(OverGreedy, NRBP):
    """Normalised novelty- and rank-biased precision: NRBP divided by that of the greedy list of all judged items.

    Formula
        nNRBP = NRBP / NRBP of the greedy list: at each rank the item with the highest gain, on ties the one with the highest id

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, where ndeval prints -nan. The greedy list
        may be slightly worse than the best, so a value can exceed 1.

    Convention
        As in ndeval.

    Parameters
        alpha, beta, weights, topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "c"]}, qrels, ["nnrbp"]).mean
        {'nnrbp': 0.9230769230769231}

    Reference
        C. Clarke, M. Kolla and O. Vechtomova, ICTIR 2009; NIST ndeval.
    """

    name: ClassVar[str] = "nnrbp"
    range: ClassVar[tuple[float, float]] = (0.0, MOST_OVER_GREEDY)
    words: ClassVar[tuple[str, str, str]] = ("new", "(1 − (1 − α) β) β^(r − 1)", "greedy NRBP")
