"""Metrics of a reader who scans down the list and stops when satisfied: ERR and normalised ERR."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.matching.scale import Scale, exp2_share
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.graded.gain_functions import OnScale, ideal_divisors, top_level
from rankwell.metrics.metric import definition
from rankwell.tables.lists import Ranked

__all__ = ["ERR", "nERR"]


@definition
class ERR(OnScale, Additive):
    """Expected reciprocal rank: a reader scans down the list and stops with the probability that an item satisfies.

    Formula
        ERR@k = Σ_{r ≤ k} (1/r) · s(g_r) · Π_{j < r} (1 − s(g_j)), with s(g) = (2^g − 1) / 2^g_max

    Edge cases
        Undefined by the judgements if no judged item has a positive grade. Below 1 even for a perfect list.

    Convention
        g_max is the highest grade in the whole qrels, the same for every query, or ``max_grade=`` (gdeval: 4).
        ``gain=linear`` is NTCIR's s(g) = g / (g_max + 1).

    Parameters
        gain: exp2 or linear, how a grade becomes the probability of stopping
        max_grade: g_max; default: the highest grade in the qrels
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 2}}, ["err"]).mean
        {'err': 0.53125}

    Reference
        O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009.
    """

    name: ClassVar[str] = "err"
    plain: ClassVar[str] = "how soon {top} would satisfy a reader"
    words: ClassVar[tuple[str, str, str]] = ("stops", "gets this far / r", "")
    needs: ClassVar[frozenset[str]] = frozenset({"grade_max"})
    rises: ClassVar[bool] = True

    gain: Literal["exp2", "linear"] = "exp2"
    max_grade: float | None = None
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def applies(self, parameter: str) -> bool:
        """``gain_from`` applies only to ratings."""
        return parameter != "gain_from" or self.gain_from == "raw"

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The probability of stopping at each item, weighted by the probability of reaching it and the reciprocal rank."""
        return self.cascade(judged.found.top(self.k), context)

    def cascade(self, rows: Ranked, context: Context) -> Terms:
        """Return the probability of stopping at each row and its weight; the rows are whole lists from rank 1."""
        level = np.maximum(context.scale.level(rows.grade, self.rel, self.gain_from), 0.0)
        # rows without a gain stop nobody: the products are the same without them
        rows, level = rows.where(level > 0), level[level > 0]
        stop = self._stop(level, context)
        return Terms(rows, stop, rows.product_before(1.0 - stop) / rows.rank)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, if any judged item can satisfy."""
        return judged.of_ideal(_can_stop, context.scale, self.rel, self.gain_from)

    def _stop(self, level: np.ndarray, context: Context) -> np.ndarray:
        top = top_level(self, level, context)
        return exp2_share(level, top) if self.gain == "exp2" else level / (top + 1.0)


@definition
class nERR(ERR):
    """Normalised expected reciprocal rank: ERR divided by the ERR of the ideal list.

    Formula
        nERR@k = ERR@k / ERR@k of all judged items, highest grade first

    Edge cases
        Undefined by the judgements if no judged item has a positive grade. Unlike under ERR, a perfect list is 1.

    Convention
        g_max as in ERR; NTCIR's nERR uses ``gain=linear``.

    Parameters
        gain: exp2 or linear, how a grade becomes the probability of stopping
        max_grade: g_max; default: the highest grade in the qrels
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 2}}, ["nerr"]).mean
        {'nerr': 0.68}

    Reference
        T. Sakai and R. Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011;
        pyNTCIREVAL nERR.
    """

    name: ClassVar[str] = "nerr"
    words: ClassVar[tuple[str, str, str]] = ("stops", "gets this far / r", "ideal ERR")
    rises: ClassVar[bool] = False

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The ERR of the ideal list."""
        return judged.of_ideal(ideal_divisors, self, context.scale, context.grade_max)

    def divisors(self, best: Ranked, context: Context) -> np.ndarray:
        """Return the ERR of the given ideal lists."""
        return self.cascade(best.top(self.k), context).sum()

    def ideal_terms(self, judged: Judged, context: Context) -> Terms:
        """The probabilities of stopping along the ideal lists."""
        return self.cascade(judged.ideal.top(self.k), context)


def _can_stop(best: Ranked, scale: Scale, rel: float | None, gain_from: str) -> np.ndarray:
    return np.minimum(best.where(scale.level(best.grade, rel, gain_from) > 0).count(), 1)
