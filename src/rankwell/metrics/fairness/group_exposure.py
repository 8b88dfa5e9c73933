"""Exposure received by each group of items: the base of the exposure metrics."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.divergences import js, kl, tv
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import Better, Metric, definition
from rankwell.records import record
from rankwell.tables.features import Features
from rankwell.tables.lists import Ranked, ratio, shares
from rankwell.tables.states import WHOLE, amounts_of, sums_in_halves

SMOOTHING = 0.01  # mixed into the shares that kl divides by


@definition
class OfGroups(Metric):
    """A metric of the exposure of groups of items; ``groups`` is a column of items."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features"})

    groups: str = "group"
    view: Literal["log2p1", "rbp", "cut"] = "log2p1"
    p: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.p <= 1:
            raise UsageError(
                f"{self.name}(p={self.p:g}): p, the probability of looking further, must be between 0 and 1."
            )

    def applies(self, parameter: str) -> bool:
        """``p`` applies only to view=rbp."""
        return parameter != "p" or self.view == "rbp"

    def check_tables(self, context: Context) -> None:
        """The groups must be a column of the items table."""
        self.groups_of(context)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The rows without a group, and the judgements of items outside the catalogue."""
        item = items_of(judged.shown.top(self.k))
        without = (item >= 0) & (self.groups_of(context).lengths[item] == 0)
        counts = {f"rows of items without a {self.groups}": int(np.count_nonzero(without))}
        if self.judgements:
            outside = items_of(judged.in_catalogue(context)) < 0
            counts["judgements of items outside the catalogue"] = int(np.count_nonzero(outside))
        return counts

    def groups_of(self, context: Context) -> Features:
        """Return the groups of each item; an item in several groups is split equally."""
        assert context.items is not None
        return context.items.groups(self.groups).shares

    def items_in(self, context: Context) -> np.ndarray:
        """Return the number of catalogue items in each group, computed once."""
        return context.once(_catalogue_sums, self.groups_of(context))

    def seen(self, ranks: np.ndarray) -> np.ndarray:
        """Return v(r), the exposure at each rank."""
        if self.view == "rbp":
            return self.p ** (ranks - 1.0)
        return discount("log2p1" if self.view == "log2p1" else "none", 2.0, ranks)


@definition
class AgainstTarget(OfGroups):
    """Shares of exposure, compared with target shares."""

    target: Literal["catalogue", "uniform", "merit"] = "catalogue"
    divergence: Literal["js", "tv", "kl", "ratio"] = "js"
    rel: float | None = None

    range: ClassVar[tuple[float, float]] = (0.0, math.log(1 / SMOOTHING))

    @property
    def judgements(self) -> bool:  # type: ignore[override]
        """Only target=merit reads judgements."""
        return self.target == "merit"

    @property
    def better(self) -> Better:  # type: ignore[override]
        """A divergence is best at 0, the ratio at 1."""
        return "higher" if self.divergence == "ratio" else "lower"

    def applies(self, parameter: str) -> bool:
        """``rel`` applies only to target=merit."""
        return self.target == "merit" if parameter == "rel" else super().applies(parameter)

    def broken_laws(self) -> dict[str, str]:
        """A better list may show more of a group that has enough exposure already."""
        return {"a better list scores no worse": "fair exposure does not depend on relevance"}

    def fair(self, context: Context) -> np.ndarray:
        """Return the target of each group if it does not depend on judgements: its number of items, or equal shares."""
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
        """Return the divergence between the shares of exposure in each row and the target shares."""
        share, fair = shares(seen), shares(wanted)
        if self.divergence == "ratio":
            return _least_by_greatest(share, fair)
        if self.divergence == "kl":
            return kl(fair, (1 - SMOOTHING) * share + SMOOTHING * fair)
        return (js if self.divergence == "js" else tv)(fair, share)


def _least_by_greatest(share: np.ndarray, fair: np.ndarray) -> np.ndarray:
    """The lowest ratio of share to target of each row over the highest; groups with target 0 are left out."""
    has = np.broadcast_to(fair, share.shape) > 0
    rates = np.divide(share, fair, out=np.zeros(share.shape), where=has)
    # ∞ where a group has no target, which is never the minimum
    return ratio(np.where(has, rates, np.inf).min(axis=1, initial=np.inf), rates.max(axis=1, initial=0.0))


@definition
class OfAllLists(OfGroups, CorpusMetric):
    """A metric of the groups' exposure in all lists together."""

    @property
    def sees_missing(self) -> bool:  # type: ignore[override]
        """With judgements, those of queries without a list count too."""
        return self.judgements

    def state(self, judged: Judged, context: Context) -> GroupSums:
        """The exposure of each group, and what to compare it with."""
        rows = judged.shown.top(self.k)
        seen = sum_by_group(self.groups_of(context), items_of(rows), self.seen(rows.rank))
        return GroupSums(seen, self.against(judged, context), len(judged))

    @abstractmethod
    def against(self, judged: Judged, context: Context) -> np.ndarray:
        """Return the sums by group (``summed``) that the exposure of these lists is compared with."""

    def value(self, state: GroupSums) -> float:
        """The exposure of each group, compared with what it is held against."""
        return self.compared(amounts_of(state.seen), amounts_of(state.against))

    @abstractmethod
    def compared(self, seen: np.ndarray, against: np.ndarray) -> float:
        """Return the value for the exposure of each group, and for what it is held against."""


@record(eq=False)
class GroupSums:
    """Exact sums by group, as returned by ``sum_by_group``: the exposure of its items, and what to compare it with."""

    seen: np.ndarray
    against: np.ndarray
    n: int

    def __add__(self, other: GroupSums) -> GroupSums:
        return GroupSums(self.seen + other.seen, self.against + other.against, self.n + other.n)


def sum_by_group(groups: Features, item: np.ndarray, weights: np.ndarray | float = 1.0) -> np.ndarray:
    """Return the sum of the weights (at most 1) of each group's items; an item in s groups counts 1/s in each.

    Weights are rounded to multiples of 2**-52 and split into two halves, multiples of 2**-26 and of 2**-52, whose sums are
    exact. So the result does not depend on how rows were cut into batches.
    """
    length = np.where(item >= 0, groups.lengths[item], 0)
    start = groups.offsets[item]
    wholes = np.rint(WHOLE * weights / np.maximum(length, 1)).astype(np.int64)
    total = np.zeros((2, len(groups.names)), np.int64)
    # the first groups of all items, then the second ones …: parts of 1/s are whole multiples of 2**-52 and add up exactly
    rows, nth = np.flatnonzero(length), 0
    while len(rows):
        total += sums_in_halves(groups.codes[start[rows] + nth], wholes[rows], len(groups.names))
        nth += 1
        rows = rows[length[rows] > nth]
    return total


def _catalogue_sums(_: Context, groups: Features) -> np.ndarray:
    return sum_by_group(groups, np.arange(len(groups.lengths)))


def items_of(rows: Ranked) -> np.ndarray:
    """Return the catalogue rows that a table refers to."""
    assert rows.item is not None
    return rows.item
