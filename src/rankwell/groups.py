"""What the items of each group are seen: shared by the metrics of exposure."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankwell.base import Better, CorpusMetric, Metric, definition
from rankwell.divergences import js, kl, tv
from rankwell.errors import UsageError
from rankwell.features import Features
from rankwell.gains import discount
from rankwell.hits import Context, Judged
from rankwell.ranked import Ranked, ratio

SMOOTHING = 0.01  # of the shares that kl divides by


@definition
class OfGroups(Metric):
    """A metric of what the items of each group are seen; ``groups`` is a column of the items."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features"})

    groups: str = "group"
    view: Literal["log2p1", "rbp", "cut"] = "log2p1"
    p: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.p <= 1:
            raise UsageError(f"{self.name}(p={self.p:g}): p, the chance to look further, is from 0 to 1.")

    def in_force(self, parameter: str) -> bool:
        """The patience p belongs to the view rbp."""
        return parameter != "p" or self.view == "rbp"

    def check_tables(self, context: Context) -> None:
        """The groups must be a column of the table of items."""
        self.groups_of(context)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The rows that belong to no group."""
        item = items_of(judged.shown.top(self.k))
        without = (item >= 0) & (self.groups_of(context).lengths[item] == 0)
        return {f"rows of items without a {self.groups}": int(np.count_nonzero(without))}

    def groups_of(self, context: Context) -> Features:
        """Return the groups of each item, those of one item in equal parts."""
        assert context.items is not None
        return context.items.groups(self.groups).shares

    def seen(self, ranks: np.ndarray) -> np.ndarray:
        """Return v(r), what a rank is seen."""
        if self.view == "rbp":
            return self.p ** (ranks - 1.0)
        return discount("log2p1" if self.view == "log2p1" else "none", 2.0, ranks)


@definition
class AgainstTarget(OfGroups):
    """Shares of exposure, held against the shares that the groups should have."""

    target: Literal["catalogue", "uniform", "merit"] = "catalogue"
    divergence: Literal["js", "tv", "kl", "ratio"] = "js"
    rel: float | None = None

    range: ClassVar[tuple[float, float]] = (0.0, math.log(1 / SMOOTHING))

    @property
    def judgements(self) -> bool:  # type: ignore[override]
        """Only merit is judged."""
        return self.target == "merit"

    @property
    def better(self) -> Better:  # type: ignore[override]
        """A divergence is best at 0, the ratio at 1."""
        return "higher" if self.divergence == "ratio" else "lower"

    def in_force(self, parameter: str) -> bool:
        """What is relevant matters to merit alone."""
        return self.target == "merit" if parameter == "rel" else super().in_force(parameter)

    def breaks(self) -> dict[str, str]:
        """What a better list shows more of may be a group that is seen enough already."""
        return {"a better list scores no worse": "fair shares of exposure are no matter of relevance"}

    def merits(self, judged: Judged, context: Context) -> Ranked:
        """Return the relevant judgements of these queries."""
        rows = judged.in_catalogue(context)
        return rows.where(context.scale.relevant(rows.grade, self.rel))

    def apart(self, seen: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Return how far the shares of exposure in each row are from those wanted."""
        share, fair = _shares(seen), _shares(wanted)
        if self.divergence == "ratio":
            return _least_by_greatest(share, fair)
        if self.divergence == "kl":
            return kl(fair, (1 - SMOOTHING) * share + SMOOTHING * fair)
        return (js if self.divergence == "js" else tv)(fair, share)


def _shares(amounts: np.ndarray) -> np.ndarray:
    """Each amount over the sum of its row."""
    return ratio(amounts, np.broadcast_to(amounts.sum(axis=1, keepdims=True), amounts.shape))


def _least_by_greatest(share: np.ndarray, fair: np.ndarray) -> np.ndarray:
    """The least share ÷ fair share of each row over the greatest; groups that should not be seen have none."""
    has = np.broadcast_to(fair, share.shape) > 0
    rates = np.divide(share, fair, out=np.zeros(share.shape), where=has)
    return ratio(np.where(has, rates, np.inf).min(axis=1, initial=np.inf), rates.max(axis=1, initial=0.0))


@definition
class OfAllLists(OfGroups, CorpusMetric):
    """A metric of the exposure that the groups have in all lists together."""

    @property
    def sees_missing(self) -> bool:  # type: ignore[override]
        """Where judgements count, those of queries without a list do too."""
        return self.judgements

    def state(self, judged: Judged, context: Context) -> GroupCounts:
        """How many rows each group has at each rank, and what that is held against."""
        rows, groups = judged.shown.top(self.k), self.groups_of(context)
        depth = int(rows.rank.max(initial=1))
        seen = counted(groups, items_of(rows), rows.rank - 1, depth)
        return GroupCounts(self, seen, self.against(judged, context), len(judged))

    @abstractmethod
    def against(self, judged: Judged, context: Context) -> np.ndarray:
        """Return counts by share and group: what the exposure of these lists is held against."""

    @abstractmethod
    def value(self, seen: np.ndarray, against: np.ndarray) -> float:
        """Return the value for the exposure of each group, and for what it is held against."""


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """Whole numbers of rows: ``seen`` by share, group and rank, ``against`` by share and group.

    A row of an item in s groups counts 1/s in each of them; those of one share are counted together.
    """

    metric: OfAllLists
    seen: np.ndarray
    against: np.ndarray
    n: int

    def __add__(self, other: GroupCounts) -> GroupCounts:
        short, long = sorted((self.seen, other.seen), key=lambda seen: seen.shape[2])
        seen = long.copy()
        seen[:, :, : short.shape[2]] += short
        return GroupCounts(self.metric, seen, self.against + other.against, self.n + other.n)

    @property
    def value(self) -> float:
        """The metric's value, NaN where it is undefined."""
        parts = 1.0 / np.arange(1, len(self.seen) + 1)
        weights = parts[:, None, None] * self.metric.seen(np.arange(1, self.seen.shape[2] + 1))
        return self.metric.value((self.seen * weights).sum(axis=(0, 2)), amounts(self.against))


def counted(groups: Features, item: np.ndarray, column: np.ndarray | int = 0, width: int = 1) -> np.ndarray:
    """Return how many of some items are in each group, by the share that each group has of an item, and by column."""
    place, code, _ = groups.entries(item)
    share = groups.lengths[item[place]] - 1
    shape = int(groups.lengths.max(initial=1)), len(groups.names), width
    at = column if isinstance(column, int) else column[place]
    return np.bincount((share * shape[1] + code) * width + at, minlength=math.prod(shape)).reshape(shape)


def items_of(rows: Ranked) -> np.ndarray:
    """Return the rows of the catalogue that a table names."""
    assert rows.item is not None
    return rows.item


def fair_counts(groups: Features, target: str) -> np.ndarray:
    """Return what each group should have, by share: its items, or one of its own."""
    items = counted(groups, np.arange(len(groups.lengths)))[:, :, 0]
    if target == "uniform":
        items[:], items[0] = 0, 1
    return items


def amounts(counts: np.ndarray) -> np.ndarray:
    """Return counts by share and group as amounts by group."""
    return (counts / np.arange(1, len(counts) + 1)[:, None]).sum(axis=0)
