"""Metrics of graded relevance: nDCG and ERR."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, Literal

import numpy as np

from rankwell.base import QueryMetric, definition
from rankwell.errors import UsageError
from rankwell.hits import Context, Judged
from rankwell.parameters import Numbers, Pairs
from rankwell.ranked import Ranked, ratio

__all__ = ["ERR", "nDCG"]


BLOCK = 4096


def discount(kind: str | Numbers, base: float, ranks: np.ndarray) -> np.ndarray:
    """Return the weight of each rank, from tables that are made once."""
    if not isinstance(kind, str):
        weights = np.append(np.asarray(kind), 0.0)
        return weights[np.minimum(ranks, len(weights)) - 1]
    blocks = int(ranks.max(initial=1) - 1) // BLOCK + 1
    if blocks == 1:
        return _weights(kind, base, 0)[ranks - 1]
    return np.concatenate([_weights(kind, base, block) for block in range(blocks)])[ranks - 1]


@cache
def _weights(kind: str, base: float, block: int) -> np.ndarray:
    """The weights of one block of ranks."""
    ranks = np.arange(block * BLOCK + 1, (block + 1) * BLOCK + 1)
    if kind == "log2p1":
        return 1.0 / np.log2(ranks + 1.0)
    if kind == "jk":
        logs = np.log(ranks) / np.log(base)
        return np.where(ranks < base, 1.0, 1.0 / np.maximum(logs, np.finfo(float).tiny))
    return 1.0 / ranks if kind == "reciprocal" else np.ones(len(ranks))


def _rises(query: np.ndarray, gains: np.ndarray) -> bool:
    """Whether a gain is higher than the one before it in its query."""
    return bool(np.any((gains[1:] > gains[:-1]) & (query[1:] == query[:-1])))


@definition
class nDCG(QueryMetric):
    """Normalised discounted cumulative gain: the discounted gains of the list, divided by those of the best one.

    Formula
        nDCG@k = Σ_{r ≤ k} gain(g_r) · d(r) / Σ_{r ≤ k} gain(g*_r) · d(r), with g* the grades in the ideal order

    Edge cases
        Undefined by the judgements where no judged item has a positive gain. Unjudged items and grades below 0 gain
        nothing, unless a table names them and they are judgements (``negative=nonrelevant``); the ideal holds no
        item whose gain is negative. ``rel`` decides nothing here unless the data are ratings.

    Convention
        Linear gain with log2(r + 1) is trec_eval's; ``gain=exp2`` (2^g − 1) is gdeval's, Burges' and most machine
        learning code's. ``discount=jk`` is Järvelin and Kekäläinen's first: no discount before rank ``base``, then
        log_base(r). The ideal takes all judged items, cut at k; ``ideal=retrieved`` re-sorts the list itself, which
        cannot see what the list missed. Normalising per query can invert the order that DCG gives (Jeunen et al.,
        2024).

    Parameters
        gain: linear, exp2, or a table {grade: gain} of the grades as they are; one that it lacks gains nothing
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
        ideal: judged or retrieved
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from: under ratings, threshold (g − rel + 1) or raw (g)

    Example
        >>> import rankwell as rw
        >>> res = rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 3}}, ["ndcg@2", rw.nDCG(gain="exp2")@2])
        >>> {name: round(value, 4) for name, value in res.mean.items()}
        {'ndcg@2': 0.7967, 'ndcg(gain=exp2)@2': 0.7098}

    Reference
        K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002;
        trec_eval ndcg, ndcg_cut.
    """

    name: ClassVar[str] = "ndcg"

    gain: Literal["linear", "exp2"] | Pairs = "linear"
    discount: Literal["log2p1", "jk", "reciprocal", "none"] | Numbers = "log2p1"
    base: float = 2.0
    ideal: Literal["judged", "retrieved"] = "judged"
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def in_force(self, parameter: str) -> bool:
        """The base belongs to discount=jk, the start of gains to ratings (with a rel)."""
        return {"base": self.discount == "jk", "gain_from": self.gain_from == "raw"}.get(parameter, True)

    def breaks(self) -> dict[str, str]:
        """A table need not grow with the grade; a list that is its own ideal is seen below k, and may be negative."""
        found = {}
        if not isinstance(self.gain, str):
            found["a better list scores no worse"] = "a table of gains need not grow with the grade"
            found["values are in range"] = "a table of gains may hold losses"
        if self.ideal == "retrieved":
            found["only the first k count"] = "the whole list is re-sorted to make the ideal"
        return found

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The list's DCG over the ideal one."""
        found = judged.found
        seen = found.top(self.k)
        dcg = seen.sum(self._gains(seen, context) * discount(self.discount, self.base, seen.rank))
        ideal = judged.of_ideal(self, lambda best: self._ideal_dcg(best, context))
        if self.ideal == "retrieved":
            retrieved = self._ideal_dcg(found, context)
            return np.where(ideal > 0, np.nan_to_num(ratio(dcg, retrieved)), np.nan)
        return ratio(dcg, ideal)

    def _ideal_dcg(self, best: Ranked, context: Context) -> np.ndarray:
        """The DCG of the items with a positive gain, best first (a table may order grades anew)."""
        gains = self._gains(best, context)
        best, gains = best.where(gains > 0), gains[gains > 0]
        order = np.lexsort((-gains, best.query)) if _rises(best.query, gains) else slice(None)
        gains, rank = gains[order], best.nth()
        if self.k is not None:
            top = np.flatnonzero(rank <= self.k)
            best, gains, rank = best.where(top), gains[top], rank[top]
        return best.sum(gains * discount(self.discount, self.base, rank))

    def _gains(self, ranked: Ranked, context: Context) -> np.ndarray:
        if isinstance(self.gain, str):
            level = context.scale.level(ranked.grade, self.rel, self.gain_from)
            return np.maximum(level if self.gain == "linear" else np.exp2(level) - 1.0, 0.0)
        grades, table = np.array(self.gain).T
        place = np.minimum(np.searchsorted(grades, ranked.grade), len(grades) - 1)
        named = (grades[place] == ranked.grade) & context.scale.judged(ranked.grade)
        return np.where(named, table[place], 0.0)


@definition
class ERR(QueryMetric):
    """Expected reciprocal rank: the reader goes down the list and stops with the probability that an item satisfies.

    Formula
        ERR@k = Σ_{r ≤ k} (1/r) · s(g_r) · Π_{j < r} (1 − s(g_j)), with s(g) = (2^g − 1) / 2^g_max

    Edge cases
        Undefined by the judgements where no judged item has a positive grade. Below 1 even for a perfect list.

    Convention
        g_max is the highest grade of the whole qrels, the same for every query, or ``max_grade=`` (gdeval: 4).
        ``gain=linear`` is NTCIR's s(g) = g / (g_max + 1).

    Parameters
        gain: exp2 or linear, how a grade becomes the probability to stop
        max_grade: g_max; default the highest grade of the qrels
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from: under ratings, threshold (g − rel + 1) or raw (g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 2}}, ["err"]).mean
        {'err': 0.53125}

    Reference
        O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009.
    """

    name: ClassVar[str] = "err"
    needs: ClassVar[frozenset[str]] = frozenset({"grade_max"})

    gain: Literal["exp2", "linear"] = "exp2"
    max_grade: float | None = None
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def breaks(self) -> dict[str, str]:
        """The highest grade of all judgements is the scale, unless it is given."""
        if self.max_grade is not None:
            return {}
        return {"judgements are apart": "the highest grade of all judgements is the top of the scale"}

    def in_force(self, parameter: str) -> bool:
        """The start of gains belongs to ratings."""
        return parameter != "gain_from" or self.gain_from == "raw"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The chances to stop, each after not having stopped before."""
        found = judged.found.top(self.k)
        level = np.maximum(context.scale.level(found.grade, self.rel, self.gain_from), 0.0)
        found, level = found.where(level > 0), level[level > 0]
        stop = self._stop(level, context)
        value = found.sum(stop * found.product_before(1.0 - stop) / found.rank)
        positive = judged.of_ideal(
            ("positive", self.rel, self.gain_from), lambda best: self._positive(best, context)
        )
        return np.where(positive > 0, value, np.nan)

    def _positive(self, best: Ranked, context: Context) -> np.ndarray:
        return best.where(context.scale.level(best.grade, self.rel, self.gain_from) > 0).count()

    def _stop(self, level: np.ndarray, context: Context) -> np.ndarray:
        highest = context.grade_max if self.max_grade is None else self.max_grade
        top = float(context.scale.level(np.array([highest], float), self.rel, self.gain_from)[0])
        if len(level) and level.max() > top:
            raise UsageError(
                f"{self}: a grade is higher than max_grade; give the highest grade of the scale."
            )
        return (np.exp2(level) - 1.0) / np.exp2(top) if self.gain == "exp2" else level / (top + 1.0)
