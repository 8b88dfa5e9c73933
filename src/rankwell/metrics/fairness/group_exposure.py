"""What the items of each group are seen: shared by the metrics of exposure."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.metrics.beyond.divergences import js, kl, tv
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import Better, Metric, definition
from rankwell.tables.features import Features
from rankwell.tables.ranked import Ranked, ratio, shares
from rankwell.tables.states import WHOLE, amounts_of, sums_in_halves

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
        """The rows that belong to no group, and judgements that cannot."""
        item = items_of(judged.shown.top(self.k))
        without = (item >= 0) & (self.groups_of(context).lengths[item] == 0)
        counts = {f"rows of items without a {self.groups}": int(np.count_nonzero(without))}
        if self.judgements:
            outside = items_of(judged.in_catalogue(context)) < 0
            counts["judgements of items outside the catalogue"] = int(np.count_nonzero(outside))
        return counts

    def groups_of(self, context: Context) -> Features:
        """Return the groups of each item, those of one item in equal parts."""
        assert context.items is not None
        return context.items.groups(self.groups).shares

    def items_in(self, context: Context) -> np.ndarray:
        """Return the sum of the items of each group in the catalogue, made once."""
        return context.once(_catalogue_sums, self.groups_of(context))

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

    def fair(self, context: Context) -> np.ndarray:
        """Return what each group should have whatever is judged: as many as it has items, or all alike."""
        items = self.items_in(context)
        return (
            items
            if self.target == "catalogue"
            else np.stack([np.ones_like(items[0]), np.zeros_like(items[1])])
        )

    def merits(self, judged: Judged, context: Context) -> Ranked:
        """Return the relevant judgements of these queries."""
        rows = judged.in_catalogue(context)
        return rows.where(context.scale.relevant(rows.grade, self.rel))

    def apart(self, seen: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Return how far the shares of exposure in each row are from those wanted."""
        share, fair = shares(seen), shares(wanted)
        if self.divergence == "ratio":
            return _least_by_greatest(share, fair)
        if self.divergence == "kl":
            return kl(fair, (1 - SMOOTHING) * share + SMOOTHING * fair)
        return (js if self.divergence == "js" else tv)(fair, share)


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

    def state(self, judged: Judged, context: Context) -> GroupSums:
        """What the items of each group are seen, and what that is held against."""
        rows = judged.shown.top(self.k)
        seen = summed(self.groups_of(context), items_of(rows), self.seen(rows.rank))
        return GroupSums(seen, self.against(judged, context), len(judged))

    @abstractmethod
    def against(self, judged: Judged, context: Context) -> np.ndarray:
        """Return sums by group (``summed``): what the exposure of these lists is held against."""

    def value(self, state: GroupSums) -> float:
        """The exposure of each group, compared with what it is held against."""
        return self.compared(amounts_of(state.seen), amounts_of(state.against))

    @abstractmethod
    def compared(self, seen: np.ndarray, against: np.ndarray) -> float:
        """Return the value for the exposure of each group, and for what it is held against."""


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums by group, exact, as ``summed`` gives them: what its items are seen, and what that is held against."""

    seen: np.ndarray
    against: np.ndarray
    n: int

    def __add__(self, other: GroupSums) -> GroupSums:
        return GroupSums(self.seen + other.seen, self.against + other.against, self.n + other.n)


def summed(groups: Features, item: np.ndarray, weights: np.ndarray | float = 1.0) -> np.ndarray:
    """Return the sum of the weights (at most 1) of the items of each group; one in s groups counts 1/s in each.

    Weights are taken as whole numbers of 2**-52, in two halves whose sums are exact: rows of whole numbers of 2**-26 and
    of 2**-52. So it does not matter how rows were cut into batches.
    """
    length = np.where(item >= 0, groups.lengths[item], 0)
    start = groups.offsets[item]
    wholes = np.rint(WHOLE * weights / np.maximum(length, 1)).astype(np.int64)
    total = np.zeros((2, len(groups.names)), np.int64)
    rows, nth = np.flatnonzero(length), 0
    while len(rows):
        total += sums_in_halves(groups.codes[start[rows] + nth], wholes[rows], len(groups.names))
        nth += 1
        rows = rows[length[rows] > nth]
    return total


def _catalogue_sums(_: Context, groups: Features) -> np.ndarray:
    return summed(groups, np.arange(len(groups.lengths)))


def items_of(rows: Ranked) -> np.ndarray:
    """Return the rows of the catalogue that a table names."""
    assert rows.item is not None
    return rows.item
