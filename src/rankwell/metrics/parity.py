"""Metrics of equal chances: whether items of the head and of the tail of the catalogue are shown at the same rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwell.base import Better, CorpusMetric, definition
from rankwell.hits import Context, Judged
from rankwell.metrics.tail import OfHead
from rankwell.ranked import Ranked

__all__ = ["PopREO", "PopRSP"]


@dataclass(frozen=True, slots=True)
class Rates:
    """How many items of the head and of the tail were shown, of how many that could be.

    >>> (Rates((1, 1), (2, 4), 1) + Rates((0, 0), (0, 4), 1)).value  # rates 1/2 and 1/8
    0.6
    """

    shown: tuple[int, int]
    possible: tuple[int, int]
    n: int

    @classmethod
    def of(cls, shown_in_tail: np.ndarray, possible: tuple[int, int], n: int) -> Rates:
        """Return the state of rows that say whether they are of the tail."""
        behind = int(np.count_nonzero(shown_in_tail))
        return cls((len(shown_in_tail) - behind, behind), possible, n)

    def __add__(self, other: Rates) -> Rates:
        head, tail = (mine + theirs for mine, theirs in zip(self.shown, other.shown, strict=True))
        first, second = (mine + theirs for mine, theirs in zip(self.possible, other.possible, strict=True))
        return Rates((head, tail), (first, second), self.n + other.n)

    @property
    def value(self) -> float:
        """The standard deviation of the rates over their mean, of those parts that could be shown at all."""
        parts = [part for part in zip(self.shown, self.possible, strict=True) if part[1]]
        if not any(shown for shown, _ in parts):
            return math.nan
        (head, most), (tail, rest) = parts[0], parts[-1]
        return abs(head * rest - tail * most) / (head * rest + tail * most)


@definition
class PopRSP(OfHead, CorpusMetric):
    """Popularity-based ranking statistical parity: how unequal the chances of head and tail items are to be shown.

    Formula
        RSP_g = Σ_u |L_u ∩ g| / Σ_u |g ∖ H_u| for the head and the tail g, H_u the training items of u;
        pop_rsp@k = population standard deviation of the two RSP_g ÷ their mean = |RSP_head − RSP_tail| / (RSP_head + RSP_tail)

    Edge cases
        Needs ``items=``, the catalogue; items outside it are in no part. A part that no user can be shown is left out, and
        the value is 0. Undefined if nothing is shown.

    Convention
        0: equal chances; 1: one part is never shown. Counts are added up over users before they are divided (Elliot).

    Parameters
        head: volume, top, fraction, reach, count, quantile or iqr, the rule for the head (see long_tail)
        at: the share or number that belongs to the rule

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1}, "v": {"a": 1}, "w": {"a": 1, "b": 1}}
        >>> run, items = {"w": ["c"], "x": ["a", "b"]}, ["a", "b", "c"]
        >>> rw.evaluate(run, metrics=["pop_rsp(head=top,at=1)@2"], items=items, train=train).mean
        {'pop_rsp(head=top,at=1)@2': 0.2}

    Reference
        Z. Zhu, J. Wang and J. Caverlee, Measuring and mitigating item under-recommendation bias in personalized ranking
        systems, SIGIR 2020; Elliot PopRSP.
    """

    name: ClassVar[str] = "pop_rsp"
    better: ClassVar[Better] = "lower"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue", "counts", "history"})

    def state(self, judged: Judged, context: Context) -> Rates:
        """The rows shown, and the items of the catalogue that each user has not yet."""
        tail = ~self.in_head(context)
        items, own = judged.shown.top(self.k).item, judged.history(context).item
        assert items is not None
        behind, known = int(np.count_nonzero(tail)), int(np.count_nonzero(tail[own]))
        head = (len(tail) - behind) * len(judged) - (len(tail[own]) - known)
        return Rates.of(tail[items[items >= 0]], (head, behind * len(judged) - known), len(judged))


@definition
class PopREO(OfHead, CorpusMetric):
    """Popularity-based ranking equal opportunity: how unequal the chances of relevant head and tail items are.

    Formula
        REO_g = Σ_u |L_u ∩ g ∩ rel_u| / Σ_u |(g ∩ rel_u) ∖ H_u| for the head and the tail g, rel_u what is relevant to u,
        H_u the training items of u; pop_reo@k = population standard deviation of the two REO_g ÷ their mean

    Edge cases
        A judged query without a list has an empty one. Without ``items=`` an item that train lacks is of the tail. A part
        without relevant items is left out, and the value is 0. Undefined without a hit.

    Convention
        0: equal chances; 1: hits in one part only. Counts are added up over users before they are divided (Elliot).

    Parameters
        head: volume, top, fraction, reach, count, quantile or iqr, the rule for the head (see long_tail)
        at: the share or number that belongs to the rule
        rel: the grade from which an item is relevant; default above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> train, qrels = {"x": {"a": 1}, "y": {"a": 1}}, {"u": {"a": 1, "b": 1}, "v": {"c": 1}}
        >>> rw.evaluate({"u": ["a", "b"], "v": ["a"]}, qrels, ["pop_reo(head=top,at=1)@2"], train=train).mean
        {'pop_reo(head=top,at=1)@2': 0.3333333333333333}

    Reference
        Z. Zhu, J. Wang and J. Caverlee, Measuring and mitigating item under-recommendation bias in personalized ranking
        systems, SIGIR 2020; Elliot PopREO.
    """

    name: ClassVar[str] = "pop_reo"
    better: ClassVar[Better] = "lower"
    judgements: ClassVar[bool] = True
    sees_missing: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts", "history"})

    rel: float | None = None

    def state(self, judged: Judged, context: Context) -> Rates:
        """The relevant rows shown, and the relevant items that each user has not yet."""
        rows = judged.shown.top(self.k)
        hits = rows.where(context.scale.relevant(rows.grade, self.rel))
        known = judged.known[judged.known >= 0]
        head, tail = self._relevant(judged, context)[:, known].sum(axis=1).tolist()
        return Rates.of(self.in_tail(hits, context), (head, tail), len(known))

    def _relevant(self, judged: Judged, context: Context) -> np.ndarray:
        """How many relevant items each judged query has not yet, in the head and in the tail."""
        pool, train = judged.pool, context.train
        assert train is not None

        def count() -> np.ndarray:
            kept = np.flatnonzero(context.scale.relevant(pool.grades, self.rel))
            query = np.repeat(np.arange(len(pool.queries)), np.diff(pool.offsets))[kept]
            item = train.catalogue.rows_of(pool.items[kept], "item")
            rows = Ranked(len(pool.queries), query, np.ones_like(query), pool.grades[kept], item=item)
            inside = ~rows.among(train.rows(pool.queries.ids)) & ((item >= 0) | (context.items is None))
            tail = self.in_tail(rows, context)
            return np.stack([
                np.bincount(query[inside & part], minlength=len(pool.queries)) for part in (~tail, tail)
            ])  # fmt: skip

        return pool.once((type(self), self.rel, self.head, self.at, id(train)), count)
