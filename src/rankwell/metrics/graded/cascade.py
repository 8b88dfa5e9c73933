"""Metrics of a reader who goes down the list and stops when satisfied: ERR and its normalised form."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.judge.scale import Scale
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.graded.gain_functions import OnScale, ideal_divisors, top_level
from rankwell.metrics.metric import definition
from rankwell.tables.ranked import Ranked

__all__ = ["ERR", "nERR"]


@definition
class ERR(OnScale, Additive):
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
    words: ClassVar[tuple[str, str, str]] = ("stops", "comes so far / r", "")
    needs: ClassVar[frozenset[str]] = frozenset({"grade_max"})

    gain: Literal["exp2", "linear"] = "exp2"
    max_grade: float | None = None
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def in_force(self, parameter: str) -> bool:
        """The start of gains belongs to ratings."""
        return parameter != "gain_from" or self.gain_from == "raw"

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The chance to stop at each item, weighted by the chance to come so far and the reciprocal rank."""
        return self.cascade(judged.found.top(self.k), context)

    def cascade(self, rows: Ranked, context: Context) -> Terms:
        """Return the chance to stop at each of some rows, which are whole lists from rank 1, and its weight."""
        level = np.maximum(context.scale.level(rows.grade, self.rel, self.gain_from), 0.0)
        rows, level = rows.where(level > 0), level[level > 0]
        stop = self._stop(level, context)
        return Terms(rows, stop, rows.product_before(1.0 - stop) / rows.rank)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, where an item satisfies at all."""
        return judged.of_ideal(_can_stop, context.scale, self.rel, self.gain_from)

    def _stop(self, level: np.ndarray, context: Context) -> np.ndarray:
        top = top_level(self, level, context)
        return (np.exp2(level) - 1.0) / np.exp2(top) if self.gain == "exp2" else level / (top + 1.0)


@definition
class nERR(ERR):
    """Normalised expected reciprocal rank: ERR divided by that of the best possible list.

    Formula
        nERR@k = ERR@k / ERR@k of all judged items, best grade first

    Edge cases
        Undefined by the judgements where no judged item has a positive grade. A perfect list is 1, unlike under ERR.

    Convention
        g_max as in ERR; NTCIR's nERR takes ``gain=linear``.

    Parameters
        gain: exp2 or linear, how a grade becomes the probability to stop
        max_grade: g_max; default the highest grade of the qrels
        rel: under ratings, the rating from which gains count; default the policy's rel
        gain_from: under ratings, threshold (g − rel + 1) or raw (g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 2}}, ["nerr"]).mean
        {'nerr': 0.68}

    Reference
        T. Sakai and R. Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011;
        pyNTCIREVAL nERR.
    """

    name: ClassVar[str] = "nerr"
    words: ClassVar[tuple[str, str, str]] = ("stops", "comes so far / r", "ideal ERR")

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The ERR of the ideal list."""
        return judged.of_ideal(ideal_divisors, self, context.scale, context.grade_max)

    def divisors(self, best: Ranked, context: Context) -> np.ndarray:
        """Return the ERR of ideal lists."""
        return self.cascade(best.top(self.k), context).sum()

    def ideal_terms(self, judged: Judged, context: Context) -> Terms:
        """The chances to stop down the ideal lists."""
        return self.cascade(judged.ideal.top(self.k), context)


def _can_stop(best: Ranked, scale: Scale, rel: float | None, gain_from: str) -> np.ndarray:
    return np.minimum(best.where(scale.level(best.grade, rel, gain_from) > 0).count(), 1)
