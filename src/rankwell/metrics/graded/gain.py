"""Metrics that sum graded gains: CG, DCG, and the DCG of the ideal list."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from rankwell.kernels import sums
from rankwell.matching.batch import Context, Judged
from rankwell.matching.scale import Scale
from rankwell.metrics.additive import RankWeighted, Terms
from rankwell.metrics.bounds import RISES, Bounded
from rankwell.metrics.graded.gain_functions import (
    BLOCK,
    Gain,
    best_first,
    can_gain,
    discount,
    gain_of,
)
from rankwell.metrics.metric import Better, definition
from rankwell.metrics.parameters import Gains, Numbers
from rankwell.tables.lists import Ranked
from rankwell.tables.series import freeze

__all__ = ["CG", "DCG", "IDCG"]

TABLE = "in a table of gains a higher grade may have a lower gain"
LOSSES = "a table of gains may hold negative gains"


@definition
class Gained(RankWeighted):
    """A metric that sums gains; undefined if no judged item has a gain."""

    words: ClassVar[tuple[str, str, str]] = ("gain", "discount", "")
    rises: ClassVar[bool] = True
    copies: ClassVar[bool] = True

    def applies(self, parameter: str) -> bool:
        """``base`` applies only to discount=jk, ``gain_from`` only to ratings."""
        is_jk = getattr(self, "discount", "") == "jk"
        return {"base": is_jk, "gain_from": self.gain_from == "raw"}.get(parameter, True)  # type: ignore[attr-defined]

    def broken_laws(self) -> dict[str, str]:
        """In a table, a higher grade may have a lower or a negative gain."""
        if isinstance(self.gain, str):  # type: ignore[attr-defined]
            return super().broken_laws()
        laws = dict.fromkeys(("a better list scores no worse", "best and worst bracket expected"), TABLE)
        return super().broken_laws() | laws | {"values are in range": LOSSES}

    def bounded(self) -> Bounded:
        """Exact, if a lower rank weighs no more."""
        discount = getattr(self, "discount", "none")
        is_falling = isinstance(discount, str) or all(np.diff([*discount, 0.0]) <= 0)
        return super().bounded() if is_falling else RISES

    def has_common_divisor(self) -> bool:
        """Unless the ideal list is made of the list itself."""
        return getattr(self, "ideal", "") not in ("min_kn", "retrieved")

    def ends(self, grades: np.ndarray, context: Context) -> tuple[float, float]:
        """The grades with the lowest and the highest gain; unjudged, if all grades have gains."""
        gains = self.gains(Ranked(1, np.zeros(len(grades), np.int64), None, grades), context)
        lowest = (
            np.nan if gains.min() > 0 else grades[gains.argmin()]
        )  # NaN: no grade gains as little as none
        return float(lowest), float(grades[gains.argmax()])

    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """The gain of each judged item found."""
        return gain_of(self, rows, context.scale)

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The discount of each rank."""
        return discount(self.discount, self.base, ranks)  # type: ignore[attr-defined]

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The discounted gains over the divisor."""
        if judged.is_expected or not self.of_list or self.k is None or self.k > BLOCK:
            return super().per_query(judged, context)
        # the usual case in one loop, with the weights of the first k ranks from a table; the sum is added in the same order
        rows = self.rows(judged)
        gains = np.ascontiguousarray(self.gains(rows, context), np.float64)
        below = np.ascontiguousarray(self.divisor(judged, context), np.float64)
        return sums.until(rows.query, rows.rank, self.k, gains, first_weights(self), below)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, if any judged item has a gain."""
        return judged.of_ideal(can_gain, Gain.of(self), context.scale)


@lru_cache(maxsize=256)
def first_weights(metric: Gained) -> np.ndarray:
    """Return the discounts of the ranks down to the cut-off of a metric; cached, because metrics are values."""
    assert metric.k is not None
    return freeze(np.ascontiguousarray(metric.weights_of(np.arange(1, metric.k + 1)), np.float64))


def ideal_sums(best: Ranked, metric: Gained, scale: Scale) -> np.ndarray:
    if metric.k is None or metric.k > BLOCK or getattr(metric, "ideal", "") == "uncut":
        return ideal_dcg(metric, best, scale).sum()
    best, gains = best_first(metric, best, scale)
    return sums.until(best.query, best.rank, metric.k, gains, first_weights(metric), np.ones(best.queries))


def ideal_dcg(metric: Gained, best: Ranked, scale: Scale) -> Terms:
    """Return the terms of the ideal lists."""
    best, gains = best_first(metric, best, scale)
    if metric.k is not None and getattr(metric, "ideal", "") != "uncut":
        top = np.flatnonzero(best.rank <= metric.k)
        best, gains = best.where(top), gains[top]
    return Terms(best, gains, metric.weights_of(best.rank))


@definition
class CG(Gained):
    """Cumulated gain: the sum of the gains of the first k items.

    Formula
        CG@k = Σ_{r ≤ k} gain(g_r)

    Edge cases
        Unjudged items and grades below 0 have no gain, unless a table names them. Undefined by the judgements if no
        judged item has a positive gain.

    Convention
        The sum does not depend on the order within k. It is not normalised, so queries with more relevant items weigh
        more.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 3}}, ["cg@2", "cg(gain=exp2)@2"]).mean
        {'cg@2': 4.0, 'cg(gain=exp2)@2': 8.0}

    Reference
        K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002.
    """

    name: ClassVar[str] = "cg"
    plain: ClassVar[str] = "what {top} {are} worth"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    words: ClassVar[tuple[str, str, str]] = ("gain", "counts", "")

    gain: Literal["linear", "exp2"] | Gains = "linear"
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """One at every rank."""
        return np.ones(len(ranks))


@definition
class DCG(Gained):
    """Discounted cumulative gain: the gains of the first k items, each discounted by its rank.

    Formula
        DCG@k = Σ_{r ≤ k} gain(g_r) · d(r)

    Edge cases
        Unjudged items and grades below 0 have no gain, unless a table names them. Undefined by the judgements if no
        judged item has a positive gain.

    Convention
        Articles use two different formulas under this name: ``discount=log2p1``, 1/log2(r + 1), and ``discount=jk``
        with base 2, which leaves ranks 1 and 2 undiscounted and then uses 1/log2(r). In DCG the base of the logarithm
        changes the value; in nDCG it cancels for log2p1, but not for jk.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 3, "b": 2}}, ["dcg@2", "dcg(discount=jk)@2"]).mean
        {'dcg@2': 4.2618595071429155, 'dcg(discount=jk)@2': 5.0}

    Reference
        K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002;
        trec_eval 10 dcg.
    """

    name: ClassVar[str] = "dcg"
    plain: ClassVar[str] = "what {top} {are} worth, the higher up the more"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    gain: Literal["linear", "exp2"] | Gains = "linear"
    discount: Literal["log2p1", "jk", "reciprocal", "none"] | Numbers = "log2p1"
    base: float = 2.0
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"


@definition
class IDCG(DCG):
    """Ideal DCG: the DCG of all judged items, highest gain first; the divisor of nDCG.

    Formula
        IDCG@k = Σ_{r ≤ k} gain(g*_r) · d(r), with g* the grades in the ideal order

    Edge cases
        Does not depend on the run. Undefined by the judgements if no judged item has a positive gain.

    Convention
        trec_eval 10's ideal_dcg.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3}}, {"q": {"a": 1, "b": 3}}, ["idcg"]).mean
        {'idcg': 3.6309297535714578}

    Reference
        trec_eval 10 ideal_dcg.
    """

    name: ClassVar[str] = "idcg"
    better: ClassVar[Better] = "neither"
    of_list: ClassVar[bool] = False
    rises: ClassVar[bool] = False

    def rows(self, judged: Judged) -> Ranked:
        """The judged items, highest grade first."""
        return judged.ideal

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The gains of the ideal lists."""
        made = ideal_dcg(self, judged.ideal, context.scale)
        made.rows.pool_row = None  # rows of an ideal list have no propensity
        return made
