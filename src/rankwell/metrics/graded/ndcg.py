"""nDCG: discounted gains, divided by those of the ideal list."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.context import Context
from rankwell.matching.judged import Judged
from rankwell.matching.scale import exp2_gain
from rankwell.metrics.additive import Terms
from rankwell.metrics.bounds import EXACT, FREE_R, LOSSES, Bounded, Ends
from rankwell.metrics.graded.gain import Gained, first_weights, ideal_dcg, ideal_sums
from rankwell.metrics.graded.gain_functions import (
    OnScale,
    top_level,
)
from rankwell.metrics.metric import NO_CUT, definition
from rankwell.metrics.parameters import Gains, Numbers, named_gains

if TYPE_CHECKING:
    from rankwell.matching.unjudged import Unjudged


@definition
class nDCG(OnScale, Gained):
    """Normalised discounted cumulative gain: the discounted gains of the list, divided by those of the ideal list.

    Formula
        nDCG@k = Σ_{r ≤ k} gain(g_r) · d(r) / Σ_{r ≤ k} gain(g*_r) · d(r), with g* the grades in the ideal order

    Edge cases
        Undefined by the judgements if no judged item has a positive gain. Unjudged items and grades below 0 have no
        gain, unless a table names them and they are judgements (``negative=nonrelevant``); the ideal list holds no item
        with a negative gain. ``rel`` has no effect unless the data are ratings. ``ideal=maximal`` needs a cut-off and
        refuses grades above ``max_grade``.

    Convention
        Linear gain with log2(r + 1) is trec_eval's; ``gain=exp2`` (2^g − 1) is used by gdeval, Burges and most machine
        learning code. ``discount=jk`` is the original of Järvelin and Kekäläinen: no discount before rank ``base``, then
        log_base(r). The ideal list holds all judged items, cut at k. ``ideal=retrieved`` re-sorts the list itself, so
        missed items cost nothing; ``ideal=maximal`` is k items of the scale's highest grade (scaled DCG, sDCG), the same
        for all queries, which few lists can reach; ``ideal=uncut`` holds all judged items whatever k is, so a list shorter
        than that is never perfect (jurity). Normalising per query can invert the order that DCG gives (Jeunen et al.,
        2024). Grades that a table does not name have no gain; in trec_eval's ``ndcg.1=3`` and ir_measures' ``gains=`` they
        gain themselves, which is ``gain={1:3,others:own}``.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
        ideal: judged, uncut, retrieved or maximal
        max_grade: for ideal=maximal, the highest grade of the scale; default: the highest in the qrels
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

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

    gain: Literal["linear", "exp2"] | Gains = "linear"
    discount: Literal["log2p1", "jk", "reciprocal", "none"] | Numbers = "log2p1"
    base: float = 2.0
    ideal: Literal["judged", "uncut", "retrieved", "maximal"] = "judged"
    max_grade: float | None = None
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    words: ClassVar[tuple[str, str, str]] = ("gain", "discount", "IDCG")

    def is_scaled(self) -> bool:
        """Only with ideal=maximal, unless a table gives all gains."""
        return self.ideal == "maximal" and isinstance(self.gain, str)

    def check(self) -> None:
        """ideal=maximal requires a cut-off."""
        super().check()
        if self.ideal == "maximal" and self.k is None:
            raise UsageError(NO_CUT.format(name="ndcg(ideal=maximal)"))
        if self.ideal == "maximal" and not isinstance(self.gain, str) and named_gains(self.gain)[1]:
            raise UsageError(
                f"{self}: with others:own the highest gain of the scale is not known. For ideal=maximal, name every grade."
            )

    def applies(self, parameter: str) -> bool:
        """``max_grade`` applies only with ideal=maximal."""
        if parameter == "max_grade":
            return self.is_scaled()
        is_idle = parameter == "ideal" and self.ideal == "uncut" and self.k is None
        return not is_idle and super().applies(parameter)

    def broken_laws(self) -> dict[str, str]:
        """With ideal=retrieved, items below k matter."""
        retrieved = {"only the first k count": "the whole list is re-sorted to make the ideal list"}
        return super().broken_laws() | (retrieved if self.ideal == "retrieved" else {})

    def bounded(self) -> Bounded:
        """Exact, if no grade has a negative gain; with a stated pool if judging can change the ideal list."""
        known = super().bounded()
        if known.kind == "none" or self.ideal == "maximal":
            return known
        if not isinstance(self.gain, str) and min(gain for _, gain in named_gains(self.gain)[0]) < 0:
            return LOSSES
        return EXACT if self.ideal == "retrieved" else FREE_R

    def bounds(self, unjudged: Unjudged, context: Context) -> Ends:
        """The lowest and the highest value of each query."""
        if self.ideal == "maximal":
            return super().bounds(unjudged, context)
        from rankwell.metrics.graded.ndcg_bounds import bounds

        return bounds(self, unjudged)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The DCG of the ideal list; a list without any gain has the value 0."""
        ideal = judged.of_ideal(ideal_sums, self, context.scale)
        if self.ideal in ("judged", "uncut"):
            return ideal
        if self.ideal == "maximal":
            assert self.k is not None
            most = self._most(judged, context) * first_weights(self).sum()
            return np.where(ideal > 0, most, np.nan)
        retrieved = ideal_dcg(self, judged.found, context.scale).sum()
        return np.where(ideal > 0, np.where(retrieved > 0, retrieved, np.inf), np.nan)

    def caution(self) -> str:
        """With ideal=retrieved, lists are not comparable with each other."""
        if self.ideal != "retrieved":
            return ""
        return "the ideal list is the list itself, sorted: missed items cost nothing"

    def ideal_terms(self, judged: Judged, context: Context) -> Terms | None:
        """The gains of the ideal lists, if they are lists of items."""
        if self.ideal == "maximal":
            return None
        return ideal_dcg(self, judged.found if self.ideal == "retrieved" else judged.ideal, context.scale)

    def _most(self, judged: Judged, context: Context) -> float:
        """The highest gain of the scale."""
        if not isinstance(self.gain, str):
            return max(gain for _, gain in named_gains(self.gain)[0])
        levels = context.scale.level(judged.found.grade, self.rel, self.gain_from)
        top = top_level(self, levels[~np.isnan(levels)], context)
        return top if self.gain == "linear" else float(exp2_gain(np.array([top]))[0])
