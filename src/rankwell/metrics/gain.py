"""Metrics that add up graded gains: CG, DCG, nDCG."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.additive import RankWeighted, Terms
from rankwell.base import Better, definition
from rankwell.errors import UsageError
from rankwell.gains import Gain, OnScale, best_first, can_gain, discount, gain_of, top_level
from rankwell.hits import Context, Judged, Scale
from rankwell.parameters import Numbers, Pairs
from rankwell.ranked import Ranked

__all__ = ["CG", "DCG", "IDCG", "nDCG"]

TABLE = "a table of gains need not grow with the grade"
LOSSES = "a table of gains may hold losses"


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
            return super().breaks()
        laws = dict.fromkeys(("a better list scores no worse", "best and worst bracket expected"), TABLE)
        return super().breaks() | laws | {"values are in range": LOSSES}

    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """The gain of each judged item found."""
        return gain_of(self, rows, context.scale)

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The discount of each rank."""
        return discount(self.discount, self.base, ranks)  # type: ignore[attr-defined]

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, where something can be gained."""
        return judged.of_ideal(can_gain, Gain.of(self), context.scale)


def _ideal_sums(best: Ranked, metric: _Gained, scale: Scale) -> np.ndarray:
    return ideal_dcg(metric, best, scale).sum()


def ideal_dcg(metric: _Gained, best: Ranked, scale: Scale) -> Terms:
    """Return what the best possible lists add up."""
    best, gains = best_first(metric, best, scale)
    if metric.k is not None and getattr(metric, "ideal", "") != "uncut":
        top = np.flatnonzero(best.rank <= metric.k)
        best, gains = best.where(top), gains[top]
    return Terms(best, gains, metric.weights_of(best.rank))


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

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
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
class IDCG(DCG):
    """Ideal DCG: the DCG of all judged items, best gain first; what nDCG divides by.

    Formula
        IDCG@k = Σ_{r ≤ k} gain(g*_r) · d(r), with g* the grades in the ideal order

    Edge cases
        It says nothing of the run. Undefined by the judgements where no judged item has a positive gain.

    Convention
        trec_eval 10's ideal_dcg.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of the grades as they are; one that it lacks gains nothing
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from: under ratings, threshold (g − rel + 1) or raw (g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3}}, {"q": {"a": 1, "b": 3}}, ["idcg"]).mean
        {'idcg': 3.6309297535714578}

    Reference
        trec_eval 10 ideal_dcg.
    """

    name: ClassVar[str] = "idcg"
    better: ClassVar[Better] = "neither"

    def rows(self, judged: Judged) -> Ranked:
        """The judged items, best first."""
        return judged.ideal

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The gains of the ideal lists."""
        made = ideal_dcg(self, judged.ideal, context.scale)
        made.rows.judgement = None  # these are no rows of the list: they have no propensity
        return made


@definition
class nDCG(OnScale, _Gained):
    """Normalised discounted cumulative gain: the discounted gains of the list, divided by those of the best one.

    Formula
        nDCG@k = Σ_{r ≤ k} gain(g_r) · d(r) / Σ_{r ≤ k} gain(g*_r) · d(r), with g* the grades in the ideal order

    Edge cases
        Undefined by the judgements where no judged item has a positive gain. Unjudged items and grades below 0 gain
        nothing, unless a table names them and they are judgements (``negative=nonrelevant``); the ideal holds no
        item whose gain is negative. ``rel`` decides nothing here unless the data are ratings. ``ideal=maximal`` needs
        a cut-off and refuses grades above ``max_grade``.

    Convention
        Linear gain with log2(r + 1) is trec_eval's; ``gain=exp2`` (2^g − 1) is gdeval's, Burges' and most machine
        learning code's. ``discount=jk`` is Järvelin and Kekäläinen's first: no discount before rank ``base``, then
        log_base(r). The ideal takes all judged items, cut at k; ``ideal=retrieved`` re-sorts the list itself, which
        cannot see what the list missed; ``ideal=maximal`` is k items of the highest grade of the scale (scaled DCG,
        sDCG), the same for all queries, which few lists can reach; ``ideal=uncut`` holds all judged items whatever k is,
        so that no short list is perfect where there are more (jurity). Normalising per query can invert the order that
        DCG gives (Jeunen et al., 2024).

    Parameters
        gain: linear, exp2, or a table {grade: gain} of the grades as they are; one that it lacks gains nothing
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
        ideal: judged, uncut, retrieved or maximal
        max_grade: for ideal=maximal, the highest grade of the scale; default the highest of the qrels
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
    ideal: Literal["judged", "uncut", "retrieved", "maximal"] = "judged"
    max_grade: float | None = None
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"
    words: ClassVar[tuple[str, str, str]] = ("gain", "discount", "IDCG")

    def is_scaled(self) -> bool:
        """Only the maximal ideal, unless a table holds all gains."""
        return self.ideal == "maximal" and isinstance(self.gain, str)

    def check(self) -> None:
        """An ideal of any length has no end without a cut-off."""
        super().check()
        if self.ideal == "maximal" and self.k is None:
            raise UsageError("ndcg(ideal=maximal) needs a cut-off: write ndcg(ideal=maximal)@10.")

    def in_force(self, parameter: str) -> bool:
        """The highest grade, where the ideal is made of it."""
        if parameter == "max_grade":
            return self.is_scaled()
        is_idle = parameter == "ideal" and self.ideal == "uncut" and self.k is None
        return not is_idle and super().in_force(parameter)

    def breaks(self) -> dict[str, str]:
        """A list that is its own ideal is seen below k."""
        retrieved = {"only the first k count": "the whole list is re-sorted to make the ideal"}
        return super().breaks() | (retrieved if self.ideal == "retrieved" else {})

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The DCG of the ideal list; a list that has no gain at all has the value 0."""
        ideal = judged.of_ideal(_ideal_sums, self, context.scale)
        if self.ideal in ("judged", "uncut"):
            return ideal
        if self.ideal == "maximal":
            assert self.k is not None
            most = self._most(judged, context) * self.weights_of(np.arange(1, self.k + 1)).sum()
            return np.where(ideal > 0, most, np.nan)
        retrieved = ideal_dcg(self, judged.found, context.scale).sum()
        return np.where(ideal > 0, np.where(retrieved > 0, retrieved, np.inf), np.nan)

    def caution(self) -> str:
        """A list is not measured against itself by those who compare lists."""
        if self.ideal != "retrieved":
            return ""
        return "the ideal is the list itself, sorted: what the list missed costs nothing"

    def ideal_terms(self, judged: Judged, context: Context) -> Terms | None:
        """The gains of the ideal lists, if they are lists of items."""
        if self.ideal == "maximal":
            return None
        return ideal_dcg(self, judged.found if self.ideal == "retrieved" else judged.ideal, context.scale)

    def _most(self, judged: Judged, context: Context) -> float:
        """The highest gain of the scale."""
        if not isinstance(self.gain, str):
            return float(max(gain for _, gain in self.gain))
        levels = context.scale.level(judged.found.grade, self.rel, self.gain_from)
        top = top_level(self, levels[~np.isnan(levels)], context)
        return top if self.gain == "linear" else float(np.exp2(top) - 1.0)
