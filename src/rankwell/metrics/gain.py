"""Metrics that add up graded gains: CG, DCG, nDCG."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.additive import RankWeighted, Terms
from rankwell.base import definition
from rankwell.hits import Context, Judged
from rankwell.parameters import Numbers, Pairs
from rankwell.ranked import Ranked

__all__ = ["CG", "DCG", "nDCG"]


BLOCK = 4096
TABLE = "a table of gains need not grow with the grade"
LOSSES = "a table of gains may hold losses"


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


def gain_of(metric: Any, ranked: Ranked, context: Context) -> np.ndarray:
    """Return each row's gain under a metric's ``gain``, ``rel`` and ``gain_from``."""
    if isinstance(metric.gain, str):
        level = context.scale.level(ranked.grade, metric.rel, metric.gain_from)
        return np.maximum(level if metric.gain == "linear" else np.exp2(level) - 1.0, 0.0)
    grades, table = np.array(metric.gain).T
    place = np.minimum(np.searchsorted(grades, ranked.grade), len(grades) - 1)
    named = (grades[place] == ranked.grade) & context.scale.judged(ranked.grade)
    return np.where(named, table[place], 0.0)


def best_first(metric: Any, best: Ranked, context: Context) -> tuple[Ranked, np.ndarray]:
    """Return the items with a positive gain, ranked by it (a table may order grades anew), and their gains."""
    gains = gain_of(metric, best, context)
    best, gains = best.where(gains > 0), gains[gains > 0]
    order = np.lexsort((-gains, best.query)) if _rises(best.query, gains) else slice(None)
    item = None if best.item is None else best.item[order]
    return Ranked(best.queries, best.query, best.nth(), best.grade[order], item=item), gains[order]


@definition
class _Gained(RankWeighted):
    """A metric that adds up gains, undefined where nothing can be gained."""

    words: ClassVar[tuple[str, str, str]] = ("gain", "discount", "")

    def in_force(self, parameter: str) -> bool:
        """The base belongs to discount=jk, the start of gains to ratings (with a rel)."""
        is_jk = getattr(self, "discount", "") == "jk"
        return {"base": is_jk, "gain_from": self.gain_from == "raw"}.get(parameter, True)  # type: ignore[attr-defined]

    def breaks(self) -> dict[str, str]:
        """A table need not grow with the grade, and may hold losses."""
        if isinstance(self.gain, str):  # type: ignore[attr-defined]
            return {}
        return {"a better list scores no worse": TABLE, "values are in range": LOSSES}

    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """The gain of each judged item found."""
        return gain_of(self, rows, context)

    def weights(self, ranks: np.ndarray) -> np.ndarray:
        """The discount of each rank."""
        return discount(self.discount, self.base, ranks)  # type: ignore[attr-defined]

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, where something can be gained."""
        key = ("can gain", self.gain, self.rel, self.gain_from)  # type: ignore[attr-defined]
        return judged.of_ideal(
            key, lambda best: (best_first(self, best, context)[0].count() > 0).astype(float)
        )


@definition
class CG(_Gained):
    """Cumulated gain: the gains of the first k items, added up.

    Formula
        CG@k = Σ_{r ≤ k} gain(g_r)

    Edge cases
        Unjudged items and grades below 0 gain nothing, unless a table names them. Undefined by the judgements where
        no judged item has a positive gain.

    Convention
        The sum of what was found, whatever its order within k; not normalised, so queries with more relevant items
        weigh more.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of the grades as they are; one that it lacks gains nothing
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from: under ratings, threshold (g − rel + 1) or raw (g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 3}}, ["cg@2", "cg(gain=exp2)@2"]).mean
        {'cg@2': 4.0, 'cg(gain=exp2)@2': 8.0}

    Reference
        K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002.
    """

    name: ClassVar[str] = "cg"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    words: ClassVar[tuple[str, str, str]] = ("gain", "counts", "")

    gain: Literal["linear", "exp2"] | Pairs = "linear"
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def weights(self, ranks: np.ndarray) -> np.ndarray:
        """One for every rank."""
        return np.ones(len(ranks))


@definition
class DCG(_Gained):
    """Discounted cumulative gain: the gains of the first k items, each discounted by its rank.

    Formula
        DCG@k = Σ_{r ≤ k} gain(g_r) · d(r)

    Edge cases
        Unjudged items and grades below 0 gain nothing, unless a table names them. Undefined by the judgements where
        no judged item has a positive gain.

    Convention
        The two formulas that articles give as one are two: ``discount=log2p1``, 1/log2(r + 1), and ``discount=jk``
        with base 2, which leaves ranks 1 and 2 undiscounted and then takes 1/log2(r). Here the base of the logarithm
        changes the value; in nDCG it cancels for log2p1, and not for jk.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of the grades as they are; one that it lacks gains nothing
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from: under ratings, threshold (g − rel + 1) or raw (g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 3, "b": 2}}, ["dcg@2", "dcg(discount=jk)@2"]).mean
        {'dcg@2': 4.2618595071429155, 'dcg(discount=jk)@2': 5.0}

    Reference
        K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002;
        trec_eval 10 dcg.
    """

    name: ClassVar[str] = "dcg"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    gain: Literal["linear", "exp2"] | Pairs = "linear"
    discount: Literal["log2p1", "jk", "reciprocal", "none"] | Numbers = "log2p1"
    base: float = 2.0
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"


@definition
class nDCG(_Gained):
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

    words: ClassVar[tuple[str, str, str]] = ("gain", "discount", "IDCG")

    def breaks(self) -> dict[str, str]:
        """A list that is its own ideal is seen below k."""
        retrieved = {"only the first k count": "the whole list is re-sorted to make the ideal"}
        return super().breaks() | (retrieved if self.ideal == "retrieved" else {})

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The DCG of the ideal list; a list that has no gain at all has the value 0."""
        ideal = judged.of_ideal(self, lambda best: self._ideal(best, context).sum())
        if self.ideal == "judged":
            return ideal
        retrieved = self._ideal(judged.found, context).sum()
        return np.where(ideal > 0, np.where(retrieved > 0, retrieved, np.inf), np.nan)

    def ideal_terms(self, judged: Judged, context: Context) -> Terms:
        """The gains of the ideal lists."""
        return self._ideal(judged.ideal if self.ideal == "judged" else judged.found, context)

    def _ideal(self, best: Ranked, context: Context) -> Terms:
        best, gains = best_first(self, best, context)
        if self.k is not None:
            top = np.flatnonzero(best.rank <= self.k)
            best, gains = best.where(top), gains[top]
        return Terms(best, gains, self.weights(best.rank))
