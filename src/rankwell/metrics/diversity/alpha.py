"""Diversity by discounting what was seen: α-DCG, α-nDCG, NRBP, nNRBP."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.judge.pool import Pool
from rankwell.kernels import exact
from rankwell.metrics.additive import Terms
from rankwell.metrics.diversity.candidates import LISTS_BEGUN
from rankwell.metrics.diversity.normalised import refuse_long
from rankwell.metrics.diversity.subtopic_metric import MOST_OVER_GREEDY, Cascade, OverGreedy, everything
from rankwell.metrics.diversity.subtopics import Subtopics, Weights
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import definition

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
            raise UsageError(f"{self.name}(alpha={self.alpha:g}): alpha is between 0 and 1.")

    def start(self, topics: Subtopics) -> np.ndarray:
        """One of each topic."""
        return np.ones(len(topics.topic))

    def use(self, topics: Subtopics, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """All that is left is gained; α of it is gone then."""
        return np.ones(len(topics.slot)), np.full(len(topics.slot), self.alpha)

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The discount of each rank."""
        return discount("log2p1", 2.0, ranks)


@definition
class AlphaDCG(_Alpha):
    """α-DCG: discounted cumulative gain where a topic gains less the more items of it stand above.

    Formula
        α-DCG@k = Σ_{r ≤ k} d(r) Σ_{t ∈ A(i_r)} (1 − α)^c_t(r), with c_t(r) the items of topic t above rank r, d(r) = 1/log2(r + 1);
        norm=ndeval: ÷ (T · Σ_{i ≤ k} (1 − α)^(i − 1) d(i)), T the query's topics

    Edge cases
        An item is of a topic where it is judged relevant for it; how relevant does not matter. An item without topics gains
        nothing and its rank is spent. α = 0 counts topics, however often; α = 1 counts only new ones. Undefined by the judgements
        where no item is relevant for a topic of the query.

    Convention
        norm=ndeval is NIST's "ideal ideal", a list in which every item covers every topic; ndeval leaves it out at rank 1, which
        we do not. Which topics a query has: those with a relevant item (``universe=judged``, ndeval's), those of the user's
        training items (``profile``), or all (``catalogue``); it matters here only for norm=ndeval and for which gain.

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
        """The names of the gain, the weight and the divisor."""
        return "new", "discount", "" if self.norm == "none" else "every topic at every rank"

    def check(self) -> None:
        """The ideal ideal has k items."""
        super().check()
        if self.norm == "ndeval" and self.k is None:
            raise UsageError("alpha_dcg(norm=ndeval) needs a cut-off: write alpha_dcg(norm=ndeval)@10.")

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, or every topic at every rank."""
        if self.norm == "none":
            return super().divisor(judged, context)
        return self.n_topics(judged, context) * everything(self.alpha, self.weights_of, self.k)


@definition
class AlphanDCG(OverGreedy, _Alpha):
    """α-nDCG: α-DCG divided by that of the best list that greedy choice finds among the judged items.

    Formula
        α-nDCG@k = α-DCG@k / α-DCG@k of the greedy list: at each rank the item that gains most, of equal ones the one whose id is
        last; with ideal=exact, of the best list of all

    Edge cases
        An item is of a topic where it is judged relevant for it; how relevant does not matter. Undefined by the judgements where
        no item is relevant for a topic of the query. The best list is hard to find (NP-hard), and the greedy one may be a little
        worse, so a value can exceed 1, though never 1 / (1 − 1/e) = 1.582. ``ideal=exact`` searches the best one down to rank 6,
        and gives up where that takes too long.

    Convention
        ndeval's and pyndeval's, for all cut-offs (their α-DCG@1 lacks a division that cancels here). RankSys' ideal has k + 1
        items. Equal items of the greedy list by id descending whatever the policy for ties, as in ndeval, whose lists have equal
        scores by id ascending (``ties=item-asc``).

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
    words: ClassVar[tuple[str, str, str]] = ("new", "discount", "ideal α-DCG")

    ideal: Literal["greedy", "exact"] = "greedy"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The greedy list need not be the best."""
        return 0.0, MOST_OVER_GREEDY if self.ideal == "greedy" else 1.0

    def check(self) -> None:
        """The best list of all is searched for where it is short."""
        super().check()
        if self.ideal == "exact":
            refuse_long(self)

    def greedy_terms(self, pool: Pool, context: Context) -> Terms:
        """What the greedy lists gain, or with ideal=exact those that are better."""
        made = super().greedy_terms(pool, context)
        if (
            self.ideal == "greedy" or not self.alpha
        ):  # items that take nothing away are best in the order of their topics
            return made
        found, gain = self.subtopics(pool, context), made.gain.copy()
        floors, ends = made.sum(), np.searchsorted(made.rows.query, np.arange(made.rows.queries + 1))
        for query in range(len(floors)):
            kinds = found.kinds(pool, query)
            better = self._better(kinds, found.counts[query], floors[query], pool.queries.ids.one(query))
            if len(better):  # no item after its end gains anything
                gain[ends[query] : ends[query + 1]] = 0.0
                gain[ends[query] : ends[query] + len(better)] = better
        return Terms(made.rows, gain, made.weight)

    def _better(
        self, kinds: dict[tuple[int, ...], int], topics: int, floor: float, query: object
    ) -> np.ndarray:
        """What the best list of a query gains, if that is more than the greedy one."""
        assert self.k is not None
        weights = self.weights_of(np.arange(1, self.k + 1))
        offsets = np.cumsum([0, *map(len, kinds)])
        slots = np.array([slot for kind in kinds for slot in kind], np.int64)
        chance, copies = np.full(len(kinds), self.alpha), np.array(list(kinds.values()), np.int64)
        _, gains, begun = exact.best(
            np.ones(topics), offsets, slots, np.arange(len(kinds)), chance, copies, weights, floor * self.alpha, LISTS_BEGUN, False
        )  # fmt: skip
        if begun == LISTS_BEGUN:
            raise DataError(
                f"query {query!r}: the search for the best list of {len(kinds):,} different items was given up after "
                f"{LISTS_BEGUN:,} lists. Say ideal=greedy, or take a smaller k."
            )
        return gains / self.alpha


@definition
class NRBP(_Alpha):
    """Novelty- and rank-biased precision: a reader who goes on with probability β, and to whom repeated topics are worth less.

    Formula
        NRBP = (1 − (1 − α) β) Σ_r β^(r − 1) Σ_{t ∈ A(i_r)} w_t (1 − α)^c_t(r), with c_t(r) the items of topic t above rank r

    Edge cases
        The whole list counts, unless a cut-off is given. Undefined by the judgements where no item is relevant for a topic of the
        query.

    Convention
        w_t are equal and add up to 1 (ndeval's 1/T), unless the judgements tell weights.

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
            raise UsageError(f"{self.name}(beta={self.beta:g}): beta is between 0 and 1.")

    def start(self, topics: Subtopics) -> np.ndarray:
        """Of each topic what it weighs."""
        return topics.weight

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The chance to look at a rank, so scaled that items that cover everything for ever give 1."""
        return (1.0 - (1.0 - self.alpha) * self.beta) * self.beta ** (ranks - 1.0)


@definition
class nNRBP(OverGreedy, NRBP):
    """Normalised novelty- and rank-biased precision: NRBP divided by that of the greedy list of all judged items.

    Formula
        nNRBP = NRBP / NRBP of the greedy list: at each rank the item that gains most, of equal ones the one whose id is last

    Edge cases
        Undefined by the judgements where no item is relevant for a topic of the query, where ndeval prints -nan. The greedy list
        may be a little worse than the best, so a value can exceed 1.

    Convention
        ndeval's.

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
