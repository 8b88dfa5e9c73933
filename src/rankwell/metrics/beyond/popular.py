"""Metrics of how popular the items of lists are: ARP, mean popularity rank, and ΔGAP, which compares them with users' profiles."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import Better, CorpusMetric, ListMetric, definition
from rankwell.records import record
from rankwell.tables.lists import ratio
from rankwell.tables.states import Mean

__all__ = ["ARP", "DeltaGAP", "MeanPopRank"]


@definition
class ARP(ListMetric):
    """Average recommendation popularity: the mean number of training users of a list's items.

    Formula
        arp@k = (1/n) Σ_{i in list} c_i, c_i training users of item i

    Edge cases
        Undefined for an empty list. An item without training users counts 0.

    Convention
        Each user counts once per item. RecTools' AvgRecPopularity counts rows of the log, and with ``normalize`` divides by all
        of them; Evidently leaves unseen items out.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}}
        >>> rw.evaluate({"u": ["a", "b"], "v": ["c"]}, metrics=["arp@2"], train=train).mean
        {'arp@2': 1.0}

    Reference
        H. Yin et al., Challenging the long tail recommendation, VLDB 2012; H. Abdollahpouri et al., FLAIRS 2019.
    """

    name: ClassVar[str] = "arp"
    plain: ClassVar[str] = "how popular {top} {are}"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts"})

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean of the counts."""
        assert context.train is not None
        rows = judged.shown.top(self.k)
        return ratio(rows.sum(context.train.users_of(rows)), rows.count())


@definition
class MeanPopRank(ListMetric):
    """Mean popularity rank: how far up a list's items stand in the order of popularity, 1 for the most popular item.

    Formula
        (1/n) Σ_{i in list} q_i, q_i = (number of items with fewer training users + (1 + number with as many) / 2) / m, over the
        m items that have any; items with as many include i

    Edge cases
        Undefined for an empty list. An item without training users counts 0.

    Convention
        LensKit's MeanPopRank, also called obscurity: a quantile instead of a count, so that a few very popular items do not
        decide. ``arp`` is the mean of the counts themselves.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1, "c": 1}}
        >>> rw.evaluate({"u": ["a", "b"], "v": ["d"]}, metrics=["mean_pop_rank@2"], train=train).mean
        {'mean_pop_rank@2': 0.375}

    Reference
        M. Ekstrand et al., Sturgeon and the cool kids, FLAIRS 2017; LensKit MeanPopRank.
    """

    name: ClassVar[str] = "mean_pop_rank"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts"})

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean of the quantiles."""
        rows = judged.shown.top(self.k)
        assert rows.item is not None
        return ratio(rows.sum(context.once(_quantiles)[rows.item]), rows.count())


def _quantiles(context: Context) -> np.ndarray:
    """The quantile of popularity of each item of the catalogue; a last 0 is for items outside it."""
    assert context.train is not None
    counts = context.train.counts
    seen = counts > 0
    _, of_item, alike = np.unique(counts[seen], return_inverse=True, return_counts=True)
    quantiles = np.zeros(len(counts) + 1)  # the last one is read for -1, outside
    # mid-ranks: equally popular items share the middle of their ranks, whatever their order
    quantiles[:-1][seen] = (np.cumsum(alike) - (alike - 1) / 2)[of_item] / max(len(of_item), 1)
    return quantiles


@record(slots=True)
class Popularities:
    """The mean popularity of users' profiles, and that of their lists."""

    profiles: Mean
    lists: Mean

    def __add__(self, other: Popularities) -> Popularities:
        return Popularities(self.profiles + other.profiles, self.lists + other.lists)

    @property
    def n(self) -> int:
        """The number of users."""
        return self.profiles.n


@definition
class DeltaGAP(CorpusMetric):
    """Δ group average popularity: how much more popular recommended items are than those users already have.

    Formula
        delta_gap@k = (GAP_L − GAP_P) / GAP_P, GAP_P = mean over users of the mean c_i / U of their training items,
        GAP_L the same for their lists

    Edge cases
        Users without training items, or with an empty list, are left out. An item without training users counts 0. Undefined
        if no user is left.

    Convention
        0: as popular as the profiles; 1: twice as popular; −1: only unknown items. For groups of users (niche, diverse and
        mainstream ones in the paper) use ``by=``, a column of users.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1, "c": 1}}
        >>> rw.evaluate({"u": ["c"], "v": ["b"]}, metrics=["delta_gap@1"], train=train).mean
        {'delta_gap@1': -0.6}

    Reference
        H. Abdollahpouri, M. Mansoury, R. Burke and B. Mobasher, The unfairness of popularity bias in recommendation, RMSE
        at RecSys 2019.
    """

    name: ClassVar[str] = "delta_gap"
    range: ClassVar[tuple[float, float]] = (-1.0, float("inf"))
    better: ClassVar[Better] = "neither"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts", "history"})

    def state(self, judged: Judged, context: Context) -> Popularities:
        """The mean counts of profile and list of each user who has both; U cancels."""
        train = context.train
        assert train is not None
        both = [
            ratio(rows.sum(train.users_of(rows)), rows.count())
            for rows in (judged.history(context), judged.shown.top(self.k))
        ]
        kept = ~np.isnan(both[0] + both[1])
        return Popularities(*(Mean.of(values[kept]) for values in both))

    def value(self, state: Popularities) -> float:
        """The difference over the mean of the profiles; NaN without users."""
        lists, profiles = state.lists.value, state.profiles.value
        return (lists - profiles) / profiles if state.n else math.nan
