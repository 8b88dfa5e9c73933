"""Metrics of the long tail, the items that are not popular: APLT, ACLT, tail coverage."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.catalogue import OfCounts
from rankwell.metrics.metric import Better, ListMetric, Metric, definition
from rankwell.tables.lists import Ranked, ratio
from rankwell.tables.popularity import PARTS, Cut, Rule
from rankwell.tables.states import Counts, ItemCounts

__all__ = ["ACLT", "APLT", "OfHead", "TailCoverage"]

TAIL = PARTS.index("tail")


@definition
class OfHead(Metric):
    """A metric that divides the catalogue into a head of popular items, an optional mid, and a tail."""

    head: Rule = "volume"
    at: float = 0.8
    mid: float | None = None

    def check(self) -> None:
        """The rule and its numbers must match."""
        super().check()
        self.borders()

    def borders(self) -> Cut:
        """Return the cut that divides the catalogue."""
        return Cut.of(self.head, self.at, self.mid)

    def parts(self, context: Context) -> np.ndarray:
        """Return the part of each item of the catalogue: 0 head, 1 mid, 2 tail."""
        return context.once(_parts, self.borders())

    def parts_of(self, rows: Ranked, context: Context) -> np.ndarray:
        """Return the part of each row's item. An item missing from train is in the tail; if a table of items is given, an item
        outside that table is in no part (−1).
        """
        assert rows.item is not None
        parts = self.parts(context)[rows.item]
        parts[rows.item < 0] = TAIL if context.items is None else -1
        return parts


@definition
class APLT(OfHead, ListMetric):
    """Average percentage of long-tail items: the share of a list that is in the tail of the catalogue.

    Formula
        aplt@k = |{i in list : i in the tail}| / n

    Edge cases
        Undefined for an empty list. Without ``items=`` an item missing from train is in the tail. With ``items=`` an item
        outside the catalogue is in neither part, but counts in n. An item exactly at the border of head=reach, count, quantile or
        iqr is in the tail: head=count,at=20 is more than 20 users.

    Convention
        The tail is the catalogue without its head: by default the most popular items with 80 % of the training pairs, including
        the item that crosses the 80 % (Elliot). Equally popular items are ordered by id; print ``at``.

    Parameters
        head: the rule for the head: volume, top, fraction, reach, count, quantile or iqr (see long_tail)
        at: the share or number used by the rule; reach, count, quantile and iqr take items strictly above it
        mid: where the mid ends, by the same rule; items between ``at`` and ``mid`` are in neither part; default: no mid

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}}
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["aplt(at=.5)@2", "aplt(head=top,at=2)@2"], train=train).mean
        {'aplt(at=0.5)@2': 0.5, 'aplt(head=top,at=2)@2': 0.0}

    Reference
        H. Abdollahpouri, R. Burke and B. Mobasher, Managing popularity bias in recommender systems with personalized
        re-ranking, FLAIRS 2019.
    """

    name: ClassVar[str] = "aplt"
    plain: ClassVar[str] = "share of {top} that few people choose"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts"})

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The tail items over all items."""
        rows = judged.shown.top(self.k)
        return ratio(rows.sum(self.parts_of(rows, context) == TAIL), rows.count())


@definition
class ACLT(OfHead, ListMetric):
    """Average coverage of long-tail items: the number of items of a list that are in the tail of the catalogue.

    Formula
        aclt@k = |{i in list : i in the tail}|

    Edge cases
        As for aplt, but a number, and 0 for an empty list.

    Convention
        A count, as defined by its authors and Elliot, not a coverage: k times aplt for lists of k items. The share of the tail
        that all lists reach together is tail_coverage.

    Parameters
        head: the rule for the head: volume, top, fraction, reach, count, quantile or iqr (see long_tail)
        at: the share or number used by the rule; reach, count, quantile and iqr take items strictly above it
        mid: where the mid ends, by the same rule; items between ``at`` and ``mid`` are in neither part; default: no mid

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}}
        >>> rw.evaluate({"u": ["a", "b", "c"]}, metrics=["aclt(at=.5)@3"], train=train).mean
        {'aclt(at=0.5)@3': 2.0}

    Reference
        H. Abdollahpouri, R. Burke and B. Mobasher, Managing popularity bias in recommender systems with personalized
        re-ranking, FLAIRS 2019.
    """

    name: ClassVar[str] = "aclt"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts"})

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of tail items."""
        rows = judged.shown.top(self.k)
        return rows.sum(self.parts_of(rows, context) == TAIL)


@definition
class TailCoverage(OfHead, OfCounts):
    """Tail coverage: the share of the tail of the catalogue that is recommended to at least one user.

    Formula
        tail_coverage@k = |∪_u {items of u's list with r ≤ k} ∩ tail| / |tail|

    Edge cases
        Needs ``items=``, the catalogue; its items without training users are in the tail, and so are those exactly at the
        border of head=reach, count, quantile or iqr. Undefined if the tail is empty.

    Convention
        What the name of aclt suggests. It grows with the number of lists: compare systems at the same number only.

    Parameters
        head: the rule for the head: volume, top, fraction, reach, count, quantile or iqr (see long_tail)
        at: the share or number used by the rule; reach, count, quantile and iqr take items strictly above it
        mid: where the mid ends, by the same rule; items between ``at`` and ``mid`` are in neither part; default: no mid

    Example
        >>> import rankwell as rw
        >>> train = {"u": {"a": 1, "b": 1}, "v": {"a": 1}, "w": {"a": 1}}
        >>> run, items = {"u": ["a", "b"], "v": ["b"]}, ["a", "b", "c", "d"]
        >>> rw.evaluate(run, metrics=["tail_coverage(head=top,at=1)@2"], items=items, train=train).mean
        {'tail_coverage(head=top,at=1)@2': 0.3333333333333333}

    Reference
        as for coverage, applied to the tail.
    """

    name: ClassVar[str] = "tail_coverage"
    plain: ClassVar[str] = "share of the rarely chosen items that anybody is shown in {top}"
    better: ClassVar[Better] = "neither"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue", "counts"})

    def state(self, judged: Judged, context: Context) -> ItemCounts:
        """How often each item of the tail is in the first k."""
        place, size = context.once(_tail, self.borders())
        shown = judged.shown.top(self.k)
        assert shown.item is not None
        places = place[shown.item]
        return ItemCounts.of(places[places >= 0], size, len(judged))

    def value(self, state: Counts) -> float:
        """The items shown among the tail."""
        return state.distinct / state.size if state.size else math.nan


def _parts(context: Context, borders: Cut) -> np.ndarray:
    """The part of each item of the catalogue."""
    train = context.train
    assert train is not None
    return borders.parts(train.counts, train.users, train.order)


def _tail(context: Context, borders: Cut) -> tuple[np.ndarray, int]:
    """The place of each item of the catalogue among those of the tail, -1 for others and, at the end, for items outside; and its size."""
    tail = np.flatnonzero(context.once(_parts, borders) == TAIL)
    assert context.catalogue is not None
    place = np.full(len(context.catalogue) + 1, -1)  # the last one is read for -1, outside
    place[tail] = np.arange(len(tail))
    return place, len(tail)
