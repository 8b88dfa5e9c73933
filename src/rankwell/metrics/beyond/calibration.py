"""Metrics that compare a list's shares of topics, or of popular items, with those in the user's history; and the divergences between two
distributions that they and others take.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.item_features import Featured
from rankwell.metrics.beyond.tail import OfHead
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import Better, ListMetric, definition
from rankwell.tables.lists import Ranked, shares
from rankwell.tables.popularity import PARTS

__all__ = ["UPD", "Calibration"]


def kl(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Kullback–Leibler divergence Σ p ln(p / q) of each row, in nats; infinite if q is 0 where p is not.

    Rows of ``p`` and ``q`` are shares that sum to 1, here and in the functions below; a row of NaN gives NaN.

    >>> kl(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.5, 0.5]])).round(4).tolist()
    [0.0, 0.6931]
    """
    from scipy.special import rel_entr  # p ln(p / q), and 0 where p is 0

    return np.maximum(rel_entr(p, q).sum(axis=1), 0.0)


def js(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Jensen–Shannon divergence of each row in bits, from 0 to 1: the mean KL of p and q from their average.

    >>> js(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]])).tolist()
    [1.0, 0.0]
    """
    from scipy.special import rel_entr

    middle = (p + q) / 2
    both = (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=1) / (2 * math.log(2))
    return np.clip(both, 0.0, 1.0)


def hellinger(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Hellinger distance of each row, √(1 − Σ √(p q)), from 0 to 1.

    >>> hellinger(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]])).tolist()
    [1.0, 0.0]
    """
    # 1 − Σ √(p q) as half the squared distance of the roots, which is exactly 0 for equal rows and accurate near 0
    apart = np.square(np.sqrt(p) - np.sqrt(q)).sum(axis=1) / 2
    return np.sqrt(np.minimum(apart, 1.0))


def tv(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the total variation ½ Σ |p − q| of each row, from 0 to 1: the share that would have to move.

    >>> tv(np.array([[0.75, 0.25]]), np.array([[0.25, 0.75]])).tolist()
    [0.5]
    """
    return np.minimum(np.abs(p - q).sum(axis=1) / 2, 1.0)


DIVERGENCES = {"kl": kl, "js": js, "hellinger": hellinger, "tv": tv}


@definition
class Calibration(Featured):
    """Calibration: how far the topic shares of a list are from those of the user's history; 0 is calibrated.

    Formula
        p(t) = Σ_{i ∈ H} ω_i p(t|i) / Σ ω_i over the user's training items, q(t) likewise over the list, p(t|i) = 1 / number of i's
        topics; kl: Σ_{p > 0} p log(p / q̃), q̃ = (1 − a) q + a p; js: ½ KL(p‖m) + ½ KL(q‖m) in bits, m = (p + q) / 2;
        hellinger: √(1 − Σ √(p q)); tv: ½ Σ |p − q|

    Edge cases
        Undefined if no item of the list, or of the user's history, has a topic. Items without topics are left out, and their
        rows are counted. Training grades below 0 weigh 0. Under kl a topic missing from the list costs at most p log(1 / a),
        so with a = .01 the value stays below 4.61; the other divergences are at most 1.

    Convention
        Steck's definition is kl with natural logarithms and a = .01; discount=log2p1 weights ranks, as he suggests; discount=reciprocal is
        news-recommender-metrics' rank_weight_method="MMR". A list with
        the user's own mix of topics scores 0 whatever its items are worth: read it together with an accuracy metric.

    Parameters
        divergence: kl, js, hellinger or tv
        base: the base of kl's logarithm: e, or a number above 1
        smoothing: a, above 0 and below 1 (kl)
        discount: ω of a listed item: none (1), log2p1 1 / log2(r + 1), or reciprocal 1 / r
        features: topics (the column topics, genres …), numeric, a column, or a pattern of columns; each nonzero feature counts
            as a topic
        weights: ω of a training item: none (1), or grade

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
        >>> metrics = ["calibration@2", "calibration(divergence=tv)@2"]
        >>> res = rw.evaluate({"u": ["b", "c"]}, metrics=metrics, items=films, train={"u": {"a": 1, "b": 1}})
        >>> {name: round(value, 4) for name, value in res.mean.items()}
        {'calibration@2': 0.5361, 'calibration(divergence=tv)@2': 0.5}

    Reference
        H. Steck, Calibrated recommendations, RecSys 2018.
    """

    name: ClassVar[str] = "calibration"
    plain: ClassVar[str] = "how far the mix of topics is from what each user chose before"
    better: ClassVar[Better] = "lower"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features", "history"})

    divergence: Literal["kl", "js", "hellinger", "tv"] = "kl"
    base: Literal["e"] | float = "e"
    smoothing: float = 0.01
    discount: Literal["none", "log2p1", "reciprocal"] = "none"
    weights: Literal["none", "grade"] = "none"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """With kl at most log(1 / a)."""
        return 0.0, math.log(1 / self.smoothing) / self._unit() if self.divergence == "kl" else 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.smoothing < 1:
            raise UsageError(
                f"calibration(smoothing={self.smoothing:g}): smoothing must be above 0 and below 1; at 0 a topic missing "
                f"from the list makes kl infinite."
            )
        if self.base != "e" and self.base <= 1:
            raise UsageError(f"calibration(base={self.base:g}): base must be e or a number above 1.")

    def applies(self, parameter: str) -> bool:
        """``base`` and ``smoothing`` apply only to kl."""
        return parameter not in ("base", "smoothing") or self.divergence == "kl"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The divergence between the shares in the history and in the list, for blocks of users."""
        rows, _ = self.rows(judged, context)
        history, topics = judged.history(context), self.vectors(judged, context).shares
        of_ranks = None if self.discount == "none" else discount(self.discount, 2.0, rows.rank)
        of_grades = None if self.weights == "none" else np.maximum(history.grade, 0.0)
        values = np.empty(len(judged))
        # both sides are cut into the same blocks, as these depend on the number of topics alone
        own = topics.sums(history, of_grades)
        for (low, high, p), (_, _, q) in zip(own, topics.sums(rows, of_ranks), strict=True):
            values[low:high] = self._divergence(shares(p), shares(q))
        return values

    def _divergence(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        if self.divergence != "kl":
            return DIVERGENCES[self.divergence](p, q)
        smooth = (1 - self.smoothing) * q + self.smoothing * p
        return DIVERGENCES["kl"](p, smooth) / self._unit()

    def _unit(self) -> float:
        return 1.0 if self.base == "e" else math.log(self.base)


@definition
class UPD(OfHead, ListMetric):
    """User popularity deviation: how far a list's shares of popular items are from those of the user's history.

    Formula
        UPD@k = JS(p_H, p_L) in bits, p the shares of head, mid and tail in the user's training items H and in the list L

    Edge cases
        Undefined for an empty list and for a user without training items. An item without training users is in the tail; items
        outside a given catalogue are left out. Items exactly at the border of head=reach, count, quantile or iqr are not in the
        head: head=count,at=20 is more than 20 users.

    Convention
        By default the head is the most popular items with 20 % of the training pairs, and the tail the least popular items with
        20 %, as in Abdollahpouri et al. With ``mid`` equal to ``at`` there are only head and tail. The paper averages over
        three groups of users (use ``by=``); here the mean is over all lists.

    Parameters
        head: the rule for the head: volume, top, fraction, reach, count, quantile or iqr (see long_tail)
        at: the share or number used by the rule; reach, count, quantile and iqr take items strictly above it
        mid: where the mid ends and the tail begins, by the same rule: at least ``at`` (at most, for reach, count, quantile, iqr)

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1, "c": 1}, "v": {"a": 1}, "w": {"a": 1, "b": 1}}
        >>> res = rw.evaluate({"u": ["c", "b", "a"], "v": ["b", "c"]}, metrics=["upd(at=.5,mid=.7)"], train=train)
        >>> res.per_query["upd(at=0.5,mid=0.7)"].to_list()  # a third each as before; mid and tail where all was of the head
        [0.0, 1.0]

    Reference
        H. Abdollahpouri et al., User-centered evaluation of popularity bias in recommender systems, UMAP 2021.
    """

    name: ClassVar[str] = "upd"
    better: ClassVar[Better] = "lower"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "history", "counts"})

    at: float = 0.2
    mid: float = 0.8

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The divergence between the shares."""
        rows = judged.shown.top(self.k)
        assert rows.item is not None
        if context.items is not None:
            rows = rows.where(rows.item >= 0)
        return js(self._shares(judged.history(context), context), self._shares(rows, context))

    def _shares(self, rows: Ranked, context: Context) -> np.ndarray:
        """The shares of head, mid and tail among each query's rows."""
        part = self.parts_of(rows, context)
        return shares(np.column_stack([rows.sum(part == code) for code in range(len(PARTS))]))
