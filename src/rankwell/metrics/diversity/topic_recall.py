"""How many of a query's topics a list covers, and how soon: S-recall, I-rec, S-precision."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.additive import Terms
from rankwell.metrics.diversity.subtopics import Cascade, Subtopics
from rankwell.metrics.metric import definition

__all__ = ["IRec", "SPrecision", "SRecall"]


@definition
class _Covering(Cascade):
    """A cascade in which the first item of a topic takes all of it."""

    def start(self, topics: Subtopics) -> np.ndarray:
        """One of each topic."""
        return np.ones(len(topics.topic))

    def use(self, topics: Subtopics, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """An item gains all that is left of its topics, and uses it up."""
        ones = np.ones(len(topics.slot))
        return ones, ones

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """One at every rank."""
        return np.ones(len(ranks))


@definition
class SRecall(_Covering):
    """Subtopic recall: the share of the query's topics that the first k items cover.

    Formula
        S-recall@k = |∪_{r ≤ k} A(i_r)| / T, with A(i) the topics that item i is relevant for and T the number of the query's topics

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query.

    Convention
        T counts the topics with a relevant item (``universe=judged``, ndeval's strec); Elliot uses all topics of the catalogue,
        and only relevant items (``topics=items,universe=catalogue``).

    Parameters
        topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b", "c"]}, qrels, ["s_recall@2", "s_recall@3"]).mean
        {'s_recall@2': 0.5, 's_recall@3': 1.0}

    Reference
        C. Zhai, W. Cohen and J. Lafferty, Beyond independent relevance, SIGIR 2003; NIST ndeval strec.
    """

    name: ClassVar[str] = "s_recall"
    plain: ClassVar[str] = "share of the topics of a question covered by {top}"
    aliases: ClassVar[tuple[str, ...]] = ("strec", "strecall")
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"
    words: ClassVar[tuple[str, str, str]] = ("new topics", "counts", "topics")

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of the query's topics."""
        return self.n_topics(judged, context).astype(np.float64)


@definition
class IRec(SRecall):
    """Intent recall: the share of the query's topics that the first k items cover, as used in D#-nDCG.

    Formula
        I-rec@k = |∪_{r ≤ k} A(i_r)| / T, with A(i) the topics that item i is relevant for and T the number of the query's topics

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query.

    Convention
        The same number as s_recall, under the name of the NTCIR tasks.

    Parameters
        topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b", "c"]}, qrels, ["i_rec@2"]).mean
        {'i_rec@2': 0.5}

    Reference
        T. Sakai and R. Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011.
    """

    name: ClassVar[str] = "i_rec"
    aliases: ClassVar[tuple[str, ...]] = ()


@definition
class SPrecision(_Covering):
    """Subtopic precision: the rank at which the best list reaches a share of the query's topics, over the rank in this list.

    Formula
        S-precision(level) = minrank(greedy list, level) / minrank(list, level), minrank the first rank at which at least level · T
        topics are covered

    Edge cases
        0 if the list never covers that many topics within its first k. Undefined by the judgements if no item is relevant for a
        topic of the query, or all judged items together do not reach the level (``universe=profile`` or ``catalogue``).

    Convention
        The best list is a minimal set cover (NP-hard); ours is greedy, with ties going to the highest id, so values can exceed 1
        in rare cases. Similar names are used for topics covered ÷ k, and for the reciprocal of minrank.

    Parameters
        level: the share of the topics that must be reached, above 0 and at most 1
        topics, universe, rel

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b", "c"]}, qrels, ["s_precision", "s_precision(level=0.5)"]).mean
        {'s_precision': 0.6666666666666666, 's_precision(level=0.5)': 1.0}

    Reference
        C. Zhai, W. Cohen and J. Lafferty, Beyond independent relevance, SIGIR 2003.
    """

    name: ClassVar[str] = "s_precision"
    words: ClassVar[tuple[str, str, str]] = ("there", "greedy rank / r", "")

    level: float = 1.0

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The greedy list may be longer than the shortest."""
        return 0.0, float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.level <= 1:
            raise UsageError(f"s_precision(level={self.level:g}): level must be above 0 and at most 1.")

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The row of each list at which it reaches the level."""
        made = super().terms(judged, context)
        ideal = self._ranks(judged, context)
        last = self._arrival(made, self._wanted(self.n_topics(judged, context)))
        rows = made.rows.where(last)
        return Terms(rows, np.ones(len(rows)), ideal[rows.query] / rows.rank)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, if the judged items reach the level."""
        return (self._ranks(judged, context) > 0).astype(np.float64)

    def _ranks(self, judged: Judged, context: Context) -> np.ndarray:
        """The rank at which each query's greedy list reaches the level; 0 if it never does."""
        return context.shared.once(_arrivals, judged.pool, replace(self, k=None))[judged.pool_row]

    def greedy_ranks(self, pool: Pool, context: Context) -> np.ndarray:
        """Return the rank at which each greedy list of the pool reaches the level, 0 if never; plus a final 0."""
        made = self.greedy_terms(pool, context)
        n_topics = self.subtopics(pool, context).counts
        last = self._arrival(made, self._wanted(n_topics))
        ranks = np.zeros(len(n_topics) + 1)
        ranks[made.rows.query[last]] = made.rows.rank[last]
        return ranks

    def _wanted(self, n_topics: np.ndarray) -> np.ndarray:
        """The number of topics to cover: level · T rounded up, ignoring floating-point error."""
        return np.ceil(self.level * n_topics - 1e-9)

    @staticmethod
    def _arrival(made: Terms, wanted: np.ndarray) -> np.ndarray:
        """The row of each list at which it has covered the wanted number of topics."""
        reached = made.rows.running(made.gain)
        goal = wanted[made.rows.query]
        return np.flatnonzero((reached >= goal) & (reached - made.gain < goal))


def _arrivals(context: Context, pool: Pool, metric: SPrecision) -> np.ndarray:
    return metric.greedy_ranks(pool, context)
