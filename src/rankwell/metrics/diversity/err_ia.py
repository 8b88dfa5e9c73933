"""Metrics of readers who look for several topics and stop when satisfied: ERR-IA, nERR-IA, RBU."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.matching.scale import exp2_share
from rankwell.metrics.additive import Terms
from rankwell.metrics.diversity.subtopics import (
    MOST_OVER_GREEDY,
    Cascade,
    OverGreedy,
    Subtopics,
    Weights,
    everything,
)
from rankwell.metrics.graded.gain_functions import OnScale, top_level
from rankwell.metrics.metric import definition
from rankwell.tables.lists import Ranked

__all__ = ["ERRIA", "RBU", "nERRIA"]


@definition
class _Stopping(Cascade, OnScale):
    """A cascade in which an item satisfies a topic with a probability that grows with its grade."""

    weights: Weights = "qrels"
    max_grade: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def applies(self, parameter: str) -> bool:
        """``gain_from`` applies only to ratings."""
        return parameter != "gain_from" or self.gain_from == "raw"

    def start(self, topics: Subtopics) -> np.ndarray:
        """The weight of each topic."""
        return topics.weight

    def use(self, topics: Subtopics, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """The probability of stopping is both the share gained and the share used up."""
        stop = self.stops(topics, context)
        return stop, stop

    def stops(self, topics: Subtopics, context: Context) -> np.ndarray:
        """Return the probability that each entry satisfies."""
        return exp2_share(topics.level, top_level(self, topics.level, context))


@definition
class _ERRIA(_Stopping):
    """What ERR-IA and its normalised form share.

    Parameters
        gain: exp2, linear or binary, how a grade becomes the probability to stop
        alpha: for gain=binary, the probability to stop at a relevant item, 0 to 1
        max_grade: g_max; default the highest grade of the qrels
        rel: the grade from which an item is relevant (gain=binary); under ratings, the rating from which gains count
    """

    gain: Literal["exp2", "linear", "binary"] = "exp2"
    alpha: float = 0.5

    @property
    def graded(self) -> bool:  # type: ignore[override]
        """Whether the grade of a relevant item matters."""
        return self.gain != "binary"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"{self.name}(alpha={self.alpha:g}): alpha must be between 0 and 1.")

    def is_scaled(self) -> bool:
        """Grades are relative to the highest grade, unless gain=binary."""
        return self.gain != "binary"

    def applies(self, parameter: str) -> bool:
        """``alpha`` applies only to gain=binary, ``max_grade`` to other gains."""
        if parameter == "alpha":
            return self.gain == "binary"
        if self.gain == "binary" and parameter in ("max_grade", "gain_from"):
            return False
        return super().applies(parameter)

    def use(self, topics: Subtopics, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """The probability of stopping; if all values are divided by alpha anyway, all that is left is gained."""
        stop = self.stops(topics, context)
        return (np.ones(len(stop)) if self.is_per_alpha() else stop), stop

    def is_per_alpha(self) -> bool:
        """Whether alpha is left out of the gains, so that it may be 0."""
        return self.gain == "binary"

    def stops(self, topics: Subtopics, context: Context) -> np.ndarray:
        """By grade, or alpha for every relevant item."""
        if self.gain == "binary":
            return np.full(len(topics.slot), self.alpha)
        if self.gain == "exp2":
            return super().stops(topics, context)
        return topics.level / (top_level(self, topics.level, context) + 1.0)

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """One over the rank."""
        return 1.0 / ranks


@definition
class ERRIA(_ERRIA):
    """Intent-aware expected reciprocal rank: ERR for each topic of the query, weighted by the topics' weights.

    Formula
        ERR-IA@k = Σ_t w_t Σ_{r ≤ k} (1/r) s(g_t(i_r)) Π_{j < r} (1 − s(g_t(i_j))); exp2: s(g) = (2^g − 1) / 2^g_max; linear:
        s(g) = g / (g_max + 1); binary: s = α for every relevant item; norm=ndeval: binary, ÷ Σ_{i ≤ k} α (1 − α)^(i − 1) / i (the α cancel)

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, or all its topics weigh 0. An item counts for
        each topic it is judged relevant for.

    Convention
        exp2 is the definition of the paper. NIST's ndeval treats all relevant items alike and divides by the value of a list whose
        every item covers every topic: ``err_ia(gain=binary,norm=ndeval)@k`` (its @1 lacks that division).

    Parameters
        gain, alpha
        norm: none or ndeval
        max_grade, weights, topics, universe, rel, gain_from

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "c"]}, qrels, ["err_ia", "err_ia(gain=binary,norm=ndeval)@2"]).mean
        {'err_ia': 0.375, 'err_ia(gain=binary,norm=ndeval)@2': 0.6}

    Reference
        O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan, CIKM 2009; O. Chapelle et al., Intent-based diversification of web search
        results, Information Retrieval 2011; NIST ndeval.
    """

    name: ClassVar[str] = "err_ia"

    norm: Literal["none", "ndeval"] = "none"

    @property
    def words(self) -> tuple[str, str, str]:  # type: ignore[override]
        """The names of gain, weight and divisor in the worked table."""
        return "stops", "1 / r", "" if self.norm == "none" else "every topic at every rank"

    def check(self) -> None:
        """norm=ndeval requires a cut-off and gain=binary."""
        super().check()
        if self.norm == "ndeval" and (self.k is None or self.gain != "binary"):
            raise UsageError(
                f"{self}: norm=ndeval requires a cut-off and gain=binary: write err_ia(gain=binary,norm=ndeval)@10."
            )
        if self.gain == "binary" and self.norm == "none" and not self.alpha:
            raise UsageError(f"{self}: with alpha=0 no reader ever stops; set alpha above 0, or norm=ndeval.")

    def is_per_alpha(self) -> bool:
        """With norm=ndeval."""
        return self.norm == "ndeval"

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, or the value of a list whose every item covers every topic."""
        one = super().divisor(judged, context)
        return one if self.norm == "none" else one * everything(self.alpha, self.weights_of, self.k)


@definition
class nERRIA(OverGreedy, _ERRIA):
    """Normalised intent-aware expected reciprocal rank: ERR-IA divided by that of the greedy list of all judged items.

    Formula
        nERR-IA@k = ERR-IA@k / ERR-IA@k of the greedy list: at each rank the item with the highest gain, on ties the one with the
        highest id

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, or all its topics weigh 0. The greedy list
        may be slightly worse than the best, so a value can exceed 1.

    Convention
        ``nerr_ia(gain=binary)@k`` is ndeval's, with its alpha.

    Parameters
        gain, alpha, max_grade, weights, topics, universe, rel, gain_from

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "b"]}, qrels, ["nerr_ia@2"]).mean
        {'nerr_ia@2': 0.8333333333333334}

    Reference
        O. Chapelle et al., Information Retrieval 2011; NIST ndeval.
    """

    name: ClassVar[str] = "nerr_ia"
    range: ClassVar[tuple[float, float]] = (0.0, MOST_OVER_GREEDY)
    words: ClassVar[tuple[str, str, str]] = ("stops", "1 / r", "greedy ERR-IA")


@definition
class RBU(_Stopping):
    """Rank-biased utility: a reader looks for several topics, continues with probability p, and pays for every item.

    Formula
        RBU@k = (1 − p) Σ_{r ≤ min(k, n)} p^(r − 1) (Σ_t w_t s(g_t(i_r)) Π_{j < r} (1 − s(g_t(i_j))) − e), s(g) = (2^g − 1) / 2^g_max

    Edge cases
        Undefined by the judgements if no item is relevant for a topic of the query, or all its topics weigh 0. Unjudged items
        cost e like others, so a list of useless items is negative: −e (1 − p^n). Not normalised; the best list is below 1.

    Convention
        p and e are the values of the authors' example program (.8 and .03), not recommendations; they are always printed.
        p = .99 and e = .001 satisfy all ten axioms of the paper (``rankwell axioms``). The program takes g_max per topic
        (``scale=topic``); we use one scale for the collection, so a topic with only mediocre items is not scored as perfect.

    Parameters
        p: the probability of looking at the next rank, above 0 and below 1
        e: the cost of looking at an item, 0 to 1
        scale: collection (g_max is the highest grade of the qrels, or max_grade) or topic (that of each topic in the query)
        max_grade: g_max of scale=collection
        weights, topics, universe
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "x", "y"])
        >>> rw.evaluate({"q": ["a", "c"]}, qrels, ["rbu(p=0.8,e=0.03)"]).mean
        {'rbu(p=0.8,e=0.03)': 0.07919999999999999}

    Reference
        E. Amigó, D. Spina and J. Carrillo-de-Albornoz, An axiomatic analysis of diversity evaluation metrics, SIGIR 2018, and its
        program.
    """

    name: ClassVar[str] = "rbu"
    needs: ClassVar[frozenset[str]] = frozenset({"judgement", "shown"})
    words: ClassVar[tuple[str, str, str]] = ("stops − e", "(1 − p) p^(r − 1)", "")
    always_shown: ClassVar[frozenset[str]] = frozenset({"p", "e"})
    graded: ClassVar[bool] = True
    sliceable: ClassVar[bool] = False

    p: float = 0.8
    e: float = 0.03
    scale: Literal["collection", "topic"] = "collection"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The lower end is a list with costs and no gains."""
        return -self.e, 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise UsageError(f"rbu(p={self.p:g}): p must be above 0 and below 1.")
        if not 0 <= self.e <= 1:
            raise UsageError(f"rbu(e={self.e:g}): e must be between 0 and 1.")

    def is_scaled(self) -> bool:
        """Not if each topic has its own scale."""
        return self.scale == "collection"

    def applies(self, parameter: str) -> bool:
        """``max_grade`` applies only to scale=collection."""
        return super().applies(parameter) and (parameter != "max_grade" or self.scale == "collection")

    def stops(self, topics: Subtopics, context: Context) -> np.ndarray:
        """By grade, on the scale of the collection or of the topic."""
        if self.scale == "collection":
            return super().stops(topics, context)
        return exp2_share(topics.level, topics.highest())

    def rows(self, judged: Judged) -> Ranked:
        """All rows, as each has a cost."""
        return judged.shown.top(self.k)

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The gain of each row, minus its cost."""
        made = super().terms(judged, context)
        return Terms(made.rows, made.gain - self.e, made.weight)

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The probability of looking at a rank."""
        return (1.0 - self.p) * self.p ** (ranks - 1.0)
