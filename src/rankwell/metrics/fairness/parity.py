"""Parity metrics: whether items of the head, mid and tail of the catalogue are shown at the same rate."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import add
from typing import ClassVar

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.beyond.tail import OfHead
from rankwell.metrics.metric import Better, CorpusMetric, definition
from rankwell.records import record
from rankwell.tables.lists import Ranked, owners
from rankwell.tables.popularity import PARTS

__all__ = ["PopREO", "PopRSP"]


@record(slots=True)
class Rates:
    """How many items of each part of the catalogue were shown, out of how many that could be.

    >>> Rates((1, 1), (2, 4), 1) + Rates((0, 0), (0, 4), 1)
    Rates(shown=(1, 1), possible=(2, 8), n=2)
    """

    shown: tuple[int, ...]
    possible: tuple[int, ...]
    n: int

    def __add__(self, other: Rates) -> Rates:
        shown = tuple(map(add, self.shown, other.shown))
        possible = tuple(map(add, self.possible, other.possible))
        return Rates(shown, possible, self.n + other.n)


@definition
class OfRates(OfHead, CorpusMetric):
    """A metric that compares the rates at which the items of each part are shown."""

    better: ClassVar[Better] = "lower"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The upper end is reached if only items of one part are shown."""
        return 0.0, math.sqrt(len(self.borders().codes) - 1)

    def rates(self, shown: np.ndarray, possible: np.ndarray, n: int) -> Rates:
        """Return the state from the parts of the rows shown, and the number of possible items by part."""
        cut = self.borders()
        counts = np.bincount(shown[shown >= 0], minlength=len(PARTS))
        first, second = (tuple(each[list(cut.codes)].tolist()) for each in (counts, possible))
        return Rates(first, second, n)

    def value(self, state: Rates) -> float:
        """The standard deviation of the rates over their mean, of those parts that could be shown at all."""
        from fractions import Fraction
        from statistics import pstdev

        rates = [Fraction(*part) for part in zip(state.shown, state.possible, strict=True) if part[1]]
        total = sum(rates)
        return float(pstdev([rate * len(rates) / total for rate in rates])) if total else math.nan

    def left_out(self, state: Rates) -> dict[str, int]:
        """The parts that could not be shown."""
        empty, name = state.possible.count(0), replace(self, k=None)
        return {f"parts left out of {name} as none of their items could be shown": empty} if empty else {}


@definition
class PopRSP(OfRates):
    """Popularity-based ranking statistical parity: how unequal the chances of head and tail items to be shown are.

    Formula
        RSP_g = Σ_u |L_u ∩ g| / Σ_u |g ∖ H_u| for the parts g, head and tail (or head, mid and tail), H_u the training items of u;
        pop_rsp@k = population standard deviation of the RSP_g ÷ their mean; of two |RSP_head − RSP_tail| / (RSP_head + RSP_tail)

    Edge cases
        Needs ``items=``, the catalogue; items outside it are in no part. A part with no item that could be shown to any user
        is left out and counted; a single part gives 0. Undefined if nothing is shown. Items exactly at the border of head=reach,
        count, quantile or iqr are not in the head.

    Convention
        0: equal chances; 1 (√2 for three parts): only one part is shown. Counts are summed over users before dividing (Elliot).

    Parameters
        head: the rule for the head: volume, top, fraction, reach, count, quantile or iqr (see long_tail)
        at: the share or number used by the rule; reach, count, quantile and iqr take items strictly above it
        mid: where the mid, a part of its own, ends by the same rule; at least ``at``; default: no mid

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
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue", "counts", "history"})

    def state(self, judged: Judged, context: Context) -> Rates:
        """The rows shown, and the catalogue items that each user does not have yet."""
        part, own = self.parts(context), judged.history(context).item
        whole, known = (np.bincount(each, minlength=len(PARTS)) for each in (part, part[own]))
        shown = self.parts_of(judged.shown.top(self.k), context)
        # what each user could be shown is the catalogue less what they have: summed up, one subtraction for all users
        return self.rates(shown, whole * len(judged) - known, len(judged))


@definition
class PopREO(OfRates):
    """Popularity-based ranking equal opportunity: how unequal the chances of relevant head and tail items are.

    Formula
        REO_g = Σ_u |L_u ∩ g ∩ rel_u| / Σ_u |(g ∩ rel_u) ∖ H_u| for the parts g, head and tail (or head, mid and tail), rel_u the
        items relevant to u, H_u the training items of u; pop_reo@k = population standard deviation of the REO_g ÷ their mean

    Edge cases
        A judged query without a list has an empty one. Without ``items=`` an item missing from train is in the tail. A part
        with no relevant item that could be shown is left out and counted; a single part gives 0. Undefined without a hit. Items
        exactly at the border of head=reach, count, quantile or iqr are not in the head.

    Convention
        0: equal chances; 1 (√2 for three parts): hits in one part only. Counts are summed over users before dividing (Elliot).

    Parameters
        head: the rule for the head: volume, top, fraction, reach, count, quantile or iqr (see long_tail)
        at: the share or number used by the rule; reach, count, quantile and iqr take items strictly above it
        mid: where the mid, a part of its own, ends by the same rule; at least ``at``; default: no mid
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

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
    judgements: ClassVar[bool] = True
    sees_missing: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts", "history"})

    rel: float | None = None

    def state(self, judged: Judged, context: Context) -> Rates:
        """The relevant rows shown, and the relevant items that each user does not have yet."""
        rows = judged.shown.top(self.k)
        hits = rows.where(context.scale.relevant(rows.grade, self.rel))
        known = judged.pool_row[judged.pool_row >= 0]
        possible = context.once(_relevant, judged.pool, replace(self, k=None))[:, known].sum(axis=1)
        return self.rates(self.parts_of(hits, context), possible, len(known))


def _relevant(context: Context, pool: Pool, metric: PopREO) -> np.ndarray:
    """The number of relevant items that each judged query does not have yet, by part."""
    train = context.train
    assert train is not None
    kept = np.flatnonzero(context.scale.relevant(pool.grades, metric.rel))
    query = owners(pool.offsets)[kept]
    item = train.catalogue.rows_of(pool.items[kept], "item")
    rows = Ranked(len(pool.queries), query, np.ones_like(query), pool.grades[kept], item=item)
    # -1, of no part, is what the user has already and could not be shown
    part = np.where(rows.among(train.rows(pool.queries.ids)), -1, metric.parts_of(rows, context))
    return np.stack([
        np.bincount(query[part == code], minlength=len(pool.queries)) for code in range(len(PARTS))
    ])  # fmt: skip
